import type { Dialect } from '../dialects/dialect.ts';
import type { Tables } from '../tables.ts';
import type { Migration } from './migration.ts';

function statements(t: Tables, { types: { text, time } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.transferApprovals} (
      transfer_id ${text} NOT NULL REFERENCES ${t.transfers} (id), held_at ${time} NOT NULL, approver_id ${text} NOT NULL,
      approved_at ${time} NOT NULL, PRIMARY KEY (transfer_id, held_at, approver_id))`,
    // What merchants asked for in a window is summed at each request where there is a limit.
    `CREATE INDEX ${t.transfers}_asked ON ${t.transfers} (created_at) WHERE account_id IS NOT NULL`,
  ];
}

/** Who approved a held payment, and an index for limits by window. */
export const approvals: Migration = { name: '0018-approvals', statements };
