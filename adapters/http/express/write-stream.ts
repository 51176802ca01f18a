import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ReplyStream } from '../messages.ts';

/** A client with this many unread bytes does not read any more. */
const UNREAD_BYTES = 64 * 1024;

/** Begins a reply that is streamed until the stream ends or the client disconnects. */
export function writeStream(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  stream: ReplyStream,
): void {
  res.writeHead(status, headers);
  // The reply to HEAD has the headers of GET, so no stream has to begin.
  if (req.method === 'HEAD' || res.destroyed) {
    res.end();
    return;
  }
  res.flushHeaders();
  const over = stream({
    write: (text) => {
      if (!res.writableEnded && !res.destroyed) res.write(text);
      return res.writableLength <= UNREAD_BYTES;
    },
    end: () => void res.end(),
  });
  res.once('close', over);
}
