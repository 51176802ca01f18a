import type { IncomingMessage, ServerResponse } from 'node:http';

/** A client that takes nothing for so long has left. */
const STALL_MS = 60_000;

/**
 * Writes a reply part by part. It settles when the reply is over, and never rejects: whatever goes wrong breaks the connection.
 *
 * @param stallMs - how long a client may take for what is sent already
 */
export async function writeParts(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  parts: AsyncIterable<string>,
  stallMs = STALL_MS,
): Promise<void> {
  res.writeHead(status, headers);
  // HEAD asks what a GET would be answered with, and nothing has to be read for that.
  if (req.method === 'HEAD') {
    res.end();
    return;
  }
  try {
    for await (const part of parts) {
      // To leave the loop is to tell the source that no more is wanted.
      if (res.destroyed) return;
      if (!res.write(part)) await taken(res, stallMs);
      if (res.destroyed) return;
    }
    res.end();
  } catch {
    breakOff(req, res);
  }
}

/** Until what was written is with the client, or the client has left. */
function taken(res: ServerResponse, stallMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void): void => {
      clearTimeout(timer);
      res.off('drain', over);
      res.off('close', over);
      end();
    };
    const over = (): void => settle(resolve);
    const timer = setTimeout(() => settle(() => reject(new Error('The client does not read.'))), stallMs);
    res.once('drain', over);
    res.once('close', over);
  });
}

/** Without the last of its chunks a reply is no whole one. One to HTTP/1.0 ends where its connection does, which is reset for that. */
function breakOff({ httpVersion }: IncomingMessage, res: ServerResponse): void {
  if (httpVersion !== '1.0') {
    res.destroy();
    return;
  }
  try {
    res.socket?.resetAndDestroy();
  } catch {
    // Only TCP can be reset: TLS and pipes cannot.
    res.destroy();
  }
}
