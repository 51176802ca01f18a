import type { Migration } from './migration.ts';

/** Payments to many receivers that are approved together, and the receivers that accounts list. */
export const payoutBatches: Migration = {
  name: '0009-payout-batches',
  statements: ({ accounts, batches, batchRows, payees, transfers }, { types: { text, units, time, int, flag } }) => [
    `CREATE TABLE ${batches} (
      id ${text} PRIMARY KEY, account_id ${text} NOT NULL REFERENCES ${accounts} (id), name ${text} NOT NULL,
      status ${text} NOT NULL CHECK (status IN ('DRAFT', 'APPROVED', 'DONE', 'CANCELLED')), created_by ${text},
      sums ${text} NOT NULL, approvals ${text} NOT NULL, listed ${flag} NOT NULL, created_at ${time} NOT NULL,
      updated_at ${time} NOT NULL, approved_at ${time}, finished_at ${time})`,
    `CREATE INDEX ${batches}_owned ON ${batches} (account_id, id)`,
    `CREATE INDEX ${batches}_status ON ${batches} (status, id)`,
    `CREATE INDEX ${batches}_owned_status ON ${batches} (account_id, status, id)`,
    `CREATE TABLE ${batchRows} (
      batch_id ${text} NOT NULL REFERENCES ${batches} (id), line ${int} NOT NULL, account_id ${text} NOT NULL,
      reference ${text} NOT NULL, held_reference ${text}, chain ${text} NOT NULL, currency ${text} NOT NULL,
      to_address ${text} NOT NULL, units ${units} NOT NULL, fiat ${text}, fee_units ${units} NOT NULL,
      max_fee_units ${units} NOT NULL, transfer_id ${text} REFERENCES ${transfers} (id), problem ${text},
      PRIMARY KEY (batch_id, line), CHECK (transfer_id IS NULL OR problem IS NULL))`,
    // Each reference of an account is paid once; it is free again when its row was dropped, or its transfer has failed.
    `CREATE UNIQUE INDEX ${batchRows}_reference ON ${batchRows} (account_id, held_reference) WHERE held_reference IS NOT NULL`,
    `CREATE INDEX ${batchRows}_waiting ON ${batchRows} (batch_id, line) WHERE transfer_id IS NULL AND problem IS NULL`,
    `CREATE UNIQUE INDEX ${batchRows}_transfer ON ${batchRows} (transfer_id) WHERE transfer_id IS NOT NULL`,
    `CREATE TABLE ${payees} (
      id ${text} PRIMARY KEY, account_id ${text} NOT NULL REFERENCES ${accounts} (id), chain ${text} NOT NULL,
      address ${text} NOT NULL, label ${text} NOT NULL, active_from ${time} NOT NULL, created_at ${time} NOT NULL)`,
    `CREATE UNIQUE INDEX ${payees}_address ON ${payees} (account_id, chain, address)`,
    `CREATE INDEX ${payees}_owned ON ${payees} (account_id, id)`,
  ],
};
