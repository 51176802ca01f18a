import { DAY_MS } from '../../../../../core/index.ts';
import type {
  CallbackStatus,
  GatewaySum,
  Millis,
  OrderStatus,
  OrderSum,
  OverviewQuery,
  OverviewStore,
} from '../../../../../core/index.ts';
import type { Binding } from '../../binding.ts';
import type { Database } from '../../database.ts';
import type { Dialect, Row } from '../../dialects/dialect.ts';
import { integer, text, unitsOfParts } from '../../rows/values.ts';
import type { Tables } from '../../tables.ts';

interface Sql {
  readonly sql: string;
  readonly bindings: readonly Binding[];
}

/** Sums in `order_sums` and `callback_sums`, which triggers keep, and in `gateway_usage`. */
export class SqlOverviewStore implements OverviewStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async orders(query: OverviewQuery): Promise<readonly OrderSum[]> {
    const rows = await this.#read(orderSumsSql, query);
    return rows.map((row) => ({
      day: integer(row, 'day'),
      currency: text(row, 'currency') === '' ? null : text(row, 'currency'),
      vsCurrency: text(row, 'vs_currency'),
      status: text(row, 'status') as OrderStatus,
      orders: integer(row, 'orders'),
      received: unitsOfParts(row, 'received_'),
      vsPrice: unitsOfParts(row, 'vs_price_'),
    }));
  }

  async callbacks(query: OverviewQuery): Promise<ReadonlyMap<CallbackStatus, number>> {
    const rows = await this.#read(callbackSumsSql, query);
    return new Map(rows.map((row) => [text(row, 'status') as CallbackStatus, integer(row, 'records')]));
  }

  async gatewayDays(query: OverviewQuery): Promise<readonly (GatewaySum & { readonly day: Millis })[]> {
    const rows = await this.#read(gatewayDaysSql, query);
    return rows.map((row) => ({ day: integer(row, 'day'), ...gatewaySumOf(row) }));
  }

  async gatewayMethods(
    query: OverviewQuery,
    limit: number,
  ): Promise<readonly (GatewaySum & { readonly method: string })[]> {
    const rows = await this.#read((...args) => gatewayMethodsSql(...args, limit), query);
    return rows.map((row) => ({ method: text(row, 'method'), ...gatewaySumOf(row) }));
  }

  #read(
    statement: (tables: Tables, dialect: Dialect, query: OverviewQuery) => Sql,
    query: OverviewQuery,
  ): Promise<readonly Row[]> {
    const { sql, bindings } = statement(this.#db.tables, this.#db.dialect, query);
    return this.#db.read(sql, bindings);
  }
}

const gatewaySumOf = (row: Row): GatewaySum => ({ requests: integer(row, 'requests'), errors: integer(row, 'errors') });

export function orderSumsSql({ orderSums }: Tables, { unitParts }: Dialect, query: OverviewQuery): Sql {
  const parts = ['received', 'vs_price'].flatMap((amount) =>
    unitParts.of(amount).map((_, at) => `CAST(sum(${amount}_${at}) AS TEXT) AS ${amount}_${at}`),
  );
  const { sql, bindings } = daysOf(query);
  return {
    sql: `SELECT day, currency, vs_currency, status, sum(records) AS orders, ${parts.join(', ')} FROM ${orderSums}
      WHERE ${sql} GROUP BY day, currency, vs_currency, status HAVING sum(records) > 0 ORDER BY day, currency, vs_currency, status`,
    bindings,
  };
}

export function callbackSumsSql({ callbackSums }: Tables, _dialect: Dialect, query: OverviewQuery): Sql {
  const { sql, bindings } = daysOf(query);
  return { sql: `SELECT status, sum(records) AS records FROM ${callbackSums} WHERE ${sql} GROUP BY status`, bindings };
}

export function gatewayDaysSql(tables: Tables, dialect: Dialect, query: OverviewQuery): Sql {
  const { sql, bindings } = hoursOf(tables, dialect, query);
  return {
    sql: `SELECT hour - hour % ${DAY_MS} AS day, ${GATEWAY_SUMS} FROM ${tables.usage}
      WHERE ${sql} GROUP BY hour - hour % ${DAY_MS} ORDER BY 1`,
    bindings,
  };
}

export function gatewayMethodsSql(tables: Tables, dialect: Dialect, query: OverviewQuery, limit: number): Sql {
  const { sql, bindings } = hoursOf(tables, dialect, query);
  return {
    sql: `SELECT method, ${GATEWAY_SUMS} FROM ${tables.usage} WHERE ${sql} GROUP BY method ORDER BY requests DESC, method LIMIT ?`,
    bindings: [...bindings, limit],
  };
}

const GATEWAY_SUMS = 'sum(requests) AS requests, sum(errors) AS errors';

function daysOf({ accountId, from, to }: OverviewQuery): Sql {
  const days = { sql: 'day >= ? AND day < ?', bindings: [from, to] };
  if (accountId === null) return days;
  return { sql: `account_id = ? AND ${days.sql}`, bindings: [accountId, ...days.bindings] };
}

function hoursOf({ apps }: Tables, dialect: Dialect, { accountId, from, to }: OverviewQuery): Sql {
  const hours = { sql: 'hour >= ? AND hour < ?', bindings: [from, to] };
  if (accountId === null) return hours;
  const own = dialect.anyFrom('app_id', `SELECT id FROM ${apps} WHERE account_id = ?`);
  return { sql: `${own} AND ${hours.sql}`, bindings: [accountId, ...hours.bindings] };
}
