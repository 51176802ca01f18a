import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountId, WatchAddressId } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { NOW } from './fixtures.ts';
import { merchant, watchAddress, withdrawalAddress } from './money-out-fixtures.ts';

eachStorage((_name, open) => {
  test('a withdrawal address is one for each account and chain, and its newest text is kept', async (t) => {
    const { storage } = await open(t);
    const accountId = await merchant(storage);
    const read = () => storage.wallets.withdrawalAddress(accountId, 'ETH');
    assert.equal(await read(), null);
    const first = withdrawalAddress(accountId);
    await storage.transaction(async (tx) => {
      assert.equal(await tx.wallets.lockWithdrawalAddress(accountId, 'ETH'), null);
      await tx.wallets.saveWithdrawalAddress(first);
    });
    assert.deepEqual(await read(), first);
    const changed = withdrawalAddress(accountId, {
      formerAddress: '0xnew',
      address: '0xnewer',
      activeFrom: NOW + 86_400_000,
      updatedAt: NOW + 1,
    });
    await storage.transaction(async (tx) => {
      assert.deepEqual(await tx.wallets.lockWithdrawalAddress(accountId, 'ETH'), first);
      await tx.wallets.saveWithdrawalAddress(changed);
    });
    assert.deepEqual(await read(), changed);
    assert.equal(await storage.wallets.withdrawalAddress(accountId, 'BSC'), null);
    assert.equal(await storage.wallets.withdrawalAddress('x\0' as AccountId, 'ETH'), null);
  });

  test('of two changes of one withdrawal address the later waits and sees the former', async (t) => {
    const { storage, another } = await open(t);
    const second = await another();
    const accountId = await merchant(storage);
    await storage.transaction((tx) =>
      tx.wallets.saveWithdrawalAddress(withdrawalAddress(accountId, { address: '0x0' })),
    );
    const change = (n: number): Promise<void> =>
      (n % 2 === 0 ? storage : second).transaction(async (tx) => {
        const former = await tx.wallets.lockWithdrawalAddress(accountId, 'ETH');
        await tx.wallets.saveWithdrawalAddress(
          withdrawalAddress(accountId, { formerAddress: former!.address, address: `${former!.address}.` }),
        );
      });
    await Promise.all([1, 2, 3, 4, 5].map(change));
    const { address, formerAddress } = (await storage.wallets.withdrawalAddress(accountId, 'ETH'))!;
    assert.deepEqual([address, formerAddress], ['0x0.....', '0x0....']);
  });

  test('withdrawal addresses are listed by chain, of one account or of all, from any of them on', async (t) => {
    const { storage } = await open(t);
    const [one, two] = [await merchant(storage), await merchant(storage)];
    const records = [
      withdrawalAddress(two),
      withdrawalAddress(one, { chain: 'TRX' }),
      withdrawalAddress(one),
      withdrawalAddress(one, { chain: 'BTC' }),
    ];
    await storage.transaction(async (tx) => {
      for (const record of records) await tx.wallets.saveWithdrawalAddress(record);
    });
    const { wallets } = storage;
    assert.deepEqual(await wallets.withdrawalAddresses(null, null, 3), [records[3], records[2], records[0]]);
    assert.deepEqual(await wallets.withdrawalAddresses(null, records[2]!, 3), [records[0], records[1]]);
    assert.deepEqual(await wallets.withdrawalAddresses(one, records[2]!, 2), [records[1]]);
    assert.deepEqual(await wallets.withdrawalAddresses(await merchant(storage), null, 2), []);
  });

  test('a watched value is kept once for each account and chain, and listed', async (t) => {
    const { storage } = await open(t);
    const [one, two] = [await merchant(storage), await merchant(storage)];
    const first = watchAddress(one, { value: '0xv' });
    const add = (record: typeof first): Promise<boolean> =>
      storage.transaction((tx) => tx.wallets.addWatchAddress(record));
    assert.deepEqual([await add(first), await add(watchAddress(one, { value: '0xv', label: 'again' }))], [true, false]);
    const more = [
      watchAddress(one, { value: '0xv', chain: 'BSC' }),
      watchAddress(one, { kind: 'extended-key', value: `xpub${'a'.repeat(300)}`, chain: 'BTC' }),
    ];
    const other = watchAddress(two, { value: '0xv' });
    for (const record of [...more, other]) assert.equal(await add(record), true);
    assert.deepEqual(await storage.wallets.watched(one), [first, ...more]);
    assert.deepEqual(await storage.wallets.watchAddresses(one, { before: null, limit: 2 }), [more[1], more[0]]);
    assert.deepEqual(await storage.wallets.watchAddresses(one, { before: more[0]!.id, limit: 2 }), [first]);
    assert.deepEqual(await storage.wallets.watchAddresses(null, { before: null, limit: 1 }), [other]);
    const race = await Promise.all([1, 2, 3].map(() => add(watchAddress(two, { value: '0xrace' }))));
    assert.equal(race.filter(Boolean).length, 1);
  });

  test('a watched address is found and removed by its id, once', async (t) => {
    const { storage } = await open(t);
    const record = watchAddress(await merchant(storage));
    await storage.transaction((tx) => tx.wallets.addWatchAddress(record));
    const find = (id: string) => storage.transaction((tx) => tx.wallets.findWatchAddress(id as WatchAddressId));
    assert.deepEqual([await find(record.id), await find('1'), await find('x\0')], [record, null, null]);
    const remove = (): Promise<boolean> => storage.transaction((tx) => tx.wallets.removeWatchAddress(record.id));
    assert.deepEqual([await remove(), await remove(), await find(record.id)], [true, false, null]);
  });
});
