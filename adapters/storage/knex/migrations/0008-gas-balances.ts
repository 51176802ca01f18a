import type { Dialect } from '../dialects/dialect.ts';
import type { Tables } from '../tables.ts';
import type { Migration } from './migration.ts';

/** Gas that is left at deposit addresses. Rows of zero stay: an address that was used may be used again. */
function gasBalances(t: Tables, { types: { text, units } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.gasBalances} (
      chain ${text} NOT NULL, address ${text} NOT NULL, units ${units} NOT NULL, PRIMARY KEY (chain, address))`,
    `CREATE INDEX ${t.gasBalances}_left ON ${t.gasBalances} (chain, address) WHERE units <> '0'`,
  ];
}

/** The coins of the till's own: what is left of the gas for sweeps. */
export const gasLeft: Migration = { name: '0008-gas-balances', statements: gasBalances };
