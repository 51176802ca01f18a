import type { Deposit } from '../deposits/deposit.ts';
import type { AssetCatalogue } from '../kernel/asset.ts';
import { formatUnits } from '../kernel/decimal.ts';
import { findFiat } from '../kernel/fiat.ts';
import { present } from '../kernel/guard.ts';
import { formatTimestamp } from '../kernel/time.ts';
import type { TransactionRow } from '../transactions/transaction.ts';
import type { Order } from './order.ts';
import { isRefundable, singleSender } from './refundable.ts';
import type { RefundMeans } from './refundable.ts';
import { liveDeposits } from './settle-order.ts';

/** An item of the order list (specification, "Order"); amounts are plain decimals. */
export interface OrderRecord {
  readonly user_id: string;
  readonly order_id: string;
  readonly order_type: string;
  readonly platform: string;
  readonly status: string;
  readonly chain: string;
  readonly chain_name: string;
  readonly currency: string;
  readonly amount: string;
  readonly vs_price: string;
  readonly vs_currency: string;
  readonly remark: string;
  readonly refund: boolean;
  readonly create_time: string;
  readonly update_time: string;
}

interface PaymentFields {
  readonly tx_id: string;
  readonly tx_type: string;
  readonly obtained: string | null;
  readonly fee: string;
  readonly from_addr: string | null;
  readonly contract_id: string | null;
}

/** Get Orders Details: `to_addr` is `false` while there is no deposit address. */
export interface OrderDetailRecord extends OrderRecord, PaymentFields {
  readonly to_addr: string | false;
  readonly tx_hash: string;
}

/** The body of a POST callback: the order with the callback-only fields. */
export interface CallbackRecord extends OrderRecord, PaymentFields {
  readonly bind_id: null;
  readonly to_addr: string | null;
  readonly tx_hash: string | null;
  readonly tx_hash_list: readonly string[];
  readonly website: null;
}

/** Get Payment Info; `amount` and `vs_price` are decimal texts that the HTTP edge writes as numbers. */
export interface PayInfoRecord {
  readonly order_id: string;
  readonly status: string;
  readonly amount: string;
  readonly create_time: string;
  readonly vs_currency: string;
  readonly vs_price: string;
  readonly address: string;
  readonly contract_addr: string;
  readonly pay_url: string;
}

/** A row of the transaction list (specification, "Transaction"). */
export interface TransactionRecord {
  readonly user_id: string;
  readonly tx_id: string;
  readonly tx_type: string;
  readonly status: string;
  readonly chain: string;
  readonly currency: string;
  readonly amount: string;
  readonly obtained: string;
  readonly fee: string;
  readonly from_addr: string;
  readonly to_addr: string;
  readonly tx_hash: string | null;
  readonly event_time: string;
}

/** Finds a token's contract: the chain's `contractAddress`. */
export type ContractOf = (chain: string, currency: string) => string;

/** The price of an order as a plain decimal of its fiat. */
export function formatPrice(order: Order): string {
  return formatUnits(order.vsPrice, present(findFiat(order.vsCurrency), `fiat ${order.vsCurrency}`).decimals);
}

function formatCoin(units: bigint, currency: string, assets: AssetCatalogue): string {
  return formatUnits(units, present(assets.find(currency), `asset ${currency}`).decimals);
}

/** The order as the list shows it. */
export function orderRecord(order: Order, deposits: readonly Deposit[], means: RefundMeans, assets: AssetCatalogue): OrderRecord {
  const { payment } = order;
  return {
    user_id: order.accountId,
    order_id: order.id,
    order_type: order.type,
    platform: order.platform,
    status: order.status,
    chain: payment?.chain ?? '',
    chain_name: payment === null ? '' : assets.chainName(payment.chain),
    currency: payment?.currency ?? '',
    amount: payment === null ? '' : formatCoin(payment.units, payment.currency, assets),
    vs_price: formatPrice(order),
    vs_currency: order.vsCurrency,
    remark: order.remark,
    refund: isRefundable(order, deposits, means),
    create_time: formatTimestamp(order.createdAt),
    update_time: formatTimestamp(order.updatedAt),
  };
}

function paymentFields(order: Order, deposits: readonly Deposit[], assets: AssetCatalogue, contractOf: ContractOf): PaymentFields {
  const { payment } = order;
  const credited = liveDeposits(order, deposits).filter(({ status }) => status !== 'SEEN');
  const contract = payment === null ? '' : contractOf(payment.chain, payment.currency);
  return {
    tx_id: credited.at(-1)?.id ?? '',
    tx_type: order.type,
    obtained: payment === null || credited.length === 0 ? null : formatCoin(order.received, payment.currency, assets),
    fee: '0',
    from_addr: singleSender(liveDeposits(order, deposits)),
    contract_id: contract === '' ? null : contract,
  };
}

function hashes(order: Order, deposits: readonly Deposit[]): readonly string[] {
  return [...new Set(liveDeposits(order, deposits).map(({ txid }) => txid))];
}

/** The order as Get Orders Details shows it. */
export function orderDetailRecord(
  order: Order,
  deposits: readonly Deposit[],
  means: RefundMeans,
  assets: AssetCatalogue,
  contractOf: ContractOf,
): OrderDetailRecord {
  return {
    ...orderRecord(order, deposits, means, assets),
    ...paymentFields(order, deposits, assets, contractOf),
    to_addr: order.payment?.address ?? false,
    tx_hash: hashes(order, deposits).at(-1) ?? '',
  };
}

/**
 * The order as callbacks tell it, in the specification's order of fields. They tell of an order at its end, when it has no
 * refund yet; whether the balance suffices is for the moment in which a refund is asked for.
 */
export function callbackRecord(order: Order, deposits: readonly Deposit[], assets: AssetCatalogue, contractOf: ContractOf): CallbackRecord {
  const { create_time, update_time, ...record } = orderRecord(order, deposits, { refunded: false, available: order.received }, assets);
  const { contract_id, ...payment } = paymentFields(order, deposits, assets, contractOf);
  const list = hashes(order, deposits);
  return {
    ...record,
    bind_id: null,
    create_time,
    update_time,
    ...payment,
    to_addr: order.payment?.address ?? null,
    tx_hash: list.at(-1) ?? null,
    tx_hash_list: list,
    contract_id,
    website: null,
  };
}

/** The direct payment information of an order that has its coin. */
export function payInfoRecord(order: Order, assets: AssetCatalogue, contractOf: ContractOf, payUrl: string): PayInfoRecord {
  const payment = present(order.payment, `payment of order ${order.id}`);
  return {
    order_id: order.id,
    status: order.status,
    amount: formatCoin(payment.units, payment.currency, assets),
    create_time: formatTimestamp(order.createdAt),
    vs_currency: order.vsCurrency,
    vs_price: formatPrice(order),
    address: payment.address,
    contract_addr: contractOf(payment.chain, payment.currency),
    pay_url: payUrl,
  };
}

/** A transaction as the list shows it. */
export function transactionRecord(row: TransactionRow, assets: AssetCatalogue): TransactionRecord {
  return {
    user_id: row.accountId,
    tx_id: row.id,
    tx_type: row.type,
    status: row.status,
    chain: row.chain,
    currency: row.currency,
    amount: formatCoin(row.units, row.currency, assets),
    obtained: formatCoin(row.obtained, row.currency, assets),
    fee: formatCoin(row.fee, row.currency, assets),
    from_addr: row.fromAddress ?? '',
    to_addr: row.toAddress,
    tx_hash: row.txHash,
    event_time: formatTimestamp(row.at),
  };
}
