import { IdSequence, withDefaults } from '../../../core/index.ts';
import type {
  Account,
  AccountId,
  Callback,
  CallbackId,
  CallbackSearch,
  Credential,
  CredentialId,
  Deposit,
  DepositAddress,
  DepositId,
  EntryId,
  IdempotencyClaim,
  LedgerEntry,
  NewOrder,
  Order,
  OrderId,
  RateEvidence,
  Storage,
  TransactionRow,
} from '../../../core/index.ts';

/** The tests' present time: no test depends on the machine's clock. */
export const NOW = 1_780_000_000_000;

let clock = NOW;
const sequence = new IdSequence(
  () => ++clock,
  7,
  () => 0,
);
export const nextId = (): string => sequence.next();

export const rate: RateEvidence = {
  at: NOW,
  fixed: false,
  coin: { symbol: 'USDT', usd: '1', sources: [{ source: 'static', usd: '1', at: NOW, dropped: null }] },
  fiat: { symbol: 'EUR', usd: '1.08', sources: [] },
};

export function account(given: Partial<Account> = {}): Account {
  const id = nextId() as AccountId;
  return {
    id,
    email: `Shop-${id}@Example.org`,
    name: null,
    role: 'user',
    status: 'active',
    adminSince: null,
    passwordHash: 'scrypt',
    passwordExpiresAt: null,
    authVersion: 1,
    dataSecurity: false,
    dataSecurityOffAt: null,
    callbackApiKey: 'order',
    verifiedCurrencies: ['BTC'],
    createdAt: NOW,
    modifiedAt: NOW,
    ...given,
  };
}

/** A stored account. */
export async function storedAccount(storage: Storage, given: Partial<Account> = {}): Promise<Account> {
  const made = account(given);
  await storage.accounts.create(made);
  return made;
}

export function credential(accountId: AccountId, given: Partial<Credential> = {}): Credential {
  const id = nextId() as CredentialId;
  return {
    id,
    accountId,
    name: 'shop',
    apiKeyHash: `key-${id}`,
    apiTokenHash: `token-${id}`,
    sealed: 'sealed',
    status: 'active',
    scopes: ['read', 'create', 'move'],
    permissions: null,
    expiresAt: null,
    createdAt: NOW,
    revokedAt: null,
    ...given,
  };
}

export function depositAddress(given: Partial<DepositAddress> = {}): DepositAddress {
  const id = nextId();
  return {
    chain: 'ETH',
    address: `0xA${id}`,
    key: `a${id}`,
    walletId: 'wallet',
    index: Number(id.slice(-9)),
    ...given,
  };
}

export function order(accountId: AccountId, given: Partial<Omit<Order, 'number'>> = {}): Omit<Order, 'number'> {
  const id = nextId() as OrderId;
  return {
    id,
    accountId,
    credentialId: null,
    type: 'ORDER',
    platform: 'API',
    hosted: false,
    status: 'PENDING',
    vsCurrency: 'EUR',
    vsPrice: 1999n,
    payment: { chain: 'ETH', currency: 'USDT-ERC20', units: 21_589_200n, address: `0xA${id}`, rate, chosenAt: NOW },
    received: 0n,
    ...withDefaults({
      links: { callbackUrl: 'https://shop.example/paid?a=1' },
      enablePostCallback: true,
      remark: 'two cups — "large" ☕',
    }),
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
    ...given,
  };
}

/** A new order with a fresh address, ready to be created. */
export function newOrder(
  accountId: AccountId,
  given: Partial<Omit<Order, 'number'>> = {},
  idempotency: IdempotencyClaim | null = null,
): NewOrder {
  const made = order(accountId, given);
  const address =
    made.payment === null ? null : depositAddress({ chain: made.payment.chain, address: made.payment.address });
  return { order: made, depositAddress: address, idempotency };
}

/** A stored order. */
export async function storedOrder(
  storage: Storage,
  accountId: AccountId,
  given: Partial<Omit<Order, 'number'>> = {},
): Promise<Order> {
  const result = await storage.orders.create(newOrder(accountId, given));
  if (result.kind !== 'created') throw new Error('the order was not created');
  return result.order;
}

export function claim(key: string, given: Partial<IdempotencyClaim> = {}): IdempotencyClaim {
  return { route: '/api/order/pay-info', key, bodyHash: 'body-1', expiresAt: NOW + 86_400_000, ...given };
}

export function deposit(of: Pick<Order, 'id' | 'accountId'>, given: Partial<Deposit> = {}): Deposit {
  const id = nextId() as DepositId;
  return {
    id,
    orderId: of.id,
    accountId: of.accountId,
    chain: 'ETH',
    txid: `0x${id}`,
    index: '0',
    blockHeight: 100,
    blockHash: '0xb100',
    currency: 'USDT-ERC20',
    units: 5n,
    fromAddress: '0xfrom',
    toAddress: '0xto',
    status: 'SEEN',
    seenAt: NOW,
    paidAt: NOW,
    creditedAt: null,
    credits: 0,
    lossUnits: 0n,
    returnCostUnits: 0n,
    assignment: 'ORDER',
    unassignedReason: null,
    leastConfirmations: null,
    rate: null,
    ...given,
  };
}

export function transactionRow(of: Deposit, given: Partial<TransactionRow> = {}): Omit<TransactionRow, 'number'> {
  return {
    id: of.id,
    accountId: of.accountId,
    type: 'ORDER',
    status: 'SUCCESS',
    orderId: of.orderId,
    chain: of.chain,
    currency: of.currency,
    units: of.units,
    obtained: of.units,
    fee: 0n,
    fromAddress: of.fromAddress,
    toAddress: of.toAddress,
    txHash: of.txid,
    at: NOW,
    ...given,
  };
}

export function callback(of: Pick<Order, 'id' | 'accountId'>, given: Partial<Callback> = {}): Callback {
  return {
    id: nextId() as CallbackId,
    accountId: of.accountId,
    orderId: of.id,
    endpointId: null,
    subjectId: null,
    event: 'order.succeeded',
    credentialId: null,
    method: 'GET',
    url: 'https://shop.example/paid?event=order.succeeded',
    body: null,
    status: 'PENDING',
    attempts: 0,
    nextAt: NOW,
    createdAt: NOW,
    deliveredAt: null,
    ...given,
  };
}

/** An entry that moves units from a chain's custody to a merchant. */
export function entry(
  accountId: AccountId,
  reference: string,
  units: bigint,
  given: Partial<LedgerEntry> = {},
): LedgerEntry {
  return {
    id: nextId() as EntryId,
    at: NOW,
    kind: 'deposit-credited',
    reference,
    postings: [
      { account: 'custody:ETH', currency: 'USDT-ERC20', units: -units },
      { account: `merchant:${accountId}:pending`, currency: 'USDT-ERC20', units },
    ],
    ...given,
  };
}

/** All callbacks of a test in one page. */
export const EVERY_CALLBACK: CallbackSearch = {
  accountId: null,
  status: null,
  endpointId: null,
  before: null,
  limit: 100,
};
