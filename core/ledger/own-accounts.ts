import type { ChainCode, CurrencyCode } from '../kernel/index.ts';
import { FEES_ACCOUNT, gasAccount, LOSS_ACCOUNT, operatorAccount } from './entry.ts';
import type { LedgerBalance } from './entry.ts';

/** The till's own accounts in one currency of a chain. Their sum is what the chain holds beyond what is owed. */
export interface OwnAccounts {
  /** Fees charged less fees paid. */
  readonly fees: bigint;
  /** Negative: credits that were reversed after they had been spent. */
  readonly loss: bigint;
  readonly operator: bigint;
  /** Negative: gas at deposit addresses, which pays for sweeps and belongs to no balance. */
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
 * The chain's holdings in the ledger (hot wallet, deposit addresses and cold storage) less the debts to merchants. Each
 * entry sums to zero, so this is the sum of the till's own accounts.
 *
 * @param promised - the fees of unfinished transfers, which are owed to the network and no longer to the merchant
 */
export function solvencyOf({ fees, loss, operator, gas }: OwnAccounts, promised: bigint): bigint {
  return fees + loss + operator + gas + promised;
}
