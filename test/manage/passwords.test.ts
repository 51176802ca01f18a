import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { OPERATOR } from '../../core/index.ts';
import { eachStorage } from '../support/each-storage.ts';
import { dataOf } from '../support/http.ts';
import type { TestStorage } from '../support/storage.ts';
import { assertRefused, BREACHED_PASSWORD, managed, renewed, startFixture, STEP_UP, tokenOf } from './fixture.ts';
import type { Fixture, List, Member } from './fixture.ts';

type Fields = Record<string, unknown>;

const PASSWORD = '/manage/v1/password';
const SESSIONS = '/manage/v1/sessions';
const NEXT = 'another password\0 of \u00e9';

eachStorage((_name, open) => {
  let store: TestStorage;
  let fixture: Fixture;
  before(async () => {
    store = await open();
    fixture = await startFixture(store);
  });
  after(async () => {
    await fixture.close();
    await store.close();
  });

  /** The headers of another session of somebody. */
  const another = async ({ email, password }: Pick<Member, 'email' | 'password'>): Promise<Record<string, string>> =>
    tokenOf(await fixture.login(email, password));
  const sessionStatus = async (headers: Record<string, string>): Promise<number> =>
    (await fixture.client.get('/manage/v1/session', { headers })).status;
  const accessToken = async ({ email, password }: Member): Promise<string> =>
    dataOf<{ access_token: string }>(
      await fixture.client.post('/api/plugin/key/service', { username: email, password }),
    ).access_token;
  const ordersStatus = async (key: string): Promise<number> =>
    (await fixture.client.get('/api/v2/order/', { headers: { 'API-Key': key } })).status;

  describe('a password that is changed', () => {
    test('ends every other session and every access token, and no API key', async () => {
      const member = await fixture.newMember();
      const key = String(managed(await member.client.post('/manage/v1/credentials', {}), 201)['api_key']);
      const [other, token] = [await another(member), await accessToken(member)];
      const former = { Authorization: `Bearer ${member.token}` };
      renewed(member.client, await member.client.post(PASSWORD, { current: member.password, new: NEXT }));
      assert.deepEqual([await sessionStatus(other), await sessionStatus(former)], [401, 401]);
      assert.deepEqual([await ordersStatus(token), await ordersStatus(key)], [401, 200]);
      managed(await member.client.get('/manage/v1/session'));
      assertRefused(await fixture.login(member.email, member.password), 401);
      for (const near of ['another password\0 of e\u0301', 'another password of \u00e9', `${NEXT}\0`])
        assertRefused(await fixture.login(member.email, near), 401);
      managed(await fixture.login(member.email, NEXT));
      const { items } = managed<List<Fields>>(await member.client.get('/manage/v1/audit'));
      assert.ok(items.some(({ action }) => action === 'account.change_password'));
      assert.ok(!JSON.stringify(items).includes('another password'));
    });

    test('wants the present one, and a fit new one', async () => {
      const member = await fixture.newMember();
      const { password: current } = member;
      const change = (body: object) => member.client.post(PASSWORD, body);
      assertRefused(await change({ current: 'a wrong password', new: NEXT }), 400, 'current');
      assertRefused(await change({ current, new: 'eleven char' }), 400, 'new');
      assertRefused(await change({ current, new: 'Password1234' }), 400, 'new');
      assertRefused(await change({ current, new: 'Tillgate-2026!' }), 400, 'new');
      assertRefused(await change({ current }), 400, 'new');
      assertRefused(await change({ current, new: BREACHED_PASSWORD }), 400, 'new');
      managed(await fixture.login(member.email, current));
      for (let tries = 1; tries < 5; tries++)
        assertRefused(await change({ current: 'a wrong password', new: NEXT }), 400, 'current');
      assertRefused(await change({ current, new: NEXT }), 401);
    });

    test('at once from two sessions is changed by one', async () => {
      const member = await fixture.newMember();
      const opened = await another(member);
      const headers = tokenOf(await fixture.client.post(STEP_UP, { password: member.password }, { headers: opened }));
      const replies = await Promise.all([
        member.client.post(PASSWORD, { current: member.password, new: `${NEXT} 1` }),
        fixture.client.post(PASSWORD, { current: member.password, new: `${NEXT} 2` }, { headers }),
      ]);
      assert.equal(
        replies.filter(({ status }) => status === 200).length,
        1,
        JSON.stringify(replies.map((r) => r.text)),
      );
      const right = replies[0]?.status === 200 ? 1 : 2;
      managed(await fixture.login(member.email, `${NEXT} ${right}`));
    });

    test('by the operator, without the former one, ends every session', async () => {
      const member = await fixture.newMember();
      const token = await accessToken(member);
      await fixture.manage.passwords.reset(OPERATOR, member.account.id, NEXT);
      assertRefused(await member.client.get('/manage/v1/session'), 401);
      assert.equal(await ordersStatus(token), 401);
      managed(await fixture.login(member.email, NEXT));
    });
  });

  describe('the sessions of an account', () => {
    test('are listed with whence they are, without what opens them', async () => {
      const member = await fixture.newMember();
      fixture.till.clock.advance(1000);
      const headers = { ...(await another(member)), 'User-Agent': 'a browser' };
      const reply = await fixture.client.get(SESSIONS, { headers });
      const { items } = managed<{ items: Fields[] }>(reply);
      assert.deepEqual(
        items.map(({ current, ip, cookie }) => [current, ip, cookie]),
        [
          [true, '127.0.0.1', false],
          [false, '127.0.0.1', false],
        ],
      );
      assert.ok(!reply.text.includes(member.token.slice(4)));
      const [row] = await store.sql('SELECT token_hash FROM manage_sessions');
      assert.ok(!reply.text.includes(String(row?.['token_hash'])));
    });

    test('end one by one, or all others at once, and only those of the account', async () => {
      const [member, stranger] = [await fixture.newMember(), await fixture.newMember()];
      const [first, second, third] = [await another(member), await another(member), await another(member)];
      const idOf = async (headers: Record<string, string>): Promise<string> => {
        const { items } = managed<{ items: Fields[] }>(await fixture.client.get(SESSIONS, { headers }));
        return String(items.find(({ current }) => current === true)?.['id']);
      };
      const id = await idOf(first);
      assertRefused(await stranger.client.request('DELETE', `${SESSIONS}/${id}`), 404);
      managed(await member.client.request('DELETE', `${SESSIONS}/${id}`));
      assertRefused(await member.client.request('DELETE', `${SESSIONS}/${id}`), 404);
      assert.deepEqual([await sessionStatus(first), await sessionStatus(second)], [401, 200]);
      assert.deepEqual(managed(await member.client.request('DELETE', SESSIONS)), { ended: 2 });
      assert.deepEqual([await sessionStatus(second), await sessionStatus(third)], [401, 401]);
      managed(await member.client.get('/manage/v1/session'));
      managed(await stranger.client.get('/manage/v1/session'));
    });
  });
});
