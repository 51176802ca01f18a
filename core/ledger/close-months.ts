import { invalidField, stateConflict } from '../kernel/errors.ts';
import { DAY_MS } from '../kernel/time.ts';
import type { Millis } from '../kernel/time.ts';
import { requireAdmin } from '../manage/actor.ts';
import type { Actor } from '../manage/actor.ts';
import { addAuditRow } from '../manage/audit.ts';
import type { AuditDeps } from '../manage/audit.ts';
import type { LedgerClosing, MonthNote } from '../ports/ledger-store.ts';
import type { Storage } from '../ports/storage.ts';
import { checkpointLedger } from './check-ledger.ts';

/** What is younger is still looked at by merchants, and booked by clocks that differ. */
const CLOSED_AFTER_MS = 35 * DAY_MS;

export interface CloseMonthsDeps extends AuditDeps {
  readonly storage: Pick<Storage, 'ledger'>;
}

/**
 * Closes every month that ends before another begins, the oldest first, each in a transaction of its own (decision 0068). Everything is checked first: a
 * closing takes what is there for true.
 *
 * @param before - a month in UTC like `2026-01`, which stays open
 * @returns the closings that were written; none when all were closed before
 * @throws TillgateError `FORBIDDEN`; `INVALID_FIELDS` for a month that is no month or too young; `STATE_CONFLICT` when the ledger is not
 * in order; `NOT_READY` while somebody reads for long: what was closed until then stays closed; `UNSUPPORTED` without partitions
 */
export async function closeMonths(
  deps: CloseMonthsDeps,
  actor: Actor,
  before: string,
): Promise<readonly LedgerClosing[]> {
  requireAdmin(actor);
  const { ledger } = deps.storage;
  const bound = boundOf(before, deps.clock.now());
  const months = (await ledger.openMonths()).filter(({ until }) => until <= bound);
  if (months.length === 0) return [];
  const { breaches } = await checkpointLedger(deps.storage, { full: true });
  const [first] = breaches;
  if (first !== undefined)
    throw stateConflict(`The ledger is not in order, so that nothing is closed: ${first.invariant}: ${first.detail}`);
  const closed: LedgerClosing[] = [];
  for (const { month } of months) {
    const closing = await ledger.closeMonth(month, noted(deps, actor, 'ledger.close'));
    if (closing !== null) closed.push(closing);
  }
  return closed;
}

/**
 * Attaches the newest closed month again, so that lists and checks read it.
 *
 * @throws TillgateError `FORBIDDEN`; what `LedgerStore.reopenMonth` throws
 */
export async function reopenMonth(deps: CloseMonthsDeps, actor: Actor, month: string): Promise<LedgerClosing> {
  requireAdmin(actor);
  startOf(month, '--month');
  return deps.storage.ledger.reopenMonth(month, noted(deps, actor, 'ledger.reopen'));
}

const noted =
  (deps: CloseMonthsDeps, actor: Actor, action: string): MonthNote =>
  (tx, { month, postings, digest }) =>
    addAuditRow(deps, tx, actor, {
      action,
      accountId: null,
      subjectId: month,
      changes: { postings: { from: null, to: postings }, digest: { from: null, to: digest } },
    });

function boundOf(before: string, now: Millis): Millis {
  const bound = startOf(before, '--before');
  if (now < bound + CLOSED_AFTER_MS)
    throw invalidField(
      '--before',
      `must have begun ${CLOSED_AFTER_MS / DAY_MS} days ago: a month is closed that long after its end`,
    );
  return bound;
}

function startOf(month: string, option: string): Millis {
  const start = /^\d{4}-\d{2}$/.test(month) ? Date.parse(`${month}-01T00:00:00Z`) : NaN;
  if (Number.isNaN(start)) throw invalidField(option, 'must be a month in UTC like 2026-01');
  return start;
}
