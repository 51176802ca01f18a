import { TillgateError } from '../../../../core/index.ts';
import type { Database } from '../database.ts';
import type { Run } from '../dialects/dialect.ts';
import type { Tables } from '../tables.ts';
import { baseline } from './0001-baseline.ts';
import { appKeyRestrictions } from './0002-app-key-restrictions.ts';
import { gatewayCordons } from './0003-gateway-cordons.ts';
import { gatewayAnswers } from './0005-gateway-answers.ts';
import { gatewayShownBlocks } from './0004-gateway-shown-blocks.ts';
import { claimedTransfers } from './0006-claimed-transfers.ts';
import { pullPayments } from './0008-pull-payments.ts';
import { payoutBatches } from './0009-payout-batches.ts';
import { greenfield } from './0010-greenfield.ts';
import { linkItems } from './0011-link-items.ts';
import { fewerOrderIndexes } from './0012-fewer-order-indexes.ts';
import type { Migration } from './migration.ts';
import { checksum, ruleStatements } from './rules.ts';

/** Every step of the schema, in order. */
export const MIGRATIONS: readonly Migration[] = [
  baseline,
  appKeyRestrictions,
  gatewayCordons,
  gatewayShownBlocks,
  gatewayAnswers,
  claimedTransfers,
  pullPayments,
  payoutBatches,
  greenfield,
  linkItems,
  fewerOrderIndexes,
];
/** The row with the version of the triggers. */
const RULES = 'rules';
/** The names of the rows that this release writes. */
export const KNOWN_MIGRATIONS = knownNames(MIGRATIONS);

function knownNames(migrations: readonly Migration[]): ReadonlySet<string> {
  return new Set([...migrations.map(({ name }) => name), RULES]);
}

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
 * @param migrations - every step, in order; other than {@link MIGRATIONS} in tests only
 * @returns the names of the steps that were applied
 * @throws TillgateError `CONFIG_INVALID` when a newer release has migrated this database already
 */
export async function migrate(database: Database, migrations = MIGRATIONS): Promise<readonly string[]> {
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
      refuseNewer(done, knownNames(migrations));
      const record = (name: string, sum: string) =>
        run(
          `INSERT INTO ${tables.migrations} (name, checksum, applied_at) VALUES (?, ?, ${dialect.nowMs})
           ON CONFLICT (name) DO UPDATE SET checksum = excluded.checksum, applied_at = excluded.applied_at`,
          [name, sum],
        );
      const missing = migrations.filter(({ name }) => !done.has(name));
      for (const migration of missing) {
        const statements = migration.statements(bare, dialect);
        await apply(run, statements);
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
  refuseNewer(await applied(read, tables), KNOWN_MIGRATIONS);
}

function refuseNewer(done: ReadonlyMap<string, string>, known: ReadonlySet<string>): void {
  const unknown = [...done.keys()].filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new TillgateError(
      'CONFIG_INVALID',
      `A newer release has migrated this database (${unknown.join(', ')}); start that release.`,
    );
  }
}
