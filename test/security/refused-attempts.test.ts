import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RefusedAttempts } from '../../core/index.ts';
import type { AccountId, AuditRow, Storage } from '../../core/index.ts';
import { nextId, NOW } from '../contract/storage/fixtures.ts';
import { startFixture } from '../manage/fixture.ts';
import type { Fixture } from '../manage/fixture.ts';
import { eachStorage } from '../support/each-storage.ts';
import type { OpenStorage } from '../support/storage.ts';

const rows = async ({ audit }: Storage): Promise<readonly AuditRow[]> =>
  (await audit.list(null, { before: null, limit: 100 })).filter(({ action }) => action === 'security.refused');

const factsOf = ({ actorId, accountId, ip, changes }: AuditRow): unknown => ({
  actorId,
  accountId,
  ip,
  attempt: changes['attempt']?.to,
  tries: changes['tries']?.to,
});

eachStorage((_engine, open: OpenStorage) => {
  describe('fault 116: refused attempts are in the audit log, and a flood of them does not fill it', () => {
    const counter = (storage: Storage): RefusedAttempts =>
      new RefusedAttempts({ storage, ids: { next: nextId }, clock: { now: () => NOW } });

    const started = async (t: { after(end: () => Promise<void>): void }): Promise<Fixture> => {
      const store = await open();
      const fixture = await startFixture(store);
      t.after(async () => {
        await fixture.close();
        await store.close();
      });
      return fixture;
    };

    test('wrong passwords at both logins: the account, the network and how often, and nothing of what was sent', async (t) => {
      const fixture = await started(t);
      const { storage, refusedAttempts } = fixture.till.till;
      const victim = await fixture.newMember();
      for (let tries = 0; tries < 3; tries++) await fixture.login(victim.email, 'hunter2 hunter2');
      await fixture.client.post('/api/plugin/key/service', { username: victim.email, password: 'hunter2 hunter2' });
      for (const nobody of ['a', 'b']) await fixture.login(`${nobody}@example.com`, 'hunter2 hunter2');
      await refusedAttempts.flush();
      const found = await rows(storage);
      const ip = '127.0.0.0/24';
      assert.deepEqual(found.map(factsOf).sort(), [
        { actorId: null, accountId: null, ip, attempt: 'login', tries: 2 },
        { actorId: null, accountId: victim.id, ip, attempt: 'login', tries: 4 },
      ]);
      assert.doesNotMatch(JSON.stringify(found), /hunter2|@example/);
      await refusedAttempts.flush();
      assert.equal((await rows(storage)).length, 2);
    });

    test('an action without the step-up that it needs', async (t) => {
      const fixture = await started(t);
      const { storage, refusedAttempts } = fixture.till.till;
      const thief = await fixture.newMember('user', { raised: false });
      assert.equal((await thief.client.post('/manage/v1/credentials', {})).status, 403);
      await refusedAttempts.flush();
      assert.deepEqual((await rows(storage)).map(factsOf), [
        { actorId: thief.id, accountId: thief.id, ip: '127.0.0.0/24', attempt: 'step_up', tries: 1 },
      ]);
    });

    test('a flood from everywhere is a bounded number of rows, and does not hide a known account', async (t) => {
      const { storage } = await open(t);
      const refused = counter(storage);
      for (let at = 0; at < 5_000; at++)
        refused.note({ accountId: null, ip: `10.${at >> 8}.${at & 255}.1`, attempt: 'login' });
      const victim = nextId() as AccountId;
      refused.note({ accountId: victim, ip: '192.0.2.7', attempt: 'login' });
      for (let at = 0; at < 500; at++)
        refused.note({ accountId: nextId() as AccountId, ip: '192.0.2.7', attempt: 'login' });
      await refused.flush();
      const found = await rows(storage);
      assert.ok(found.length <= 72, `${found.length} rows`);
      assert.ok(found.some(({ accountId }) => accountId === victim));
      const tries = found.reduce((sum, { changes }) => sum + Number(changes['tries']?.to), 0);
      assert.equal(tries, 5_501);
    });

    test('counts that could not be written are written later', async (t) => {
      const { storage } = await open(t);
      let away = true;
      const failing = {
        transaction: (work: Parameters<Storage['transaction']>[0]) =>
          away ? Promise.reject(new Error('away')) : storage.transaction(work),
      } as Storage;
      const refused = counter(failing);
      refused.note({ accountId: null, ip: '192.0.2.7', attempt: 'login' });
      await assert.rejects(refused.flush(), /away/);
      refused.note({ accountId: null, ip: '192.0.2.8', attempt: 'login' });
      away = false;
      await refused.flush();
      assert.deepEqual((await rows(storage)).map(factsOf), [
        { actorId: null, accountId: null, ip: '192.0.2.0/24', attempt: 'login', tries: 2 },
      ]);
    });
  });
});
