import { assert } from '../kernel/index.ts';
import type {
  AccountId,
  CurrencyCode,
  EntryId,
  IdGenerator,
  Millis,
  TillgateError,
  Transaction,
} from '../kernel/index.ts';
import { merchantAccount, postEntry } from '../ledger/index.ts';
import type { LedgerEntry } from '../ledger/index.ts';
import { frozen } from './reserve-transfer.ts';

/** An amount of an account that is set aside for payments which nobody has requested yet, or that is released again. */
export interface AmountAside {
  readonly accountId: AccountId;
  readonly currency: CurrencyCode;
  /** More than 0. */
  readonly units: bigint;
  /** What it is for; unique for each move, for example `pull-payment:123:set-aside:1`. */
  readonly reference: string;
}

interface AsideContext {
  readonly ids: IdGenerator;
  readonly now: Millis;
}

/**
 * Moves an amount from the available balance to `claims`, in the caller's transaction.
 *
 * @param lacking - creates the error for an insufficient balance
 * @throws TillgateError `STATE_CONFLICT` while the account's withdrawals are frozen; the error of `lacking`
 */
export async function setAside(
  tx: Transaction,
  amount: AmountAside,
  context: AsideContext,
  lacking: () => TillgateError,
): Promise<void> {
  const { accountId, currency, units } = amount;
  // Freezing an account locks this balance row too, so nothing is set aside after a freeze.
  const available = await tx.ledger.lockBalance(merchantAccount(accountId, 'available'), currency);
  const freeze = await tx.transfers.findFreeze(accountId);
  if (freeze !== null) throw frozen(freeze.reason);
  const payable = available - (await tx.transfers.frozenUnits(accountId, currency));
  if (payable < units) throw lacking();
  await post(tx, 'claims-set-aside', amount, context);
}

/**
 * Moves as much of an amount as the available balance covers to `claims`, in the caller's transaction; nothing while the
 * account's withdrawals are frozen. @returns the units that were moved
 */
export async function setAsideWhatIsThere(
  tx: Transaction,
  amount: AmountAside,
  context: AsideContext,
): Promise<bigint> {
  const { accountId, currency, units: wanted } = amount;
  const available = await tx.ledger.lockBalance(merchantAccount(accountId, 'available'), currency);
  if ((await tx.transfers.findFreeze(accountId)) !== null) return 0n;
  const payable = available - (await tx.transfers.frozenUnits(accountId, currency));
  const units = payable < wanted ? payable : wanted;
  if (units <= 0n) return 0n;
  await post(tx, 'claims-set-aside', { ...amount, units }, context);
  return units;
}

/** Moves an amount from `claims` back to the available balance, in the caller's transaction. */
export function releaseAside(tx: Transaction, amount: AmountAside, context: AsideContext): Promise<void> {
  return post(tx, 'claims-released', { ...amount, units: -amount.units }, context);
}

async function post(
  tx: Transaction,
  kind: Extract<LedgerEntry['kind'], `claims-${string}`>,
  { accountId, currency, units, reference }: AmountAside,
  { ids, now }: AsideContext,
): Promise<void> {
  const entry: LedgerEntry = {
    id: ids.next() as EntryId,
    at: now,
    kind,
    reference,
    postings: [
      { account: merchantAccount(accountId, 'available'), currency, units: -units },
      { account: merchantAccount(accountId, 'claims'), currency, units },
    ],
  };
  assert(await postEntry(tx, entry), `${reference} is booked twice`);
}
