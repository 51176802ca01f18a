import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { performance } from 'node:perf_hooks';
import { ExpireOrders } from '../../../core/index.ts';
import type { Clock } from '../../../core/index.ts';
import { AnchoredClock, SystemClock } from '../../../adapters/system/index.ts';
import { ClockWatch } from '../../../host/boot/clock-watch.ts';
import { buildDomain } from '../../support/domain.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { MemoryEventBus, MemoryLogger, MemoryMetrics } from '../../support/fakes.ts';
import type { SqlStorage } from '../../../adapters/storage/knex/index.ts';

const MINUTE = 60_000;

/** The clock of an instance whose machine is ahead by this time, with its clock watch. */
function instance(storage: SqlStorage, aheadMs: number, wall = () => Date.now() + aheadMs) {
  const sources = { wall, steady: () => performance.now(), uptime: () => performance.now() };
  const clock = new AnchoredClock(new SystemClock({ sources }));
  const [events, metrics, logger] = [new MemoryEventBus(), new MemoryMetrics(), new MemoryLogger()];
  const watch = new ClockWatch({ clock, leases: storage.leases, owner: 'one', events, metrics, logger });
  return { clock, events, metrics, watch };
}

eachStorage((engine, open) => {
  describe(`the clocks of two instances on ${engine}`, () => {
    if (engine !== 'pg') {
      test('one process on its own database has nothing to compare', async (t) => {
        const { storage } = await open(t);
        assert.equal(await storage.leases.now(), null);
        const { watch, clock } = instance(storage, 5 * MINUTE);
        await watch.measure();
        assert.equal(watch.agrees(), true);
        assert.ok(clock.now() > Date.now() + 4 * MINUTE);
      });
      return;
    }

    test('fault 86: five minutes apart, neither expires an order of the other early', async (t) => {
      const { storage } = await open(t);
      const [slow, fast] = [instance(storage, 0), instance(storage, 5 * MINUTE)];
      await Promise.all([slow.watch.measure(), fast.watch.measure()]);
      const domain = await buildDomain(storage, { orders: { timeoutMs: 2 * MINUTE } });
      const made = async (by: Clock) => {
        domain.clock.set(by.now());
        return (await domain.newOrder()).id;
      };
      const expireAs = async (by: Clock): Promise<number> => {
        domain.clock.set(by.now());
        await domain.follow();
        return new ExpireOrders({ ...domain, clock: by }).run();
      };
      const orders = [await made(slow.clock), await made(fast.clock)];
      assert.deepEqual([await expireAs(fast.clock), await expireAs(slow.clock)], [0, 0]);
      for (const id of orders) assert.equal((await domain.order(id)).status, 'PENDING');
      await domain.checkBooks();
    });

    test('fault 86: the one that differs says so, once, and holds no leases until it agrees', async (t) => {
      const { storage } = await open(t);
      let ahead = 5 * MINUTE;
      const { watch, clock, events, metrics } = instance(storage, ahead, () => Date.now() + ahead);
      await watch.measure();
      await watch.measure();
      assert.equal(watch.agrees(), false);
      assert.match(watch.problem ?? '', /differ by (299\.\d|300(\.\d)?) s/);
      assert.equal(events.of('alert').length, 1);
      assert.ok(Math.abs((metrics.gauges.get('tillgate_clock_difference_seconds') ?? 0) + 300) < 2);
      const now = await storage.leases.now();
      assert.ok(now !== null && Math.abs(clock.now() - now) < 2_000);
      ahead = 0;
      await watch.measure();
      assert.deepEqual([watch.agrees(), watch.problem], [true, null]);
    });
  });
});
