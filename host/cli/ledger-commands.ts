import { closeMonths, formatInstant, OPERATOR, reopenMonth } from '../../core/index.ts';
import type { LedgerClosing } from '../../core/index.ts';
import type { CommandCall } from './command.ts';
import { withRuntime } from './with-till.ts';

export async function ledgerClose({ values, json, terminal }: CommandCall): Promise<number> {
  const before = String(values['before']);
  const { closed, all } = await withRuntime(async ({ storage, clock, ids }) => ({
    closed: await closeMonths({ storage, clock, ids }, OPERATOR, before),
    all: await storage.ledger.closings(),
  }));
  if (json) {
    terminal.out(JSON.stringify({ closed: closed.map(record), closings: all.map(record) }));
    return 0;
  }
  if (closed.length === 0) terminal.out(`There is no open month before ${before}.`);
  for (const { month, postings, digest, table } of closed) {
    terminal.out(`${month} is closed: ${postings} postings are in the table ${table}. Hash: ${digest}`);
    terminal.out(`  pg_dump --format=custom --table=${table} --file=${table}.dump "$TILLGATE_DATABASE_URL"`);
  }
  if (closed.length > 0) terminal.out('Keep the dumps and the last hash elsewhere; then the tables can be dropped.');
  return 0;
}

export async function ledgerReopen({ values, json, terminal }: CommandCall): Promise<number> {
  const opened = await withRuntime(({ storage, clock, ids }) =>
    reopenMonth({ storage, clock, ids }, OPERATOR, String(values['month'])),
  );
  terminal.out(
    json
      ? JSON.stringify({ opened: record(opened) })
      : `${opened.month} is open again: ${opened.postings} postings, with the sums that it was closed with. "ledger check --full" checks each.`,
  );
  return 0;
}

const record = ({ month, table, postings, digest, closedAt }: LedgerClosing): object => ({
  month,
  table,
  postings,
  hash: digest,
  closed_at: formatInstant(closedAt),
});
