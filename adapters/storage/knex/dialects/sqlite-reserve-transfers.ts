import { merchantAccount, present } from '../../../../core/index.ts';
import type { Reservation, ReserveOutcome, TransactionRow } from '../../../../core/index.ts';
import type { Column } from '../rows/columns.ts';
import { TRANSACTION_COLUMNS } from '../rows/deposit-row.ts';
import { ENTRY_COLUMNS, linesOf, POSTING_COLUMNS } from '../rows/ledger-row.ts';
import { TRANSFER_COLUMNS } from '../rows/transfer-row.ts';
import { integer, text, units } from '../rows/values.ts';
import type { Tables } from '../tables.ts';
import { claimedAt } from '../stores/claims.ts';
import type { BatchTarget, Run } from './dialect.ts';
import { TRANSACTIONS_COUNTER } from './counters.ts';
import { insertionOf, listOf } from './sqlite-lists.ts';

/** The balances that a batch touches, as they become. */
type Balances = Map<string, { readonly account: string; readonly currency: string; readonly units: bigint }>;

const keyOf = (account: string, currency: string): string => `${account} ${currency}`;

const CLAIM_COLUMNS: readonly Column<Reservation>[] = [
  { name: 'account_id', kind: 'text', of: ({ transfer }) => transfer.accountId },
  { name: 'route', kind: 'text', of: ({ idempotency }) => idempotency?.route ?? null },
  { name: 'claim_key', kind: 'text', of: ({ idempotency }) => idempotency?.key ?? null },
  { name: 'body_hash', kind: 'text', of: ({ idempotency }) => idempotency?.bodyHash ?? null },
  { name: 'order_id', kind: 'text', of: ({ transfer }) => transfer.id },
  { name: 'expires_at', kind: 'bigint', of: ({ idempotency }) => idempotency?.expiresAt ?? null },
];

/**
 * One transaction for the whole batch, a statement for each table. It holds the only right to write: what it reads at
 * its start stands until its end.
 */
export async function reserveTransfersSqlite({ tables, transaction }: BatchTarget, batch: readonly Reservation[]): Promise<readonly ReserveOutcome[]> {
  return transaction(async (run) => {
    const former = await formerOf(run, tables, batch);
    const frozen = await frozenOf(run, tables, batch);
    const balances = await balancesOf(run, tables, batch);
    const outcomes = batch.map((reservation) => former.get(reservation.transfer.id) ?? decide(reservation, frozen, balances));
    const reserved = batch.filter((_, at) => outcomes[at]?.kind === 'reserved');
    if (reserved.length > 0) await store(run, tables, reserved, balances);
    return outcomes;
  });
}

/** Those whose key was used before; no key comes twice in a batch. */
async function formerOf(run: Run, { idempotency }: Tables, batch: readonly Reservation[]): Promise<ReadonlyMap<string, ReserveOutcome>> {
  const claiming = batch.filter((reservation) => reservation.idempotency !== null);
  if (claiming.length === 0) return new Map();
  const wanted = JSON.stringify(claiming.map(({ transfer, idempotency: claim }) => (claim === null ? [] : [transfer.accountId, claim.route, claim.key, claimedAt(claim), transfer.id])));
  const rows = await run(
    `SELECT w.value ->> 4 AS id, c.order_id, c.body_hash FROM json_each(?) w JOIN ${idempotency} c
     ON c.account_id = w.value ->> 0 AND c.route = w.value ->> 1 AND c.claim_key = w.value ->> 2 AND c.expires_at > w.value ->> 3`,
    [wanted],
  );
  return new Map(rows.map((row) => [text(row, 'id'), { kind: 'repeated', transferId: text(row, 'order_id') as never, bodyHash: text(row, 'body_hash') }]));
}

async function frozenOf(run: Run, { withdrawalFreezes }: Tables, batch: readonly Reservation[]): Promise<ReadonlyMap<string, string>> {
  const accounts = JSON.stringify([...new Set(batch.map(({ transfer }) => transfer.accountId))]);
  const rows = await run(`SELECT account_id, reason FROM ${withdrawalFreezes} WHERE account_id IN (SELECT value FROM json_each(?))`, [accounts]);
  return new Map(rows.map((row) => [text(row, 'account_id'), text(row, 'reason')]));
}

