import type { AccountId, Asset, ChainCode, CurrencyCode, Storage } from '../kernel/index.ts';
import { amountInWords } from '../kernel/index.ts';
import {
  MERCHANT_BALANCES,
  merchantAccount,
  ownAccountNames,
  ownAccounts,
  solvencyOf,
  unassignedAccount,
} from '../ledger/index.ts';
import type { LedgerBalance } from '../ledger/index.ts';
import type { FrozenCoin } from './transfer-store.ts';
import type { PayingChain } from './payout-deps.ts';
import { raiseAlert } from '../notify/index.ts';
import type { AlertChannels } from '../notify/index.ts';

/**
 * The holdings of a chain in the ledger less its debts, in one currency; below zero when merchants' money is missing.
 */
export interface SolvencyLine {
  readonly currency: CurrencyCode;
  readonly units: bigint;
}

/** A chain whose payouts are stopped while less is held there than merchants are owed. */
export interface SolvencyScope {
  readonly code: ChainCode;
  readonly assets: readonly Asset[];
  /**
   * The address to which the operator sends what is missing; `null` where the operator's coins cannot be found, so that
   * nothing would end a stop.
   */
  readonly topUp: string | null;
}

/**
 * The solvency of each currency of a chain. Of an unfinished transfer, only what its receiver gets is owed; frozen
 * coins count as neither held nor owed.
 */
export async function readSolvency(
  { code, assets }: Pick<SolvencyScope, 'code' | 'assets'>,
  { transfers }: Pick<Storage, 'transfers'>,
): Promise<readonly SolvencyLine[]> {
  const frozen = await transfers.frozenCoins(code);
  const owners = frozen.flatMap(({ accountId }) => ownersAccounts(code, accountId));
  const { balances, live } = await transfers.position(code, [...ownAccountNames(code), ...new Set(owners)]);
  const own = ownAccounts(code, balances);
  const promised = new Map<CurrencyCode, bigint>();
  for (const { isMerchants, currency, feeUnits } of live)
    if (isMerchants) promised.set(currency, (promised.get(currency) ?? 0n) + feeUnits);
  return assets.map(({ currency }) => ({
    currency,
    units: solvencyOf(own(currency), promised.get(currency) ?? 0n) - uncovered(code, currency, frozen, balances),
  }));
}

/** The ledger accounts of what is owed to an owner of coins. */
function ownersAccounts(chain: ChainCode, owner: AccountId | null): readonly string[] {
  if (owner === null) return [unassignedAccount(chain)];
  return MERCHANT_BALANCES.map((part) => merchantAccount(owner, part));
}

/**
 * The frozen units beyond what their owners are owed. Frozen coins pay nobody; up to what their owner is owed, that
 * debt is not paid either.
 */
function uncovered(
  chain: ChainCode,
  currency: CurrencyCode,
  frozen: readonly FrozenCoin[],
  balances: readonly LedgerBalance[],
): bigint {
  const byOwner = new Map<AccountId | null, bigint>();
  for (const coin of frozen)
    if (coin.currency === currency) byOwner.set(coin.accountId, (byOwner.get(coin.accountId) ?? 0n) + coin.units);
  return [...byOwner].reduce((sum, [owner, units]) => {
    const names = ownersAccounts(chain, owner);
    const owed = balances
      .filter((balance) => balance.currency === currency && names.includes(balance.account))
      .reduce((all, balance) => all + balance.units, 0n);
    return units > owed ? sum + units - owed : sum;
  }, 0n);
}

/** True where coins that the operator sends to the hot wallet are found. */
export function showsFloat({ payments }: Pick<PayingChain, 'payments'>): boolean {
  return payments.model === 'account' || payments.unspent !== undefined;
}

const OWED = 'Merchants are owed more than is held on the chain';

/** What is missing and what the operator must do; `null` while everything that is owed is held. */
export function insolvencyReason(
  { code, assets, topUp }: SolvencyScope,
  lines: readonly SolvencyLine[],
): string | null {
  const missing = lines
    .filter(({ units }) => units < 0n)
    .map(({ currency, units }) => amountInWords(assets, currency, -units));
  if (missing.length === 0) return null;
  if (topUp === null) return `${OWED} ${code}, by ${missing.join(' and ')}; payouts continue.`;
  return `${OWED} ${code}: send at least ${missing.join(' and ')} to ${topUp}; payouts resume by themselves once that is booked.`;
}

/** True for a reason of {@link insolvencyReason}. */
export function isInsolvency(reason: string): boolean {
  return reason.startsWith(OWED);
}

/**
 * Stops the payouts of a chain while less is held than is owed, and resumes them once enough was sent. A stop by an
 * operator, or by another check, is left unchanged. Where nothing could end the stop, an alert is raised instead.
 */
export class SolvencyStop {
  readonly #scope: SolvencyScope;
  readonly #deps: AlertChannels & { readonly storage: Pick<Storage, 'transfers'> };
  /** The last reported shortfall where payouts continue, so that each is reported once. */
  #said: string | null = null;

  constructor(scope: SolvencyScope, deps: AlertChannels & { readonly storage: Pick<Storage, 'transfers'> }) {
    this.#scope = scope;
    this.#deps = deps;
  }

  /**
   * @param stops - the currencies that stop the whole chain; all by default
   * @returns true when everything that is owed in them is held
   */
  async apply(
    lines: readonly SolvencyLine[],
    stops: (currency: CurrencyCode) => boolean = () => true,
  ): Promise<boolean> {
    const { code, topUp } = this.#scope;
    const { metrics, storage } = this.#deps;
    for (const { currency, units } of lines)
      metrics.gauge('tillgate_solvency_units', Number(units), { chain: code, currency });
    const reason = insolvencyReason(
      this.#scope,
      lines.filter(({ currency }) => stops(currency)),
    );
    if (reason !== null && topUp === null) this.#alert(reason);
    else if (reason !== null) await this.#stop(reason);
    else {
      const stop = await storage.transfers.payoutStop(code);
      if (stop !== null && isInsolvency(stop)) await storage.transfers.replacePayoutStop(code, stop, null);
    }
    return reason === null;
  }

  async #stop(reason: string): Promise<void> {
    const { code } = this.#scope;
    if (await this.#deps.storage.transfers.replacePayoutStop(code, null, reason))
      raiseAlert(this.#deps, 'payouts-stopped', `chain ${code}`, reason);
  }

  #alert(reason: string): void {
    if (reason !== this.#said) raiseAlert(this.#deps, 'loss', `chain ${this.#scope.code}`, reason);
    this.#said = reason;
  }
}
