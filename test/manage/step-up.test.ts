import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { ACTIONS, actionRow, alwaysFresh, present } from '../../core/index.ts';
import type { ManageAction } from '../../core/index.ts';
import { manageOperations } from '../../adapters/http/index.ts';
import type { ManageDeps } from '../../adapters/http/index.ts';
import { eachStorage } from '../support/each-storage.ts';
import { codeAt } from '../support/totp.ts';
import type { Reply } from '../support/openapi.ts';
import type { TestStorage } from '../support/storage.ts';
import { assertRefused, assertStepUp, managed, renewed, startFixture, STEP_UP, stepUp, tokenOf } from './fixture.ts';
import type { Fixture, List, Member } from './fixture.ts';
import { UNKNOWN, WALK } from './walk.ts';

type Fields = Record<string, unknown>;

const SECURITY = '/manage/v1/security';
const CREDENTIALS = '/manage/v1/credentials';

describe('the table of what actions cost', () => {
  const deps = {
    settings: { secureCookies: true, allowPrivateNetworks: false },
    manage: {},
    assets: {},
  } as unknown as ManageDeps;

  test('has a row for every operation of the management API, and for nothing else', () => {
    assert.deepEqual(
      manageOperations(deps)
        .map(({ id }) => id)
        .toSorted(),
      Object.keys(ACTIONS).toSorted(),
    );
  });

  test('lets everybody read, and lets nothing else pass for reading', () => {
    for (const { id, method } of manageOperations(deps)) {
      const effects = actionRow(id as ManageAction).effects.map(({ effect }) => effect);
      if (method === 'GET') assert.deepEqual(effects, ['reads'], id);
      else assert.ok(!effects.includes('reads'), id);
    }
  });
});

/** What a browser sends after a reply that set its cookie. */
function cookieOf(reply: Reply): { readonly Cookie: string; readonly 'X-CSRF-Token': string } {
  const [pair = ''] = String(reply.headers['set-cookie']).split(';');
  return { Cookie: pair, 'X-CSRF-Token': String(managed(reply)['csrf_token']) };
}

const maxAge = (reply: Reply): number => Number(/Max-Age=(\d+)/.exec(String(reply.headers['set-cookie']))?.[1]);

