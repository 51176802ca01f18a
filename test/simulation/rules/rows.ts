/** Rows for the rules, read without the storage adapter. */
export interface OrderRow {
  readonly id: string;
  readonly status: string;
  readonly chain: string | null;
  readonly currency: string | null;
  readonly units: string | null;
  readonly address: string | null;
  readonly rate: string | null;
  readonly vs_currency: string;
  readonly vs_price: string;
  readonly received: string;
  readonly tolerance_bps: number;
  readonly expires_at: number;
  readonly watch_until: number;
  readonly reorged_at: number | null;
  readonly callback_url: string | null;
  readonly timeout_callback: string | null;
}

export interface DepositRow {
  readonly id: string;
  readonly order_id: string;
  readonly chain: string;
  readonly txid: string;
  readonly tx_index: string;
  readonly block_height: number;
  readonly block_hash: string;
  readonly currency: string;
  readonly units: string;
  readonly to_address: string;
  readonly status: string;
  readonly paid_at: number;
  readonly credits: number;
  readonly assignment: string;
  /** The rate when a late payment was first seen. */
  readonly rate: string | null;
}

export interface TransferRow {
  readonly id: string;
  readonly kind: string;
  readonly account_id: string | null;
  readonly order_id: string | null;
  readonly chain: string;
  readonly currency: string;
  readonly units: string;
  readonly fee_units: string;
  readonly max_fee_units: string;
  readonly to_address: string;
  readonly status: string;
  readonly payout_id: string | null;
  readonly claim_id: string | null;
  readonly created_at: number;
}

export interface PayoutRow {
  readonly id: string;
  readonly chain: string;
  readonly source_address: string;
  readonly nonce: number | null;
  readonly status: string;
  readonly mined_txid: string | null;
  readonly mined_height: number | null;
}

export interface AttemptRow {
  readonly payout_id: string;
  readonly chain: string;
  readonly txid: string;
  readonly raw: string;
  readonly kind: 'payment' | 'cancel';
  readonly expires_at: number | null;
}

export interface CallbackRow {
  readonly id: string;
  readonly order_id: string;
  readonly event: string;
  readonly status: string;
}

/** SQL of a transfer's kind: the column's list of kinds is older than payouts. */
export const TRANSFER_KIND =
  "CASE WHEN kind = 'withdrawal' AND (batch_id IS NOT NULL OR claim_id IS NOT NULL) THEN 'payout' ELSE kind END";

export const SQL = {
  orders: `SELECT id, status, chain, currency, units, address, rate, vs_currency, vs_price, received, tolerance_bps, expires_at, watch_until, reorged_at, callback_url, timeout_callback FROM orders`,
  deposits:
    'SELECT id, order_id, chain, txid, tx_index, block_height, block_hash, currency, units, to_address, status, paid_at, credits, assignment, rate FROM deposits',
  transfers: `SELECT id, ${TRANSFER_KIND} AS kind, account_id, order_id, chain, currency, units, fee_units, max_fee_units, to_address, status, payout_id, claim_id, created_at FROM transfers`,
  payouts: 'SELECT id, chain, source_address, nonce, status, mined_txid, mined_height FROM payouts',
  attempts: 'SELECT payout_id, chain, txid, raw, kind, expires_at FROM payout_attempts',
  callbacks: 'SELECT id, order_id, event, status FROM callbacks',
} as const;
