import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { eachStorage } from '../support/each-storage.ts';
import type { TestStorage } from '../support/storage.ts';
import { assertRefused, managed, manageEnvelope, startFixture, tokenOf } from './fixture.ts';
import type { Fixture, Member } from './fixture.ts';

const SESSION = '/manage/v1/session';

eachStorage((_name, open) => {
  let store: TestStorage;
  let fixture: Fixture;
  let user: Member;
  before(async () => {
    store = await open();
    fixture = await startFixture(store);
    user = await fixture.newMember();
  });
  after(async () => {
    await fixture.close();
    await store.close();
  });

  const cookieLogin = async (): Promise<{ headers: { Cookie: string }; csrf: string; raw: string }> => {
    const reply = await fixture.login(user.email, user.password, { cookie: true });
    const data = managed(reply);
    assert.equal('access_token' in data, false);
    const raw = String(reply.headers['set-cookie']);
    return { headers: { Cookie: raw.split(';')[0] ?? '' }, csrf: String(data['csrf_token']), raw };
  };

  describe('logging in', () => {
    test('gives a token for its lifetime, and notes the login', async () => {
      const reply = await fixture.client.post(
        SESSION,
        { email: user.email.toUpperCase(), password: user.password },
        { headers: { 'User-Agent': 'a browser' } },
      );
      const { access_token, expires_in, account } = managed<{
        access_token: string;
        expires_in: number;
        account: Record<string, unknown>;
      }>(reply);
      assert.equal(expires_in, 3600);
      assert.match(access_token, /^tms_[0-9A-Za-z]{43}$/);
      assert.deepEqual(
        [account['id'], account['last_login_user_agent'], account['last_login_ip']],
        [user.id, 'a browser', '127.0.0.1'],
      );
      assert.equal(reply.headers['set-cookie'], undefined);
      const headers = { Authorization: `Bearer ${access_token}` };
      assert.equal(managed(await fixture.client.get(SESSION, { headers }))['expires_in'], 3600);
      fixture.till.clock.advance(3_599_000);
      assert.equal(managed(await fixture.client.get(SESSION, { headers }))['expires_in'], 1);
      fixture.till.clock.advance(1000);
      assertRefused(await fixture.client.get(SESSION, { headers }), 401);
      user = { ...user, ...(await fixture.newMember()) };
    });

    test('fault 13: a wrong password and an unknown user get one answer', async () => {
      const replies = [
        await fixture.login(user.email, 'wrong'),
        await fixture.login('nobody@example.com', 'wrong'),
        await fixture.login('no email', user.password),
        await fixture.login(user.email, 'x'.repeat(1024)),
      ];
      for (const reply of replies) {
        assertRefused(reply, 401);
        assert.equal(reply.headers['www-authenticate'], 'Bearer realm="management API"');
      }
      assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
      assertRefused(await fixture.client.post(SESSION, { email: user.email }), 400, 'password');
      assertRefused(await fixture.client.post(SESSION, { email: 1, password: {} }), 400, 'email');
    });

    test('the database holds no token, only a hash of it', async () => {
      const rows = await store.sql('SELECT * FROM manage_sessions');
      assert(rows.length > 0);
      assert(!JSON.stringify(rows).includes(user.token));
      assert(rows.every(({ token_hash }) => /^[0-9a-f]{64}$/.test(String(token_hash))));
    });

    test('logging out ends the session on the server', async () => {
      const { access_token } = managed<{ access_token: string }>(await fixture.login(user.email, user.password));
      const headers = { Authorization: `Bearer ${access_token}` };
      assert.deepEqual(managed(await fixture.client.request('DELETE', SESSION, { headers })), { ended: true });
      assertRefused(await fixture.client.get(SESSION, { headers }), 401);
      assertRefused(await fixture.client.request('DELETE', SESSION, { headers }), 401);
    });
  });

  describe("a browser's session", () => {
    test('its cookie is out of reach of scripts and other sites; unsafe requests want the CSRF token', async () => {
      const { headers, csrf, raw } = await cookieLogin();
      assert.match(raw, /^tillgate_session=tms_[0-9A-Za-z]{43}; Path=\/; Max-Age=3600; HttpOnly; SameSite=Strict$/);
      assert.equal(managed(await fixture.client.get(SESSION, { headers }))['csrf_token'], csrf);
      const path = `/manage/v1/accounts/${user.id}`;
      const body = { name: 'By cookie' };
      assertRefused(await fixture.client.request('PATCH', path, { headers, body }), 403);
      for (const wrong of ['', 'x', `${csrf}0`, csrf.slice(1)]) {
        assertRefused(
          await fixture.client.request('PATCH', path, { headers: { ...headers, 'X-CSRF-Token': wrong }, body }),
          403,
        );
      }
      const other = await cookieLogin();
      assertRefused(
        await fixture.client.request('PATCH', path, { headers: { ...headers, 'X-CSRF-Token': other.csrf }, body }),
        403,
      );
      managed(await fixture.client.request('PATCH', path, { headers: { ...headers, 'X-CSRF-Token': csrf }, body }));
      assertRefused(await fixture.client.request('DELETE', SESSION, { headers }), 403);
      const out = await fixture.client.request('DELETE', SESSION, { headers: { ...headers, 'X-CSRF-Token': csrf } });
      managed(out);
      assert.match(String(out.headers['set-cookie']), /^tillgate_session=; Path=\/; Max-Age=0;/);
      assertRefused(await fixture.client.get(SESSION, { headers }), 401);
    });

    test('a cookie is no bearer token, a bearer token no cookie, and two cookies are nobody', async () => {
      const { headers } = await cookieLogin();
      const token = headers.Cookie.split('=')[1] ?? '';
      assertRefused(await fixture.client.get(SESSION, { headers: { Authorization: `Bearer ${token}` } }), 401);
      assertRefused(await fixture.client.get(SESSION, { headers: { Cookie: `tillgate_session=${user.token}` } }), 401);
      assertRefused(
        await fixture.client.get(SESSION, { headers: { Cookie: `${headers.Cookie}; ${headers.Cookie}` } }),
        400,
      );
    });
  });

  describe('whose credentials open what', () => {
    test('keys and tokens of the payment API do not open the management API', async () => {
      const { apiKey, email, password } = fixture.till.merchant;
      const { data } = JSON.parse(
        (await fixture.client.post('/api/plugin/key/service', { username: email, password })).text,
      ) as { data: { access_token: string } };
      for (const text of [apiKey, data.access_token, 'tms_unknown', '']) {
        assertRefused(
          await fixture.client.get('/manage/v1/accounts', { headers: { Authorization: `Bearer ${text}` } }),
          401,
        );
        assertRefused(await fixture.client.get('/manage/v1/accounts', { headers: { 'API-Key': text } }), 401);
      }
      for (const form of [`bearer ${user.token}`, `Bearer  ${user.token}`, `Bearer ${user.token} x`, user.token]) {
        assertRefused(await fixture.client.get('/manage/v1/accounts', { headers: { Authorization: form } }), 401);
      }
      assertRefused(
        await fixture.client.get('/manage/v1/accounts', {
          headers: { Authorization: [`Bearer ${user.token}`, `Bearer ${user.token}`] },
        }),
        400,
      );
    });

    test('a management token does not open the payment API', async () => {
      for (const headers of [
        { 'API-Key': user.token },
        { 'X-Token': user.token },
        { Authorization: `Bearer ${user.token}` },
      ]) {
        const reply = await fixture.client.get('/api/v2/order/', { headers });
        assert.equal(reply.status, 401, reply.text);
        assert.equal((JSON.parse(reply.text) as { result: boolean }).result, false);
      }
    });

    test('unknown paths and methods are answered in the envelope of the management API', async () => {
      assert.deepEqual(manageEnvelope(await fixture.client.get('/manage/v1/nothing')), {
        data: null,
        msg: 'There is no such resource.',
      });
      const reply = await user.client.request('DELETE', '/manage/v1/accounts');
      assert.equal(reply.status, 405);
      assert.equal(reply.headers['allow'], 'GET, HEAD, POST');
      for (const path of ['/manage/v1/nothing-here', '/manage/v1/accounts/'])
        assertRefused(await user.client.get(path), 404);
    });
  });
});

