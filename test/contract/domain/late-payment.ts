import assert from 'node:assert/strict';
import { PayoutFeeEstimator, readSolvency, UnassignedDeposits, WithdrawalLimits } from '../../../core/index.ts';
import type { Deposit, Order, Transfer, WithdrawalLimit } from '../../../core/index.ts';
import type { MoneyDomain } from '../../support/money.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const ETHER = 10n ** 18n;
export const PAYER = 'eth-late-payer';
export const nothing = (): void => undefined;
export const failing = (): never => {
  throw new Error('the audit fails');
};

export function decisionsOf(
  till: MoneyDomain,
  fees = new PayoutFeeEstimator({ storage: till.storage, rates: till.rateBook, clock: till.clock }),
  {
    approveAbove = new Map(),
    limits = [],
  }: { approveAbove?: ReadonlyMap<string, string>; limits?: readonly WithdrawalLimit[] } = {},
): UnassignedDeposits {
  return new UnassignedDeposits({
    ...till,
    chains: new Map([till.eth, till.btc].map((chain) => [chain.code, chain])),
    fees,
    limits: new WithdrawalLimits({ limits, assets: till.assets, rates: till.rateBook }),
    withdrawals: { approveAbove },
  });
}

export const assign = (till: MoneyDomain, deposit: Deposit, order: Order): Promise<Deposit> =>
  decisionsOf(till).assign(deposit.id, order.id, 'operator', nothing);
export const refund = (till: MoneyDomain, deposit: Deposit): Promise<Transfer> =>
  decisionsOf(till).refund(deposit.id, PAYER, nothing);

const unitsOf = async ({ storage }: MoneyDomain, account: string, currency: string): Promise<bigint> =>
  (await storage.ledger.balances(account)).find((balance) => balance.currency === currency)?.units ?? 0n;
/** The amount owed to payers of unassigned deposits. */
export const owed = (till: MoneyDomain, currency = 'ETH'): Promise<bigint> => unitsOf(till, 'unassigned:ETH', currency);
export const lossOf = (till: MoneyDomain): Promise<bigint> => unitsOf(till, 'loss:', 'ETH');

/** The chain's balance beyond what is owed; never below zero. */
export async function ownEther(till: MoneyDomain): Promise<bigint> {
  const lines = await readSolvency(till.eth, till.storage);
  for (const { currency, units } of lines) assert.ok(units >= 0n, `the till lacks ${-units} units of ${currency}`);
  return lines.find(({ currency }) => currency === 'ETH')?.units ?? 0n;
}

/** The deposit as it is stored now. */
export async function again({ storage }: MoneyDomain, { id }: Deposit): Promise<Deposit> {
  const deposit = await storage.deposits.find(id);
  assert.ok(deposit);
  return deposit;
}

let payments = 0;

/** A payment 30 hours after its order, with this many confirmations. */
export async function latePayment(
  till: MoneyDomain,
  { depth = 8, units = ETHER, currency = 'ETH' } = {},
): Promise<{ deposit: Deposit; order: Order }> {
  const order = await till.newOrder({
    currency,
    price: '2000',
    links: { callbackUrl: 'https://shop.example/paid', timeoutCallback: 'https://shop.example/late' },
  });
  till.clock.advance(31 * MINUTE);
  await till.expire();
  till.clock.advance(30 * HOUR);
  till.eth.mine({ to: order.payment?.address ?? '', currency, units, txid: `late${(payments += 1)}` });
  till.eth.mineEmpty(depth - 1);
  await till.follow();
  const [deposit] = await till.storage.deposits.unassigned({ before: null, limit: 10 });
  assert.ok(deposit);
  return { deposit, order: await till.order(order.id) };
}
