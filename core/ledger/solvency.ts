import type { ChainCode, CurrencyCode } from '../kernel/asset.ts';
import type { LedgerStore } from '../ports/ledger-store.ts';
import { FEES_ACCOUNT, gasAccount, LOSS_ACCOUNT, operatorAccount } from './entry.ts';

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

/** Reads the till's own accounts on a chain, by currency. */
export async function readOwnAccounts(
  ledger: Pick<LedgerStore, 'balances'>,
  chain: ChainCode,
): Promise<(currency: CurrencyCode) => OwnAccounts> {
  const parts = new Map<string, keyof OwnAccounts>([
    [FEES_ACCOUNT, 'fees'],
    [LOSS_ACCOUNT, 'loss'],
    [operatorAccount(chain), 'operator'],
    [gasAccount(chain), 'gas'],
  ]);
  const own = new Map<CurrencyCode, OwnAccounts>();
  for (const { account, currency, units } of await ledger.balances(...parts.keys())) {
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
