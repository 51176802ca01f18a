import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ChainReports, contradiction, isTillgateError, isUnread, TillgateError } from '../../../core/index.ts';
import type { Asset, NodeStatus, Order } from '../../../core/index.ts';
import { buildDomain } from '../../support/domain.ts';
import type { Domain } from '../../support/domain.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { FakeChain } from '../../support/fake-chain.ts';
import { testsOf } from '../../support/storage.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const FINE: NodeStatus = { behind: null, initialDownload: false, firstBlock: 0 };

const pay = (domain: Domain, order: Order): void => {
  const { address, currency, units } = order.payment!;
  domain.eth.mine({ to: address, currency, units, txid: `paid ${order.id}` });
};
const alerts = (domain: Domain): readonly { readonly subject: string; readonly reason: string }[] =>
  domain.events.of('alert');
const trouble = async (domain: Domain) => (await domain.storage.chains.state('ETH'))?.trouble ?? null;

/** The reports of one instance of the till. */
function reportsOf(
  { storage, clock, metrics, events, logger, btc, eth }: Domain,
  ...others: FakeChain[]
): ChainReports {
  const chains = new Map([eth, btc, ...others].map((chain) => [chain.code, chain]));
  return new ChainReports({ storage, clock, metrics, events, logger, chains, lightning: null });
}

