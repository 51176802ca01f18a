import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { present } from '../../core/index.ts';
import { assertRefused, assertStepUp, managed, renewed, STEP_UP, stepUp, tokenOf } from '../manage/fixture.ts';
import type { HttpClient } from '../support/http.ts';
import type { Reply } from '../support/openapi.ts';
import type { TestTill } from '../support/till.ts';
import { startProductionTill } from './production-till.ts';
import type { ProductionTill } from './production-till.ts';

const SESSION = '/manage/v1/session';
const SESSIONS = '/manage/v1/sessions';
const MINUTE_MS = 60_000;

/** An account without a second factor, and a session of it that is not raised. */
interface Person {
  readonly email: string;
  readonly password: string;
  readonly client: HttpClient;
}

describe('fault 123: sessions that last longer than their owner wants, in production mode', () => {
  let production: ProductionTill;
  let till: TestTill;
  before(async () => {
    production = await startProductionTill();
    ({ till } = production);
  });
  after(() => production.close());

  const opened = (reply: Reply): HttpClient => production.client(tokenOf(reply));
  const login = async ({ email, password }: Pick<Person, 'email' | 'password'>): Promise<HttpClient> => {
    return opened(await till.client.post(SESSION, { email, password }));
  };
  const person = async (): Promise<Person> => {
    const account = { email: `person-${production.clients}@example.com`, password: 'a password for a test' };
    await till.accounts.createAccount.run(account);
    return { ...account, client: await login(account) };
  };
  const status = async (client: HttpClient): Promise<number> => (await client.get(SESSION)).status;

  test('a thief does not log the owner out: ending other sessions wants a fresh factor', async () => {
    const owner = await person();
    const thief = await login(owner);
    const { items } = managed<{ items: { id: string; current: boolean }[] }>(await thief.get(SESSIONS));
    assert.equal(items.length, 2);
    for (const { id } of items) assertStepUp(await thief.request('DELETE', `${SESSIONS}/${id}`));
    assertStepUp(await thief.request('DELETE', SESSIONS));
    assert.deepEqual([await status(owner.client), await status(thief)], [200, 200]);
    await stepUp(owner.client, { password: owner.password });
    assert.deepEqual(managed(await owner.client.request('DELETE', SESSIONS)), { ended: 1 });
    assert.deepEqual([await status(owner.client), await status(thief)], [200, 401]);
  });

  test("ending one's own session wants none", async () => {
    const owner = await person();
    managed(await owner.client.request('DELETE', SESSION));
    assert.equal(await status(owner.client), 401);
  });

  test('a thief who has the token of a session loses it once its owner raises it, or changes the password', async () => {
    const account = { email: 'raised@example.com', password: 'a password for a test' };
    await till.accounts.createAccount.run(account);
    const first = await till.client.post(SESSION, account);
    const [owner, thief] = [opened(first), opened(first)];
    assert.equal(await status(thief), 200);
    const second = await owner.post(STEP_UP, { password: account.password });
    renewed(owner, second);
    assert.deepEqual([await status(owner), await status(thief)], [200, 401]);
    assertRefused(await thief.post(STEP_UP, { password: account.password }), 401);
    thief.send(tokenOf(second));
    const change = { current: account.password, new: 'another password for a test' };
    renewed(owner, await owner.post('/manage/v1/password', change));
    assert.deepEqual([await status(owner), await status(thief)], [200, 401]);
    managed(await owner.post('/manage/v1/credentials', {}), 201);
  });

  test('a session ends after a quarter of an hour without a request, and after an hour with them', async () => {
    const owner = await person();
    const thief = await login(owner);
    for (let minutes = 0; minutes < 56; minutes += 14) {
      assert.equal(await status(owner.client), 200, `after ${minutes} minutes`);
      till.clock.advance(14 * MINUTE_MS);
    }
    assert.equal(await status(thief), 401);
    assert.equal(managed<{ items: object[] }>(await owner.client.get(SESSIONS)).items.length, 1);
    till.clock.advance(4 * MINUTE_MS - 1);
    assert.equal(await status(owner.client), 200);
    till.clock.advance(1);
    assert.equal(await status(owner.client), 401);
    const last = await login(owner);
    till.clock.advance(15 * MINUTE_MS - 1);
    assert.equal(await status(last), 200);
    till.clock.advance(15 * MINUTE_MS);
    assert.equal(await status(last), 401);
    assertRefused(await last.post(STEP_UP, { password: owner.password }), 401);
  });

  test('a request is noted once a minute, not each time', async () => {
    const owner = await person();
    const start = till.clock.now();
    const noted = async (): Promise<number> => {
      const { items } = managed<{ items: { last_used_at: string }[] }>(await owner.client.get(SESSIONS));
      return Date.parse(String(items[0]?.last_used_at)) - start;
    };
    const seen: number[] = [];
    for (let requests = 0; requests < 7; requests++) {
      seen.push(await noted());
      till.clock.advance(MINUTE_MS / 3);
    }
    // A reply shows what was noted before its request, or by it.
    assert.deepEqual(seen, [0, 0, 0, MINUTE_MS, MINUTE_MS, MINUTE_MS, 2 * MINUTE_MS]);
  });

  test('an account has twenty sessions: another one ends the oldest, logins at once or not', async () => {
    const [owner, other] = [await person(), await person()];
    const sessions = [owner.client];
    for (let logins = 1; logins < 20; logins++) {
      till.clock.advance(1);
      sessions.push(await login(owner));
    }
    assert.deepEqual(new Set(await Promise.all(sessions.map(status))), new Set([200]));
    till.clock.advance(1);
    await Promise.all([login(owner), login(owner), login(owner)]);
    assert.deepEqual(await Promise.all(sessions.slice(0, 5).map(status)), [401, 401, 401, 200, 200]);
    assert.equal(await status(other.client), 200);
    const { items } = managed<{ items: object[] }>(await present(sessions[4], 'a session').get(SESSIONS));
    assert.equal(items.length, 20);
  });
});
