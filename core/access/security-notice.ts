import { formatInstant } from '../kernel/index.ts';
import { toldRow } from './actions.ts';
import type { AuditRow } from './audit-row.ts';

/** A notice to the owner of an account about its security. */
export interface SecurityNotice {
  readonly row: AuditRow;
  /** When a delayed change takes effect, RFC 3339; `null` for one that is in force. */
  readonly effectiveAt: string | null;
}

/** The notice about a row of the audit log; `null` for an action that the table of actions does not list. */
export function securityNotice(row: AuditRow): SecurityNotice | null {
  const told = toldRow(row.action);
  if (told === null) return null;
  const now = formatInstant(row.at);
  const ends = (told.until ?? []).map((field) => row.changes[field]?.to);
  // Instants of the same format are ordered as text; the first one counts.
  const waiting = ends.filter((end) => typeof end === 'string' && end > now).sort();
  return { row, effectiveAt: (waiting[0] as string | undefined) ?? null };
}