eachStorage((_name, open) => {
  test('failed logins are throttled, for each address and each account; successful ones do not count', async (t) => {
    const store = await open();
    const fixture = await startFixture(store, { loginsPerMinute: 3 });
    t.after(async () => {
      await fixture.close();
      await store.close();
    });
    const statuses = [];
    for (let tries = 0; tries < 4; tries++)
      statuses.push((await fixture.login(`nobody-${tries}@example.com`, 'wrong')).status);
    assert.deepEqual(statuses, [401, 401, 401, 429]);
    const refused = await fixture.login('nobody@example.com', 'wrong');
    assertRefused(refused, 429);
    assert(Number(refused.headers['retry-after']) > 0);
  });

  test('logins at once leave as many sessions as an account may have', async (t) => {
    const store = await open();
    const fixture = await startFixture(store, { sessionsPerAccount: 2 });
    t.after(async () => {
      await fixture.close();
      await store.close();
    });
    const { email, password } = fixture.admin;
    // The admin's own session is older than those, and not of the same moment.
    fixture.till.clock.advance(1000);
    const replies = await Promise.all(Array.from({ length: 8 }, () => fixture.login(email, password)));
    const sessions = replies.map((reply) => fixture.client.get(SESSION, { headers: tokenOf(reply) }));
    const opened = (await Promise.all(sessions)).filter(({ status }) => status === 200);
    assert.equal(opened.length, 2);
    assertRefused(await fixture.admin.client.get(SESSION), 401);
  });

  test('in production the cookie goes over https only', async (t) => {
    const store = await open();
    const fixture = await startFixture(store, { secureCookies: true });
    t.after(async () => {
      await fixture.close();
      await store.close();
    });
    const reply = await fixture.login(fixture.admin.email, fixture.admin.password, { cookie: true });
    const cookie = String(reply.headers['set-cookie']);
    assert.match(
      cookie,
      /^__Host-tillgate_session=tms_[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/,
    );
    const [pair = ''] = cookie.split(';');
    managed(await fixture.client.get(SESSION, { headers: { Cookie: pair } }));
    // Another host of the domain could have set it under the plain name.
    const planted = pair.replace('__Host-', '');
    assertRefused(await fixture.client.get(SESSION, { headers: { Cookie: planted } }), 401);
  });
});
