import type { SignatureAlgorithm } from '../../core/index.ts';
import { utf8 } from './bytes.ts';

/**
 * The HMAC of a text: HMAC-SHA256 through Web Crypto, HMAC-SHA3_256 through `node:crypto` where it exists.
 * @throws Error when the runtime has no SHA-3
 */
export async function hmac(
  algorithm: SignatureAlgorithm,
  key: Uint8Array<ArrayBuffer>,
  text: string,
): Promise<Uint8Array> {
  if (algorithm === 'HMAC-SHA3_256') return hmacSha3(key, text);
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, utf8(text)));
}

function hmacSha3(key: Uint8Array, text: string): Uint8Array {
  // Loaded by name when it is needed: an import would break bundles for runtimes without the module.
  const runtime = globalThis.process as Partial<NodeJS.Process> | undefined;
  const node = runtime?.getBuiltinModule?.('node:crypto');
  if (node?.getHashes().includes('sha3-256') !== true) {
    throw new Error(
      'HMAC-SHA3_256 needs a node:crypto with SHA-3, which this runtime does not have; sign with HMAC-SHA256.',
    );
  }
  return new Uint8Array(node.createHmac('sha3-256', key).update(text).digest());
}
