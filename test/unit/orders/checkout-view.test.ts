import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AssetCatalogue, BUILT_IN_ASSETS } from '../../../core/index.ts';
import type { Deposit, Order, OrderStatus, UnconfirmedPayment } from '../../../core/index.ts';
import { ORDER_STATUSES } from '../../../core/orders/order-status.ts';
import { checkoutView } from '../../../core/orders/checkout-view.ts';

const ASSETS = new AssetCatalogue(BUILT_IN_ASSETS, [
  { code: 'BTC', name: 'Bitcoin', explorer: 'https://explorer.example/tx/{txid}?x=1' },
]);
const ORDER = {
  id: '1',
  status: 'PENDING',
  vsCurrency: 'EUR',
  toleranceBps: 0,
  expiresAt: 10_000,
  watchUntil: 20_000,
  refundAddress: null,
  payment: {
    chain: 'BTC',
    currency: 'BTC',
    units: 1_000n,
    address: 'bc1qx',
    chosenAt: 0,
    rate: {
      at: 0,
      fixed: false,
      coin: { symbol: 'BTC', usd: '60000', sources: [] },
      fiat: { symbol: 'EUR', usd: '1.2', sources: [] },
    },
  },
} as unknown as Order;
const PLACE = { height: 12, contractAddr: '', required: 3, invoice: 'lnbc1', uri: (due: bigint) => `bitcoin:${due}` };

const deposit = (txid: string, units: bigint, more: Partial<Deposit> = {}): Deposit =>
  ({
    txid,
    units,
    chain: 'BTC',
    currency: 'BTC',
    blockHeight: 11,
    status: 'SEEN',
    paidAt: 5,
    returnCostUnits: 0n,
    unassignedReason: null,
    leastConfirmations: null,
    ...more,
  }) as Deposit;
const pending = (txid: string, units: bigint, seenAt: number): UnconfirmedPayment =>
  ({ txid, units, seenAt, chain: 'BTC', currency: 'BTC', status: 'WAITING' }) as UnconfirmedPayment;
const view = (
  deposits: readonly Deposit[],
  unconfirmed: readonly UnconfirmedPayment[] = [],
  { status = 'PENDING', now = 5_000 }: { readonly status?: OrderStatus; readonly now?: number } = {},
) => checkoutView({ ...ORDER, status }, PLACE, { deposits, unconfirmed, gone: false }, ASSETS, now);

describe("the payer's view of an order", () => {
  test('has each transaction with its depth and its page, the oldest first; an orphaned one pays nothing', () => {
    const { parts, arrived, received, remaining, surplus, rate, confirmations } = view(
      [deposit('b', 400n), deposit('o', 5_000n, { status: 'ORPHANED' })],
      [pending('a&b', 300n, 1)],
    );
    assert.deepEqual(
      parts.map(({ txid, amount, at, confirmations: depth }) => [txid, amount, at, depth]),
      [
        ['a&b', '0.000003', 1, 0],
        ['b', '0.000004', 5, 2],
      ],
    );
    assert.equal(parts[0]?.url, 'https://explorer.example/tx/a%26b?x=1');
    assert.deepEqual([arrived, received, remaining, surplus], ['0.000007', '0.000004', '0.000003', '0']);
    assert.deepEqual([rate, confirmations], ['50000', 0]);
  });

  test('what arrived beyond the amount is the surplus', () => {
    const { remaining, surplus, invoice } = view([deposit('b', 1_250n)]);
    assert.deepEqual([remaining, surplus, invoice], ['0', '0.0000025', null]);
  });

  test('fault 317: a URI asks for what is missing, and none is offered where nothing is to be paid', () => {
    const part = [deposit('b', 400n)];
    assert.deepEqual([view([]).paymentUri, view(part).paymentUri], ['bitcoin:1000', 'bitcoin:600']);
    assert.equal(view([deposit('b', 1_000n)]).paymentUri, '', 'all of it is in a block');
    assert.equal(view(part, [pending('n', 600n, 9)]).paymentUri, '', 'all of it was seen');
    assert.equal(view(part, [], { now: 9_999 }).paymentUri, 'bitcoin:600');
    assert.equal(view(part, [], { now: 10_000 }).paymentUri, '', 'the deadline has passed');
    for (const status of ORDER_STATUSES.filter((each) => each !== 'PENDING'))
      assert.deepEqual([view([], [], { status }).paymentUri, view(part, [], { status }).paymentUri], ['', ''], status);
  });

  test('a chain without an explorer has no page for a transaction', () => {
    assert.equal(ASSETS.transactionUrl('ETH', '0x1'), null);
  });

  test('a payment has vanished when it was seen and nothing of it is left', () => {
    assert.equal(view([]).vanished, false);
    assert.equal(view([deposit('o', 1_000n, { status: 'ORPHANED' })]).vanished, true);
    assert.equal(view([deposit('o', 1_000n, { status: 'ORPHANED' })], [pending('n', 1_000n, 9)]).vanished, false);
    assert.equal(checkoutView(ORDER, PLACE, { deposits: [], unconfirmed: [], gone: true }, ASSETS, 0).vanished, true);
    assert.equal(view([]).invoice, 'lnbc1', 'nothing is paid: the invoice asks for the whole amount');
  });
});
