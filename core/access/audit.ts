import type {
  AccountId,
  AuditId,
  Clock,
  IdGenerator,
  Page,
  PageRequest,
  Storage,
  Transaction,
} from '../kernel/index.ts';
import { checkPage } from '../kernel/index.ts';
import { listScope, requireAdmin } from './actor.ts';
import type { Actor } from './actor.ts';
import type { AuditHead, AuditLink } from './audit-chain.ts';
import type { AuditChanges, AuditRow, FieldChange } from './audit-row.ts';

export interface AuditEntry {
  readonly action: string;
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

/** Reads the audit log. Users see the changes of their own account's records, admins everything. */
export class ReadAudit {
  readonly #storage: Pick<Storage, 'audit'>;
  readonly #pageMax: number;

  constructor(storage: Pick<Storage, 'audit'>, pageMax: number) {
    this.#storage = storage;
    this.#pageMax = pageMax;
  }

  /** @throws TillgateError `INVALID_FIELDS` for a page out of range, `NOT_FOUND` for another account */
  async list(actor: Actor, accountId: AccountId | undefined, page: PageRequest): Promise<Page<AuditRow>> {
    checkPage(page, this.#pageMax);
    return this.#storage.audit.list(listScope(actor, accountId), page);
  }

  /** A part of the chain, for a program that keeps a copy elsewhere. @throws TillgateError `FORBIDDEN` */
  async chain(actor: Actor, after: number, limit: number): Promise<AuditPiece> {
    requireAdmin(actor);
    const { audit } = this.#storage;
    const links = await audit.links(after, limit);
    return { links, head: await audit.head() };
  }
}
