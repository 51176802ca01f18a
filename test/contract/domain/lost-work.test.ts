import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkLedger } from '../../../core/index.ts';
import { EpochKeeper } from '../../../host/boot/epoch-keeper.ts';
import { EpochMarkerFile } from '../../../host/boot/epoch-marker.ts';
import { freshDirectory } from '../../host/till-process.ts';
import { takeBackup } from '../../support/backup.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { buildMoney } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { silentLogger } from '../../support/storage.ts';

interface Instance {
  readonly keeper: EpochKeeper;
  /** The reasons with which it ended. */
  readonly ended: string[];
}

eachStorage((engine, open) => {
  const running = (
    name: string,
    body: (
      till: MoneyDomain,
      restore: () => Promise<void>,
      instance: (name: string) => Promise<Instance>,
    ) => Promise<void>,
  ): void =>
    void test(`fault 311: ${name}, on ${engine}`, async () => {
      const opened = await open();
      const folder = freshDirectory();
      try {
        const till = await buildMoney(opened.storage);
        await till.newOrder();
        const restore = await takeBackup(opened);
        const instance = async (name: string): Promise<Instance> => {
          const marker = new EpochMarkerFile(join(folder.path, `${name}.marker`), silentLogger);
          const ended: string[] = [];
          const parts = { ...till, chains: new Map([['ETH', till.eth]]), settings: { suspectAfterMs: 600_000 } };
          const keeper = new EpochKeeper({ ...parts, marker, onLost: (reason) => void ended.push(reason) });
          await keeper.check();
          return { keeper, ended };
        };
        await body(till, restore, instance);
        assert.deepEqual(await checkLedger(opened.storage), []);
      } finally {
        await opened.close();
        folder.remove();
      }
    });

  running(
    'a database that lost what running tills had gets one new epoch, although others went on in it',
    async (till, restore, instance) => {
      const [one, other] = [await instance('one'), await instance('other')];
      const order = await till.newOrder();
      for (const { keeper } of [one, other]) await keeper.note();
      await restore();
      till.clock.advance(1_000);
      const later = await till.newOrder();
      assert.ok(later.id > order.id, 'the database has come further than each marker');
      for (const { keeper } of [one, other]) await keeper.note();
      for (const { ended } of [one, other])
        assert.deepEqual(ended, [`The database has lost data that it had: order ${order.id}.`]);
      const { number, status } = await till.storage.epochs.current();
      assert.deepEqual([number, status], [2, 'pending']);
    },
  );

  running('an order is missed that was acknowledged after the last marker', async (till, restore, instance) => {
    const { keeper, ended } = await instance('one');
    const order = await till.newOrder();
    await restore();
    till.clock.advance(1_000);
    await till.newOrder();
    await keeper.note();
    assert.equal(await till.storage.orders.find(order.id), null);
    assert.match(ended.join(), new RegExp(`order ${order.id}`));
    assert.equal((await till.storage.epochs.current()).number, 2);
  });

  running(
    'a till that is started on it later notices it as well, and nothing else begins an epoch',
    async (till, restore, instance) => {
      const { keeper, ended } = await instance('one');
      await till.newOrder();
      await keeper.note();
      await keeper.note();
      assert.equal((await till.storage.epochs.current()).number, 1);
      await restore();
      till.clock.advance(1_000);
      await till.newOrder();
      const started = await instance('one');
      assert.equal((await till.storage.epochs.current()).number, 2);
      await started.keeper.note();
      assert.deepEqual([...ended, ...started.ended], [], 'the epoch is known now');
    },
  );
});
