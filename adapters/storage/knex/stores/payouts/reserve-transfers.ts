import { merchantAccount, present } from '../../../../../core/index.ts';
import type {
  EventRows,
  AccountId,
  CurrencyCode,
  Reservation,
  ReserveOutcome,
  TransactionRow,
  TransferId,
} from '../../../../../core/index.ts';
import { TRANSACTIONS_COUNTER } from '../../dialects/counters.ts';
import { CALLBACK_COLUMNS } from '../../rows/callback-row.ts';
import { claimColumns, claimConflict, claimKey } from '../../rows/claim-row.ts';
import { names } from '../../rows/columns.ts';
import type { Column } from '../../rows/columns.ts';
import { TRANSACTION_COLUMNS } from '../../rows/deposit-row.ts';
import { ENTRY_COLUMNS, linesOf, POSTING_COLUMNS } from '../../rows/ledger-row.ts';
import { NOTICE_COLUMNS } from '../../rows/notice-row.ts';
import { TRANSFER_COLUMNS } from '../../rows/transfer-row.ts';
import { integer, text, units } from '../../rows/values.ts';
import { FREEZE_COLUMNS, freezeOf } from '../../rows/wallet-row.ts';
import type { Session } from '../../session.ts';
import { claimedAt, claimedTransfer } from '../kernel/claims.ts';

/** A reservation with the rows that report it. */
export interface ReportedReservation {
  readonly reservation: Reservation;
  readonly rows: EventRows;
}

/** A ledger balance and its new value. */
interface Balance {
  readonly account: string;
  readonly currency: CurrencyCode;
  readonly units: bigint;
}

type Balances = Map<string, Balance>;

interface Counted {
  readonly accountId: AccountId;
  readonly count: number;
}

const keyOf = ({ account, currency }: Pick<Balance, 'account' | 'currency'>): string => `${account} ${currency}`;

const BALANCE_COLUMNS: readonly Column<Balance>[] = [
  { name: 'account', kind: 'text', of: ({ account }) => account },
  { name: 'currency', kind: 'text', of: ({ currency }) => currency },
  { name: 'units', kind: 'numeric', of: (balance) => String(balance.units) },
];

const CLAIM_COLUMNS = claimColumns<Reservation>(({ transfer }) => transfer);

const COUNTER_COLUMNS: readonly Column<Counted>[] = [
  { name: 'account_id', kind: 'text', of: ({ accountId }) => accountId },
  { name: 'counter', kind: 'text', of: () => TRANSACTIONS_COUNTER },
  { name: 'last', kind: 'bigint', of: ({ count }) => count },
];

/**
 * Reserves a batch in one transaction with one statement for each table: claims, then balances, then counters, each in
 * the same order on all instances, so that two batches cannot deadlock.
 */
export async function reserveTransfers(
  session: Session,
  reported: readonly ReportedReservation[],
): Promise<readonly ReserveOutcome[]> {
  const batch = reported.map(({ reservation }) => reservation);
  const repeated = await claim(session, batch);
  const fresh = batch.filter(({ transfer }) => !repeated.has(transfer.id));
  if (fresh.length === 0) return batch.map(({ transfer }) => present(repeated.get(transfer.id), 'former claim'));
  const balances = await lockBalances(session, fresh);
  // A freeze locks the account's balance too, so that no withdrawal passes in the meantime.
  const frozen = await frozenOf(session, fresh);
  const immovable = await immovableOf(session, fresh);
  const outcomes = batch.map(
    (reservation) => repeated.get(reservation.transfer.id) ?? decide(reservation, { frozen, immovable }, balances),
  );
  await store(
    session,
    batch.filter((_, at) => outcomes[at]?.kind === 'reserved'),
    balances,
  );
  await report(
    session,
    reported.filter((_, at) => outcomes[at]?.kind === 'reserved').map(({ rows }) => rows),
  );
  await unclaim(
    session,
    batch.filter((_, at) => outcomes[at]?.kind === 'lacking' || outcomes[at]?.kind === 'frozen'),
  );
  return outcomes;
}

/**
 * Claims the keys of a batch, which has no key twice. Of two concurrent claims, the later waits for the first to
 * commit.
 *
 * @returns the existing claim of each key that was used before
 */
