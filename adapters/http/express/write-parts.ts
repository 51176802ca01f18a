import type { IncomingMessage, ServerResponse } from 'node:http';

/** A client that receives nothing for this long is treated as gone. */
const STALL_MS = 60_000;

/**
 * Writes a reply part by part. It settles when the reply is over and never rejects: any error breaks the connection.
 *
 * @param stallMs - how long a client may take to receive what was sent already
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
  // The reply to HEAD has the headers of GET, so the parts need not be read.
  if (req.method === 'HEAD') {
    res.end();
    return;
  }
  try {
    for await (const part of parts) {
      // Leaving the loop closes the source.
      if (res.destroyed) return;
      if (!res.write(part)) await taken(res, stallMs);
      if (res.destroyed) return;
    }
    res.end();
  } catch {
    breakOff(req, res);
  }
}

/** Resolves when the client has received what was written, or has left. */
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

/**
 * Breaks off an incomplete reply. In HTTP/1.1 the missing last chunk shows that it is incomplete; in HTTP/1.0 the end
 * of the connection ends the reply, so the connection is reset.
 */
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
