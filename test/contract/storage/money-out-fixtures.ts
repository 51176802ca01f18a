import type {
  AccountId,
  Attempt,
  Payout,
  PayoutId,
  ChainCode,
  Holding,
  Order,
  Storage,
  Transfer,
  TransferId,
  TransferStatus,
  WatchAddress,
  WatchAddressId,
  WithdrawalAddress,
} from '../../../core/index.ts';
import { nextId, NOW, storedAccount, storedOrder } from './fixtures.ts';

export const HOT = '0xhot';

/** By default a sweep of the till, each from its own address. */
export function transfer(given: Partial<Transfer> = {}): Transfer {
  const id = nextId() as TransferId;
  return {
    id,
    kind: 'sweep',
    accountId: null,
    orderId: null,
    chain: 'ETH',
    currency: 'ETH',
    units: 1000n,
    feeUnits: 10n,
    maxFeeUnits: 100n,
    sourceAddress: `0xsource${id}`,
    sourceIndex: 7,
    toAddress: HOT,
    status: 'REQUESTED',
    payoutId: null,
    reason: null,
    createdAt: NOW,
    updatedAt: NOW,
    deferredAt: null,
    finishedAt: null,
    ...given,
  };
}

/** A merchant's withdrawal from the hot wallet. */
export function withdrawal(accountId: AccountId, given: Partial<Transfer> = {}): Transfer {
  return transfer({
    kind: 'withdrawal',
    accountId,
    sourceAddress: HOT,
    sourceIndex: null,
    toAddress: '0xmerchant',
    ...given,
  });
}

export function refund(order: Pick<Order, 'id' | 'accountId'>, given: Partial<Transfer> = {}): Transfer {
  return withdrawal(order.accountId, { kind: 'refund', orderId: order.id, toAddress: '0xpayer', ...given });
}

export function payout(given: Partial<Payout> = {}): Payout {
  return {
    id: nextId() as PayoutId,
    chain: 'ETH',
    sourceAddress: HOT,
    sourceIndex: null,
    nonce: null,
    status: 'LIVE',
    minedTxid: null,
    minedHeight: null,
    cancelReason: null,
    stuckAt: null,
    sentAt: null,
    createdAt: NOW,
    ...given,
  };
}

export function attempt(payoutId: PayoutId, given: Partial<Attempt> = {}): Attempt {
  const txid = `0x${nextId()}`;
  return {
    payoutId,
    number: 1,
    kind: 'payment',
    txid,
    raw: `02f8${txid}`,
    feeUnits: 21n,
    terms: '{"gas":21000}',
    expiresAt: null,
    createdAt: NOW,
    ...given,
  };
}

export function holding(given: Partial<Holding> = {}): Omit<Holding, 'status' | 'payoutId'> {
  const { status: _status, payoutId: _payoutId, ...rest } = given;
  return { chain: 'ETH', ref: `${nextId()}:0`, address: '0xdeposit', index: 3, currency: 'ETH', units: 5n, ...rest };
}

export function withdrawalAddress(accountId: AccountId, given: Partial<WithdrawalAddress> = {}): WithdrawalAddress {
  return { accountId, chain: 'ETH', formerAddress: null, address: '0xnew', activeFrom: NOW, updatedAt: NOW, ...given };
}

export function watchAddress(accountId: AccountId, given: Partial<WatchAddress> = {}): WatchAddress {
  const id = nextId() as WatchAddressId;
  return {
    id,
    accountId,
    chain: 'ETH',
    kind: 'address',
    value: `0x${id}`,
    label: 'cold “store”',
    createdAt: NOW,
    ...given,
  };
}

export const add = (storage: Storage, made: Transfer): Promise<boolean> =>
  storage.transaction((tx) => tx.transfers.add(made));

export const open = (storage: Storage, made: Payout): Promise<boolean> =>
  storage.transaction((tx) => tx.transfers.openPayout(made));

/** A stored transfer. */
export async function stored(storage: Storage, made: Transfer): Promise<Transfer> {
  if (!(await add(storage, made))) throw new Error('the transfer was not added');
  return made;
}

/** A stored payout with transfers in a status, written by `TransferWrites`. */
export async function signed(
  storage: Storage,
  transfers: readonly Transfer[],
  given: Partial<Payout> = {},
  status: Exclude<TransferStatus, 'HELD' | 'REQUESTED' | 'FAILED'> = 'SIGNED',
): Promise<Payout> {
  const made = payout(given);
  await storage.transaction(async (tx) => {
    if (!(await tx.transfers.openPayout(made))) throw new Error('the payout was not opened');
    for (const { id } of transfers) {
      await tx.transfers.move(id, 'REQUESTED', 'SIGNED', { payoutId: made.id, updatedAt: NOW });
      if (status !== 'SIGNED') await tx.transfers.move(id, 'SIGNED', status, { updatedAt: NOW });
    }
  });
  return made;
}

/** Stored holdings. */
export async function held(
  storage: Storage,
  holdings: readonly Omit<Holding, 'status' | 'payoutId'>[],
): Promise<readonly string[]> {
  await storage.transaction(async (tx) => {
    for (const each of holdings) await tx.transfers.addHolding(each);
  });
  return holdings.map(({ ref }) => ref);
}

/** Every holding of a chain that must exist, by ref. */
export async function kept(storage: Storage, chain: ChainCode = 'ETH'): Promise<ReadonlyMap<string, Holding>> {
  return new Map((await storage.transfers.holdings(chain, null, 1000)).map((each) => [each.ref, each]));
}

export async function merchant(storage: Storage): Promise<AccountId> {
  return (await storedAccount(storage)).id;
}

export async function paidOrder(storage: Storage, accountId?: AccountId): Promise<Order> {
  return storedOrder(storage, accountId ?? (await merchant(storage)));
}
