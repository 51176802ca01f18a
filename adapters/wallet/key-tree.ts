import { secp256k1 } from '@noble/curves/secp256k1.js';
import { HDKey } from '@scure/bip32';
import { TillgateError, present } from '../../core/index.ts';
import type { EcdsaSignature } from '../../core/index.ts';

/** From here on an index is hardened (BIP-32). */
const HARDENED = 0x80000000;
/** A till has two accounts for each chain and two branches at most in each. */
const KEPT_NODES = 64;

/**
 * The private keys below a seed (BIP-32).
 *
 * The nodes above the addresses are kept, because deriving them again would double the cost of a signature; an address's own
 * key lives only as long as the signature takes and is overwritten then.
 */
export class KeyTree {
  readonly #root: HDKey;
  readonly #nodes = new Map<string, HDKey>();

  constructor(seed: Uint8Array) {
    this.#root = HDKey.fromMasterSeed(seed);
  }

  extendedPublicKey(account: string): string {
    return this.#account(account).publicExtendedKey;
  }

  sign(account: string, branch: number, index: number, digest: Uint8Array): EcdsaSignature {
    if (branch >= HARDENED || index >= HARDENED) throw notAPath(`${account}/${branch}/${index}`);
    const leaf = this.#node(`${account}/${branch}`, () => this.#account(account).deriveChild(branch)).deriveChild(
      index,
    );
    const key = present(leaf.privateKey, 'the private key');
    leaf.wipePrivateData();
    try {
      // Hashed already; RFC 6979 and low s are this library's defaults.
      const signature = secp256k1.sign(digest, key, { prehash: false, format: 'recovered' });
      return { bytes: signature.slice(1), recovery: present(signature[0], 'the recovery bit') };
    } finally {
      key.fill(0);
    }
  }

  #account(path: string): HDKey {
    return this.#node(path, () => {
      const steps = path
        .split('/')
        .slice(1)
        .map((step) => Number(step.slice(0, -1)));
      if (steps.some((step) => step >= HARDENED)) throw notAPath(path);
      return steps.reduce((parent, step) => {
        const child = parent.deriveChild(step + HARDENED);
        if (parent !== this.#root) parent.wipePrivateData();
        return child;
      }, this.#root);
    });
  }

  #node(path: string, derive: () => HDKey): HDKey {
    const known = this.#nodes.get(path);
    if (known !== undefined) return known;
    const node = derive();
    this.#nodes.set(path, node);
    if (this.#nodes.size > KEPT_NODES) this.#forgetOldest();
    return node;
  }

  #forgetOldest(): void {
    const [path, node] = present(this.#nodes.entries().next().value, 'the oldest node');
    this.#nodes.delete(path);
    node.wipePrivateData();
  }
}

function notAPath(path: string): TillgateError {
  return new TillgateError('CONFIG_INVALID', `${path} has an index beyond 2^31 - 1.`);
}
