import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WatchLedger } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { FakeClock, MemoryEventBus, MemoryLogger, MemoryMetrics } from '../../support/fakes.ts';
import { entry, storedAccount } from '../storage/fixtures.ts';

const [MINUTE, HOUR] = [60_000, 3_600_000];

eachStorage((name, open) => {
  test('fault 323: balances that were changed past the till raise an alert within the hour, and each hour until they are mended', async (t) => {
    const { storage, sql } = await open(t);
    const { id } = await storedAccount(storage);
    const [clock, events] = [new FakeClock(), new MemoryEventBus()];
    const channels = { logger: new MemoryLogger(), metrics: new MemoryMetrics(), events };
    const watch = new WatchLedger({ storage, clock, ...channels });
    const after = async (ms: number): Promise<readonly string[]> => {
      clock.advance(ms);
      await watch.run();
      return events.of('alert').map(({ kind, reason }) => `${kind}: ${reason}`);
    };
    const waiting = async (): Promise<number> =>
      Number((await sql('SELECT count(*) AS rows FROM ledger_unchecked'))[0]?.['rows']);
    await storage.transaction((tx) => tx.ledger.append(entry(id, 'a', 5n)));
    await after(0);
    assert.equal(await waiting(), 1, 'a till that has just started has other things to do');
    assert.deepEqual([await after(5 * MINUTE), await waiting()], [[], 0]);

    const steal = (units: number): Promise<unknown> =>
      sql(`UPDATE ledger_balances SET units = ${name === 'pg' ? units : `'${units}'`} WHERE account LIKE 'merchant:%'`);
    await steal(900);
    assert.deepEqual(await after(HOUR - 1), []);
    const [alert, ...more] = await after(1);
    assert.match(
      alert ?? '',
      /^ledger: .*invariants? of the ledger do.* not hold: .*above its balance.*tillgate ledger check/,
    );
    assert.deepEqual(more, []);
    assert.equal((await after(HOUR)).length, 2);
    await steal(5);
    assert.equal((await after(HOUR)).length, 2);
  });
});
