import { accounts, audit, credentials } from './baseline/accounts.ts';
import { autovacuum } from './baseline/autovacuum.ts';
import { chains, service } from './baseline/chains.ts';
import { deposits } from './baseline/deposits.ts';
import { apps, routes, usage } from './baseline/gateway.ts';
import { ledger } from './baseline/ledger.ts';
import { callbacks, notices } from './baseline/messages.ts';
import { orders, sales } from './baseline/orders.ts';
import { coins, lightning, payouts, transfers } from './baseline/payouts.ts';
import type { Migration } from './migration.ts';

/** Tables after those that they refer to. */
const PARTS = [
  ...[service, accounts, credentials, audit, sales, orders, chains, deposits, ledger],
  ...[payouts, transfers, coins, lightning, callbacks, notices, apps, routes, usage, autovacuum],
];

/** The whole schema of the first release. Times are milliseconds since 1970; units are the smallest units of a currency. */
export const baseline: Migration = {
  name: '0001-baseline',
  statements: (tables, dialect) => PARTS.flatMap((part) => part(tables, dialect)),
};
