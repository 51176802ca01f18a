import { auditLinks, formatAuditHead, invalidField, NO_AUDIT, parseAuditHead, verifyAudit } from '../../core/index.ts';
import type { AuditHead } from '../../core/index.ts';
import { CryptoDigest } from '../../adapters/crypto/index.ts';
import type { CommandCall } from './command.ts';
import { instantOption } from './options.ts';
import { withRuntime } from './with-till.ts';

export async function auditVerify({ values, json, terminal }: CommandCall): Promise<number> {
  const noted = headOption(values['head']);
  const { head, breach } = await withRuntime(({ storage: { audit } }) =>
    verifyAudit({ audit, digest: new CryptoDigest() }, noted),
  );
  const text = formatAuditHead(head);
  if (json) terminal.out(JSON.stringify({ ok: breach === null, rows: head.seq, head: text, breach }));
  else if (breach !== null)
    terminal.err(`The audit log is not valid: ${breach.reason}. Rows 1 to ${head.seq} are valid.`);
  else
    terminal.out(
      `The audit log is valid: ${head.seq} rows. Keep its head outside the database, for --head next time: ${text}`,
    );
  return breach === null ? 0 : 1;
}

/** `audit export [--from TIME] [--to TIME]`: one JSON object a line. */
export async function auditExport({ values, terminal }: CommandCall): Promise<number> {
  const from = instantOption(values['from'], '--from') ?? -Infinity;
  const to = instantOption(values['to'], '--to') ?? Infinity;
  await withRuntime(async ({ storage: { audit } }) => {
    let previous = NO_AUDIT.hash;
    for await (const { seq, at, entry, hash } of auditLinks(audit)) {
      if (at >= from && at < to) terminal.out(JSON.stringify({ seq, previous, hash, entry }));
      previous = hash;
    }
  });
  return 0;
}

function headOption(value: string | boolean | undefined): AuditHead | null {
  if (value === undefined) return null;
  const head = parseAuditHead(String(value));
  if (head === null) throw invalidField('--head', 'must be SEQ:HASH, as "audit verify" printed it');
  return head;
}
