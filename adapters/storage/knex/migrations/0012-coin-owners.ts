import type { Dialect } from '../dialects/dialect.ts';
import type { Tables } from '../tables.ts';
import type { Migration } from './migration.ts';

/** A deposit's coin belongs to the account of its order. Change that was made before has no owner. */
function owners(t: Tables, dialect: Dialect): string[] {
  const { text } = dialect.types;
  const owner = `SELECT o.account_id FROM ${t.addresses} a JOIN ${t.orders} o ON o.id = a.order_id
    WHERE a.chain = ${t.holdings}.chain AND a.address = ${t.holdings}.address`;
  return [
    `ALTER TABLE ${t.holdings} ADD COLUMN account_id ${text}`,
    `UPDATE ${t.holdings} SET account_id = (${owner}) WHERE address_index IS NOT NULL AND status <> 'SPENT'`,
    `CREATE INDEX ${t.holdings}_owner ON ${t.holdings} (chain, currency, account_id, ${dialect.bySize('units').join(', ')}, id) WHERE status = 'FREE'`,
    `CREATE INDEX ${t.holdings}_taken ON ${t.holdings} (chain, currency, account_id) WHERE status = 'TAKEN'`,
  ];
}

/** The accounts that coins belong to, so that each account pays for spending its own. */
export const coinOwners: Migration = { name: '0012-coin-owners', statements: owners };
