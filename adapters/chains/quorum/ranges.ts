import type { BlockRef, ObservedTransfer, ScannedRange } from '../../../core/index.ts';

/** A block as text, equal for equal blocks. */
export function blockText({ height, hash, parentHash, time }: BlockRef): string {
  return `${height} ${hash} ${parentHash} ${time}`;
}

/** The text by which ranges are compared: the blocks, and the amount and receiver of each transfer. */
export function rangeText({ blocks, transfers }: ScannedRange): string {
  return `${transfersText(transfers)}, in ${blocks.map(blockText).join(', ')}`;
}

/** The amount and receiver of each transfer. */
export function transfersText(transfers: readonly ObservedTransfer[]): string {
  const found = transferTexts(transfers);
  return found.length === 0 ? 'no transfer' : found.join('; ');
}

/**
 * Coins that only a balance shows have no transaction of their own, and whether a node can name one depends on its
 * features. They are compared by block, receiver and sum.
 */
function transferTexts(transfers: readonly ObservedTransfer[]): readonly string[] {
  const texts: string[] = [];
  const sums = new Map<string, bigint>();
  for (const { txid, index, block, currency, units, from, toKey, leastConfirmations = 0 } of transfers) {
    if (index.startsWith('internal:')) {
      const name = `${currency} to ${toKey} at ${block.height}`;
      sums.set(name, (sums.get(name) ?? 0n) + units);
    } else
      texts.push(
        `${units} ${currency} to ${toKey} in ${txid} ${index} from ${from ?? '?'} at ${block.height}` +
          (leastConfirmations === 0 ? '' : ` after ${leastConfirmations} confirmations`),
      );
  }
  for (const [name, units] of sums) texts.push(`${units} ${name}`);
  return texts.sort();
}
