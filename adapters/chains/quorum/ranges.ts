import type { BlockRef, ObservedTransfer, ScannedRange } from '../../../core/index.ts';

/** A block as text, equal for equal blocks. */
export function blockText({ height, hash, parentHash, time }: BlockRef): string {
  return `${height} ${hash} ${parentHash} ${time}`;
}

/** What is compared of a range: its blocks, and what each transfer brought to whom. */
export function rangeText({ blocks, transfers }: ScannedRange): string {
  const found = transferTexts(transfers);
  return `${found.length === 0 ? 'no transfer' : found.join('; ')}, in ${blocks.map(blockText).join(', ')}`;
}

/**
 * A coin that only balances show has no transaction of its own: whether a node can name one depends on what it offers. It is
 * compared by its block, its receiver and its sum.
 */
function transferTexts(transfers: readonly ObservedTransfer[]): readonly string[] {
  const texts: string[] = [];
  const sums = new Map<string, bigint>();
  for (const { txid, index, block, currency, units, from, toKey } of transfers) {
    if (index.startsWith('internal:')) {
      const name = `${currency} to ${toKey} at ${block.height}`;
      sums.set(name, (sums.get(name) ?? 0n) + units);
    } else texts.push(`${units} ${currency} to ${toKey} in ${txid} ${index} from ${from ?? '?'} at ${block.height}`);
  }
  for (const [name, units] of sums) texts.push(`${units} ${name}`);
  return texts.sort();
}
