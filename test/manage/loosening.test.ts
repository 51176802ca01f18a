import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { eachStorage } from '../support/each-storage.ts';
import type { HttpClient } from '../support/http.ts';
import type { TestStorage } from '../support/storage.ts';
import { codeAt } from '../support/totp.ts';
import { assertRefused, managed, startFixture } from './fixture.ts';
import type { Fixture, List, Member } from './fixture.ts';

type Fields = Record<string, unknown>;

const SECURITY = '/manage/v1/security';
const HOLD_MS = 86_400_000;

eachStorage((_name, open) => {
  let store: TestStorage;
  let fixture: Fixture;
  before(async () => {
    store = await open();
    fixture = await startFixture(store, { sessionTtlSeconds: 10_000_000 });
  });
  after(async () => {
    await fixture.close();
    await store.close();
  });

  const patch = async (by: Member, body: object, query = ''): Promise<Fields> =>
    managed(await by.client.request('PATCH', `${SECURITY}${query}`, { body }));
  const cancel = (by: Member, field: string, query = '') =>
    by.client.request('DELETE', `${SECURITY}/pending/${field}${query}`);
  const payer = async (member: Member): Promise<HttpClient> => {
    const made = managed(await member.client.post('/manage/v1/credentials', {}), 201);
    return fixture.client.with({ 'API-Key': String(made['api_key']) });
  };
  const pendingOf = (field: string, ms = HOLD_MS): object => ({
    field,
    value: false,
    effective_at: new Date(fixture.till.clock.now() + ms).toISOString(),
  });
  const token = (member: Member) =>
    fixture.client.post('/api/plugin/key/service', { username: member.email, password: member.password });

  describe('fault 91: a protection that is switched off', () => {
    test('holds until the hold is over, and is shown as pending', async () => {
      const member = await fixture.newMember();
      const client = await payer(member);
      await patch(member, { data_security: true });
      const off = await patch(member, { data_security: false, callback_api_key: 'callback' });
      assert.deepEqual([off['data_security'], off['callback_api_key']], [true, 'callback']);
      assert.deepEqual(off['pending'], [pendingOf('data_security')]);
      assert.deepEqual(managed(await member.client.get(SECURITY)), off);
      fixture.till.clock.advance(HOLD_MS - 1);
      assert.equal((await client.get('/api/v2/order/')).status, 403);
      assert.equal((await token(member)).status, 403);
      // Asked again, it does not begin anew.
      assert.deepEqual((await patch(member, { data_security: false }))['pending'], [pendingOf('data_security', 1)]);
      fixture.till.clock.advance(1);
      assert.equal((await client.get('/api/v2/order/')).status, 200);
      assert.equal((await token(member)).status, 200);
      const now = managed(await member.client.get(SECURITY));
      assert.deepEqual([now['data_security'], now['pending']], [false, []]);
      client.close();
    });

    test('is kept by cancelling, which any session of the account may, or by switching it on', async () => {
      const member = await fixture.newMember();
      const { access_token } = managed<{ access_token: string }>(await fixture.login(member.email, member.password));
      const headers = { Authorization: `Bearer ${access_token}` };
      await patch(member, { data_security: true });
      for (const keep of [
        () => member.client.request('DELETE', `${SECURITY}/pending/data_security`, { headers }),
        () => member.client.request('PATCH', SECURITY, { body: { data_security: true }, headers }),
      ]) {
        await patch(member, { data_security: false });
        const kept = managed(await keep());
        assert.deepEqual([kept['data_security'], kept['pending']], [true, []]);
        fixture.till.clock.advance(2 * HOLD_MS);
        assert.equal(managed(await member.client.get(SECURITY))['data_security'], true);
      }
      assertRefused(await cancel(member, 'data_security'), 404);
      for (const field of ['totp_for_payouts', 'callback_api_key', 'constructor'])
        assertRefused(await cancel(member, field), 404);
    });

    test('each by itself, and of another account by an admin alone', async () => {
      const [member, stranger] = [await fixture.newMember(), await fixture.newMember()];
      const { secret } = managed<{ secret: string }>(await member.client.request('POST', `${SECURITY}/totp`));
      managed(
        await member.client.post(`${SECURITY}/totp/confirm`, {
          verify_code: codeAt(secret, fixture.till.clock.now()),
        }),
      );
      await patch(member, { data_security: true, totp_for_payouts: true });
      await patch(member, { data_security: false });
      fixture.till.clock.advance(1000);
      const both = await patch(member, { totp_for_payouts: false });
      assert.deepEqual(both['pending'], [pendingOf('data_security', HOLD_MS - 1000), pendingOf('totp_for_payouts')]);
      const of = `?account=${member.id}`;
      assertRefused(await cancel(stranger, 'data_security', of), 404);
      const left = managed(await cancel(fixture.admin, 'totp_for_payouts', of));
      assert.deepEqual(left['pending'], [pendingOf('data_security', HOLD_MS - 1000)]);
      fixture.till.clock.advance(HOLD_MS);
      const after = managed(await member.client.get(SECURITY));
      assert.deepEqual([after['data_security'], after['totp_for_payouts']], [false, true]);
    });

    test('leaves what it will be and until when in the audit log', async () => {
      const member = await fixture.newMember();
      await patch(member, { data_security: true });
      await patch(member, { data_security: false });
      const until = new Date(fixture.till.clock.now() + HOLD_MS).toISOString();
      managed(await cancel(member, 'data_security'));
      const { items } = managed<List<Fields>>(await member.client.get('/manage/v1/audit?limit=3'));
      assert.deepEqual(
        items.map(({ action, changes }) => [action, changes]),
        [
          ['security.cancel_pending', { data_security_until: { from: until, to: null } }],
          ['security.update', { data_security_until: { from: null, to: until } }],
          ['security.update', { data_security: { from: false, to: true } }],
        ],
      );
    });
  });
});
