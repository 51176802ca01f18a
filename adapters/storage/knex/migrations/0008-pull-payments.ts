import type { Migration } from './migration.ts';

/** Amounts that accounts have promised, and what payees have claimed of them. */
export const pullPayments: Migration = {
  name: '0008-pull-payments',
  statements: ({ pullPayments: pulls, claims, accounts, transfers }, { types: { text, units, time, flag } }) => [
    `CREATE TABLE ${pulls} (
      id ${text} PRIMARY KEY, account_id ${text} NOT NULL REFERENCES ${accounts} (id), token ${text} NOT NULL,
      name ${text} NOT NULL, currency ${text} NOT NULL, amount ${units} NOT NULL, coins ${text}, expires_at ${time},
      auto_approve ${flag} NOT NULL, reference ${text}, metadata ${text} NOT NULL, order_id ${text}, requested_by ${text},
      claimed ${units} NOT NULL, aside_units ${units} NOT NULL, archived_at ${time}, released_at ${time},
      created_at ${time} NOT NULL)`,
    `CREATE UNIQUE INDEX ${pulls}_token ON ${pulls} (token)`,
    `CREATE INDEX ${pulls}_account ON ${pulls} (account_id, id)`,
    `CREATE INDEX ${pulls}_open ON ${pulls} (account_id) WHERE archived_at IS NULL AND released_at IS NULL AND claimed <> amount`,
    `CREATE INDEX ${pulls}_expiry ON ${pulls} (expires_at)
      WHERE expires_at IS NOT NULL AND archived_at IS NULL AND released_at IS NULL`,
    `CREATE INDEX ${pulls}_aside ON ${pulls} (id) WHERE aside_units <> '0'`,
    `CREATE INDEX ${pulls}_order ON ${pulls} (order_id) WHERE order_id IS NOT NULL`,
    `CREATE TABLE ${claims} (
      id ${text} PRIMARY KEY, pull_payment_id ${text} NOT NULL REFERENCES ${pulls} (id), account_id ${text} NOT NULL,
      claim_key ${text} NOT NULL, chain ${text} NOT NULL, currency ${text} NOT NULL, to_address ${text} NOT NULL,
      amount ${units} NOT NULL, units ${units} NOT NULL, rate ${text}, status ${text} NOT NULL, reason ${text},
      transfer_id ${text}, created_at ${time} NOT NULL, decided_at ${time})`,
    `CREATE UNIQUE INDEX ${claims}_key ON ${claims} (pull_payment_id, claim_key)`,
    `CREATE INDEX ${claims}_of_pull ON ${claims} (pull_payment_id, id)`,
    `CREATE INDEX ${claims}_account ON ${claims} (account_id, id)`,
    `CREATE INDEX ${claims}_status ON ${claims} (status, id)`,
    `CREATE INDEX ${claims}_awaiting ON ${claims} (id) WHERE status = 'AWAITING_APPROVAL'`,
    // Several claims of an order's refund may be paid at once; what they sum to is bounded under the order's lock.
    `DROP INDEX ${transfers}_one_live_refund`,
    `CREATE UNIQUE INDEX ${transfers}_one_live_refund ON ${transfers} (order_id)
      WHERE kind = 'refund' AND claim_id IS NULL AND status NOT IN ('CONFIRMED', 'FAILED')`,
    `CREATE UNIQUE INDEX ${claims}_transfer ON ${claims} (transfer_id) WHERE transfer_id IS NOT NULL`,
  ],
};