async function claim(
  { run, tables, dialect }: Session,
  batch: readonly Reservation[],
): Promise<ReadonlyMap<TransferId, ReserveOutcome>> {
  const repeated = new Map<TransferId, ReserveOutcome>();
  const claiming = batch
    .filter(({ idempotency }) => idempotency !== null)
    .sort((a, b) => (turnOf(a) < turnOf(b) ? -1 : 1));
  if (claiming.length === 0) return repeated;
  const { sql, bindings } = dialect.insertList(tables.idempotency, CLAIM_COLUMNS, claiming);
  const endedBy = Math.min(...claiming.map(({ idempotency }) => claimedAt(present(idempotency, 'claim'))));
  const claimed = new Set(
    (await run(`${sql} ${claimConflict(tables.idempotency, '?')} RETURNING order_id`, [...bindings, endedBy])).map(
      (row) => text(row, 'order_id'),
    ),
  );
  for (const { transfer, idempotency } of claiming) {
    if (claimed.has(transfer.id)) continue;
    const former = await claimedTransfer(run, tables, transfer.accountId, present(idempotency, 'claim'));
    repeated.set(transfer.id, {
      kind: 'repeated',
      ...present(former, 'a conflicting claim is locked and cannot disappear'),
    });
  }
  return repeated;
}

const turnOf = (reservation: Reservation): string => claimKey(reservation.transfer, reservation) ?? '';

/** Inserts the missing rows, and locks all of them. */
async function lockBalances({ run, tables, dialect }: Session, batch: readonly Reservation[]): Promise<Balances> {
  const touched = new Map(
    batch.flatMap(({ entry }) => entry.postings.map((posting) => [keyOf(posting), { ...posting, units: 0n }] as const)),
  );
  const { sql, bindings } = dialect.insertList(tables.balances, BALANCE_COLUMNS, inOrder(touched));
  const rows = await run(
    `${sql} ON CONFLICT (account, currency) DO UPDATE SET units = ${tables.balances}.units RETURNING account, currency, units`,
    bindings,
  );
  const balances = rows.map((row): Balance => ({
    account: text(row, 'account'),
    currency: text(row, 'currency'),
    units: units(row, 'units'),
  }));
  return new Map(balances.map((balance) => [keyOf(balance), balance]));
}

const inOrder = (balances: ReadonlyMap<string, Balance>): readonly Balance[] =>
  [...balances].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, balance]) => balance);

async function frozenOf(
  { run, tables, dialect }: Session,
  batch: readonly Reservation[],
): Promise<ReadonlyMap<AccountId, string>> {
  const accounts = [...new Set(batch.map(({ transfer }) => transfer.accountId))];
  const rows = await run(
    `SELECT ${names(FREEZE_COLUMNS)} FROM ${tables.withdrawalFreezes} WHERE ${dialect.anyOf('account_id')}`,
    [dialect.list(accounts)],
  );
  return new Map(rows.map(freezeOf).map(({ accountId, reason }) => [accountId, reason]));
}

/** The units of frozen coins by account and currency: they are part of the owner's balance, but cannot be paid out. */
async function immovableOf(
  { run, tables, dialect }: Session,
  batch: readonly Reservation[],
): Promise<ReadonlyMap<string, bigint>> {
  const accounts = [...new Set(batch.map(({ transfer }) => transfer.accountId))];
  const sql = `SELECT account_id, currency, units FROM ${tables.holdings} WHERE ${dialect.anyOf('account_id')} AND frozen_at IS NOT NULL`;
  const sums = new Map<string, bigint>();
  for (const row of await run(sql, [dialect.list(accounts)])) {
    const key = `${text(row, 'account_id')} ${text(row, 'currency')}`;
    sums.set(key, (sums.get(key) ?? 0n) + units(row, 'units'));
  }
  return sums;
}

/** The reasons why accounts may not withdraw, and the part of their balances that cannot be paid. */
interface Limits {
  readonly frozen: ReadonlyMap<AccountId, string>;
  readonly immovable: ReadonlyMap<string, bigint>;
}

