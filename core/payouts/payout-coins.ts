import type { AccountId, CurrencyCode, Storage } from '../kernel/index.ts';
import type { SpendableCoin } from '../chain/index.ts';
import type { PayingChain } from './payout-deps.ts';

/** The limit for chains whose adapter sets none. */
const DEFAULT_MAX_COINS = 1_000;
/** The coins of an account that are read when others of its payments are signed first. */
const READ = 5_000;

/** A payment from coins, and its account. */
export interface CoinNeed {
  readonly currency: CurrencyCode;
  /** `null` for the till's own payments. */
  readonly accountId: AccountId | null;
  readonly units: bigint;
}

/** `enough`: one transaction suffices. `too-many`: it can pay `units` at most. `unconfirmed`: coins are in flight. */
export type CoinsFound =
  | { readonly kind: 'enough'; readonly required: readonly SpendableCoin[]; readonly coins: readonly SpendableCoin[] }
  | { readonly kind: 'too-many'; readonly units: bigint }
  | { readonly kind: 'unconfirmed' };

/** The most coins that one transaction of the chain spends; estimates and signing use the same limit. */
export function maxCoinsOf({ payments }: Pick<PayingChain, 'payments'>): number {
  return payments.maxCoins ?? DEFAULT_MAX_COINS;
}

/**
 * The coins that may pay for an account (core/decisions/coins-and-fees.md): its own. When these are less than its balance, all of them and
 * then coins without an owner; coins of others only while none of its own is in flight.
 *
 * @param ahead - units of the account's payments that are signed first; read only when there are many coins
 */
export async function coinsFor(
  chain: Pick<PayingChain, 'code' | 'payments'>,
  { transfers }: Pick<Storage, 'transfers'>,
  { currency, accountId, units }: CoinNeed,
  ahead: () => Promise<bigint> = async () => 0n,
): Promise<CoinsFound> {
  const { code } = chain;
  const limit = maxCoinsOf(chain);
  let own = await transfers.freeCoins(code, currency, limit + 1, { of: accountId });
  const first = own.length > limit ? await ahead() : 0n;
  if (first > 0n) own = withoutFirst(await transfers.freeCoins(code, currency, READ, { of: accountId }), first);
  const sum = sumOf(own.slice(0, limit));
  if (sum >= units) return { kind: 'enough', required: [], coins: own.slice(0, limit) };
  if (own.length >= limit) return { kind: 'too-many', units: sum };
  const others = async (owner: { of: null } | { notOf: AccountId | null }): Promise<CoinsFound | null> => {
    const coins = await transfers.freeCoins(code, currency, limit - own.length, owner);
    return sum + sumOf(coins) >= units ? { kind: 'enough', required: own, coins } : null;
  };
  const nobodys = accountId === null ? null : await others({ of: null });
  if (nobodys !== null) return nobodys;
  if (await transfers.hasTakenCoins(code, currency, accountId)) return { kind: 'unconfirmed' };
  return (await others({ notOf: accountId })) ?? { kind: 'unconfirmed' };
}

/** Omits the largest coins, which pay the earlier payments. */
function withoutFirst(coins: readonly SpendableCoin[], units: bigint): readonly SpendableCoin[] {
  let [left, at] = [units, 0];
  while (left > 0n && at < coins.length) left -= (coins[at++] as SpendableCoin).units;
  return coins.slice(at);
}

export function sumOf(coins: readonly { readonly units: bigint }[]): bigint {
  return coins.reduce((sum, { units }) => sum + units, 0n);
}
