import type { Clock, CurrencyCode, IdGenerator, Storage, Transaction } from '../kernel/index.ts';
import { formatUnits, stateConflict, TillgateError } from '../kernel/index.ts';
import { custodyAccount, operatorAccount } from '../ledger/index.ts';
import type { LedgerBalance } from '../ledger/index.ts';
import type { SpendableCoin } from '../chain/index.ts';
import { unknownCoins } from './coin-float.ts';
import { allHoldings, isUnspent } from './holdings.ts';
import { bookFloat } from './operator-float.ts';
import { sumOf } from './payout-coins.ts';
import type { PayingChain } from './payout-deps.ts';
import type { Holding } from './transfer.ts';

export interface WriteOffDeps {
  readonly storage: Pick<Storage, 'chains' | 'epochs' | 'ledger' | 'transfers' | 'transaction'>;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** Coins that were spent outside of the till, and the change of the operator's float. */
export interface WrittenOff {
  readonly currency: CurrencyCode;
  readonly gone: readonly Holding[];
  /** Coins of the hot wallet that replace them: change, or coins that the operator has sent since. */
  readonly found: readonly SpendableCoin[];
  /** Positive for an amount that was taken from the float, negative for one that was added. */
  readonly units: bigint;
}

/**
 * Accepts the present coins of a UTXO chain at an operator's request: what was spent outside of the till, less what the
 * hot wallet got instead, is taken from the operator's float and from nothing else. Payouts must be stopped and none in
 * progress, so that no payment of the till is booked as the operator's.
 *
 * @param record - writes the operator's audit row, in the same transaction
 * @throws TillgateError `UNSUPPORTED` on account chains; `STATE_CONFLICT` while payouts are not stopped, one is in
 *   progress, a restored backup waits for a decision, or nothing is missing; `INSUFFICIENT_BALANCE` when the float is
 *   too small; `NODE_FAILED`
 */
export async function writeOffCoins(
  chain: PayingChain,
  deps: WriteOffDeps,
  record: (tx: Transaction, written: WrittenOff) => void,
): Promise<WrittenOff> {
  const { code } = chain;
  await requireRest(chain, deps);
  const custody = await deps.storage.ledger.balances(custodyAccount(code));
  const written = await difference(chain, deps);
  await requireFloat(chain, deps, written);
  await deps.storage.transaction(async (tx) => {
    if ((await tx.transfers.findPayoutStop(code)) === null)
      throw stateConflict('Payouts were resumed during the request; stop them, and try again.');
    await book(tx, chain, { written, custody, deps });
    record(tx, written);
  });
  return written;
}

async function requireRest({ code, payments }: PayingChain, { storage }: WriteOffDeps): Promise<void> {
  if (payments.model !== 'utxo' || payments.unspent === undefined)
    throw new TillgateError(
      'UNSUPPORTED',
      `The balances of ${code} are read from its addresses; "payouts resume" takes the hot wallet as it is.`,
    );
  const { transfers, epochs } = storage;
  if ((await epochs.current()).status === 'pending')
    throw stateConflict('The database may be a restored backup: decide about that first, then run "restore coins".');
  if ((await transfers.payoutStop(code)) === null) throw stateConflict(`Stop the payouts of ${code} first.`);
  const under = [...(await transfers.livePayouts(code, null, 1)), ...(await transfers.unminedPayouts(code, null, 1))];
  if (under.length > 0) throw stateConflict(`A payout of ${code} is under way; wait until it is final.`);
}

/** Reads each coin separately: in a sum, an unknown coin could offset a missing one. */
async function difference(chain: PayingChain, { storage }: WriteOffDeps): Promise<WrittenOff> {
  const { code, payments } = chain;
  const { currency } = payments.feeAsset;
  const gone: Holding[] = [];
  for (const holding of await allHoldings(storage, code))
    if (holding.status === 'FREE' && !(await isUnspent(chain, holding))) gone.push(holding);
  if (gone.length === 0) throw stateConflict(`No coin of ${code} is missing.`);
  const shown = (await payments.unspent?.(payments.hotAddress)) ?? [];
  const refs = new Set(shown.map(({ ref }) => ref));
  const waiting = gone.find(({ ref }) => refs.has(ref));
  if (waiting !== undefined)
    throw stateConflict(`The transaction that spends ${waiting.ref} is not mined yet; wait until it is.`);
  const found: SpendableCoin[] = [];
  for (const coin of await unknownCoins(chain, storage, shown))
    if (await isUnspent(chain, { ...coin, currency })) found.push(coin);
  return { currency, gone, found, units: sumOf(gone) - sumOf(found) };
}

async function requireFloat(
  { code, payments: { feeAsset, hotAddress } }: PayingChain,
  { storage }: WriteOffDeps,
  { currency, units }: WrittenOff,
): Promise<void> {
  const balances = await storage.ledger.balances(operatorAccount(code));
  const float =
    balances.find((each) => each.account === operatorAccount(code) && each.currency === currency)?.units ?? 0n;
  if (units <= float) return;
  const inWords = (value: bigint): string => `${formatUnits(value, feeAsset.decimals)} ${currency}`;
  throw new TillgateError(
    'INSUFFICIENT_BALANCE',
    `Coins of ${inWords(units)} are missing, and the operator's float is ${inWords(float)}; the rest is owed to others. Send at least ${inWords(units - float)} to ${hotAddress}, and try again once that is confirmed.`,
  );
}

async function book(
  tx: Transaction,
  chain: PayingChain,
  {
    written: { currency, gone, found, units },
    custody,
    deps,
  }: { readonly written: WrittenOff; readonly custody: readonly LedgerBalance[]; readonly deps: WriteOffDeps },
): Promise<void> {
  const { code } = chain;
  const changed = stateConflict('The ledger changed during the request; try again.');
  if (units !== 0n && !(await bookFloat(tx, code, { currency, units: -units }, custody, deps))) throw changed;
  for (const { ref } of gone) if (!(await tx.transfers.dropHolding(code, ref))) throw changed;
  for (const coin of found) if (!(await tx.transfers.addHolding({ ...coin, chain: code, currency }))) throw changed;
}
