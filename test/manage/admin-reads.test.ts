import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eachStorage } from '../support/each-storage.ts';
import type { TestStorage } from '../support/storage.ts';
import { managed, startFixture } from './fixture.ts';
import type { Fixture, List, Member } from './fixture.ts';

interface Row {
  readonly action: string;
  readonly actor: string;
  readonly changes: { readonly records?: { readonly to: string } };
}

eachStorage((_name, open) => {
  describe('fault 368: what an admin reads of another account', () => {
    let store: TestStorage;
    let fixture: Fixture;
    let shop: Member;
    before(async () => {
      store = await open();
      fixture = await startFixture(store, { sessionTtlSeconds: 1_000_000 });
      shop = await fixture.newMember();
    });
    after(async () => {
      await fixture.close();
      await store.close();
    });

    const reads = async (query = `&account=${shop.id}`): Promise<readonly string[]> =>
      managed<List<Row & Record<string, unknown>>>(await fixture.admin.client.get(`/manage/v1/audit?limit=100${query}`))
        .items.filter(({ action }) => action === 'account.read')
        .map(({ changes }) => changes.records?.to ?? '')
        .toReversed();
    const read = async (path: string, by = fixture.admin): Promise<void> => {
      assert.equal((await by.client.get(`/manage/v1/${path}`)).status, 200, path);
    };

    test('leaves a row that its owner sees: one for each kind of record and hour', async () => {
      for (let times = 0; times < 3; times++) {
        await read(`accounts/${shop.id}`);
        await read(`orders?account=${shop.id}`);
        await read(`orders.csv?account=${shop.id}`);
        await read(`credentials?account=${shop.id}`);
      }
      const kinds = ['accounts', 'orders', 'credentials'];
      assert.deepEqual(await reads(), kinds);
      const own = managed<List>(await shop.client.get('/manage/v1/audit?limit=100')).items;
      assert.deepEqual(
        own.filter(({ action }) => action === 'account.read').map(({ actor: by }) => by),
        kinds.map(() => fixture.admin.id),
      );
      fixture.till.clock.advance(3_600_000);
      await read(`accounts/${shop.id}`);
      assert.deepEqual(await reads(), [...kinds, 'accounts']);
      await read(`accounts/${shop.id}`, await fixture.newMember('admin'));
      assert.deepEqual(await reads(), [...kinds, 'accounts', 'accounts']);
    });

    test('of all accounts is one row without an account; what is the admin’s own, or the log itself, leaves none', async () => {
      const admin = await fixture.newMember('admin');
      await read('orders', admin);
      await read('orders', admin);
      await read(`accounts/${admin.id}`, admin);
      await read('security', admin);
      await read('audit', admin);
      await read('gateways', admin);
      const rows = managed<List>(await admin.client.get('/manage/v1/audit?limit=100')).items;
      assert.deepEqual(
        rows
          .filter(({ action, actor: by }) => action === 'account.read' && by === admin.id)
          .map(({ subject: of, changes }) => [of, (changes as Row['changes']).records?.to]),
        [['', 'orders']],
      );
    });

    test('is nothing to a user, who is given none of it', async () => {
      const before = await reads();
      assert.equal((await (await fixture.newMember()).client.get(`/manage/v1/accounts/${shop.id}`)).status, 404);
      assert.deepEqual(await reads(), before);
    });
  });
});
