import type { AuditId, Digest, Millis } from '../kernel/index.ts';
import type { AuditRow } from './audit-row.ts';

/** The last link of the audit chain. A copy outside the database proves that the rows up to it are unchanged. */
export interface AuditHead {
  /** Number of the row; the first is 1. */
  readonly seq: number;
  /** SHA-256, 64 hexadecimal digits. */
  readonly hash: string;
}

/** A row of the audit log with its place in the chain. */
export interface AuditLink extends AuditHead {
  readonly id: AuditId;
  readonly at: Millis;
  /** The row as the text that is hashed. */
  readonly entry: string;
}

/** The head of a log without rows, which precedes the first row. */
export const NO_AUDIT: AuditHead = { seq: 0, hash: '0'.repeat(64) };

/**
 * The hashed text of a row: a JSON object, `changes` last. Its form is part of every chain and never changes.
 *
 * @param changes - the JSON text of the changes as it is stored
 */
export function auditEntry(seq: number, row: Omit<AuditRow, 'changes'>, changes: string): string {
  const { id, at, action, ip } = row;
  const [actor_id, account_id, trace_id] = [row.actorId, row.accountId, row.traceId];
  const [subject_type, subject_id] = [row.subjectType, row.subjectId];
  const fields = { seq, id, at, actor_id, account_id, action, subject_type, subject_id, ip, trace_id };
  return `${JSON.stringify(fields).slice(0, -1)},"changes":${changes}}`;
}

/** The hash of a row: SHA-256 of the previous row's hash, a newline and the row's text. */
export function auditHash({ sha256Hex }: Pick<Digest, 'sha256Hex'>, former: string, entry: string): string {
  return sha256Hex(`${former}\n${entry}`);
}

/** Formats a head as `SEQ:HASH`. */
export const formatAuditHead = ({ seq, hash }: AuditHead): string => `${seq}:${hash}`;

/** Parses `SEQ:HASH`; `null` for any other text. */
export function parseAuditHead(text: string): AuditHead | null {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  return seq === undefined || hash === undefined ? null : { seq: Number(seq), hash };
}
