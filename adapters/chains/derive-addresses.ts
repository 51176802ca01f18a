import { TillgateError } from '../../core/index.ts';
import type { ChainCode, DerivedAddress } from '../../core/index.ts';

/** The last child that BIP-32 derives from a public key. */
const MAX_INDEX = 0x7fffffff;
/** About a millisecond; without libsecp256k1 about seven. */
const AT_ONCE = 8;

/**
 * The addresses of consecutive indexes. Deriving is arithmetic, which blocks everything else, so other work of the process
 * gets its turn after every few.
 *
 * @throws TillgateError `CONFIG_INVALID` beyond the last index of an account
 */
export async function deriveInTurns(
  chain: ChainCode,
  [first, count]: readonly [first: number, count: number],
  addressOf: (index: number) => Omit<DerivedAddress, 'index'>,
): Promise<readonly DerivedAddress[]> {
  if (first < 0 || first + count - 1 > MAX_INDEX)
    throw new TillgateError('CONFIG_INVALID', `The wallet of ${chain} has no more addresses.`);
  const derived: DerivedAddress[] = [];
  for (let index = first; index < first + count; index++) {
    derived.push({ index, ...addressOf(index) });
    if (derived.length % AT_ONCE === 0 && derived.length < count)
      await new Promise((resolve) => void setImmediate(resolve));
  }
  return derived;
}
