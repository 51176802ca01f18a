import type { AccountRole } from '../accounts/account.ts';
import { TillgateError } from '../kernel/errors.ts';
import type { AccountId } from '../kernel/ids.ts';

/** The account that performs an action, and the client address, for the audit log. */
export interface Actor {
  /** `null` for the operator at the command line. */
  readonly accountId: AccountId | null;
  readonly role: AccountRole;
  readonly ip: string | null;
  readonly traceId: string | null;
}

/** The operator at the command line. */
export const OPERATOR: Actor = { accountId: null, role: 'admin', ip: null, traceId: null };

/** An account that acts through the payment API. */
export function merchantActor(accountId: AccountId): Actor {
  return { accountId, role: 'user', ip: null, traceId: null };
}

/** One error for unknown records and those of other accounts, so that it does not reveal which exist. */
export function recordNotFound(): TillgateError {
  return new TillgateError('NOT_FOUND', 'There is no such resource.');
}

/** @throws TillgateError `FORBIDDEN` unless the actor is an admin */
export function requireAdmin({ role }: Actor): void {
  if (role !== 'admin') throw new TillgateError('FORBIDDEN', 'Only an admin may do this.');
}

/**
 * Requires access to an account's record.
 *
 * @throws TillgateError `NOT_FOUND` for another account's record, unless the actor is an admin
 */
export function requireAccess({ role, accountId }: Actor, owner: AccountId): void {
  if (role !== 'admin' && accountId !== owner) throw recordNotFound();
}

/** The account that a list is narrowed to: `null` for all accounts. @throws TillgateError `NOT_FOUND` for another account */
export function listScope(actor: Actor, wanted: AccountId | undefined): AccountId | null {
  if (wanted === undefined) return actor.role === 'admin' ? null : actor.accountId;
  requireAccess(actor, wanted);
  return wanted;
}

/** The account to act for: the actor's own by default. @throws TillgateError `NOT_FOUND` for another account */
export function targetAccount(actor: Actor, wanted: AccountId | undefined): AccountId {
  const target = wanted ?? actor.accountId;
  if (target === null) throw recordNotFound();
  requireAccess(actor, target);
  return target;
}

/** True for an account's own secrets, and for the operator at the command line. */
export function seesSecrets(actor: Actor, owner: AccountId): boolean {
  return actor.accountId === null || actor.accountId === owner;
}

/** Requires what only the owner may see; an admin is no exception. @throws TillgateError `FORBIDDEN` */
export function requireOwnSecret(actor: Actor, owner: AccountId): void {
  if (seesSecrets(actor, owner)) return;
  throw new TillgateError(
    'FORBIDDEN',
    "An admin does not see another account's secrets: its owner does this, or the operator at the command line.",
  );
}
