import type { Dialect } from '../dialects/dialect.ts';
import type { Tables } from '../tables.ts';

/** One step of the schema. Once released it never changes; a later step changes what it made. */
export interface Migration {
  readonly name: string;
  statements(tables: Tables, dialect: Dialect): readonly string[];
}