eachStorage((engine, open) => {
  const till = testsOf(open, buildDomain);

  describe(`a chain whose node does not show the present, on ${engine}`, () => {
    for (const [what, said] of [
      ['has blocks to read', { ...FINE, behind: 'knows of block 9, and has read 3' }],
      ['is in its initial download', { ...FINE, behind: 'is in its initial download', initialDownload: true }],
    ] as const) {
      till(`fault 85: while it ${what} no order expires, and a payment in time stays in time`, async (domain) => {
        const order = await domain.newOrder();
        await domain.follow();
        domain.clock.advance(20 * MINUTE);
        domain.eth.lagsAt = domain.eth.height;
        domain.eth.said = said;
        pay(domain, order);
        domain.eth.mineEmpty(2);
        domain.clock.advance(20 * MINUTE);
        assert.equal(await domain.expire(), 0);
        domain.clock.advance(HOUR);
        assert.equal(await domain.expire(), 0);
        assert.equal((await trouble(domain))?.text, `the node ${said.behind}`);
        assert.equal(alerts(domain).length, 1);
        domain.eth.lagsAt = null;
        domain.eth.said = FINE;
        await domain.expire();
        assert.equal((await domain.order(order.id)).status, 'SUCCESS');
        assert.equal(await trouble(domain), null);
      });
    }

    till(
      'fault 85: where blocks come regularly an order expires by a block after its deadline, whatever the node says',
      async (domain) => {
        const [paid, unpaid] = [await domain.newOrder(), await domain.newOrder()];
        domain.clock.advance(29 * MINUTE);
        domain.eth.mine();
        domain.eth.lagsAt = domain.eth.height;
        domain.clock.advance(30_000);
        pay(domain, paid);
        domain.clock.advance(MINUTE);
        domain.eth.mineEmpty(2);
        // Its latest block is a minute and a half old, no more than the lag of a busy node.
        assert.equal(await domain.expire(), 0);
        domain.eth.lagsAt = null;
        await domain.expire();
        assert.deepEqual(
          [(await domain.order(paid.id)).status, (await domain.order(unpaid.id)).status],
          ['SUCCESS', 'OVERDUE'],
        );
      },
      { chain: { maxLagMs: 2 * MINUTE } },
    );

    till(
      'fault 85: with a mempool, a head that is too old holds expiry, and the next block ends that',
      async (domain) => {
        const order = await domain.newOrder();
        domain.eth.mine();
        domain.clock.advance(3 * HOUR);
        assert.equal(await domain.expire(), 0);
        assert.equal((await domain.order(order.id)).status, 'PENDING');
        domain.eth.mine();
        await domain.expire();
        assert.equal((await domain.order(order.id)).status, 'OVERDUE');
      },
      { chain: { maxLagMs: 2 * HOUR, mempool: true } },
    );

    till('a quiet chain for tests expires its orders however old its head is', async (domain) => {
      const order = await domain.newOrder();
      domain.clock.advance(48 * HOUR);
      assert.equal(await domain.expire(), 1);
      assert.equal((await domain.order(order.id)).status, 'OVERDUE');
    });

    till('fault 85: lag is alerted once, when it lasts, and is over by itself', async (domain) => {
      domain.eth.mineEmpty(50);
      await domain.follow();
      domain.eth.lagsAt = 10;
      assert.equal(await domain.follow(), 'idle');
      assert.deepEqual([await trouble(domain), alerts(domain).length], [null, 0]);
      for (const _ of [1, 2, 3]) {
        domain.clock.advance(6 * MINUTE);
        assert.equal(await domain.follow(), 'idle');
      }
      assert.match((await trouble(domain))?.text ?? '', /latest block is 10, but block 50 was already read/);
      assert.equal(alerts(domain).length, 1);
      domain.eth.lagsAt = null;
      assert.equal(await domain.follow(), 'idle');
      assert.equal(await trouble(domain), null);
    });

    till('fault 85: lag is alerted with the fifth minute, and not a millisecond earlier', async (domain) => {
      domain.eth.mineEmpty(50);
      await domain.follow();
      domain.eth.lagsAt = 10;
      await domain.follow();
      domain.clock.advance(5 * MINUTE - 1);
      await domain.follow();
      assert.equal(alerts(domain).length, 0);
      domain.clock.advance(1);
      await domain.follow();
      assert.equal(alerts(domain).length, 1);
    });

    till('fault 85: a node that has pruned what is to be read is named at once, with what to do', async (domain) => {
      await domain.follow();
      domain.eth.mineEmpty(30);
      domain.eth.failure = new TillgateError('NODE_FAILED', 'refused getblock: Block not available (pruned data) (-1)');
      domain.eth.said = { ...FINE, firstBlock: 20 };
      assert.equal(await domain.follow(), 'idle');
      assert.equal(await domain.follow(), 'idle');
      const [alert, ...more] = alerts(domain);
      assert.match(alert?.reason ?? '', /pruned the blocks below 20, and block 1 is to be read next.*reindex/);
      assert.deepEqual([more, (await trouble(domain))?.kind], [[], 'pruned']);
      domain.eth.failure = null;
      domain.eth.said = FINE;
      assert.equal(await domain.follow(), 'idle');
      assert.equal(await trouble(domain), null);
    });

    till('a node that fails now and then, while blocks are read, raises none', async (domain) => {
      const follower = domain.newFollower();
      await follower.start();
      const lease = await domain.lease();
      domain.eth.mineEmpty(50);
      for (const _ of [1, 2, 3]) {
        domain.eth.failure = new TillgateError('NODE_FAILED', 'No node answers.');
        await assert.rejects(follower.step(lease), { code: 'NODE_FAILED' });
        domain.eth.failure = null;
        domain.clock.advance(4 * MINUTE);
        assert.equal(await follower.step(lease), 'advanced');
      }
      assert.equal(alerts(domain).length, 0);
    });

    till('a node that fails for long raises one alert', async (domain) => {
      domain.eth.failure = new TillgateError('NODE_FAILED', 'No node answers.');
      for (const _ of [1, 2, 3, 4]) {
        await assert.rejects(domain.follow(), { code: 'NODE_FAILED' });
        domain.clock.advance(4 * MINUTE);
      }
      assert.deepEqual([alerts(domain).length, (await trouble(domain))?.kind], [1, 'failing']);
    });

    till('a node that contradicts itself is a disagreement at once, also where it is the only one', async (domain) => {
      await domain.follow();
      domain.eth.failure = contradiction('The node contradicts itself: a balance was reported in two ways.');
      await assert.rejects(domain.follow(), { code: 'NODE_FAILED' });
      assert.deepEqual([alerts(domain).length, (await trouble(domain))?.kind], [1, 'disagreement']);
      domain.eth.failure = null;
      await domain.follow();
      assert.equal(await trouble(domain), null);
    });

    till('fault 362: a chain whose node never answered has its state, its metric and its alert', async (domain) => {
      const { clock, metrics, storage } = domain;
      const chain = new FakeChain([domain.btc.assets[0] as Asset], () => clock.now(), { code: 'LTC' });
      const reports = reportsOf(domain, chain);
      await reports.refresh();
      const known = await storage.chains.state('LTC');
      assert.deepEqual([known?.identity, known?.cursor, known?.readAt], [null, null, clock.now()]);
      assert.equal(metrics.gauges.get('tillgate_chain_lag_seconds{chain="LTC"}'), 0);
      chain.failure = new TillgateError('NODE_FAILED', 'No node answers.');
      const follower = domain.newFollower(chain);
      await assert.rejects(follower.start(), { code: 'NODE_FAILED' });
      const [, , state] = await reports.refresh();
      assert.ok(state !== undefined && isUnread(state, clock.now()), 'it shows at once that the chain is not read');
      assert.equal(state.trouble?.text, 'No node answers.');
      await domain.follow();
      await domain.follow(domain.btc);
      assert.equal(alerts(domain).length, 0);
      clock.advance(MINUTE);
      for (const _ of [1, 2]) {
        await domain.follow();
        await domain.follow(domain.btc);
        await reports.refresh();
      }
      assert.deepEqual(
        alerts(domain).map(({ subject, reason }) => [
          subject,
          /has not been read for 60 s.*No node answers/.test(reason),
        ]),
        [['chain LTC', true]],
      );
      assert.equal(metrics.gauges.get('tillgate_chain_lag_seconds{chain="LTC"}'), 60);
      chain.failure = null;
      await follower.start();
      const lease = await domain.lease(chain);
      while ((await follower.step(lease)) === 'advanced');
      const [, , read] = await reports.refresh();
      assert.ok(read !== undefined && !isUnread(read, clock.now()));
      assert.equal((await storage.chains.state('LTC'))?.identity, 'fake:LTC');
    });

    for (const [what, identity] of [
      ['serves another chain than was followed', 'fake:OTHER'],
      ['serves the right chain, and no instance follows it', null],
    ] as const) {
      till(`fault 362: a chain whose node ${what} raises an alert with the sixtieth second`, async (domain) => {
        const reports = reportsOf(domain);
        if (identity !== null) {
          domain.eth.identity = identity;
          await assert.rejects(domain.newFollower().start(), { code: 'CHAIN_HALTED' });
        }
        await reports.refresh();
        domain.clock.advance(MINUTE - 1);
        await domain.follow(domain.btc);
        await reports.refresh();
        assert.deepEqual(alerts(domain), []);
        domain.clock.advance(1);
        await reports.refresh();
        const reasons = alerts(domain).map(({ subject, reason }) => `${subject}: ${reason}`);
        assert.match(reasons.join(), /^chain ETH: Fake ETH has not been read for 60 s/);
        assert.match(reasons.join(), identity === null ? /holds its lease/ : /the node serves fake:OTHER/);
      });
    }

    till('fault 362: a chain that is stopped is not read either, and its alert names the reason', async (domain) => {
      const reports = reportsOf(domain);
      await reports.refresh();
      await domain.storage.chains.setHalted('ETH', 'A reorganisation below the finality bound.');
      domain.clock.advance(MINUTE);
      assert.equal(await domain.follow(), 'halted');
      await domain.follow(domain.btc);
      await reports.refresh();
      assert.match(
        alerts(domain)
          .map(({ reason }) => reason)
          .join(),
        /^Fake ETH has not .*below the finality bound\.$/,
      );
    });

    till(
      'fault 362: what was not read while no till ran counts from its start, and a new silence is a new alert',
      async (domain) => {
        const follow = async (): Promise<void> => {
          await domain.follow();
          await domain.follow(domain.btc);
        };
        domain.clock.advance(HOUR);
        const reports = reportsOf(domain);
        await reports.refresh();
        assert.equal(alerts(domain).length, 0);
        for (const silence of [1, 2]) {
          await follow();
          await reports.refresh();
          domain.clock.advance(MINUTE);
          await domain.follow(domain.btc);
          await reports.refresh();
          assert.equal(alerts(domain).length, silence);
        }
      },
    );

    till('fault 85: following begins at the head of a node that has downloaded the chain', async (domain) => {
      const chain = new FakeChain([domain.btc.assets[0] as Asset], () => domain.clock.now(), { code: 'LTC' });
      chain.said = { ...FINE, behind: 'is in its initial download', initialDownload: true };
      const follower = domain.newFollower(chain);
      await follower.start();
      const lease = await domain.lease(chain);
      assert.equal(await follower.step(lease), 'idle');
      assert.equal((await domain.storage.chains.state('LTC'))?.cursor, null);
      chain.mineEmpty(30);
      chain.said = FINE;
      assert.equal(await follower.step(lease), 'advanced');
      assert.equal((await domain.storage.chains.state('LTC'))?.cursor?.height, 30);
    });

    till('fault 85: a chain whose node is in its initial download takes no order until it is done', async (domain) => {
      const { clock, metrics, btc, eth } = domain;
      const reports = reportsOf(domain);
      eth.said = { ...FINE, behind: 'is in its initial download', initialDownload: true };
      await domain.follow();
      await reports.refresh();
      assert.throws(
        () => reports.requireUsable('ETH'),
        (error) => isTillgateError(error, 'NOT_READY'),
      );
      reports.requireUsable('BTC');
      clock.advance(HOUR);
      await domain.follow(btc);
      await reports.refresh();
      assert.equal(metrics.gauges.get('tillgate_chain_lag_seconds{chain="ETH"}'), 3600);
      assert.equal(metrics.gauges.get('tillgate_chain_lag_seconds{chain="BTC"}'), 0);
      eth.said = FINE;
      await domain.follow();
      await reports.refresh();
      reports.requireUsable('ETH');
    });
  });
});
