import type { Dialect } from '../../dialects/dialect.ts';
import type { Tables } from '../../tables.ts';

/** Signed payouts and the transactions that were signed for them. */
export function payouts(t: Tables, { types: { text, units, time, int } }: Dialect): string[] {
  return [
    // A nonce belongs to one payout that is not VOID.
    `CREATE TABLE ${t.payouts} (
      id ${text} PRIMARY KEY, chain ${text} NOT NULL, source_address ${text} NOT NULL, source_index ${int}, nonce ${int},
      status ${text} NOT NULL CHECK (status IN ('LIVE', 'DONE', 'VOID')), cancel_reason ${text}, mined_txid ${text},
      mined_height ${int}, sent_at ${time}, stuck_at ${time}, created_at ${time} NOT NULL)`,
    `CREATE UNIQUE INDEX ${t.payouts}_nonce ON ${t.payouts} (chain, source_address, nonce) WHERE nonce IS NOT NULL AND status <> 'VOID'`,
    `CREATE INDEX ${t.payouts}_live ON ${t.payouts} (chain, id) WHERE status = 'LIVE'`,
    `CREATE INDEX ${t.payouts}_done ON ${t.payouts} (chain, mined_height, id) WHERE status = 'DONE'`,
    `CREATE INDEX ${t.payouts}_cancelled ON ${t.payouts} (chain, mined_height) WHERE status = 'VOID' AND mined_height IS NOT NULL`,
    `CREATE TABLE ${t.payoutAttempts} (
      payout_id ${text} NOT NULL REFERENCES ${t.payouts} (id), number ${int} NOT NULL,
      kind ${text} NOT NULL DEFAULT 'payment' CHECK (kind IN ('payment', 'cancel')), chain ${text} NOT NULL,
      txid ${text} NOT NULL, raw ${text} NOT NULL, fee_units ${units} NOT NULL, terms ${text} NOT NULL, expires_at ${time},
      created_at ${time} NOT NULL, PRIMARY KEY (payout_id, number))`,
    `CREATE UNIQUE INDEX ${t.payoutAttempts}_txid ON ${t.payoutAttempts} (chain, txid)`,
    `CREATE INDEX ${t.payoutAttempts}_created ON ${t.payoutAttempts} (created_at)`,
    // The next nonce of each paying address.
    `CREATE TABLE ${t.payerNonces} (
      chain ${text} NOT NULL, address ${text} NOT NULL, next_nonce ${int} NOT NULL, PRIMARY KEY (chain, address))`,
  ];
}

/**
 * Withdrawals, refunds and moves between addresses of the installation. Each partial unique index is a rule: one live
 * refund of an order, one sweep of an address and currency, one use of an authorisation.
 */
