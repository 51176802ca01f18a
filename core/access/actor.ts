import type { AccountRole } from './account.ts';
import { TillgateError } from '../kernel/index.ts';
import type { AccountId } from '../kernel/index.ts';
import type { Principal } from './principal.ts';

/** The account that performs an action, and the client address, for the audit log. */
export interface Actor {
  /** `null` for the operator at the command line. */
  readonly accountId: AccountId | null;
  readonly role: AccountRole;
  readonly ip: string | null;
  readonly traceId: string | null;
  /** Filled by the access checks: other accounts whose records an admin read, `null` for all. */
  readonly foreign?: Set<AccountId | null>;
  /** How a program is authenticated, which calls without a session; absent for a person. */
  readonly program?: Omit<Principal, 'accountId'>;
}

/** The operator at the command line. */
export const OPERATOR: Actor = { accountId: null, role: 'admin', ip: null, traceId: null };

/** The application in whose process the till runs: it may do what an operator may. */
export const APPLICATION: Actor = { ...OPERATOR, program: { credentialId: null, via: 'api-key' } };

/** The actor for an account that uses the payment API. */
export function merchantActor(accountId: AccountId): Actor {
  return { accountId, role: 'user', ip: null, traceId: null };
}

/**
 * The same error for unknown records and those of other accounts, so that it does not reveal which exist.
 *
 * @param field - the field that names the record, where it is not the record of the operation itself
 */
export function recordNotFound(field?: string): TillgateError {
  if (field === undefined) return new TillgateError('NOT_FOUND', 'There is no such resource.');
  const message = 'there is no such record';
  return new TillgateError('NOT_FOUND', `${field}: ${message}`, { fields: [{ path: field, message }] });
}

/** The account that a request names, for which or of which it asks something else. */
export function accountNotFound(): TillgateError {
  return recordNotFound('accountId');
}

/** @throws TillgateError `FORBIDDEN` unless the actor is an admin */
export function requireAdmin({ role }: Actor): void {
  if (role !== 'admin') throw new TillgateError('FORBIDDEN', 'Only an admin may do this.');
}

/**
 * @param owner - `null` for a record of the till itself
 * @param field - the field that names the record, where it is not the record of the operation itself
 * @throws TillgateError `NOT_FOUND` for a record of another account, unless the actor is an admin
 */
export function requireAccess({ role, accountId, foreign }: Actor, owner: AccountId | null, field?: string): void {
  if (accountId === owner) return;
  if (role !== 'admin') throw recordNotFound(field);
  foreign?.add(owner);
}

/** The account of a list, `null` for all. @throws TillgateError `NOT_FOUND` for another account */
export function listScope(actor: Actor, wanted: AccountId | undefined): AccountId | null {
  if (wanted === undefined) {
    if (actor.role !== 'admin') return actor.accountId;
    actor.foreign?.add(null);
    return null;
  }
  requireAccess(actor, wanted, 'accountId');
  return wanted;
}

/** The account for which the actor acts: its own by default. @throws TillgateError `NOT_FOUND` for another account */
export function targetAccount(actor: Actor, wanted: AccountId | undefined): AccountId {
  const target = wanted ?? actor.accountId;
  if (target === null) throw accountNotFound();
  requireAccess(actor, target, 'accountId');
  return target;
}

/** True for an account's own secrets, and for the operator at the command line. */
export function seesSecrets(actor: Actor, owner: AccountId): boolean {
  return actor.accountId === null || actor.accountId === owner;
}

/** @throws TillgateError `FORBIDDEN` unless the actor is the owner; an admin is no exception */
export function requireOwnSecret(actor: Actor, owner: AccountId): void {
  if (seesSecrets(actor, owner)) return;
  throw new TillgateError(
    'FORBIDDEN',
    "An admin cannot see another account's secrets: its owner can do this, or an operator on the command line.",
  );
}
