import type { AccountId, IdempotencyClaim } from '../../../../core/index.ts';
import type { Column } from './columns.ts';

/** The claim of an idempotency key. */
interface Claiming {
  readonly idempotency: IdempotencyClaim | null;
}

/** The order or transfer that a key is claimed for. */
interface Claimed {
  readonly id: string;
  readonly accountId: AccountId;
}

/** The columns of `idempotency_claims`, from a record that has a claim. */
export function claimColumns<T extends Claiming>(claimedBy: (record: T) => Claimed): readonly Column<T>[] {
  return [
    { name: 'account_id', kind: 'text', of: (record) => claimedBy(record).accountId },
    { name: 'route', kind: 'text', of: ({ idempotency }) => idempotency?.route ?? null },
    { name: 'claim_key', kind: 'text', of: ({ idempotency }) => idempotency?.key ?? null },
    { name: 'body_hash', kind: 'text', of: ({ idempotency }) => idempotency?.bodyHash ?? null },
    { name: 'order_id', kind: 'text', of: (record) => claimedBy(record).id },
    { name: 'expires_at', kind: 'bigint', of: ({ idempotency }) => idempotency?.expiresAt ?? null },
  ];
}

/** Unique within a batch: an account's key for a route; `null` without a claim. */
export function claimKey({ accountId }: Claimed, { idempotency }: Claiming): string | null {
  return idempotency === null ? null : JSON.stringify([accountId, idempotency.route, idempotency.key]);
}

/** `ON CONFLICT` of a claim: one that ended by then is replaced, a live one stays and is not returned. @param ended - SQL of a time */
export const claimConflict = (table: string, ended: string): string =>
  `ON CONFLICT (account_id, route, claim_key) DO UPDATE
    SET body_hash = excluded.body_hash, order_id = excluded.order_id, expires_at = excluded.expires_at
    WHERE ${table}.expires_at <= ${ended}`;