eachStorage((_name, open) => {
  let store: TestStorage;
  let fixture: Fixture;
  before(async () => {
    store = await open();
    fixture = await startFixture(store, { sessionTtlSeconds: 1_000_000, stepUpSeconds: 300 });
  });
  after(async () => {
    await fixture.close();
    await store.close();
  });

  const patch = (by: Member, body: object, query = '') => by.client.request('PATCH', `${SECURITY}${query}`, { body });
  const code = (secret: string, steps = 0): string => codeAt(secret, fixture.till.clock.now() + steps * 30_000);
  /** Enrols and confirms a second factor in a raised session, which goes on. */
  const withFactor = async (role: 'user' | 'admin' = 'user'): Promise<Member & { readonly secret: string }> => {
    const member = await fixture.newMember(role);
    const { secret } = managed<{ secret: string }>(await member.client.request('POST', `${SECURITY}/totp`));
    managed(await member.client.post(`${SECURITY}/totp/confirm`, { verify_code: code(secret, -1) }));
    fixture.till.clock.advance(301_000);
    return { ...member, secret };
  };
  const listed = async (headers: Record<string, string>): Promise<readonly Fields[]> =>
    managed<{ items: Fields[] }>(await fixture.client.get('/manage/v1/sessions', { headers })).items;
  const actions = async (member: Member): Promise<unknown[]> =>
    managed<List>(await fixture.admin.client.get(`/manage/v1/audit?account=${member.id}&limit=100`)).items.map(
      ({ action }) => action,
    );

  describe('a session that is not raised', () => {
    test('is refused before anything is looked up, and leaves no row of an action', async () => {
      const admin = await fixture.newMember('admin', { raised: false });
      for (const { id, method, path } of manageOperations({ ...depsOf(fixture), manage: fixture.manage })) {
        if (!alwaysFresh(actionRow(id as ManageAction))) continue;
        const body = WALK[id as ManageAction].charged?.[0] ?? {};
        const target = path.replaceAll('{code}', 'ETH').replace(/\{(?:key_)?id\}/g, UNKNOWN);
        assertStepUp(await admin.client.request(method, target, method === 'DELETE' ? {} : { body }), id);
      }
      assert.deepEqual(await actions(admin), ['session.create']);
    });

    test('tightens, and loosens nothing of its own security', async () => {
      const member = await fixture.newMember('user', { raised: false });
      managed(await patch(member, { data_security: true, callback_api_key: 'callback' }));
      assertStepUp(await patch(member, { data_security: false }));
      assertStepUp(await patch(member, { data_security: false, callback_api_key: 'order' }));
      assertStepUp(await patch(member, { totp_for_payouts: false }));
      const found = managed(await member.client.get(SECURITY));
      assert.deepEqual([found['data_security'], found['callback_api_key']], [true, 'callback']);
    });

    test('does not replace a confirmed second factor', async () => {
      const { client, secret } = await withFactor();
      assertStepUp(await client.request('POST', `${SECURITY}/totp`));
      await stepUp(client, { totp: code(secret) });
      assert.notEqual(managed(await client.request('POST', `${SECURITY}/totp`))['secret'], secret);
    });

    test('of an admin makes nobody an admin and changes nothing of another account', async () => {
      const admin = await fixture.newMember('admin', { raised: false });
      const other = await fixture.newMember();
      const made = managed<{ id: string }>(await other.client.post(CREDENTIALS, {}), 201);
      const of = `?account=${other.id}`;
      const account = `/manage/v1/accounts/${other.id}`;
      const fields = { email: 'made@example.com', password: 'a password for a test', role: 'admin' };
      assertStepUp(await admin.client.post('/manage/v1/accounts', fields));
      assertStepUp(await admin.client.request('PATCH', account, { body: { role: 'admin' } }));
      assertStepUp(await admin.client.request('PATCH', account, { body: { role: 'user' } }));
      assertStepUp(await patch(admin, { data_security: true }, of));
      assertStepUp(await admin.client.request('POST', `${SECURITY}/totp${of}`));
      assertStepUp(await admin.client.post(`${SECURITY}/totp/confirm${of}`, { verify_code: '123456' }));
      assertStepUp(await admin.client.request('POST', `${CREDENTIALS}/${made.id}/revoke`));
      assertStepUp(await admin.client.request('POST', `${CREDENTIALS}/callback/rotate${of}`));
      const app = managed<{ id: string }>(await other.client.post('/manage/v1/apps', { name: 'A', chains: [] }), 201);
      const change = (body: object) =>
        admin.client.request('PATCH', `/manage/v1/apps/${app.id}`, { body, headers: { 'If-Match': '1' } });
      assertStepUp(await change({ quota: { units: 1, window: 'day' } }));
      assertStepUp(await change({ name: 'B', quota: null }));
      assertStepUp(await change({ chains: ['ETH'] }));
      managed(await change({ name: 'B' }));
      // What stays without: reading, stopping an account, the admin's own.
      managed(await admin.client.get(`${SECURITY}${of}`));
      managed(await admin.client.request('PATCH', account, { body: { status: 'disabled' } }));
      assertRefused(await admin.client.request('POST', `${CREDENTIALS}/${UNKNOWN}/revoke`), 404);
    });

    test("of a user hears of another's records what it hears of none", async () => {
      const member = await fixture.newMember('user', { raised: false });
      const other = await fixture.newMember();
      const made = managed<{ id: string }>(await other.client.post(CREDENTIALS, {}), 201);
      const ask = async (id: string) => (await member.client.request('POST', `${CREDENTIALS}/${id}/revoke`)).text;
      assert.equal(await ask(made.id), await ask(UNKNOWN));
      for (const id of [other.id, UNKNOWN])
        assertRefused(await patch(member, { data_security: true }, `?account=${id}`), 404);
    });
  });

  describe('a step-up', () => {
    test('raises the one session for five minutes, and ends with it', async () => {
      const member = await fixture.newMember('user', { raised: false });
      const other = tokenOf(await fixture.login(member.email, member.password));
      const raised = await stepUp(member.client, { password: member.password });
      assert.equal(Date.parse(String(raised['step_up_expires_at'])), fixture.till.clock.now() + 300_000);
      managed(await member.client.post(CREDENTIALS, {}), 201);
      const former = { Authorization: `Bearer ${member.token}` };
      assertRefused(await member.client.post(CREDENTIALS, {}, { headers: former }), 401);
      assertStepUp(await member.client.post(CREDENTIALS, {}, { headers: other }));
      fixture.till.clock.advance(299_999);
      managed(await member.client.post(CREDENTIALS, {}), 201);
      fixture.till.clock.advance(1);
      assertStepUp(await member.client.post(CREDENTIALS, {}));
      managed(await member.client.request('DELETE', '/manage/v1/session'));
      assertRefused(await member.client.post(STEP_UP, { password: member.password }), 401);
      assert.equal((await actions(member)).filter((action) => action === 'session.step_up').length, 1);
    });

    test('wants a code where there is a second factor: each once, and never the password instead', async () => {
      const { client, secret, password } = await withFactor();
      assertRefused(await client.post(STEP_UP, { password }), 400, 'totp');
      assertRefused(await client.post(STEP_UP, {}), 400, 'totp');
      await stepUp(client, { totp: code(secret) });
      assertRefused(await client.post(STEP_UP, { totp: code(secret) }), 400, 'totp');
    });

    test('replaces the token, of a cookie too; the session keeps its end', async () => {
      const { email, password } = await fixture.newMember('user', { raised: false });
      const opened = await fixture.login(email, password, { cookie: true });
      const former = cookieOf(opened);
      const before = await listed(former);
      fixture.till.clock.advance(100_000);
      const reply = await fixture.client.post(STEP_UP, { password }, { headers: former });
      const [raised, now] = [managed(reply), cookieOf(reply)];
      assert.equal('access_token' in raised, false);
      assert.deepEqual([raised['expires_in'], maxAge(reply)], [999_900, 999_900]);
      assertRefused(await fixture.client.get('/manage/v1/session', { headers: former }), 401);
      const mixed = { ...now, 'X-CSRF-Token': former['X-CSRF-Token'] };
      assertRefused(await fixture.client.post(CREDENTIALS, {}, { headers: mixed }), 403);
      managed(await fixture.client.post(CREDENTIALS, {}, { headers: now }), 201);
      const after = await listed(now);
      assert.deepEqual(
        after.map(({ created_at: at, expires_at: end }) => [at, end]),
        before.map(({ created_at: at, expires_at: end }) => [at, end]),
      );
    });

    test('two at once with one token: one gets the session, the other is refused', async () => {
      const member = await fixture.newMember('user', { raised: false });
      const replies = await Promise.all(
        Array.from({ length: 4 }, () => member.client.post(STEP_UP, { password: member.password })),
      );
      assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 401, 401, 401]);
      assert.equal((await actions(member)).filter((action) => action === 'session.step_up').length, 1);
      const won = replies.find(({ status }) => status === 200);
      renewed(member.client, present(won, 'the one that won'));
      managed(await member.client.post(CREDENTIALS, {}), 201);
    });

    test('fault 62: five wrong codes, each on record, and a right one is refused for 15 minutes', async () => {
      const member = await withFactor();
      for (let tries = 0; tries < 7; tries++)
        assertRefused(await member.client.post(STEP_UP, { totp: '000000' }), 400, 'totp');
      assertRefused(await member.client.post(STEP_UP, { totp: code(member.secret) }), 400, 'totp');
      assertStepUp(await member.client.post(CREDENTIALS, {}));
      assert.equal((await actions(member)).filter((action) => action === 'security.code_refused').length, 5);
      fixture.till.clock.advance(15 * 60_000);
      await stepUp(member.client, { totp: code(member.secret) });
    });

    test('five wrong passwords, tried at once or not, end the session', async () => {
      for (const atOnce of [false, true]) {
        const member = await fixture.newMember('user', { raised: false });
        const guess = () => member.client.post(STEP_UP, { password: 'a wrong password' });
        assertRefused(await member.client.post(STEP_UP, { totp: '123456' }), 400, 'password');
        const replies = atOnce ? await Promise.all(Array.from({ length: 12 }, guess)) : [];
        for (let tries = 0; !atOnce && tries < 5; tries++) replies.push(await guess());
        assert.equal(replies.filter(({ status }) => status === 400).length, 5);
        assertRefused(await member.client.post(STEP_UP, { password: member.password }), 401);
        assertRefused(await member.client.get('/manage/v1/session'), 401);
        const rows = await actions(member);
        assert.equal(rows.filter((action) => action === 'security.password_refused').length, 5);
      }
    });

    test('a right password in between starts the count anew', async () => {
      const member = await fixture.newMember('user', { raised: false });
      for (let round = 0; round < 3; round++) {
        for (let tries = 0; tries < 4; tries++)
          assertRefused(await member.client.post(STEP_UP, { password: 'a wrong password' }), 400, 'password');
        await stepUp(member.client, { password: member.password });
      }
    });
  });

  describe('a second factor that is confirmed', () => {
    test('ends the sessions that were opened without it, but a raised one that confirms it', async () => {
      for (const raised of [true, false]) {
        const member = await fixture.newMember('user', { raised });
        const { access_token: token } = managed<{ access_token: string }>(
          await fixture.login(member.email, member.password),
        );
        const { secret } = managed<{ secret: string }>(await member.client.request('POST', `${SECURITY}/totp`));
        managed(await member.client.get('/manage/v1/session', { headers: { Authorization: `Bearer ${token}` } }));
        const confirm = await member.client.post(`${SECURITY}/totp/confirm`, { verify_code: code(secret) });
        assert.equal(confirm.status, 200);
        assertRefused(
          await member.client.get('/manage/v1/session', { headers: { Authorization: `Bearer ${token}` } }),
          401,
        );
        assert.equal((await member.client.get('/manage/v1/session')).status, raised ? 200 : 401);
      }
    });
  });

  describe("another account's secrets", () => {
    test('are seen by its owner only: an admin reveals none, and gets none of what it makes', async () => {
      const admin = await fixture.newMember('admin');
      const other = await fixture.newMember();
      const of = `?account=${other.id}`;
      const own = managed<Fields & { id: string }>(await other.client.post(CREDENTIALS, {}), 201);
      assertRefused(await admin.client.request('POST', `${CREDENTIALS}/${own.id}/reveal`), 403);
      assertRefused(await admin.client.request('POST', `${SECURITY}/totp${of}`), 403);
      const made = managed<Fields & { id: string }>(await admin.client.post(CREDENTIALS, { account: other.id }), 201);
      assert.equal(made['account'], other.id);
      const rotated = managed(await admin.client.request('POST', `${CREDENTIALS}/callback/rotate${of}`));
      const revealed = managed(await other.client.request('POST', `${CREDENTIALS}/${made.id}/reveal`));
      for (const name of [
        'api_key',
        'api_token',
        'signing_secret',
        'callback_key',
        'callback_token',
        'callback_secret',
      ])
        assert(!JSON.stringify([made, rotated]).includes(String(revealed[name])), name);
    });
  });

  describe('an admin without a second factor, where one is demanded', () => {
    test('can only enrol one', async (t) => {
      const own = await open();
      const strict = await startFixture(own, { secondFactorOf: 'admins' });
      t.after(async () => {
        await strict.close();
        await own.close();
      });
      const admin = await strict.newMember('admin');
      const user = await strict.newMember();
      const refused = async (method: string, target: string, body?: object) =>
        assert.equal(
          assertRefused(
            await admin.client.request(method, `/manage/v1/${target}`, body === undefined ? {} : { body }),
            403,
          ).reason,
          'second_factor_required',
          target,
        );
      await refused('GET', 'accounts');
      await refused('GET', `security?account=${user.id}`);
      await refused('POST', `security/totp?account=${user.id}`);
      await refused('POST', 'credentials', {});
      await refused('POST', 'chains/ETH/payouts/stop', { reason: 'x' });
      managed(await user.client.get('/manage/v1/accounts'));
      managed(await admin.client.get('/manage/v1/session'));
      managed(await admin.client.get(SECURITY));
      const { secret } = managed<{ secret: string }>(await admin.client.request('POST', `${SECURITY}/totp`));
      await refused('GET', 'accounts');
      const now = strict.till.clock.now();
      managed(await admin.client.post(`${SECURITY}/totp/confirm`, { verify_code: codeAt(secret, now) }));
      managed(await admin.client.get('/manage/v1/accounts'));
    });
  });

  describe('a merchant without a second factor, where everybody needs one', () => {
    test('can only enrol one, as an admin', async (t) => {
      const own = await open();
      const strict = await startFixture(own, { secondFactorOf: 'everybody' });
      t.after(async () => {
        await strict.close();
        await own.close();
      });
      for (const member of [await strict.newMember(), await strict.newMember('admin')]) {
        const refused = async (method: 'GET' | 'POST', target: string, body: object = {}) => {
          const sent = method === 'GET' ? {} : { body };
          const { reason } = assertRefused(await member.client.request(method, `/manage/v1/${target}`, sent), 403);
          assert.equal(reason, 'second_factor_required', target);
        };
        await refused('GET', 'accounts');
        await refused('GET', 'apps');
        await refused('POST', 'credentials');
        managed(await member.client.get('/manage/v1/session'));
        managed(await member.client.get(SECURITY));
        const { secret } = managed<{ secret: string }>(await member.client.request('POST', `${SECURITY}/totp`));
        await refused('GET', 'accounts');
        const code = codeAt(secret, strict.till.clock.now());
        managed(await member.client.post(`${SECURITY}/totp/confirm`, { verify_code: code }));
        managed(await member.client.get('/manage/v1/accounts'));
      }
    });
  });
});

function depsOf(fixture: Fixture): Omit<ManageDeps, 'manage'> {
  return {
    settings: { secureCookies: true, allowPrivateNetworks: false },
    assets: fixture.till.till.assets,
  };
}
