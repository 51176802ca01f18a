import { createRequire } from 'node:module';

/** The calls of libsecp256k1 that are used, on bytes. */
export type FastSecp256k1 = Pick<
  typeof import('tiny-secp256k1'),
  'pointAdd' | 'pointFromScalar' | 'pointCompress' | 'recover'
>;

let loaded: FastSecp256k1 | null | undefined;

/** libsecp256k1 as WebAssembly, an optional peer four times as fast as JavaScript; `null` where it is not installed. */
export function fastSecp256k1(): FastSecp256k1 | null {
  if (loaded === undefined) {
    try {
      loaded = createRequire(import.meta.url)('tiny-secp256k1') as FastSecp256k1;
    } catch {
      // Not installed, or no WebAssembly: everything works, only slower.
      loaded = null;
    }
  }
  return loaded;
}
