import type { ChainCode, CurrencyCode } from '../kernel/asset.ts';
import type { EntryId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import { custodyAccount, operatorAccount } from '../ledger/entry.ts';
import type { LedgerBalance } from '../ledger/entry.ts';
import { postEntry } from '../ledger/post-entry.ts';
import type { ChainAdapter } from '../ports/chain-adapter.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { Lease } from '../ports/lease-store.ts';
import type { Storage, Transaction } from '../ports/storage.ts';
import { canPay } from './payout-deps.ts';
import type { PayingChain, PayoutDeps } from './payout-deps.ts';
import { reconcile } from './reconcile.ts';

type Units = ReadonlyMap<CurrencyCode, bigint>;

/** While nothing was seen, the next look is due after this time. */
const LOOK_EVERY_MS = 15_000;

interface Look {
  readonly height: number;
  readonly at: Millis;
  readonly surplus: Units;
}

/** A change of the operator's float: above zero what was found, below what was taken out. */
export interface FloatChange {
  readonly currency: CurrencyCode;
  readonly units: bigint;
}

/**
 * Finds the operator's own coins on account chains: what the hot wallet shows beyond the books. They are booked once two looks
 * have shown them that are further apart than a deposit takes to be spendable, so that a payment that a reorganisation moves
 * is never taken for the operator's.
 */
export class FindFloat {
  readonly #chain: PayingChain;
  readonly #deps: Pick<PayoutDeps, 'storage' | 'clock' | 'ids' | 'logger'>;
  #former: Look | null = null;

  constructor(chain: PayingChain, deps: Pick<PayoutDeps, 'storage' | 'clock' | 'ids' | 'logger'>) {
    this.#chain = chain;
    this.#deps = deps;
  }

  /** One look, when it is due. @throws TillgateError `LEASE_LOST`, `NODE_FAILED` */
  async run(lease: Lease, height: number): Promise<void> {
    const { code } = this.#chain;
    const former = this.#former;
    if (!this.#isDue(height)) return;
    const { storage } = this.#deps;
    const isUnsure = (await storage.transfers.unminedPayouts(code, null, 1)).length > 0;
    const custody = await storage.ledger.balances(custodyAccount(code));
    const surplus = new Map(isUnsure ? [] : await hotSurplus(this.#chain, storage));
    this.#former = { height, at: this.#deps.clock.now(), surplus };
    for (const [currency, units] of surplus) {
      const before = former?.surplus.get(currency) ?? 0n;
      const found = await this.#beyondBooks(currency, before < units ? before : units);
      if (found > 0n && (await this.#book(lease, { currency, units: found }, custody)))
        surplus.set(currency, units - found);
    }
  }

  #isDue(height: number): boolean {
    if (this.#former === null) return true;
    const { height: before, at, surplus } = this.#former;
    if (height > before + this.#chain.policy.spendableConfirmations) return true;
    const isWaiting = [...surplus.values()].some((units) => units > 0n);
    return !isWaiting && height > before && this.#deps.clock.now() >= at + LOOK_EVERY_MS;
  }

  /** What is in the hot wallet and missing elsewhere is not the operator's: coins that a restored backup does not know as swept. */
  async #beyondBooks(currency: CurrencyCode, units: bigint): Promise<bigint> {
    if (units <= 0n) return 0n;
    const lines = await reconcile(this.#chain, this.#deps);
    const { onChain, expected } = lines.find((line) => line.currency === currency) ?? { onChain: units, expected: 0n };
    return onChain - expected < units ? onChain - expected : units;
  }

  async #book(lease: Lease, change: FloatChange, custody: readonly LedgerBalance[]): Promise<boolean> {
    const { storage, logger } = this.#deps;
    const { code } = this.#chain;
    const booked = await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      return bookFloat(tx, code, change, custody, this.#deps);
    });
    const { currency, units } = change;
    if (booked) logger.info("the operator's coins are booked", { chain: code, currency, units: units.toString() });
    return booked;
  }
}

/**
 * What the hot wallet shows beyond the books, by currency; never too much: sweeps that are in flight count as arrived, payments
 * as not made.
 */
export async function hotSurplus(
  { code, payments }: Pick<PayingChain, 'code' | 'payments'>,
  { transfers }: Pick<Storage, 'transfers'>,
): Promise<Units> {
  const expected = new Map(await transfers.hotCustody(code));
  for (const { sourceAddress, currency, units } of await transfers.inFlight(code))
    if (sourceAddress !== payments.hotAddress) expected.set(currency, (expected.get(currency) ?? 0n) + units);
  const { currency: native } = payments.feeAsset;
  const surplus = new Map<CurrencyCode, bigint>();
  for (const currency of new Set([...expected.keys(), native]))
    surplus.set(currency, (await payments.balance(payments.hotAddress, currency)) - (expected.get(currency) ?? 0n));
  return surplus;
}

/**
 * Takes the hot wallet as it is, on an operator's word: what is beyond the books is booked as his, and what is missing as taken
 * out by him, up to what is his.
 *
 * @param record - writes the operator's audit row, in the transaction that books
 * @throws TillgateError `NODE_FAILED`
 */
export async function takeHotWallet(
  chain: ChainAdapter,
  { storage, ...deps }: { readonly storage: FloatStorage; readonly clock: Clock; readonly ids: IdGenerator },
  record: (tx: Transaction, booked: readonly FloatChange[]) => Promise<unknown>,
): Promise<void> {
  const custody = await storage.ledger.balances(custodyAccount(chain.code));
  const changes = canPay(chain) ? await difference(chain, storage) : [];
  await storage.transaction(async (tx) => {
    const booked: FloatChange[] = [];
    for (const change of changes) if (await bookFloat(tx, chain.code, change, custody, deps)) booked.push(change);
    await record(tx, booked);
  });
}

type FloatStorage = Pick<Storage, 'transfers' | 'ledger' | 'transaction'>;

/** Between the chain and the books, by currency. */
async function difference(chain: PayingChain, storage: FloatStorage): Promise<readonly FloatChange[]> {
  if (chain.payments.model === 'utxo') return [];
  const found = [...(await hotSurplus(chain, storage))].filter(([, units]) => units > 0n);
  const missing = (await reconcile(chain, { storage })).filter(({ shortfall }) => shortfall > 0n);
  return [
    ...found.map(([currency, units]) => ({ currency, units })),
    ...missing.map(({ currency, shortfall }) => ({ currency, units: -shortfall })),
  ];
}

/**
 * Books a change of the float by the custody that it was computed from: when the books have changed since, or the float does not
 * suffice, nothing is booked.
 */
export async function bookFloat(
  tx: Transaction,
  chain: ChainCode,
  { currency, units }: FloatChange,
  custody: readonly LedgerBalance[],
  { clock, ids }: { readonly clock: Clock; readonly ids: IdGenerator },
): Promise<boolean> {
  const [held, own] = [custodyAccount(chain), operatorAccount(chain)];
  const before = custody.find((balance) => balance.account === held && balance.currency === currency)?.units ?? 0n;
  if ((await tx.ledger.lockBalance(held, currency)) !== before) return false;
  if ((await tx.ledger.lockBalance(own, currency)) + units < 0n) return false;
  const id = ids.next() as EntryId;
  return postEntry(tx, {
    id,
    at: clock.now(),
    kind: units > 0n ? 'float-found' : 'float-taken',
    reference: `operator:${chain}:${id}`,
    postings: [
      { account: held, currency, units: -units },
      { account: own, currency, units },
    ],
  });
}