/** Decides in the order of the batch, each with the balance that the earlier ones left. */
function decide({ transfer, entry }: Reservation, { frozen, immovable }: Limits, balances: Balances): ReserveOutcome {
  const reason = frozen.get(transfer.accountId);
  if (reason !== undefined) return { kind: 'frozen', reason };
  const { units: booked } = locked(balances, {
    account: merchantAccount(transfer.accountId, 'available'),
    currency: transfer.currency,
  });
  const available = booked - (immovable.get(`${transfer.accountId} ${transfer.currency}`) ?? 0n);
  if (available < transfer.units) return { kind: 'lacking' };
  for (const posting of entry.postings) {
    const balance = locked(balances, posting);
    balances.set(keyOf(balance), { ...balance, units: balance.units + posting.units });
  }
  return { kind: 'reserved', left: available - transfer.units };
}

const locked = (balances: Balances, which: Pick<Balance, 'account' | 'currency'>): Balance =>
  present(balances.get(keyOf(which)), `balance ${keyOf(which)}`);

async function store(session: Session, reserved: readonly Reservation[], balances: Balances): Promise<void> {
  if (reserved.length === 0) return;
  const { run, tables, dialect } = session;
  const insert = async <T>(
    table: string,
    columns: readonly Column<T>[],
    records: readonly T[],
    conflict = '',
  ): Promise<void> => {
    const { sql, bindings } = dialect.insertList(table, columns, records);
    await run(`${sql} ${conflict}`, bindings);
  };
  const entries = reserved.map(({ entry }) => entry);
  const moved = new Map(
    entries.flatMap(({ postings }) => postings.map((posting) => [keyOf(posting), locked(balances, posting)] as const)),
  );
  await insert(
    tables.transfers,
    TRANSFER_COLUMNS,
    reserved.map(({ transfer }) => transfer),
  );
  await insert(tables.entries, ENTRY_COLUMNS, entries);
  await insert(tables.postings, POSTING_COLUMNS, entries.flatMap(linesOf));
  await insert(
    tables.balances,
    BALANCE_COLUMNS,
    inOrder(moved),
    'ON CONFLICT (account, currency) DO UPDATE SET units = excluded.units',
  );
  await insert(tables.transactions, TRANSACTION_COLUMNS, await numbered(session, reserved));
}

async function report({ run, tables, dialect }: Session, rows: readonly EventRows[]): Promise<void> {
  const callbacks = rows.flatMap((each) => each.callbacks);
  const notices = rows.flatMap((each) => each.notices);
  const insert = async <T>(table: string, columns: readonly Column<T>[], records: readonly T[]): Promise<void> => {
    if (records.length === 0) return;
    const { sql, bindings } = dialect.insertList(table, columns, records);
    await run(sql, bindings);
  };
  await insert(tables.callbacks, CALLBACK_COLUMNS, callbacks);
  await insert(tables.notices, NOTICE_COLUMNS, notices);
}

/** Gives the rows of each account its next numbers, in the order of the batch. */
async function numbered(
  { run, tables, dialect }: Session,
  reserved: readonly Reservation[],
): Promise<readonly TransactionRow[]> {
  const counts = new Map<AccountId, number>();
  for (const { row } of reserved) counts.set(row.accountId, (counts.get(row.accountId) ?? 0) + 1);
  const counted = [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([accountId, count]): Counted => ({ accountId, count }));
  const { sql, bindings } = dialect.insertList(tables.counters, COUNTER_COLUMNS, counted);
  const rows = await run(
    `${sql} ON CONFLICT (account_id, counter) DO UPDATE SET last = ${tables.counters}.last + excluded.last RETURNING account_id, last`,
    bindings,
  );
  const last = new Map(rows.map((row) => [text(row, 'account_id') as AccountId, integer(row, 'last')]));
  const next = new Map(
    counted.map(({ accountId, count }) => [accountId, present(last.get(accountId), 'counter') - count]),
  );
  return reserved.map(({ row }) => {
    const number = present(next.get(row.accountId), 'counter') + 1;
    next.set(row.accountId, number);
    return { ...row, number };
  });
}

/** A refused transfer does not keep its claim, so the key may be used again. */
async function unclaim({ run, tables }: Session, refused: readonly Reservation[]): Promise<void> {
  for (const { transfer, idempotency } of refused) {
    if (idempotency === null) continue;
    const mine = [transfer.accountId, idempotency.route, idempotency.key, transfer.id];
    await run(
      `DELETE FROM ${tables.idempotency} WHERE account_id = ? AND route = ? AND claim_key = ? AND order_id = ?`,
      mine,
    );
  }
}
