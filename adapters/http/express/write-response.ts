import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpResponse } from '../messages.ts';
import { drainThenEnd } from './drain-then-end.ts';
import { writeParts } from './write-parts.ts';
import { writeStream } from './write-stream.ts';

/** Writes a whole reply, or begins a streamed one. */
export function writeResponse(
  req: IncomingMessage,
  res: ServerResponse,
  { status, headers, body, stream, parts }: HttpResponse,
): void {
  if (parts !== undefined) {
    void writeParts(req, res, status, headers, parts);
    return;
  }
  if (stream !== undefined) {
    writeStream(req, res, status, headers, stream);
    return;
  }
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  if (status === 413) {
    refuseBody(req, res, status, { ...headers, 'Content-Length': length }, body);
    return;
  }
  // RFC 9110, section 8.6: a 204 has no length at all.
  res.writeHead(status, status === 204 ? headers : { ...headers, 'Content-Length': length });
  res.end(body);
}

/** Sends the reply at once, so that a client that is still sending its body can read it. */
function refuseBody(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  headers: Record<string, string | number>,
  body: string | Uint8Array,
): void {
  res.writeHead(status, { ...headers, Connection: 'close' });
  if (req.headers.expect !== undefined) {
    res.end(body);
    return;
  }
  res.write(body);
  drainThenEnd(req, res);
}
