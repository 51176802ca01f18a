import type { Dialect } from '../dialects/dialect.ts';
import type { Tables } from '../tables.ts';

/** One step of the schema. A released step never changes; later steps alter its tables. */
export interface Migration {
  readonly name: string;
  statements(tables: Tables, dialect: Dialect): readonly string[];
}
