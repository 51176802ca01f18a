import type { CurrencyCode, LedgerEntry, LedgerWrites, Posting } from '../../../../../core/index.ts';
import { insertion } from '../../rows/columns.ts';
import { ENTRY_COLUMNS, linesOf, POSTING_COLUMNS } from '../../rows/ledger-row.ts';
import { units } from '../../rows/values.ts';
import type { Session } from '../../session.ts';

/** Ledger writes of one transaction. */
export class SqlLedgerWrites implements LedgerWrites {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async lockBalance(account: string, currency: CurrencyCode): Promise<bigint> {
    const { run, tables } = this.#session;
    // Inserts the row when missing, and locks it in both cases.
    const [row] = await run(
      `INSERT INTO ${tables.balances} (account, currency, units) VALUES (?, ?, '0')
       ON CONFLICT (account, currency) DO UPDATE SET units = ${tables.balances}.units RETURNING units`,
      [account, currency],
    );
    return row === undefined ? 0n : units(row, 'units');
  }

  async append(entry: LedgerEntry): Promise<boolean> {
    const { run, tables } = this.#session;
    const head = insertion(tables.entries, ENTRY_COLUMNS, [entry]);
    const added = await run(`${head.sql} ON CONFLICT (reference) DO NOTHING RETURNING id`, head.bindings);
    if (added.length === 0) return false;
    const body = insertion(tables.postings, POSTING_COLUMNS, linesOf(entry));
    await run(body.sql, body.bindings);
    await this.#moveBalances(changesOf(entry.postings));
    return true;
  }

  /** Locks the balances in a fixed order, so that two entries that share accounts cannot deadlock, and sets them. */
  async #moveBalances(changes: readonly Posting[]): Promise<void> {
    const { run, tables } = this.#session;
    const places = changes.map(() => '(?, ?, ?)').join(', ');
    const upsert = (units: string): string =>
      `INSERT INTO ${tables.balances} (account, currency, units) VALUES ${places} ON CONFLICT (account, currency) DO UPDATE SET units = ${units}`;
    const locked = await run(
      `${upsert(`${tables.balances}.units`)} RETURNING account, currency, units`,
      changes.flatMap(({ account, currency }) => [account, currency, '0']),
    );
    const balances = new Map(
      locked.map((row) => [`${String(row['account'])} ${String(row['currency'])}`, units(row, 'units')]),
    );
    await run(
      upsert('excluded.units'),
      changes.flatMap(({ account, currency, units: change }) => [
        account,
        currency,
        String((balances.get(`${account} ${currency}`) ?? 0n) + change),
      ]),
    );
  }
}

/** The change of each balance by an entry, in the lock order. */
export function changesOf(postings: readonly Posting[]): readonly Posting[] {
  const sums = new Map<string, Posting>();
  for (const posting of postings) {
    const key = `${posting.account} ${posting.currency}`;
    sums.set(key, { ...posting, units: (sums.get(key)?.units ?? 0n) + posting.units });
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, change]) => change);
}
