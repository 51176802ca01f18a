import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { eachStorage } from '../support/each-storage.ts';
import { managed, startFixture } from './fixture.ts';
import type { Fixture } from './fixture.ts';

interface Chain {
  readonly items: readonly { readonly seq: number; readonly hash: string; readonly entry: string }[];
  readonly head: { readonly seq: number; readonly hash: string };
}

eachStorage((_name, open) => {
  describe('the audit chain in the management API', () => {
    let fixture: Fixture;
    let close: () => Promise<void>;
    before(async () => {
      const store = await open();
      fixture = await startFixture(store);
      close = async () => {
        await fixture.close();
        await store.close();
      };
    });
    after(() => close());

    test('an admin reads it piece by piece and computes it again', async () => {
      const { client } = fixture.admin;
      await fixture.newMember();
      const read = async (from: number): Promise<Chain> =>
        managed<Chain>(await client.get(`/manage/v1/audit/chain?from=${from}&limit=1`));
      const { head } = await read(1);
      assert.ok(head.seq >= 2);
      let former = '0'.repeat(64);
      for (let seq = 1; seq <= head.seq; seq++) {
        const [link] = (await read(seq)).items;
        assert.equal(link?.seq, seq);
        former = createHash('sha256')
          .update(`${former}\n${link?.entry ?? ''}`)
          .digest('hex');
        assert.equal(link?.hash, former);
      }
      assert.equal(head.hash, former);
      assert.deepEqual((await read(head.seq + 1)).items, []);
    });

    test('nobody else reads it', async () => {
      const { client } = await fixture.newMember();
      assert.equal((await client.get('/manage/v1/audit/chain')).status, 403);
      assert.equal((await fixture.client.get('/manage/v1/audit/chain')).status, 401);
    });
  });
});