async function balancesOf(run: Run, { balances }: Tables, batch: readonly Reservation[]): Promise<Balances> {
  const touched = new Map(batch.flatMap(({ entry }) => entry.postings.map(({ account, currency }) => [keyOf(account, currency), [account, currency]] as const)));
  const rows = await run(
    `SELECT account, currency, units FROM ${balances} WHERE (account, currency) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))`,
    [JSON.stringify([...touched.values()])],
  );
  return new Map(
    rows.map((row) => {
      const [account, currency] = [text(row, 'account'), text(row, 'currency')];
      return [keyOf(account, currency), { account, currency, units: units(row, 'units') }];
    }),
  );
}

/** In the order of the batch, each on what those before it left. */
function decide({ transfer, entry }: Reservation, frozen: ReadonlyMap<string, string>, balances: Balances): ReserveOutcome {
  const reason = frozen.get(transfer.accountId);
  if (reason !== undefined) return { kind: 'frozen', reason };
  const available = balances.get(keyOf(merchantAccount(transfer.accountId, 'available'), transfer.currency))?.units ?? 0n;
  if (available < transfer.units) return { kind: 'lacking' };
  for (const { account, currency, units: change } of entry.postings) {
    const key = keyOf(account, currency);
    balances.set(key, { account, currency, units: (balances.get(key)?.units ?? 0n) + change });
  }
  return { kind: 'reserved', left: available - transfer.units };
}

async function store(run: Run, tables: Tables, reserved: readonly Reservation[], balances: Balances): Promise<void> {
  const claiming = reserved.filter(({ idempotency }) => idempotency !== null);
  if (claiming.length > 0) {
    // A claim that has ended is replaced; a live one was found above.
    const sql = `${insertionOf(tables.idempotency, CLAIM_COLUMNS)} WHERE true ON CONFLICT (account_id, route, claim_key) DO UPDATE
      SET body_hash = excluded.body_hash, order_id = excluded.order_id, expires_at = excluded.expires_at`;
    await run(sql, [listOf(CLAIM_COLUMNS, claiming)]);
  }
  await run(insertionOf(tables.transfers, TRANSFER_COLUMNS), [listOf(TRANSFER_COLUMNS, reserved.map(({ transfer }) => transfer))]);
  const entries = reserved.map(({ entry }) => entry);
  await run(insertionOf(tables.entries, ENTRY_COLUMNS), [listOf(ENTRY_COLUMNS, entries)]);
  await run(insertionOf(tables.postings, POSTING_COLUMNS), [listOf(POSTING_COLUMNS, entries.flatMap(linesOf))]);
  const changed = new Set(entries.flatMap(({ postings }) => postings.map(({ account, currency }) => keyOf(account, currency))));
  await run(
    `INSERT INTO ${tables.balances} (account, currency, units) SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?) WHERE true
     ON CONFLICT (account, currency) DO UPDATE SET units = excluded.units`,
    [JSON.stringify([...changed].map((key) => present(balances.get(key), `balance ${key}`)).map(({ account, currency, units: sum }) => [account, currency, String(sum)]))],
  );
  await run(insertionOf(tables.transactions, TRANSACTION_COLUMNS), [listOf(TRANSACTION_COLUMNS, await numbered(run, tables, reserved))]);
}

/** Each account's rows get the next numbers of its own, in the order of the batch. */
async function numbered(run: Run, { counters }: Tables, reserved: readonly Reservation[]): Promise<readonly TransactionRow[]> {
  const counts = new Map<string, number>();
  for (const { row } of reserved) counts.set(row.accountId, (counts.get(row.accountId) ?? 0) + 1);
  const rows = await run(
    `INSERT INTO ${counters} (account_id, counter, last) SELECT value ->> 0, '${TRANSACTIONS_COUNTER}', value ->> 1 FROM json_each(?) WHERE true
     ON CONFLICT (account_id, counter) DO UPDATE SET last = last + excluded.last RETURNING account_id, last`,
    [JSON.stringify([...counts])],
  );
  const next = new Map(rows.map((row) => [text(row, 'account_id'), integer(row, 'last') - present(counts.get(text(row, 'account_id')), 'count')]));
  return reserved.map(({ row }) => {
    const number = present(next.get(row.accountId), 'counter') + 1;
    next.set(row.accountId, number);
    return { ...row, number };
  });
}