export function transfers(t: Tables, { types: { text, units, time, int } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.transfers} (
      id ${text} PRIMARY KEY, kind ${text} NOT NULL CHECK (kind IN ('withdrawal', 'refund', 'sweep', 'gas', 'cold')),
      account_id ${text} REFERENCES ${t.accounts} (id), requested_by ${text}, order_id ${text} REFERENCES ${t.orders} (id),
      deposit_id ${text} REFERENCES ${t.deposits} (id), chain ${text} NOT NULL, currency ${text} NOT NULL,
      units ${units} NOT NULL, fee_units ${units} NOT NULL, max_fee_units ${units} NOT NULL, source_address ${text} NOT NULL,
      source_index ${int}, to_address ${text} NOT NULL, charge_authorization ${text}, authorization_key ${text},
      status ${text} NOT NULL CHECK (status IN ('HELD', 'REQUESTED', 'SIGNED', 'BROADCAST', 'CONFIRMED', 'FAILED')),
      payout_id ${text} REFERENCES ${t.payouts} (id), reason ${text}, deferred_at ${time}, created_at ${time} NOT NULL,
      updated_at ${time} NOT NULL, finished_at ${time}, CHECK (kind <> 'refund' OR order_id IS NOT NULL))`,
    `CREATE INDEX ${t.transfers}_waiting ON ${t.transfers} (chain, status, id) WHERE status = 'REQUESTED'`,
    `CREATE INDEX ${t.transfers}_signed ON ${t.transfers} (chain, id) WHERE status IN ('SIGNED', 'BROADCAST')`,
    `CREATE INDEX ${t.transfers}_live ON ${t.transfers} (account_id, kind) WHERE status NOT IN ('CONFIRMED', 'FAILED')`,
    `CREATE INDEX ${t.transfers}_payout ON ${t.transfers} (payout_id) WHERE payout_id IS NOT NULL`,
    `CREATE INDEX ${t.transfers}_order ON ${t.transfers} (order_id, id) WHERE kind = 'refund'`,
    `CREATE INDEX ${t.transfers}_status ON ${t.transfers} (status, id)`,
    `CREATE UNIQUE INDEX ${t.transfers}_one_gas ON ${t.transfers} (chain, to_address) WHERE kind = 'gas' AND status NOT IN ('CONFIRMED', 'FAILED')`,
    `CREATE UNIQUE INDEX ${t.transfers}_one_sweep ON ${t.transfers} (chain, source_address, currency) WHERE kind = 'sweep' AND status NOT IN ('CONFIRMED', 'FAILED')`,
    `CREATE UNIQUE INDEX ${t.transfers}_one_cold ON ${t.transfers} (chain, currency) WHERE kind = 'cold' AND status NOT IN ('CONFIRMED', 'FAILED')`,
    `CREATE UNIQUE INDEX ${t.transfers}_one_return ON ${t.transfers} (deposit_id) WHERE deposit_id IS NOT NULL AND status <> 'FAILED'`,
    `CREATE INDEX ${t.transfers}_asked ON ${t.transfers} (created_at) WHERE account_id IS NOT NULL OR deposit_id IS NOT NULL`,
    `CREATE INDEX ${t.transfers}_owned ON ${t.transfers} (account_id, id) WHERE account_id IS NOT NULL`,
    `CREATE INDEX ${t.transfers}_owned_status ON ${t.transfers} (account_id, status, id) WHERE account_id IS NOT NULL`,
    `CREATE INDEX ${t.transfers}_of_order ON ${t.transfers} (order_id) WHERE order_id IS NOT NULL`,
    `CREATE UNIQUE INDEX ${t.transfers}_authorization ON ${t.transfers} (chain, authorization_key) WHERE authorization_key IS NOT NULL`,
    `CREATE UNIQUE INDEX ${t.transfers}_one_charge ON ${t.transfers} (order_id) WHERE authorization_key IS NOT NULL AND status NOT IN ('CONFIRMED', 'FAILED')`,
    `CREATE UNIQUE INDEX ${t.transfers}_one_live_refund ON ${t.transfers} (order_id) WHERE kind = 'refund' AND status NOT IN ('CONFIRMED', 'FAILED')`,
    `CREATE TABLE ${t.transferApprovals} (
      transfer_id ${text} NOT NULL REFERENCES ${t.transfers} (id), held_at ${time} NOT NULL, approver_id ${text} NOT NULL,
      approved_at ${time} NOT NULL, PRIMARY KEY (transfer_id, held_at, approver_id))`,
    `CREATE TABLE ${t.withdrawalAddresses} (
      account_id ${text} NOT NULL REFERENCES ${t.accounts} (id), chain ${text} NOT NULL, former_address ${text},
      address ${text} NOT NULL, active_from ${time} NOT NULL, updated_at ${time} NOT NULL, PRIMARY KEY (account_id, chain))`,
    `CREATE INDEX ${t.withdrawalAddresses}_chain ON ${t.withdrawalAddresses} (chain, account_id)`,
    `CREATE TABLE ${t.watchAddresses} (
      id ${text} PRIMARY KEY, account_id ${text} NOT NULL REFERENCES ${t.accounts} (id), chain ${text} NOT NULL,
      kind ${text} NOT NULL CHECK (kind IN ('address', 'extended-key')), value ${text} NOT NULL, label ${text} NOT NULL,
      created_at ${time} NOT NULL)`,
    `CREATE UNIQUE INDEX ${t.watchAddresses}_value ON ${t.watchAddresses} (account_id, chain, value)`,
    `CREATE INDEX ${t.watchAddresses}_account ON ${t.watchAddresses} (account_id, id)`,
    `CREATE TABLE ${t.withdrawalFreezes} (
      account_id ${text} PRIMARY KEY REFERENCES ${t.accounts} (id), reason ${text} NOT NULL, frozen_at ${time} NOT NULL)`,
  ];
}

/** The coins that payouts spend, and the reasons that stop payouts. */
export function coins(t: Tables, dialect: Dialect): string[] {
  const { text, units, time, int, flag, serial } = dialect.types;
  return [
    // Coins and balances that deposits brought. `further` marks all but the first of an address; a frozen one cannot be
    // moved.
    `CREATE TABLE ${t.holdings} (
      id ${serial}, chain ${text} NOT NULL, ref ${text} NOT NULL, address ${text} NOT NULL, address_index ${int},
      account_id ${text}, currency ${text} NOT NULL, units ${units} NOT NULL,
      status ${text} NOT NULL CHECK (status IN ('FREE', 'TAKEN', 'SPENT', 'GONE')), frozen_at ${time}, frozen_reason ${text},
      payout_id ${text} REFERENCES ${t.payouts} (id), further ${flag} NOT NULL, CHECK (status <> 'FREE' OR payout_id IS NULL),
      CHECK (status NOT IN ('TAKEN', 'SPENT') OR payout_id IS NOT NULL))`,
    `CREATE UNIQUE INDEX ${t.holdings}_ref ON ${t.holdings} (chain, ref)`,
    `CREATE INDEX ${t.holdings}_kept ON ${t.holdings} (chain, ref) WHERE status IN ('FREE', 'TAKEN')`,
    `CREATE INDEX ${t.holdings}_coins ON ${t.holdings} (chain, currency, ${dialect.bySize('units').join(', ')}, id) WHERE status = 'FREE'`,
    `CREATE INDEX ${t.holdings}_address ON ${t.holdings} (chain, currency, address)`,
    `CREATE INDEX ${t.holdings}_further ON ${t.holdings} (chain, currency, address) WHERE status = 'FREE' AND further AND address_index IS NOT NULL`,
    `CREATE INDEX ${t.holdings}_payout ON ${t.holdings} (payout_id) WHERE payout_id IS NOT NULL`,
    `CREATE INDEX ${t.holdings}_owner ON ${t.holdings} (chain, currency, account_id, ${dialect.bySize('units').join(', ')}, id) WHERE status = 'FREE'`,
    `CREATE INDEX ${t.holdings}_taken ON ${t.holdings} (chain, currency, account_id) WHERE status = 'TAKEN'`,
    `CREATE INDEX ${t.holdings}_frozen ON ${t.holdings} (account_id, currency) WHERE frozen_at IS NOT NULL`,
    `CREATE TABLE ${t.gasBalances} (
      chain ${text} NOT NULL, address ${text} NOT NULL, units ${units} NOT NULL, PRIMARY KEY (chain, address))`,
    `CREATE INDEX ${t.gasBalances}_left ON ${t.gasBalances} (chain, address) WHERE units <> '0'`,
    `CREATE TABLE ${t.payoutStops} (
      chain ${text} PRIMARY KEY, reason ${text} NOT NULL, stopped_at ${time} NOT NULL)`,
    `CREATE TABLE ${t.currencyStops} (
      chain ${text} NOT NULL, currency ${text} NOT NULL,
      cause ${text} NOT NULL CHECK (cause IN ('refused', 'short', 'insolvent')), reason ${text} NOT NULL,
      stopped_at ${time} NOT NULL, PRIMARY KEY (chain, currency, cause))`,
  ];
}

/**
 * Lightning payments by their hash, and the lives of the node: when a node is restored from its seed, its database is
 * new, and a new life begins.
 */
export function lightning(t: Tables, { types: { text, units, time, int }, nowMs }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.lightningPayments} (
      payment_hash ${text} PRIMARY KEY, transfer_id ${text} NOT NULL UNIQUE REFERENCES ${t.transfers} (id),
      payment_request ${text} NOT NULL, msat ${units}, expires_at ${time} NOT NULL)`,
    `CREATE TABLE ${t.lightningAttempts} (
      transfer_id ${text} PRIMARY KEY REFERENCES ${t.transfers} (id), given_at ${time} NOT NULL, refused_at ${time},
      refusals ${int} NOT NULL, refused_since ${time}, cancel_reason ${text})`,
    `CREATE TABLE ${t.lightningLives} (
      number ${int} PRIMARY KEY, status ${text} NOT NULL CHECK (status IN ('pending', 'confirmed', 'dismissed')),
      reason ${text} NOT NULL, started_at ${time} NOT NULL)`,
    `INSERT INTO ${t.lightningLives} (number, status, reason, started_at)
     VALUES (1, 'dismissed', 'The till has used this node from the start.', ${nowMs})`,
  ];
}
