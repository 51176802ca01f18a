import type { PlainRequest } from '../../../host/gateway/fast-path/http1/plain-request.ts';
import type { PlainRequestReader } from '../../../host/gateway/fast-path/plain-request-reader.ts';

/** The request at the start of these bytes, as a client's connection reads it. */
export function readWith(reader: PlainRequestReader, bytes: Buffer): PlainRequest | null {
  return reader.match(bytes)?.matched() ?? reader.parse(bytes);
}
