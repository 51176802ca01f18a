import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { ACTIONS, actionRow, OPERATOR } from '../../core/index.ts';
import type { AccountId, ManageAction } from '../../core/index.ts';
import { manageOperations } from '../../adapters/http/index.ts';
import { assertRefused, managed, renewed, stepUp, STEP_UP, tokenOf } from '../manage/fixture.ts';
import { assertError, dataOf } from '../support/http.ts';
import type { HttpClient } from '../support/http.ts';
import type { Reply } from '../support/openapi.ts';
import type { TestStorage } from '../support/storage.ts';
import type { TestTill } from '../support/till.ts';
import { codeAt } from '../support/totp.ts';
import { startProductionTill } from './production-till.ts';
import type { ProductionTill } from './production-till.ts';

const SESSION = '/manage/v1/session';
const PASSWORD = '/manage/v1/password';
const CREDENTIALS = '/manage/v1/credentials';
const THREE_DAYS_MS = 3 * 86_400_000;
const OWN = 'a password of my own';
const UNKNOWN = '1530217733410816001';

/** What must be asked for. */
const QUERIES: Readonly<Record<string, string>> = {
  listDeposits: '?status=unassigned',
  listRates: '?currency=EUR',
  quoteRefund: `?order=${UNKNOWN}`,
  quoteWithdrawal: '?chain=ETH&coin=ETH&amount=1',
  search: '?q=order-1',
};

/** An account whose password an admin set. */
interface Person {
  readonly id: AccountId;
  readonly email: string;
  readonly password: string;
}

