import type { AccountId, AuditId, Clock, IdGenerator, NewestQuery, Storage, Transaction } from '../kernel/index.ts';
import { listScope, requireAdmin } from './actor.ts';
import type { Actor } from './actor.ts';
import type { AuditAction } from './audit-actions.ts';
import type { AuditHead, AuditLink } from './audit-chain.ts';
import type { AuditChanges, AuditRow, FieldChange } from './audit-row.ts';
import { newestPage } from './list-cursor.ts';
import type { AccountListInput, CursorPage, ListDeps } from './list-cursor.ts';

export interface AuditEntry {
  readonly action: AuditAction;
  readonly accountId: AccountId | null;
  readonly subjectId: string;
  readonly changes?: AuditChanges;
}

export interface AuditDeps {
  readonly ids: IdGenerator;
  readonly clock: Clock;
}

/** The audit row of a change that happens now. */
export function auditRow({ ids, clock }: AuditDeps, actor: Actor, entry: AuditEntry): AuditRow {
  return {
    id: ids.next() as AuditId,
    at: clock.now(),
    actorId: actor.accountId,
    accountId: entry.accountId,
    action: entry.action,
    subjectType: entry.action.slice(0, entry.action.indexOf('.')),
    subjectId: entry.subjectId,
    changes: entry.changes ?? {},
    ip: actor.ip,
    traceId: actor.traceId,
  };
}

/** Records an audit row in the transaction of the change, so that neither is committed without the other. */
export function addAuditRow(
  deps: AuditDeps,
  { record }: Pick<Transaction, 'record'>,
  actor: Actor,
  entry: AuditEntry,
): void {
  record({ type: 'audit', row: auditRow(deps, actor, entry) });
}

/** The fields of `next` that differ from `former`. */
export function changesOf<T extends object>(
  former: T,
  next: Partial<T>,
  fields: readonly (keyof T & string)[],
): AuditChanges {
  const changes: Record<string, FieldChange> = {};
  for (const field of fields) {
    const [from, to] = [former[field], next[field]];
    if (to !== undefined && JSON.stringify(from) !== JSON.stringify(to)) changes[field] = { from: from ?? null, to };
  }
  return changes;
}

/** The fields of a new record, without old values. */
export function createdWith(fields: Readonly<Record<string, unknown>>): AuditChanges {
  return Object.fromEntries(Object.entries(fields).map(([name, to]) => [name, { from: null, to }]));
}

/** Rows of the audit chain in order, and its present end. */
export interface AuditPiece {
  readonly links: readonly AuditLink[];
  readonly head: AuditHead;
}

export interface ReadAuditDeps extends ListDeps {
  readonly storage: Pick<Storage, 'audit'>;
}

/** Reads the audit log. Users see the changes of their own account's records, admins everything. */
export class ReadAudit {
  readonly #deps: ReadAuditDeps;

  constructor(deps: ReadAuditDeps) {
    this.#deps = deps;
  }

  /**
   * Changes, newest first.
   *
   * @throws TillgateError `INVALID_FIELDS` for a limit out of range or a cursor of another list; `NOT_FOUND` for
   *   another account
   */
  async list(actor: Actor, { accountId, ...page }: AccountListInput): Promise<CursorPage<AuditRow>> {
    const scope = listScope(actor, accountId);
    const list = ['audit', actor.accountId, scope];
    const read = (query: NewestQuery<AuditId>) => this.#deps.storage.audit.list(scope, query);
    return newestPage(list, page, this.#deps, read, ({ id }) => id);
  }

  /** A part of the chain, for a program that keeps a copy elsewhere. @throws TillgateError `FORBIDDEN` */
  async chain(actor: Actor, after: number, limit: number): Promise<AuditPiece> {
    requireAdmin(actor);
    const { audit } = this.#deps.storage;
    const links = await audit.links(after, limit);
    return { links, head: await audit.head() };
  }
}
