import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { isTillgateError, OrderQuota, readDecimal } from '../../../core/index.ts';
import type { AccountId, Order } from '../../../core/index.ts';
import { buildDomain } from '../../support/domain.ts';
import type { Domain, DomainOptions } from '../../support/domain.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { testsOf } from '../../support/storage.ts';

const MINUTE = 60_000;
const hosted = (domain: Domain): Promise<Order> => {
  const vsPrice = readDecimal('10');
  assert.ok(vsPrice);
  return domain.createOrder.hosted(domain.principal, { vsCurrency: 'USD', vsPrice });
};

/** Waits for all, and counts the created orders and those refused by the quota. */
async function outcomes(asked: readonly Promise<unknown>[]): Promise<readonly [made: number, refused: number]> {
  const results = await Promise.allSettled(asked);
  const refused = results.filter((one) => one.status === 'rejected');
  for (const { reason } of refused) assert.ok(isTillgateError(reason, 'RATE_LIMITED'), String(reason));
  return [results.length - refused.length, refused.length];
}

eachStorage((engine, open) => {
  const options: DomainOptions = { orders: { openPerAccount: 8 } };
  const till = testsOf(open, buildDomain, options);

  describe(`quotas of orders on ${engine}`, () => {
    till('fault 119: an account has no more open orders than it may; what ends makes room', async (domain) => {
      // Concurrent orders may count twice, so there are never too many, and the next order uses the room that is left.
      const [atOnce] = await outcomes(Array.from({ length: 30 }, () => hosted(domain)));
      assert.ok(atOnce >= 4 && atOnce <= 8, `${atOnce} at once`);
      let made = atOnce;
      for (; made < 8; made++) {
        domain.clock.advance(1_000);
        await hosted(domain);
      }
      domain.clock.advance(1_000);
      await assert.rejects(domain.newOrder(), (error) => isTillgateError(error, 'RATE_LIMITED'));
      domain.clock.advance(31 * MINUTE);
      await domain.expire();
      for (let n = 0; n < 8; n++) await hosted(domain);
      assert.deepEqual(await outcomes([hosted(domain)]), [0, 1]);
    });

    till('fault 119: an account at its limit costs one count a second, and nobody else anything', async (domain) => {
      for (let n = 0; n < 8; n++) await hosted(domain);
      let counts = 0;
      const quota = new OrderQuota({
        clock: domain.clock,
        settings: { openPerAccount: 8, addressesPerDay: 5 },
        storage: {
          orders: {
            countOpen: (...asked) => {
              counts += 1;
              return domain.storage.orders.countOpen(...asked);
            },
          },
        },
      });
      const take = (id = domain.principal.accountId): Promise<void> => quota.withOrder(id, async () => undefined);
      for (let n = 0; n < 50; n++) await assert.rejects(take());
      assert.equal(counts, 1);
      domain.clock.advance(1_000);
      await assert.rejects(take());
      assert.equal(counts, 2);
      await take('another' as AccountId);
      await take('another' as AccountId);
      assert.equal(counts, 3, 'far from its limit, one count is enough for many orders');
    });

    till(
      'fault 119: new addresses of a day are limited; a payer who changes the coin again and again uses up none',
      async (domain) => {
        const order = await hosted(domain);
        for (let turn = 0; turn < 20; turn++)
          for (const currency of ['ETH', 'USDT-ERC20'])
            await domain.choosePayment.choose(order.checkoutToken, 'ETH', currency);
        assert.deepEqual(await outcomes(Array.from({ length: 6 }, () => domain.newOrder())), [3, 3]);
        domain.clock.advance(24 * 60 * MINUTE);
        await domain.newOrder();
      },
      { orders: { openPerAccount: 1_000, addressesPerDay: 4 } },
    );
  });
});
