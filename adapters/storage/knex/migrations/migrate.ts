import { TillgateError } from '../../../../core/index.ts';
import type { Database } from '../database.ts';
import type { Run } from '../dialects/dialect.ts';
import type { Tables } from '../tables.ts';
import { foundation } from './0001-foundation.ts';
import { gateway } from './0002-gateway.ts';
import { management } from './0003-management.ts';
import { moneyOut } from './0004-money-out.ts';
import { lightning } from './0005-lightning.ts';
import { sightings } from './0006-sightings.ts';
import { sharedLimits } from './0007-shared-limits.ts';
import { gasLeft } from './0008-gas-balances.ts';
import { judgedCodes } from './0009-judged-codes.ts';
import { epochs } from './0010-epochs.ts';
import { unassignedDeposits } from './0011-unassigned-deposits.ts';
import { coinOwners } from './0012-coin-owners.ts';
import { nodeTrouble } from './0013-node-trouble.ts';
import { cancelledPayouts } from './0014-cancelled-payouts.ts';
import { returnCosts } from './0015-return-costs.ts';
import { trust } from './0016-trust.ts';
import { auditChain } from './0017-audit-chain.ts';
import { approvals } from './0018-approvals.ts';
import { scopes } from './0019-scopes.ts';
import { loginNetworks } from './0020-login-networks.ts';
import { passkeys } from './0021-passkeys.ts';
import { sessionLife } from './0022-session-life.ts';
import { temporaryPasswords } from './0023-temporary-passwords.ts';
import { routeCors } from './0024-route-cors.ts';
import { usage } from './0025-usage.ts';
import { prepaid } from './0026-prepaid.ts';
import { routeReads } from './0027-route-reads.ts';
import { merchantData } from './0028-merchant-data.ts';
import { webhooks } from './0029-webhooks.ts';
import { orderLists } from './0030-order-lists.ts';
import { ordersByHand } from './0032-orders-by-hand.ts';
import { ledgerLists } from './0038-ledger-lists.ts';
import { alerts } from './0039-alerts.ts';
import { transferRequesters } from './0043-transfer-requesters.ts';
import { dailySums } from './0044-daily-sums.ts';
import { transactionLists } from './0045-transaction-lists.ts';
import { transferLists } from './0046-transfer-lists.ts';
import { notices } from './0047-notices.ts';
import { payerPage } from './0048-payer-page.ts';
import { paymentLinks } from './0049-payment-links.ts';
import { ordersTransfers } from './0050-orders-transfers.ts';
import { pulls } from './0052-pulls.ts';
import { paidGate } from './0053-paid-gate.ts';
import { callbackLists } from './0054-callback-lists.ts';
import { ledgerCheckpoints } from './0055-ledger-checkpoints.ts';
import { autovacuum } from './0056-autovacuum.ts';
import { callbackBodies } from './0057-callback-bodies.ts';
import { postingMonths } from './0058-posting-months.ts';
import type { Migration } from './migration.ts';
import { checksum, ruleStatements } from './rules.ts';

/** Every step of the schema, in order. */
export const MIGRATIONS: readonly Migration[] = [
  foundation,
  gateway,
  management,
  moneyOut,
  lightning,
  sightings,
  sharedLimits,
  gasLeft,
  judgedCodes,
  epochs,
  unassignedDeposits,
  coinOwners,
  nodeTrouble,
  cancelledPayouts,
  returnCosts,
  trust,
  auditChain,
  approvals,
  scopes,
  loginNetworks,
  passkeys,
  sessionLife,
  temporaryPasswords,
  routeCors,
  usage,
  prepaid,
  routeReads,
  merchantData,
  webhooks,
  orderLists,
  ordersByHand,
  ledgerLists,
  alerts,
  transferRequesters,
  dailySums,
  transactionLists,
  transferLists,
  notices,
  payerPage,
  paymentLinks,
  ordersTransfers,
  pulls,
  paidGate,
  callbackLists,
  ledgerCheckpoints,
  autovacuum,
  callbackBodies,
  postingMonths,
];
/** The row with the version of the triggers. */
const RULES = 'rules';
/** What this release writes down of what it has applied. */
export const KNOWN_MIGRATIONS: ReadonlySet<string> = new Set([...MIGRATIONS.map(({ name }) => name), RULES]);

async function applied(run: Run, tables: Tables): Promise<ReadonlyMap<string, string>> {
  const rows = await run(`SELECT name, checksum FROM ${tables.migrations}`);
  return new Map(rows.map((row) => [row['name'] as string, row['checksum'] as string]));
}

async function apply(run: Run, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await run(statement);
}

/**
 * Brings the schema up to date in one transaction under a lock, so that several instances may start
 * at once: one migrates, the others wait and find nothing to do.
 *
 * @throws TillgateError `CONFIG_INVALID` when a newer release has migrated this database already
 */
export async function migrate(database: Database): Promise<readonly string[]> {
  const { tables, dialect } = database;
  const { bare, schema } = database.namespace;
  return database.transaction(
    async ({ run }) => {
      await apply(run, dialect.migrationLock(tables));
      // From here on names without a schema belong to the till's: an index cannot be given a schema.
      if (schema !== null) await dialect.enterSchema?.(run, schema);
      const { text, time } = dialect.types;
      await run(
        `CREATE TABLE IF NOT EXISTS ${tables.migrations} (name ${text} PRIMARY KEY, checksum ${text} NOT NULL, applied_at ${time} NOT NULL)`,
      );
      const done = await applied(run, tables);
      refuseNewer(done);
      const record = (name: string, sum: string) =>
        run(
          `INSERT INTO ${tables.migrations} (name, checksum, applied_at) VALUES (?, ?, ${dialect.nowMs})
           ON CONFLICT (name) DO UPDATE SET checksum = excluded.checksum, applied_at = excluded.applied_at`,
          [name, sum],
        );
      const missing = MIGRATIONS.filter(({ name }) => !done.has(name));
      for (const migration of missing) {
        const statements = migration.statements(bare, dialect);
        await apply(run, statements);
        await migration.further?.(run, bare, dialect);
        await record(migration.name, checksum(statements));
      }
      const rules = ruleStatements(database.namespace, dialect);
      // A step may have made a table anew, without its triggers.
      if (missing.length > 0 || done.get(RULES) !== checksum(rules)) {
        await apply(run, rules);
        await record(RULES, checksum(rules));
      }
      return missing.map(({ name }) => name);
    },
    { patient: true },
  );
}

/** @throws TillgateError `CONFIG_INVALID` when a newer release has migrated this database, which this one has migrated before */
export async function refuseNewerSchema({ tables, read }: Database): Promise<void> {
  refuseNewer(await applied(read, tables));
}

function refuseNewer(done: ReadonlyMap<string, string>): void {
  const unknown = [...done.keys()].filter((name) => !KNOWN_MIGRATIONS.has(name));
  if (unknown.length > 0) {
    throw new TillgateError(
      'CONFIG_INVALID',
      `A newer release has migrated this database (${unknown.join(', ')}); start that one.`,
    );
  }
}
