import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { isTillgateError } from '../../../core/index.ts';
import type { Actor, ErrorCode, Order, PromisedRefundInput } from '../../../core/index.ts';
import { buildClaims, decimal } from '../../support/claims.ts';
import type { ClaimsDomain } from '../../support/claims.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { testsOf } from '../../support/storage.ts';

const ETHER = 10n ** 18n;
const MINUTE = 60_000;

const refusal =
  (code: ErrorCode, field?: string) =>
  (error: unknown): boolean =>
    isTillgateError(error, code) && (field === undefined || error.details.fields?.[0]?.path === field);

async function refund(
  till: ClaimsDomain,
  { id }: Order,
  share: PromisedRefundInput['share'],
  lessPercent = '0',
  actor: Actor = till.shop,
): Promise<bigint> {
  const input = { name: 'Refund', share, lessPercent: decimal(lessPercent) };
  return (await till.manage.refund(actor, id, input)).pull.amount;
}

/** The price of ether from now on. */
async function price(till: ClaimsDomain, usd: string): Promise<void> {
  till.rates.prices.set('ETH', usd);
  till.clock.advance(11 * MINUTE);
  await till.rateBook.refresh();
}

eachStorage((engine, open) => {
  const claims = testsOf(open, buildClaims);

  describe(`refunds that an order's payer claims, on ${engine}`, () => {
    claims('what was received is the coins; its worth is as many as have its price now', async (till) => {
      // Half an ether, at 2000 US dollars each.
      const order = await till.fund('ETH', '1000');
      await price(till, '4000');
      assert.equal(await refund(till, order, 'worth', '50'), ETHER / 8n);
      // Of the 0.375 that are left, worth 750 then, at 4000.
      assert.equal(await refund(till, order, 'worth'), (ETHER * 1875n) / 10_000n);
      assert.equal(await refund(till, order, 'received', '50'), (ETHER * 9375n) / 100_000n);
    });

    claims('fault 503: a worth above what is left is all that is left, never more', async (till) => {
      const order = await till.fund('ETH', '1000');
      await price(till, '1000');
      assert.equal(await refund(till, order, 'worth'), ETHER / 2n);
      await assert.rejects(refund(till, order, 'worth'), refusal('STATE_CONFLICT'));
      await assert.rejects(refund(till, order, 'received'), refusal('STATE_CONFLICT'));
    });

    claims('an amount is within what is left, and a percentage leaves something', async (till) => {
      const order = await till.fund('ETH', '1000');
      await assert.rejects(refund(till, order, { amount: decimal('0.6') }), refusal('INVALID_FIELDS', 'amount'));
      const dear = { fiatAmount: decimal('1000.01'), rate: 'current' } as const;
      await assert.rejects(refund(till, order, dear), refusal('INVALID_FIELDS', 'fiatAmount'));
      await assert.rejects(refund(till, order, { surplus: true }), refusal('INVALID_FIELDS', 'surplus'));
      await assert.rejects(refund(till, order, 'received', '100'), refusal('INVALID_FIELDS', 'lessPercent'));
      await assert.rejects(refund(till, order, 'received', '100.01'), refusal('INVALID_FIELDS', 'lessPercent'));
      // Rounded down to a wei.
      assert.equal(await refund(till, order, { amount: decimal('0.000000000000000003') }, '50'), 1n);
    });

    claims('without a usable rate only coins are promised', async (till) => {
      const order = await till.fund('ETH', '1000');
      till.rates.prices.delete('ETH');
      till.clock.advance(24 * 60 * MINUTE);
      await assert.rejects(refund(till, order, 'worth'), refusal('NOT_READY'));
      assert.equal(await refund(till, order, 'received'), ETHER / 2n);
    });

    claims('an order of another account is unknown, and an unpaid one has nothing', async (till) => {
      const order = await till.fund('ETH', '1000');
      const stranger: Actor = { ...till.shop, accountId: till.admin.accountId };
      await assert.rejects(refund(till, order, 'received', '0', stranger), refusal('NOT_FOUND'));
      const unpaid = await till.newOrder({ chain: 'ETH', currency: 'ETH', price: '1000' });
      await assert.rejects(refund(till, unpaid, 'received'), refusal('STATE_CONFLICT'));
      await assert.rejects(refund(till, unpaid, 'received', '0', stranger), refusal('NOT_FOUND'));
    });
  });
});
