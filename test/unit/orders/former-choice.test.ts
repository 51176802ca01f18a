import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formerChoice } from '../../../core/orders/former-choice.ts';
import type { OrderHistoryEntry } from '../../../core/index.ts';

/** An entry of an order's history: by default the payer's choice of USDT on Ethereum. */
const entry = (given: Omit<Partial<OrderHistoryEntry>, 'inputs'>, inputs: object = {}): OrderHistoryEntry =>
  ({
    orderId: 'o1',
    at: 5,
    rule: 'payment-chosen',
    rate: { usd: '1' },
    ...given,
    inputs: { chain: 'ETH', currency: 'USDT', units: '900', address: '0xa', ...inputs },
  }) as unknown as OrderHistoryEntry;

const choice = (...history: readonly OrderHistoryEntry[]): string | null =>
  formerChoice(history, 'ETH', 'USDT')?.address ?? null;

describe('the payer’s former choice of a coin', () => {
  test('is the last one, with its amount, its rate and its time', () => {
    const found = formerChoice([entry({}), entry({ at: 9 }, { address: '0xb', units: '901' })], 'ETH', 'USDT');
    assert.deepEqual(found, {
      chain: 'ETH',
      currency: 'USDT',
      units: 901n,
      address: '0xb',
      rate: { usd: '1' },
      chosenAt: 9,
    });
  });

  test('is not the same token on another chain, nor another coin of the chain', () => {
    assert.equal(choice(entry({}, { chain: 'TRON' })), null);
    assert.equal(choice(entry({}, { currency: 'ETH' })), null);
    assert.equal(choice(entry({}), entry({}, { chain: 'TRON', address: 'T' })), '0xa');
  });

  test('is nothing that happened otherwise, and no return to a choice, which names no address', () => {
    assert.equal(choice(entry({ rule: 'deposit-other-currency' })), null);
    const { address: _address, ...inputs } = entry({}).inputs;
    assert.equal(choice(entry({}), { ...entry({}), inputs }), '0xa');
    assert.equal(choice({ ...entry({}), inputs }), null);
  });

  test('is none without a rate', () => assert.equal(choice(entry({ rate: null })), null));
});
