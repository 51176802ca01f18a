import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ORDER_STATUSES } from '../../../core/orders/order-status.ts';
import { decimalFrom, product, unitsOf } from '../../../host/dashboard/app/decimals.ts';
import { LANGUAGES } from '../../../host/dashboard/app/i18n.ts';
import { shownStatus } from '../../../host/dashboard/app/pages/orders/shown-status.ts';

describe('the status that people see', () => {
  const paid = { status: 'SUCCESS', received: '25', refunded_amount: '0', refundable_amount: '25' } as const;
  for (const [what, order, shown] of [
    ['paid, nothing refunded', paid, 'SUCCESS'],
    ['open without a payment', { ...paid, status: 'PENDING', received: null }, 'PENDING'],
    ['open with a part', { ...paid, status: 'PENDING', received: '5', refundable_amount: '0' }, 'PARTIAL'],
    ['being refunded', { ...paid, refundable_amount: '0' }, 'REFUNDING'],
    ['a part being refunded', { ...paid, refundable_amount: '24.999999999999999999' }, 'REFUNDING'],
    ['a part refunded', { ...paid, refunded_amount: '5', refundable_amount: '20' }, 'PART_REFUNDED'],
    ['a part refunded, another one under way', { ...paid, refunded_amount: '5', refundable_amount: '10' }, 'REFUNDING'],
    ['refunded', { ...paid, status: 'REFUNDED', refunded_amount: '25', refundable_amount: '0' }, 'REFUNDED'],
    [
      'more refunded than is left after a reorganisation',
      { ...paid, received: '5', refunded_amount: '25' },
      'PART_REFUNDED',
    ],
    ['expired without a payment', { ...paid, status: 'OVERDUE', received: null }, 'OVERDUE'],
  ] as const)
    test(`${what}: ${shown}`, () => {
      assert.equal(shownStatus(order), shown);
    });

  test('every status has a text in every language', async () => {
    for (const { load } of LANGUAGES)
      assert.deepEqual(
        Object.keys((await load()).tillgate.orderStatus).sort(),
        [...ORDER_STATUSES, 'REFUNDING', 'PART_REFUNDED'].sort(),
      );
  });
});

describe('decimals', () => {
  test('are compared, added and multiplied to their last digit', () => {
    assert.equal(unitsOf('0.1') + unitsOf('0.2'), unitsOf('0.3'));
    assert.equal(decimalFrom(unitsOf('90071992547409931459.57') + unitsOf('0.01')), '90071992547409931459.58');
    assert.equal(product('1.5', '0.925925925925', 2), '1.38');
    assert.equal(product('0.000000000000000001', '2000', 2), '0');
  });

  test('keep their sign, but a zero has none', () => {
    assert.equal(decimalFrom(unitsOf('-0.5')), '-0.5');
    assert.equal(decimalFrom(unitsOf('-0.001'), 2), '0');
  });
});
