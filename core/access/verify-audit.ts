import type { AuditStore } from './audit-store.ts';
import type { Digest } from '../kernel/index.ts';
import { auditHash, NO_AUDIT } from './audit-chain.ts';
import type { AuditHead, AuditLink } from './audit-chain.ts';

const LINKS_AT_ONCE = 1000;

/** The first place at which the audit log was altered. */
export interface AuditBreach {
  readonly seq: number;
  readonly reason: string;
}

export interface AuditReport {
  /** The last row that was read. */
  readonly head: AuditHead;
  /** `null`: no row was altered, removed, inserted or moved. */
  readonly breach: AuditBreach | null;
}

export interface VerifyAuditDeps {
  readonly audit: Pick<AuditStore, 'head' | 'links'>;
  readonly digest: Pick<Digest, 'sha256Hex'>;
}

/** Every link after a row, in order, including those that are added meanwhile. */
export async function* auditLinks(audit: Pick<AuditStore, 'links'>, after = 0): AsyncGenerator<AuditLink> {
  for (let last = after; ;) {
    const links = await audit.links(last, LINKS_AT_ONCE);
    yield* links;
    const end = links.at(-1);
    if (end === undefined) return;
    last = end.seq;
  }
}

/**
 * Recomputes the chain, row by row.
 *
 * @param noted - a head that was recorded earlier outside the database, because an attacker with write access to the
 *   database can recompute the whole chain
 */
export async function verifyAudit({ audit, digest }: VerifyAuditDeps, noted: AuditHead | null): Promise<AuditReport> {
  let last: AuditHead = NO_AUDIT;
  for (;;) {
    for await (const link of auditLinks(audit, last.seq)) {
      const breach = brokenLink(digest, last, link) ?? (noted?.seq === link.seq ? rewritten(noted, link) : null);
      if (breach !== null) return { head: last, breach };
      last = { seq: link.seq, hash: link.hash };
    }
    const stored = await audit.head();
    // Rows and head are stored by one transaction, so a head beyond the rows belongs to rows that were added since, or
    // deleted.
    if (stored.seq > last.seq && (await audit.links(last.seq, 1)).length > 0) continue;
    return { head: last, breach: wrongEnd(last, stored) ?? shortened(last, noted) };
  }
}

function brokenLink(digest: VerifyAuditDeps['digest'], former: AuditHead, link: AuditLink): AuditBreach | null {
  const seq = former.seq + 1;
  if (link.seq !== seq) return { seq, reason: `row ${seq} is missing: row ${link.seq} is the next one` };
  if (link.hash === auditHash(digest, former.hash, link.entry)) return null;
  return { seq, reason: `row ${seq} (${link.id}) was altered, inserted or moved: its hash differs` };
}

function rewritten(noted: AuditHead, link: AuditLink): AuditBreach | null {
  if (noted.hash === link.hash) return null;
  return {
    seq: link.seq,
    reason: `row ${link.seq} differs from the recorded head: this row or one before it was replaced`,
  };
}

function wrongEnd(last: AuditHead, stored: AuditHead): AuditBreach | null {
  if (stored.seq > last.seq)
    return { seq: last.seq + 1, reason: `rows ${last.seq + 1} to ${stored.seq} are missing at the end` };
  if (stored.seq < last.seq)
    return { seq: stored.seq + 1, reason: `rows from ${stored.seq + 1} on were not written by the till` };
  if (stored.hash === last.hash) return null;
  return { seq: last.seq, reason: `the stored head differs from the hash of row ${last.seq}` };
}

function shortened(last: AuditHead, noted: AuditHead | null): AuditBreach | null {
  if (noted === null || noted.seq <= last.seq) return null;
  const reason = `the log ends at row ${last.seq}, but the recorded head is row ${noted.seq}: rows were removed, or a backup was restored`;
  return { seq: last.seq + 1, reason };
}
