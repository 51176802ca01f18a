import { TillgateError } from '../kernel/index.ts';
import { addAuditRow, requireAdmin } from '../access/index.ts';
import type { Actor, AuditDeps } from '../access/index.ts';
import type { Storage, Transaction } from '../kernel/index.ts';
import { newAlert } from '../notify/index.ts';
import { beginEpoch } from './begin-epoch.ts';
import type { Epoch, EpochMarker } from './epoch.ts';

export interface DecideEpochDeps extends AuditDeps {
  readonly storage: Pick<Storage, 'epochs' | 'transaction'>;
}

const HELD = 'It was waiting in a restored backup: find out whether it was paid since, then approve or reject it.';

/**
 * Begins a new epoch in a database that was just restored from a backup, whatever a marker says of it: nothing new is paid
 * before an operator has decided, and an alert says so.
 *
 * @param marker - of the database that was here before; `null` when there is none
 */
export async function beginRestoredEpoch(
  deps: DecideEpochDeps,
  marker: EpochMarker | null,
  reason: string,
): Promise<Epoch> {
  return deps.storage.transaction(async (tx) => {
    const epoch = await beginEpoch(tx, deps, { epoch: await tx.epochs.lock(), marker, reason, status: 'pending' });
    await tx.alerts.raise(newAlert(deps, { kind: 'restored', subject: `epoch ${epoch.number}`, reason }));
    return epoch;
  });
}

/**
 * Confirms that the database is a restored backup: begins a new epoch unless one was begun already, and holds every
 * waiting payment. Signed payments are followed as usual.
 *
 * @returns the epoch, and the number of held payments
 * @throws TillgateError `FORBIDDEN`
 */
export async function confirmRestore(
  deps: DecideEpochDeps,
  actor: Actor,
  marker: EpochMarker | null,
): Promise<{ readonly epoch: Epoch; readonly held: number }> {
  requireAdmin(actor);
  const { storage, clock } = deps;
  return storage.transaction(async (tx) => {
    const found = await tx.epochs.lock();
    const reason = 'An operator has restored a backup.';
    const epoch =
      found.status === 'pending'
        ? found
        : await beginEpoch(tx, deps, { epoch: found, marker, reason, status: 'pending' });
    await tx.epochs.decide(epoch.number, 'confirmed');
    const held = await tx.epochs.holdWaiting(HELD, clock.now());
    leaveAudit(deps, tx, actor, 'restore.confirm', epoch);
    return { epoch: { ...epoch, status: 'confirmed' }, held };
  });
}

/**
 * Declares that nothing was lost: the till was only switched off, and its marker is missing. Payments continue; address
 * indexes stay far ahead.
 *
 * @throws TillgateError `FORBIDDEN`; `STATE_CONFLICT` when no epoch waits for a decision
 */
export async function dismissRestore(deps: DecideEpochDeps, actor: Actor): Promise<Epoch> {
  requireAdmin(actor);
  return deps.storage.transaction(async (tx) => {
    const epoch = await tx.epochs.lock();
    if (epoch.status !== 'pending')
      throw new TillgateError('STATE_CONFLICT', 'The database is not suspected to be a restored backup.');
    await tx.epochs.decide(epoch.number, 'dismissed');
    leaveAudit(deps, tx, actor, 'restore.dismiss', epoch);
    return { ...epoch, status: 'dismissed' };
  });
}

function leaveAudit(
  deps: AuditDeps,
  tx: Transaction,
  actor: Actor,
  action: 'restore.confirm' | 'restore.dismiss',
  { number, reason }: Epoch,
): void {
  const changes = { epoch: { from: null, to: number }, reason: { from: null, to: reason } };
  addAuditRow(deps, tx, actor, { action, accountId: null, subjectId: String(number), changes });
}
