import { DAY_MS } from '../../../../core/index.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { Tables } from '../tables.ts';
import type { Migration } from './migration.ts';

const DAY = `created_at - created_at % ${DAY_MS}`;

function statements(t: Tables, { types: { text, time, int }, unitParts }: Dialect): string[] {
  const parts = (column: string) =>
    unitParts.of(column).map((part, at) => ({ name: `${column}_${at}`, sum: `sum(${part})` }));
  const amounts = [...parts('received'), ...parts('vs_price')];
  return [
    `CREATE TABLE ${t.orderSums} (
      account_id ${text} NOT NULL, day ${time} NOT NULL, currency ${text} NOT NULL, vs_currency ${text} NOT NULL, status ${text} NOT NULL,
      records ${int} NOT NULL, ${amounts.map(({ name }) => `${name} ${unitParts.type} NOT NULL`).join(', ')},
      PRIMARY KEY (account_id, day, currency, vs_currency, status))`,
    `CREATE INDEX ${t.orderSums}_day ON ${t.orderSums} (day)`,
    `INSERT INTO ${t.orderSums} (account_id, day, currency, vs_currency, status, records, ${amounts.map(({ name }) => name).join(', ')})
      SELECT account_id, ${DAY}, coalesce(currency, ''), vs_currency, status, count(*), ${amounts.map(({ sum }) => sum).join(', ')}
      FROM ${t.orders} GROUP BY 1, 2, 3, 4, 5`,
    `CREATE TABLE ${t.callbackSums} (
      account_id ${text} NOT NULL, day ${time} NOT NULL, status ${text} NOT NULL, records ${int} NOT NULL,
      PRIMARY KEY (account_id, day, status))`,
    `CREATE INDEX ${t.callbackSums}_day ON ${t.callbackSums} (day)`,
    `INSERT INTO ${t.callbackSums} (account_id, day, status, records)
      SELECT account_id, ${DAY}, status, count(*) FROM ${t.callbacks} GROUP BY 1, 2, 3`,
  ];
}

/** Orders and callbacks by day: how many, and their amounts. Triggers keep them from here on. */
export const dailySums: Migration = { name: '0044-daily-sums', statements };
