import type { Migration } from './migration.ts';

/** Payouts to anyone: the claim or the batch that a transfer pays, and the time before which it is not signed. */
export const claimedTransfers: Migration = {
  name: '0006-claimed-transfers',
  statements: ({ transfers }, { types: { text, time } }) => [
    `ALTER TABLE ${transfers} ADD COLUMN claim_id ${text}`,
    `ALTER TABLE ${transfers} ADD COLUMN batch_id ${text}`,
    `ALTER TABLE ${transfers} ADD COLUMN not_before ${time}`,
    // A claim is paid by one transfer, for ever.
    `CREATE UNIQUE INDEX ${transfers}_one_claim ON ${transfers} (claim_id) WHERE claim_id IS NOT NULL`,
    `CREATE INDEX ${transfers}_of_batch ON ${transfers} (batch_id, id) WHERE batch_id IS NOT NULL`,
  ],
};
