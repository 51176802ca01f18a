import type { ChainCode, CurrencyCode } from '../kernel/asset.ts';
import { FEES_ACCOUNT, gasAccount, LOSS_ACCOUNT, operatorAccount } from './entry.ts';
import type { LedgerBalance } from './entry.ts';

/** The till's own accounts in one currency of a chain: what the chain holds beyond what is owed is their sum. */
export interface OwnAccounts {
  /** Fees charged less fees paid. */
  readonly fees: bigint;
  /** Negative: credits that a reorganisation took back after they were spent. */
  readonly loss: bigint;
  /** The operator's float. */
  readonly operator: bigint;
  /** Negative: gas at deposit addresses, which pays for sweeps and nobody's balance. */
  readonly gas: bigint;
}

const NOTHING: OwnAccounts = { fees: 0n, loss: 0n, operator: 0n, gas: 0n };

const partsOf = (chain: ChainCode): ReadonlyMap<string, keyof OwnAccounts> =>
  new Map([
    [FEES_ACCOUNT, 'fees'],
    [LOSS_ACCOUNT, 'loss'],
    [operatorAccount(chain), 'operator'],
    [gasAccount(chain), 'gas'],
  ]);

/** The names of the till's own accounts on a chain. */
export function ownAccountNames(chain: ChainCode): readonly string[] {
  return [...partsOf(chain).keys()];
}

/** The till's own accounts on a chain, by currency; other balances are ignored. */
export function ownAccounts(
  chain: ChainCode,
  balances: readonly LedgerBalance[],
): (currency: CurrencyCode) => OwnAccounts {
  const parts = partsOf(chain);
  const own = new Map<CurrencyCode, OwnAccounts>();
  for (const { account, currency, units } of balances) {
    const part = parts.get(account);
    if (part !== undefined) own.set(currency, { ...(own.get(currency) ?? NOTHING), [part]: units });
  }
  return (currency) => own.get(currency) ?? NOTHING;
}

/**
 * What the books say that a chain holds in the hot wallet, at deposit addresses and in cold storage, less what is owed to
 * merchants. Each entry sums to zero, so it is the sum of the till's own accounts.
 *
 * @param promised - the fees of unfinished requests: owed to the network, not to the merchant any more
 */
export function solvencyOf({ fees, loss, operator, gas }: OwnAccounts, promised: bigint): bigint {
  return fees + loss + operator + gas + promised;
}
