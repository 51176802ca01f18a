/** The bytes of a reply as text; `null` for one that is larger than `maxBytes`, the rest of which is not read. */
export async function readBounded(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The cause of a failed request as a code alone: messages of the network layer name addresses. */
export function networkCode(error: unknown): string {
  const code: unknown = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[A-Z_]+$/.test(code) ? code : 'network error';
}
