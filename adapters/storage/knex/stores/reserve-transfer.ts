import { assert, merchantAccount } from '../../../../core/index.ts';
import type { Reservation, ReserveOutcome } from '../../../../core/index.ts';
import type { Session } from '../session.ts';
import { KnexDepositWrites } from './deposit-writes.ts';
import { KnexLedgerWrites } from './ledger-writes.ts';
import { KnexTransferWrites } from './transfer-writes.ts';

/** Claimed, and refused for another reason: its claim has to go with it. */
class Refused extends Error {
  readonly outcome: ReserveOutcome;

  constructor(outcome: ReserveOutcome) {
    super('refused');
    this.outcome = outcome;
  }
}

/** One reservation in a transaction of its own. */
export async function reserveTransfer(transaction: (work: (session: Session) => Promise<ReserveOutcome>) => Promise<ReserveOutcome>, reservation: Reservation): Promise<ReserveOutcome> {
  try {
    return await transaction((session) => reserve(session, reservation));
  } catch (error) {
    if (error instanceof Refused) return error.outcome;
    throw error;
  }
}

async function reserve(session: Session, { transfer, entry, row, idempotency }: Reservation): Promise<ReserveOutcome> {
  const [transfers, ledger, deposits] = [new KnexTransferWrites(session), new KnexLedgerWrites(session), new KnexDepositWrites(session)];
  const former = idempotency === null ? null : await transfers.claim(transfer.accountId, idempotency, transfer.id);
  if (former !== null) return { kind: 'repeated', ...former };
  const available = await ledger.lockBalance(merchantAccount(transfer.accountId, 'available'), transfer.currency);
  // Whoever freezes an account holds this balance too, so that none slips through meanwhile.
  const freeze = await transfers.findFreeze(transfer.accountId);
  if (freeze !== null) throw new Refused({ kind: 'frozen', reason: freeze.reason });
  if (available < transfer.units) throw new Refused({ kind: 'lacking' });
  assert(await transfers.add(transfer), `transfer ${transfer.id} exists`);
  assert(await ledger.append(entry), `transfer ${transfer.id} is reserved twice`);
  await deposits.addTransaction(row);
  return { kind: 'reserved', left: available - transfer.units };
}
