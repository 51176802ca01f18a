import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';

type Decode = (body: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const DECODERS: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['identity', (body) => Promise.resolve(body)],
  ['gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

/** A response's content coding (RFC 9110, section 8.4) from its fields, names alternating with values. */
export function codingOf(fields: readonly string[]): string {
  for (let at = 0; at < fields.length; at += 2)
    if ((fields[at] as string).toLowerCase() === 'content-encoding') return (fields[at + 1] as string).toLowerCase();
  return 'identity';
}

/**
 * A body without its content coding; `null` if the coding is unknown or invalid, or the body would exceed `maxBytes`.
 */
export async function decodeBody(body: Buffer, coding: string, maxBytes: number): Promise<Buffer | null> {
  try {
    return (await DECODERS.get(coding)?.(body, { maxOutputLength: maxBytes })) ?? null;
  } catch {
    return null;
  }
}
