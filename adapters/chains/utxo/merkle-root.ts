import { hash256 } from './hash256.ts';

const HASH_BYTES = 32;

/**
 * The root of the tree over transaction ids, in the serialised order of bytes; `null` for a list with repeated
 * neighbours, which has the root of a shorter one (CVE-2012-2459).
 */
export function merkleRoot(txids: readonly Uint8Array[]): Buffer | null {
  let level: readonly Uint8Array[] = txids;
  const pair = Buffer.alloc(HASH_BYTES * 2);
  while (level.length > 1) {
    const above: Buffer[] = [];
    for (let at = 0; at < level.length; at += 2) {
      const left = level[at] as Uint8Array;
      const right = level[at + 1];
      if (right !== undefined && Buffer.compare(left, right) === 0) return null;
      pair.set(left, 0);
      pair.set(right ?? left, HASH_BYTES);
      above.push(hash256(pair));
    }
    level = above;
  }
  return level[0] === undefined ? null : Buffer.from(level[0]);
}
