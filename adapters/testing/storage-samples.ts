import { IdSequence, newTransfer, withDefaults } from '../../core/index.ts';
import type {
  Account,
  AccountId,
  Payout,
  PayoutId,
  Deposit,
  DepositId,
  EntryId,
  IdempotencyClaim,
  LedgerEntry,
  NewOrder,
  Order,
  OrderId,
  Reservation,
  Storage,
  TransferId,
} from '../../core/index.ts';
import type { RecordingDispatcher } from './recording-dispatcher.ts';

/** A test of one requirement; `second` is another instance on the same database. */
export interface StorageCase {
  readonly title: string;
  readonly run: (storage: Storage, second: Storage, dispatcher: RecordingDispatcher) => Promise<void>;
}

/** The time of all samples. */
export const NOW = Date.UTC(2026, 5, 1);
/** The largest value of 256 bits, more than a double or a 64-bit integer can hold. */
export const LARGEST = 2n ** 256n - 1n;

let ticks = NOW;
const sequence = new IdSequence(
  () => ++ticks,
  9,
  () => 0,
);
export const nextId = (): string => sequence.next();

/** Stores a merchant. */
export async function storeAccount(storage: Storage): Promise<Account> {
  const id = nextId() as AccountId;
  const account: Account = {
    id,
    email: `shop-${id}@example.org`,
    name: null,
    role: 'user',
    status: 'active',
    adminSince: null,
    passwordHash: 'none',
    passwordExpiresAt: null,
    authVersion: 1,
    dataSecurity: false,
    dataSecurityOffAt: null,
    callbackApiKey: 'order',
    verifiedCurrencies: [],
    createdAt: NOW,
    modifiedAt: NOW,
  };
  await storage.accounts.create(account);
  return account;
}

/** A new order. */
export function newOrder(accountId: AccountId, units: bigint, idempotency: IdempotencyClaim | null = null): NewOrder {
  const id = nextId() as OrderId;
  const rate = {
    at: NOW,
    fixed: false,
    coin: { symbol: 'ETH', usd: '1', sources: [] },
    fiat: { symbol: 'USD', usd: '1', sources: [] },
  };
  const order: Omit<Order, 'number'> = {
    id,
    accountId,
    credentialId: null,
    type: 'ORDER',
    platform: 'API',
    hosted: false,
    status: 'PENDING',
    vsCurrency: 'USD',
    vsPrice: 100n,
    payment: { chain: 'ETH', currency: 'ETH', units, address: `0x${id}`, rate, chosenAt: NOW },
    received: 0n,
    ...withDefaults({}),
    checkoutToken: `checkout-${id}`,
    toleranceBps: 0,
    createdAt: NOW,
    updatedAt: NOW,
    expiresAt: NOW + 1_800_000,
    watchUntil: NOW + 88_200_000,
    reorgedAt: null,
    refundAddress: null,
    refundBrowser: null,
    refundAddressAt: null,
  };
  return {
    order,
    depositAddress: { chain: 'ETH', address: `0x${id}`, key: id, walletId: 'wallet', index: Number(id.slice(-9)) },
    idempotency,
  };
}

/** Stores an order. */
export async function storeOrder(storage: Storage, units = 5n): Promise<Order> {
  const result = await storage.orders.create(newOrder((await storeAccount(storage)).id, units));
  if (result.kind !== 'created') throw new Error('a new order was not created');
  return result.order;
}

export function depositOf({ id: orderId, accountId }: Pick<Order, 'id' | 'accountId'>, units: bigint): Deposit {
  const id = nextId() as DepositId;
  const block = { blockHeight: 100, blockHash: '0xb100' };
  const kept = { status: 'SEEN', seenAt: NOW, paidAt: NOW, creditedAt: null, credits: 0, lossUnits: 0n } as const;
  return {
    id,
    orderId,
    accountId,
    chain: 'ETH',
    txid: `0x${id}`,
    index: '0',
    ...block,
    currency: 'ETH',
    units,
    fromAddress: null,
    toAddress: '0xto',
    ...kept,
    returnCostUnits: 0n,
    assignment: 'ORDER',
    unassignedReason: null,
    leastConfirmations: null,
    rate: null,
  };
}

/** An entry from a chain's custody to a merchant. */
export function entryOf(accountId: AccountId, reference: string, units: bigint): LedgerEntry {
  const postings = [
    { account: 'custody:ETH', currency: 'ETH', units: -units },
    { account: `merchant:${accountId}:pending`, currency: 'ETH', units },
  ] as const;
  return { id: nextId() as EntryId, at: NOW, kind: 'deposit-credited', reference, postings };
}

/** A withdrawal to be reserved. */
export function reservationOf(
  accountId: AccountId,
  units: bigint,
  idempotency: IdempotencyClaim | null = null,
): Reservation {
  const id = nextId() as TransferId;
  const [chain, currency, toAddress] = ['ETH', 'ETH', '0xto'];
  const request = {
    id,
    kind: 'withdrawal' as const,
    accountId,
    orderId: null,
    chain,
    currency,
    units,
    feeUnits: 0n,
    maxFeeUnits: 0n,
    sourceAddress: '0xhot',
    sourceIndex: null,
    toAddress,
  };
  const postings = [
    { account: `merchant:${accountId}:available`, currency, units: -units },
    { account: `merchant:${accountId}:reserved`, currency, units },
  ] as const;
  return {
    transfer: newTransfer(request, NOW),
    entry: {
      id: nextId() as EntryId,
      at: NOW,
      kind: 'transfer-reserved',
      reference: `transfer:${id}:reserved`,
      postings,
    },
    row: {
      id,
      accountId,
      type: 'WITHDRAW',
      status: 'PENDING',
      orderId: null,
      chain,
      currency,
      units,
      obtained: units,
      fee: 0n,
      fromAddress: '0xhot',
      toAddress,
      txHash: null,
      at: NOW,
    },
    idempotency,
  };
}

export function payoutOf(nonce: number | null, sourceAddress: string): Payout {
  return {
    id: nextId() as PayoutId,
    chain: 'ETH',
    sourceAddress,
    sourceIndex: null,
    nonce,
    status: 'LIVE',
    minedTxid: null,
    minedHeight: null,
    cancelReason: null,
    stuckAt: null,
    sentAt: null,
    createdAt: NOW,
  };
}
