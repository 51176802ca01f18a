import { formatInstant } from '../kernel/time.ts';
import { toldRow } from './actions.ts';
import type { AuditRow } from './audit-row.ts';

/** What the owner of an account is told of its security. */
export interface SecurityNotice {
  readonly row: AuditRow;
  /** When a loosening takes effect that waits, RFC 3339; `null` for what is in force. */
  readonly effectiveAt: string | null;
}

/** The notice of a row of the audit log; `null` for what the table of actions does not name. */
export function securityNotice(row: AuditRow): SecurityNotice | null {
  const told = toldRow(row.action);
  if (told === null) return null;
  const now = formatInstant(row.at);
  const ends = (told.until ?? []).map((field) => row.changes[field]?.to);
  // Instants of one form are ordered as texts; of several the first counts.
  const waiting = ends.filter((end) => typeof end === 'string' && end > now).sort();
  return { row, effectiveAt: (waiting[0] as string | undefined) ?? null };
}
