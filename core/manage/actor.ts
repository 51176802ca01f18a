import type { AccountRole } from '../accounts/account.ts';
import { TillgateError } from '../kernel/errors.ts';
import type { AccountId } from '../kernel/ids.ts';

/** Who changes something in the management API or at the command line, and from where. */
export interface Actor {
  /** `null` for the operator at the machine itself. */
  readonly accountId: AccountId | null;
  readonly role: AccountRole;
  readonly ip: string | null;
  readonly traceId: string | null;
}

/** The operator at the machine: commands act as it. */
export const OPERATOR: Actor = { accountId: null, role: 'admin', ip: null, traceId: null };

/** The refusal of what is unknown and of what belongs to somebody else: one answer, so that it tells neither. */
export function noSuchRecord(): TillgateError {
  return new TillgateError('NOT_FOUND', 'There is no such resource.');
}

/** @throws TillgateError `FORBIDDEN` for anybody but an admin */
export function requireAdmin({ role }: Actor): void {
  if (role !== 'admin') throw new TillgateError('FORBIDDEN', 'Only an admin may do this.');
}

/**
 * Lets an actor at an account's record.
 *
 * @throws TillgateError `NOT_FOUND` for another account's record, unless the actor is an admin
 */
export function requireAccess({ role, accountId }: Actor, owner: AccountId): void {
  if (role !== 'admin' && accountId !== owner) throw noSuchRecord();
}

/** The account whose records a list shows: `null` for all of them. @throws TillgateError `NOT_FOUND` for another account */
export function listScope(actor: Actor, wanted: AccountId | undefined): AccountId | null {
  if (wanted === undefined) return actor.role === 'admin' ? null : actor.accountId;
  requireAccess(actor, wanted);
  return wanted;
}

/** The account that something is made for or read of: the actor's own unless told. @throws TillgateError `NOT_FOUND` for another account */
export function targetAccount(actor: Actor, wanted: AccountId | undefined): AccountId {
  const target = wanted ?? actor.accountId;
  if (target === null) throw noSuchRecord();
  requireAccess(actor, target);
  return target;
}
