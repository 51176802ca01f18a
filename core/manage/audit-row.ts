import type { AccountId, AuditId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';

/** What a field held before and holds now; never a secret. */
export interface FieldChange {
  readonly from: unknown;
  readonly to: unknown;
}

/** Changed fields by their names on the wire. */
export type AuditChanges = Readonly<Record<string, FieldChange>>;

/** One change, as the audit trail keeps it (decisions, section 9). */
export interface AuditRow {
  readonly id: AuditId;
  readonly at: Millis;
  /** `null` for the operator at the machine. */
  readonly actorId: AccountId | null;
  /** The account whose record was changed; `null` for what belongs to nobody, a gateway. */
  readonly accountId: AccountId | null;
  /** Kind of record and what happened to it: `app.update`. */
  readonly action: string;
  readonly subjectType: string;
  readonly subjectId: string;
  readonly changes: AuditChanges;
  readonly ip: string | null;
  readonly traceId: string | null;
}
