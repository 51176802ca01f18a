import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpResponse } from '../messages.ts';

/** How much of a body that nobody wants is read before the connection is cut. */
const DRAIN_BYTES = 1024 * 1024;
const DRAIN_MS = 2000;

/** Writes a reply in one go. */
export function writeResponse(req: IncomingMessage, res: ServerResponse, { status, headers, body }: HttpResponse): void {
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  if (status === 413) {
    refuseBody(req, res, status, { ...headers, 'Content-Length': length }, body);
    return;
  }
  res.writeHead(status, { ...headers, 'Content-Length': length });
  res.end(body);
}

/**
 * A client that is still sending reads its reply only when the connection is not reset under it: the reply goes out at
 * once, what still comes is thrown away within bounds, and then the connection closes.
 */
function refuseBody(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  headers: Record<string, string | number>,
  body: string | Uint8Array,
): void {
  res.writeHead(status, { ...headers, Connection: 'close' });
  if (req.headers.expect !== undefined || req.complete) {
    res.end(body);
    return;
  }
  res.write(body);
  let drained = 0;
  const finish = (): void => {
    clearTimeout(timer);
    req.off('data', onData).off('end', finish).off('close', finish);
    res.end();
  };
  const onData = (chunk: Buffer): void => {
    drained += chunk.length;
    if (drained > DRAIN_BYTES) finish();
  };
  const timer = setTimeout(finish, DRAIN_MS);
  req.on('data', onData).on('end', finish).on('close', finish).resume();
}
