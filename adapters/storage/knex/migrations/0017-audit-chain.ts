import { auditEntry, auditHash, NO_AUDIT } from '../../../../core/index.ts';
import { CryptoDigest } from '../../../crypto/crypto-digest.ts';
import type { Dialect, Row, Run } from '../dialects/dialect.ts';
import { auditRowOf } from '../rows/manage-row.ts';
import type { Tables } from '../tables.ts';
import type { Migration } from './migration.ts';

const ROWS_AT_ONCE = 500;
/** Of this step: later ones may add columns. */
const COPIED = [
  'id',
  'happened_at',
  'actor_id',
  'account_id',
  'action',
  'subject_type',
  'subject_id',
  'changes',
  'ip',
  'trace_id',
] as const;
const digest = new CryptoDigest();
const former = (tables: Tables): string => `${tables.audit}_unchained`;

/** The table is made anew: its triggers let nobody change the rows that are there. */
function chained(t: Tables, { types: { text, time, int } }: Dialect): string[] {
  return [
    `ALTER TABLE ${t.audit} RENAME TO ${former(t)}`,
    `CREATE TABLE ${t.audit} (
      seq ${int} PRIMARY KEY, id ${text} NOT NULL UNIQUE, happened_at ${time} NOT NULL, actor_id ${text}, account_id ${text},
      action ${text} NOT NULL, subject_type ${text} NOT NULL, subject_id ${text} NOT NULL, changes ${text} NOT NULL, ip ${text},
      trace_id ${text}, hash ${text} NOT NULL)`,
    `CREATE TABLE ${t.auditHead} (id ${int} PRIMARY KEY CHECK (id = 1), seq ${int} NOT NULL, hash ${text} NOT NULL)`,
  ];
}

/** The rows that are there become the beginning of the chain, in the order of their ids, which is that of their times. */
async function chainRows(run: Run, t: Tables): Promise<void> {
  const marks = `(?, ?, ${COPIED.map(() => '?').join(', ')})`;
  let head = NO_AUDIT;
  for (let after = ''; ;) {
    const rows = await run(
      `SELECT ${COPIED.join(', ')} FROM ${former(t)} WHERE id > ? ORDER BY id LIMIT ${ROWS_AT_ONCE}`,
      [after],
    );
    const last = rows.at(-1);
    if (last === undefined) break;
    const bindings = rows.flatMap((row) => {
      const seq = head.seq + 1;
      const entry = auditEntry(seq, auditRowOf(row), String(row['changes']));
      head = { seq, hash: auditHash(digest, head.hash, entry) };
      return [seq, head.hash, ...COPIED.map((name) => valueOf(row, name))];
    });
    await run(
      `INSERT INTO ${t.audit} (seq, hash, ${COPIED.join(', ')}) VALUES ${rows.map(() => marks).join(', ')}`,
      bindings,
    );
    after = String(last['id']);
  }
  await run(`INSERT INTO ${t.auditHead} (id, seq, hash) VALUES (1, ?, ?)`, [head.seq, head.hash]);
  await run(`DROP TABLE ${former(t)}`);
  await run(`CREATE INDEX ${t.audit}_account ON ${t.audit} (account_id, id)`);
}

const valueOf = (row: Row, name: string): string | number | null => row[name] as string | number | null;

/** The audit log as a hash chain. */
export const auditChain: Migration = { name: '0017-audit-chain', statements: chained, further: chainRows };