describe('fault 124: a password that somebody else set, in production mode', () => {
  let production: ProductionTill;
  let store: TestStorage;
  let till: TestTill;
  let admin: HttpClient;
  /** The admin's second factor, and when its session was raised last. */
  let raised: { readonly secret: string; readonly at: number };
  let people = 0;
  before(async () => {
    const auth = { tokenTtlSeconds: 1_000_000, sessionIdleSeconds: 1_000_000 };
    production = await startProductionTill({ settings: { auth } });
    ({ store, till } = production);
    const account = { email: 'admin@example.com', password: 'a password for a test' };
    await till.accounts.createAccount.run({ ...account, role: 'admin' });
    admin = opened(await login(account));
    await stepUp(admin, { password: account.password });
    const { secret } = managed<{ secret: string }>(await admin.request('POST', '/manage/v1/security/totp'));
    managed(await admin.post('/manage/v1/security/totp/confirm', { verify_code: codeAt(secret, till.clock.now()) }));
    raised = { secret, at: till.clock.now() };
  });
  after(() => production.close());

  const login = ({ email, password }: Pick<Person, 'email' | 'password'>): Promise<Reply> =>
    till.client.post(SESSION, { email, password });
  const opened = (reply: Reply): HttpClient => production.client(tokenOf(reply));
  /** Raises the admin's session again where a test has let it run out; a code is good once. */
  const raise = async (): Promise<void> => {
    const { secret, at } = raised;
    const now = till.clock.now();
    if (now === at) return;
    await stepUp(admin, { totp: codeAt(secret, now) });
    raised = { secret, at: now };
  };
  const made = async (more: object = {}): Promise<Person> => {
    people += 1;
    await raise();
    const account = { email: `person-${people}@example.com`, password: 'chosen by an admin' };
    const { id } = managed<{ id: AccountId }>(await admin.post('/manage/v1/accounts', { ...account, ...more }), 201);
    return { id, ...account };
  };
  const change = (client: HttpClient, { password }: Person, next: string): Promise<Reply> =>
    client.post(PASSWORD, { current: password, new: next });
  const owned = async (person: Person, next = OWN): Promise<HttpClient> => {
    const client = opened(await login(person));
    await stepUp(client, { password: person.password });
    renewed(client, await change(client, person, next));
    return client;
  };
  const assertFirst = (reply: Reply, what: string): void =>
    assert.equal(assertRefused(reply, 403).reason, 'password_change_required', what);

  test('opens what changes it, and nothing else', async () => {
    const open = Object.keys(ACTIONS).filter((id) => actionRow(id as ManageAction).beforePassword === true);
    assert.deepEqual(open.toSorted(), [
      'changePassword',
      'createSession',
      'endSession',
      'getSession',
      'passkeyForLogin',
      'passkeyForStepUp',
      'stepUp',
    ]);
    const person = await made();
    const reply = await login(person);
    assert.equal(managed(reply)['password_change_required'], true);
    const client = opened(reply);
    await stepUp(client, { password: person.password });
    const settings = { secureCookies: true, allowPrivateNetworks: false };
    const rows = manageOperations({ settings, manage: till.till.manage, assets: till.till.assets });
    let asked = 0;
    for (const { id, method, path } of rows) {
      if (!['GET', 'DELETE'].includes(method) || open.includes(id)) continue;
      const target =
        path
          .replace('{code}', 'ETH')
          .replace('{field}', 'data_security')
          .replaceAll(/\{\w+\}/g, UNKNOWN) + (QUERIES[id] ?? '');
      assertFirst(await client.request(method, target), id);
      asked += 1;
    }
    assert(asked > 20, String(asked));
    assertFirst(await client.post(CREDENTIALS, {}), 'a credential');
    assertFirst(await client.request('POST', '/manage/v1/security/totp'), 'a second factor');
    assertFirst(await client.request('PATCH', `/manage/v1/accounts/${person.id}`, { body: { name: 'x' } }), 'its name');
    assert.equal(managed(await client.get(SESSION))['password_change_required'], true);
    managed(await client.request('DELETE', SESSION));
  });

  test('is changed with a fresh factor, to another one, which lasts', async () => {
    const person = await made();
    const client = opened(await login(person));
    assert.equal(assertRefused(await change(client, person, OWN), 403).reason, 'step_up_required');
    await stepUp(client, { password: person.password });
    assertRefused(await change(client, person, person.password), 400, 'new');
    renewed(client, await change(client, person, OWN));
    assert.equal(managed(await client.get(SESSION))['password_change_required'], false);
    managed(await client.post(CREDENTIALS, {}), 201);
    assertRefused(await login(person), 401);
    till.clock.advance(2 * THREE_DAYS_MS);
    managed(await login({ ...person, password: OWN }));
  });

  test('expires after three days, and is then refused as a wrong one', async () => {
    const person = await made();
    till.clock.advance(THREE_DAYS_MS - 1);
    const late = opened(await login(person));
    till.clock.advance(1);
    const refused = await login(person);
    assertRefused(refused, 401);
    assert.equal(refused.text, (await login({ ...person, password: 'a wrong password' })).text);
    const { email, password } = person;
    assertRefused(await till.client.post(`${SESSION}/passkey`, { email, password }), 401);
    assertError(await till.client.post('/api/plugin/key/service', { username: email, password }), 40105);
    assertRefused(await late.post(STEP_UP, { password }), 400, 'password');
    await till.till.manage.passwords.reset(OPERATOR, person.id, 'another by the operator');
    await owned({ ...person, password: 'another by the operator' });
  });

  test('gives no access token of the payment API; API keys go on', async () => {
    const person = await made();
    const client = await owned(person);
    const { api_key: key } = managed<{ api_key: string }>(await client.post(CREDENTIALS, {}), 201);
    const token = (password: string): Promise<Reply> =>
      till.client.post('/api/plugin/key/service', { username: person.email, password });
    dataOf(await token(OWN));
    await till.till.manage.passwords.reset(OPERATOR, person.id, 'set by the operator');
    assertError(await token('set by the operator'), 40302);
    assertRefused(await login({ ...person, password: OWN }), 401);
    assert.equal((await till.client.get('/api/v2/order/', { headers: { 'API-Key': key } })).status, 200);
    const again = opened(await login({ ...person, password: 'set by the operator' }));
    assertFirst(await again.get(CREDENTIALS), 'after a reset');
  });

  test('an admin without a second factor changes it, and enrols one then', async () => {
    const person = await made();
    await store.storage.accounts.update(person.id, { role: 'admin', modifiedAt: till.clock.now() });
    const client = opened(await login(person));
    assertFirst(await client.request('POST', '/manage/v1/security/totp'), 'a second factor');
    await stepUp(client, { password: person.password });
    renewed(client, await change(client, person, OWN));
    assert.equal(assertRefused(await client.get(CREDENTIALS), 403).reason, 'second_factor_required');
    managed(await client.request('POST', '/manage/v1/security/totp'));
  });

  test('an account of the operator has its own from the start', async () => {
    const fields = { email: 'operator@example.com', password: 'a password for a test' };
    await till.till.manage.accounts.create(OPERATOR, fields);
    assert.equal(managed(await login(fields))['password_change_required'], false);
    const other = { email: 'other@example.com', password: 'a password for a test' };
    await till.till.manage.accounts.create(OPERATOR, { ...other, temporaryPassword: true });
    assert.equal(managed(await login(other))['password_change_required'], true);
  });
});
