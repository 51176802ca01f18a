import type { Dialect } from '../dialects/dialect.ts';
import type { Tables } from '../tables.ts';
import type { Migration } from './migration.ts';

/** What keeps a chain from being read up to now, as JSON. */
function trouble(t: Tables, { types: { text } }: Dialect): string[] {
  return [`ALTER TABLE ${t.chainStates} ADD COLUMN trouble ${text}`];
}

/** Nodes that lag, download or have pruned, named by every instance. */
export const nodeTrouble: Migration = { name: '0013-node-trouble', statements: trouble };
