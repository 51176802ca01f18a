import type {
  ChainCode,
  Clock,
  CurrencyCode,
  EntryId,
  IdGenerator,
  Lease,
  Millis,
  Storage,
  Transaction,
} from '../kernel/index.ts';
import { isTillgateError } from '../kernel/index.ts';
import { custodyAccount, operatorAccount, postEntry } from '../ledger/index.ts';
import type { LedgerBalance } from '../ledger/index.ts';
import type { ChainAdapter } from '../chain/index.ts';
import { canPay } from './payout-deps.ts';
import type { PayingChain, PayoutDeps } from './payout-deps.ts';
import { reconcile } from './reconcile.ts';
import type { CustodyLine } from './reconcile.ts';

type Units = ReadonlyMap<CurrencyCode, bigint>;

/** The interval between two readings while nothing was found, in milliseconds. */
const LOOK_EVERY_MS = 15_000;

interface Look {
  readonly height: number;
  readonly at: Millis;
  readonly surplus: Units;
}

/** A change of the operator's float: positive for coins that were found, negative for coins that were withdrawn. */
export interface FloatChange {
  readonly currency: CurrencyCode;
  readonly units: bigint;
}

/**
 * Finds the operator's own coins on account chains: the excess of the hot wallet over the ledger. They are booked once
 * two readings have shown them that are further apart than a deposit takes to become spendable, so that a payment that
 * a reorganisation moves is never booked as the operator's.
 */
export class FindFloat {
  readonly #chain: PayingChain;
  readonly #deps: Pick<PayoutDeps, 'storage' | 'clock' | 'ids' | 'logger'>;
  #former: Look | null = null;

  constructor(chain: PayingChain, deps: Pick<PayoutDeps, 'storage' | 'clock' | 'ids' | 'logger'>) {
    this.#chain = chain;
    this.#deps = deps;
  }

  /** Makes one reading when it is due. @throws TillgateError `LEASE_LOST`, `NODE_FAILED` */
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

  async #beyondBooks(currency: CurrencyCode, units: bigint): Promise<bigint> {
    return units <= 0n ? 0n : beyondBooks(await reconcile(this.#chain, this.#deps), currency, units);
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
 * The excess of the hot wallet over the ledger, by currency. It is never too large: sweeps in flight count as arrived,
 * payments as not made.
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
  for (const currency of new Set([native, ...expected.keys()])) {
    const held = await balanceOf(payments, currency);
    if (held !== null) surplus.set(currency, held - (expected.get(currency) ?? 0n));
  }
  return surplus;
}

/** `null` for a token whose contract does not report balances, so that the other currencies can still be read. */
async function balanceOf(payments: PayingChain['payments'], currency: CurrencyCode): Promise<bigint | null> {
  try {
    return await payments.balance(payments.hotAddress, currency);
  } catch (error) {
    if (currency === payments.feeAsset.currency || !isTillgateError(error, 'NODE_FAILED')) throw error;
    return null;
  }
}

/**
 * Accepts the hot wallet's present balance at an operator's request: an excess over the ledger is booked as the
 * operator's, and a shortfall as withdrawn by the operator, up to the operator's float.
 *
 * @param record - writes the operator's audit row, in the same transaction
 * @throws TillgateError `NODE_FAILED`
 */
export async function takeHotWallet(
  chain: ChainAdapter,
  { storage, ...deps }: { readonly storage: FloatStorage; readonly clock: Clock; readonly ids: IdGenerator },
  record: (tx: Transaction, booked: readonly FloatChange[]) => void,
): Promise<void> {
  const custody = await storage.ledger.balances(custodyAccount(chain.code));
  const changes = canPay(chain) ? await difference(chain, storage) : [];
  await storage.transaction(async (tx) => {
    const booked: FloatChange[] = [];
    for (const change of changes) if (await bookFloat(tx, chain.code, change, custody, deps)) booked.push(change);
    record(tx, booked);
  });
}

type FloatStorage = Pick<Storage, 'transfers' | 'ledger' | 'transaction'>;

/** The differences between the chain and the ledger, by currency. */
async function difference(chain: PayingChain, storage: FloatStorage): Promise<readonly FloatChange[]> {
  if (chain.payments.model === 'utxo') return [];
  const lines = await reconcile(chain, { storage });
  const missing = lines.filter(({ shortfall }) => shortfall > 0n);
  return [
    ...(await hotExcess(chain, lines, storage)),
    ...missing.map(({ currency, shortfall }) => ({ currency, units: -shortfall })),
  ];
}

/**
 * The coins in the hot wallet by which the whole chain exceeds the ledger, by currency; none on a UTXO chain.
 *
 * @param lines - the chain's comparison by {@link reconcile}
 * @throws TillgateError `NODE_FAILED`
 */
export async function hotExcess(
  chain: PayingChain,
  lines: readonly CustodyLine[],
  storage: Pick<Storage, 'transfers'>,
): Promise<readonly FloatChange[]> {
  if (chain.payments.model === 'utxo') return [];
  const surplus = await hotSurplus(chain, storage);
  return [...surplus]
    .map(([currency, units]) => ({ currency, units: beyondBooks(lines, currency, units) }))
    .filter(({ units }) => units > 0n);
}

/**
 * The part of the hot wallet's excess by which the whole chain exceeds the ledger. Coins that are in the hot wallet and
 * missing elsewhere are not the operator's: a restored backup does not have their sweep.
 */
function beyondBooks(lines: readonly CustodyLine[], currency: CurrencyCode, surplus: bigint): bigint {
  const line = lines.find((each) => each.currency === currency);
  if (line === undefined) return surplus;
  const beyond = line.onChain - line.expected;
  return beyond < surplus ? beyond : surplus;
}

/**
 * Books a change of the float against the custody from which it was computed. When the ledger has changed since, or the
 * float does not suffice, nothing is booked.
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
