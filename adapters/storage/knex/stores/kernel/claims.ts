import { assert, CLAIM_KEPT_MS } from '../../../../../core/index.ts';
import type { AccountId, IdempotencyClaim, Millis, TransferId } from '../../../../../core/index.ts';
import type { Run } from '../../dialects/dialect.ts';
import { claimConflict } from '../../rows/claim-row.ts';
import { text } from '../../rows/values.ts';
import type { Tables } from '../../tables.ts';

/** The transfer that an idempotency key was claimed for, and the hash of the request body. */
export interface ClaimedTransfer {
  readonly transferId: TransferId;
  readonly bodyHash: string;
}

/** The time of a claim, by the same clock as its expiry. */
export const claimedAt = ({ expiresAt }: IdempotencyClaim): Millis => expiresAt - CLAIM_KEPT_MS;

/** The live claim of a key; `null` when there is none, or it has expired. */
export async function claimedTransfer(
  run: Run,
  { idempotency }: Tables,
  accountId: AccountId,
  claim: IdempotencyClaim,
): Promise<ClaimedTransfer | null> {
  const [row] = await run(
    `SELECT order_id, body_hash FROM ${idempotency} WHERE account_id = ? AND route = ? AND claim_key = ? AND expires_at > ?`,
    [accountId, claim.route, claim.key, claimedAt(claim)],
  );
  return row === undefined
    ? null
    : { transferId: text(row, 'order_id') as TransferId, bodyHash: text(row, 'body_hash') };
}

/** Claims a key. Of two concurrent claims, the later waits for the first to commit and returns the first. */
export async function claimTransfer(
  run: Run,
  tables: Tables,
  accountId: AccountId,
  claim: IdempotencyClaim,
  id: string,
): Promise<ClaimedTransfer | null> {
  const { route, key, bodyHash, expiresAt } = claim;
  const claimed = await run(
    `INSERT INTO ${tables.idempotency} (account_id, route, claim_key, body_hash, order_id, expires_at) VALUES (?, ?, ?, ?, ?, ?)
     ${claimConflict(tables.idempotency, '?')} RETURNING order_id`,
    [accountId, route, key, bodyHash, id, expiresAt, claimedAt(claim)],
  );
  if (claimed.length > 0) return null;
  const former = await claimedTransfer(run, tables, accountId, claim);
  assert(former !== null, 'a conflicting claim is locked and cannot disappear');
  return former;
}
