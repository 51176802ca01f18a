import { DAY_MS, invalidField, stateConflict } from '../kernel/index.ts';
import type { Millis, Storage } from '../kernel/index.ts';
import { auditRow, requireAdmin } from '../access/index.ts';
import type { Actor, AuditAction, AuditDeps } from '../access/index.ts';
import type { LedgerClosing, MonthNote } from './ledger-store.ts';
import { checkpointLedger } from './check-ledger.ts';

/** Younger months are still read by merchants, and may still get postings from instances with other clocks. */
const CLOSED_AFTER_MS = 35 * DAY_MS;

export interface CloseMonthsDeps extends AuditDeps {
  readonly storage: Pick<Storage, 'ledger'>;
}

/**
 * Closes every month before a given one, oldest first, each in a transaction of its own (core/decisions/ledger-checks.md). The ledger is
 * checked first, because a closing makes its sums final.
 *
 * @param before - a month in UTC like `2026-01`, which stays open
 * @returns the closings that were written; none when all were closed before
 * @throws TillgateError `FORBIDDEN`; `INVALID_FIELDS` for an invalid or too recent month; `STATE_CONFLICT` when the
 *   ledger has a breach; `NOT_READY` when a long read blocks it (months closed until then stay closed); `UNSUPPORTED`
 *   without partitions
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
    throw stateConflict(`The check of the ledger failed, so no month is closed: ${first.invariant}: ${first.detail}`);
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
 * @throws TillgateError `FORBIDDEN`; as `LedgerStore.reopenMonth`
 */
export async function reopenMonth(deps: CloseMonthsDeps, actor: Actor, month: string): Promise<LedgerClosing> {
  requireAdmin(actor);
  startOf(month, '--month');
  return deps.storage.ledger.reopenMonth(month, noted(deps, actor, 'ledger.reopen'));
}

const noted =
  (deps: CloseMonthsDeps, actor: Actor, action: AuditAction): MonthNote =>
  async ({ month, postings, digest }) =>
    auditRow(deps, actor, {
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
      `must have begun ${CLOSED_AFTER_MS / DAY_MS} days ago, because a month is closed only that long after its end`,
    );
  return bound;
}

function startOf(month: string, option: string): Millis {
  const start = /^\d{4}-\d{2}$/.test(month) ? Date.parse(`${month}-01T00:00:00Z`) : NaN;
  if (Number.isNaN(start)) throw invalidField(option, 'must be a month in UTC like 2026-01');
  return start;
}
