import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { AuditHead, AuditLink } from '../../../../../core/access/audit-chain.ts';
import { verifyAudit } from '../../../../../core/access/verify-audit.ts';
import type { AuditReport } from '../../../../../core/access/verify-audit.ts';
import type { Api } from '../../api/api.ts';
import type { AuditPiece } from '../../operator-records.ts';

const digest = { sha256Hex: (text: string): string => bytesToHex(sha256(utf8ToBytes(text))) };

/**
 * Computes the audit chain in the browser, instead of trusting the server's verdict.
 *
 * @param noted - a head that somebody recorded earlier
 */
export function verifyChain(api: Api, noted: AuditHead | null): Promise<AuditReport> {
  const read = (from: number, limit: number): Promise<AuditPiece> => api.get('audit/chain', { from, limit });
  return verifyAudit(
    {
      digest,
      audit: {
        head: async () => (await read(1, 1)).head,
        links: async (after, limit) => (await read(after + 1, limit)).items.map(linkOf),
      },
    },
    noted,
  );
}

/** The id and the time are part of the hashed text. */
function linkOf({ seq, hash, entry }: AuditPiece['items'][number]): AuditLink {
  const { id, at } = JSON.parse(entry) as Pick<AuditLink, 'id' | 'at'>;
  return { seq, hash, entry, id, at };
}
