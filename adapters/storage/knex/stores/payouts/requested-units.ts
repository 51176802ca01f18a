import type { AccountId, Millis, RequestedUnits, TransferApproval, TransferId } from '../../../../../core/index.ts';
import type { Run } from '../../dialects/dialect.ts';
import { names } from '../../rows/columns.ts';
import { APPROVAL_COLUMNS, approvalOf } from '../../rows/transfer-row.ts';
import { integer, text, unitsOfParts } from '../../rows/values.ts';
import type { Session } from '../../session.ts';
import type { Tables } from '../../tables.ts';

/** The row that transactions lock when they check a limit, so that they run one after another. */
const LOCK = 'withdrawal-limits';

/** SQLite has one write lock, which the transaction already holds. */
export async function lockRequests({ run, tables, dialect }: Session): Promise<void> {
  const lock = `SELECT document_key FROM ${tables.documents} WHERE document_key = ? ${dialect.forUpdate}`;
  if ((await run(lock, [LOCK])).length > 0) return;
  await run(
    `INSERT INTO ${tables.documents} (document_key, value, version) VALUES (?, '', 1) ON CONFLICT (document_key) DO NOTHING`,
    [LOCK],
  );
  await run(lock, [LOCK]);
}

/** See {@link TransferWrites.requestedSince}. Of the transfers without an account, only a return has a deposit. */
export async function requestedSince(
  { run, tables, dialect }: Session,
  time: Millis,
  accountId: AccountId | null,
): Promise<readonly RequestedUnits[]> {
  const parts = dialect.sumParts('units').map((sum, part) => `${sum} AS part${part}`);
  const rows = await run(
    `SELECT currency, own, ${parts.join(', ')} FROM (
       SELECT currency, units, status, CASE WHEN COALESCE(account_id, '') = ? THEN 1 ELSE 0 END AS own FROM ${tables.transfers}
       WHERE (account_id IS NOT NULL OR deposit_id IS NOT NULL) AND created_at > ? AND status <> 'FAILED'
     ) AS requested WHERE status <> 'HELD' OR own = 1 GROUP BY currency, own`,
    [accountId ?? '', time],
  );
  return rows.map((row) => ({
    currency: text(row, 'currency'),
    own: integer(row, 'own') === 1,
    units: unitsOfParts(row, 'part'),
  }));
}

export async function approvalsOf(run: Run, tables: Tables, id: TransferId): Promise<readonly TransferApproval[]> {
  const rows = await run(
    `SELECT ${names(APPROVAL_COLUMNS)} FROM ${tables.transferApprovals} WHERE transfer_id = ? ORDER BY approved_at, approver_id`,
    [id],
  );
  return rows.map(approvalOf);
}
