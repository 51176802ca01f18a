import type { AccountId, AuditId, Millis } from '../kernel/index.ts';

/** The old and the new value of a field; never a secret. */
export interface FieldChange {
  readonly from: unknown;
  readonly to: unknown;
}

/** Changed fields by name. */
export type AuditChanges = Readonly<Record<string, FieldChange>>;

/** An entry of the audit log. */
export interface AuditRow {
  readonly id: AuditId;
  readonly at: Millis;
  /** `null` for the operator at the command line. */
  readonly actorId: AccountId | null;
  /** The owner of the changed record; `null` for a record without an owner, such as a gateway. */
  readonly accountId: AccountId | null;
  /** Kind of record and action: `app.update`. */
  readonly action: string;
  readonly subjectType: string;
  readonly subjectId: string;
  readonly changes: AuditChanges;
  readonly ip: string | null;
  readonly traceId: string | null;
}
