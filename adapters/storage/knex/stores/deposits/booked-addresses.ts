import { BALANCE_INDEX } from '../../../../../core/index.ts';
import type { BookedAddress, BooksQuestion, ChainCode } from '../../../../../core/index.ts';
import type { Dialect, Row, Run } from '../../dialects/dialect.ts';
import type { Binding } from '../../binding.ts';
import { text, units } from '../../rows/values.ts';
import type { Tables } from '../../tables.ts';

interface Books {
  readonly tables: Tables;
  readonly dialect: Dialect;
}

/** The booked balances of addresses in one currency; see {@link BookedAddress}. */
export async function bookedAddresses(
  run: Run,
  { tables, dialect }: Books,
  chain: ChainCode,
  { currency, paysFees, addresses, height }: BooksQuestion,
): Promise<ReadonlyMap<string, BookedAddress>> {
  const list = dialect.list(addresses);
  const booked = new Map<string, BookedAddress>();
  const entryOf = (address: string): BookedAddress => booked.get(address) ?? { units: 0n, moving: false, orphaned: [] };
  const add = (row: Row, sign = 1n): void => {
    const address = text(row, 'address');
    const entry = entryOf(address);
    booked.set(address, { ...entry, units: entry.units + sign * units(row, 'units') });
  };
  const addOrphaned = (row: Row): void => {
    const address = text(row, 'address');
    const entry = entryOf(address);
    const deposit = { txid: text(row, 'txid'), index: text(row, 'tx_index'), units: units(row, 'units') };
    booked.set(address, { ...entry, orphaned: [...entry.orphaned, deposit] });
  };
  for (const row of await run(
    `SELECT to_address AS address, status, txid, tx_index, units FROM ${tables.deposits}
     WHERE chain = ? AND ${dialect.anyOf('to_address')} AND currency = ?
       AND (status IN ('SEEN', 'CREDITED', 'DUST') OR (status = 'ORPHANED' AND tx_index LIKE ?))
     ORDER BY id`,
    [chain, list, currency, `${BALANCE_INDEX}%`],
  ))
    if (text(row, 'status') === 'ORPHANED') addOrphaned(row);
    else add(row);
  // A spendable deposit is a holding until it is swept. If it is orphaned, the amount that a mined sweep took is
  // missing.
  for (const row of await run(
    `SELECT address, status, units FROM ${tables.holdings} AS h
     WHERE chain = ? AND currency = ? AND ${dialect.anyOf('address')}
       AND (status NOT IN ('SPENT', 'GONE') OR (status = 'GONE' AND EXISTS (
         SELECT 1 FROM ${tables.payouts} AS p WHERE p.id = h.payout_id AND p.status = 'DONE' AND p.mined_height <= ?)))`,
    [chain, currency, list, height],
  ))
    add(row, text(row, 'status') === 'GONE' ? -1n : 1n);
  if (paysFees) {
    const sql = `SELECT address, units FROM ${tables.gasBalances} WHERE chain = ? AND ${dialect.anyOf('address')}`;
    for (const row of await run(sql, [chain, list])) add(row);
  }
  for (const address of await moving(run, { tables, dialect }, chain, { list, height }))
    booked.set(address, { ...entryOf(address), moving: true });
  return booked;
}

/** The addresses that a transaction of the till changes, or has changed above a given block. */
async function moving(
  run: Run,
  { tables, dialect }: Books,
  chain: ChainCode,
  { list, height }: { readonly list: Binding; readonly height: number },
): Promise<readonly string[]> {
  const { transfers, payouts } = tables;
  const signed = (column: string): string =>
    `SELECT ${column} AS address FROM ${transfers} WHERE chain = ? AND status IN ('SIGNED', 'BROADCAST') AND ${dialect.anyOf(column)}`;
  // A transaction that a reorganisation removed has no block until it is mined again.
  const mined = [
    "status = 'DONE' AND mined_height IS NULL",
    "status = 'DONE' AND mined_height > ?",
    "status = 'VOID' AND mined_height IS NOT NULL AND mined_height > ?",
  ];
  const heights: readonly (readonly Binding[])[] = [[], [height], [height]];
  const found = [
    ...(await run(signed('source_address'), [chain, list])),
    ...(await run(signed('to_address'), [chain, list])),
  ];
  for (const [at, where] of mined.entries()) {
    const ofPayouts = `SELECT id, source_address FROM ${payouts} WHERE chain = ? AND ${where}`;
    const bindings = [chain, ...(heights[at] ?? []), list];
    found.push(
      ...(await run(
        `SELECT p.source_address AS address FROM (${ofPayouts}) p WHERE ${dialect.anyOf('p.source_address')}`,
        bindings,
      )),
      ...(await run(
        `SELECT t.to_address AS address FROM (${ofPayouts}) p JOIN ${transfers} t ON t.payout_id = p.id WHERE ${dialect.anyOf('t.to_address')}`,
        bindings,
      )),
    );
  }
  return found.map((row) => text(row, 'address'));
}
