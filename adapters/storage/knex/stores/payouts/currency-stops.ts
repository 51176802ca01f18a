import type { ChainCode, CurrencyStop, CurrencyStopCause, Millis, PayoutStops } from '../../../../../core/index.ts';
import type { Row, Run } from '../../dialects/dialect.ts';
import { integer, text } from '../../rows/values.ts';
import type { Tables } from '../../tables.ts';

/** The stops of a chain's currencies. */
export async function currencyStops(run: Run, tables: Tables, chain: ChainCode): Promise<readonly CurrencyStop[]> {
  const sql = `SELECT currency, cause, reason, stopped_at FROM ${tables.currencyStops} WHERE chain = ? ORDER BY currency, cause`;
  return (await run(sql, [chain])).map(stopOf);
}

/** The stops of a chain's currencies and the stop of all its payouts, which has no currency. */
export async function allStops(run: Run, tables: Tables, chain: ChainCode): Promise<PayoutStops> {
  const sql = `SELECT currency, cause, reason, stopped_at FROM ${tables.currencyStops} WHERE chain = ?
    UNION ALL SELECT '', '', reason, stopped_at FROM ${tables.payoutStops} WHERE chain = ? ORDER BY currency, cause`;
  const stops = (await run(sql, [chain, chain])).map(stopOf);
  return {
    all: stops.find(({ currency }) => currency === '')?.reason ?? null,
    currencies: stops.filter(({ currency }) => currency !== ''),
  };
}

function stopOf(row: Row): CurrencyStop {
  return {
    currency: text(row, 'currency'),
    cause: text(row, 'cause') as CurrencyStopCause,
    reason: text(row, 'reason'),
    at: integer(row, 'stopped_at'),
  };
}

/** Stores a stop or replaces its reason. @returns true when there was no stop of this cause */
export async function stopCurrency(
  run: Run,
  tables: Tables,
  chain: ChainCode,
  { currency, cause, reason, at }: CurrencyStop,
): Promise<boolean> {
  const key = [chain, currency, cause];
  const added = await run(
    `INSERT INTO ${tables.currencyStops} (chain, currency, cause, reason, stopped_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (chain, currency, cause) DO NOTHING RETURNING chain`,
    [...key, reason, at satisfies Millis],
  );
  if (added.length > 0) return true;
  await run(`UPDATE ${tables.currencyStops} SET reason = ? WHERE chain = ? AND currency = ? AND cause = ?`, [
    reason,
    ...key,
  ]);
  return false;
}

/** @returns true when there was a stop of this cause */
export async function resumeCurrency(
  run: Run,
  tables: Tables,
  chain: ChainCode,
  { currency, cause }: Pick<CurrencyStop, 'currency' | 'cause'>,
): Promise<boolean> {
  const sql = `DELETE FROM ${tables.currencyStops} WHERE chain = ? AND currency = ? AND cause = ? RETURNING chain`;
  return (await run(sql, [chain, currency, cause])).length > 0;
}
