import type { Dialect } from '../dialects/dialect.ts';
import type { Tables } from '../tables.ts';
import type { Migration } from './migration.ts';

/** The latest verdicts on requests with a code, so that copies of one request are one attempt. */
function judged(t: Tables, { types: { text } }: Dialect): string[] {
  return [`ALTER TABLE ${t.security} ADD COLUMN totp_judged ${text}`];
}

/** One attempt for all copies of a request. */
export const judgedCodes: Migration = { name: '0009-judged-codes', statements: judged };
