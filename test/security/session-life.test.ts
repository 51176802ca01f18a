import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { assertStepUp, managed, STEP_UP } from '../manage/fixture.ts';
import type { HttpClient } from '../support/http.ts';
import { openTestStorage } from '../support/storage.ts';
import type { TestStorage } from '../support/storage.ts';
import { startTestTill } from '../support/till.ts';
import type { TestTill } from '../support/till.ts';

const SESSION = '/manage/v1/session';
const SESSIONS = '/manage/v1/sessions';

/** An account without a second factor, and a session of it that is not raised. */
interface Person {
  readonly email: string;
  readonly password: string;
  readonly client: HttpClient;
}

describe('fault 123: sessions that last longer than their owner wants, in production mode', () => {
  let store: TestStorage;
  let till: TestTill;
  let clients: HttpClient[];
  before(async () => {
    store = await openTestStorage('sqlite');
    till = await startTestTill(store, {
      settings: {
        mode: 'production',
        baseUrl: 'https://pay.example.com',
        plugins: [],
        rates: { sources: [{ use: 'static', prices: { ETH: '2500', USD: '1' } }] },
        limits: { loginsPerMinute: 1000 },
      },
    });
    clients = [];
  });
  after(async () => {
    for (const client of clients) client.close();
    await till.close();
    await store.close();
  });

  const bearer = (token: string): HttpClient => {
    const client = till.client.with({ Authorization: `Bearer ${token}` });
    clients.push(client);
    return client;
  };
  const login = async ({ email, password }: Pick<Person, 'email' | 'password'>): Promise<HttpClient> => {
    const reply = await till.client.post(SESSION, { email, password });
    return bearer(managed<{ access_token: string }>(reply).access_token);
  };
  const person = async (): Promise<Person> => {
    const account = { email: `person-${clients.length}@example.com`, password: 'a password for a test' };
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
    managed(await owner.client.post(STEP_UP, { password: owner.password }));
    assert.deepEqual(managed(await owner.client.request('DELETE', SESSIONS)), { ended: 1 });
    assert.deepEqual([await status(owner.client), await status(thief)], [200, 401]);
  });

  test("ending one's own session wants none", async () => {
    const owner = await person();
    managed(await owner.client.request('DELETE', SESSION));
    assert.equal(await status(owner.client), 401);
  });
});
