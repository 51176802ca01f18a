import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import type { AccountId, AccountRole } from '../../core/index.ts';
import { assertRefused, assertStepUp, managed, STEP_UP, stepUp, tokenOf } from '../manage/fixture.ts';
import type { List } from '../manage/fixture.ts';
import type { TestStorage } from '../support/storage.ts';
import type { TestTill } from '../support/till.ts';
import { codeAt } from '../support/totp.ts';
import type { HttpClient } from '../support/http.ts';
import { startProductionTill } from './production-till.ts';
import type { ProductionTill } from './production-till.ts';

const ADDRESS = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const UNKNOWN = '1530217733410816001';

/** An account with a confirmed second factor, and a session of it. */
interface Person {
  readonly id: AccountId;
  readonly password: string;
  readonly secret: string;
  readonly token: string;
  readonly client: HttpClient;
}

describe('fault 91: a thief who has nothing but the token of a session, in production mode', () => {
  let production: ProductionTill;
  let store: TestStorage;
  let till: TestTill;
  before(async () => {
    production = await startProductionTill();
    ({ store, till } = production);
  });
  after(() => production.close());

  const code = (secret: string, steps = 0): string => codeAt(secret, till.clock.now() + steps * 30_000);
  const person = async (role: AccountRole): Promise<Person> => {
    const [email, password] = [`${role}-${production.clients}@example.com`, 'a password for a test'];
    const { id } = await till.accounts.createAccount.run({ email, password, role, verifiedCurrencies: ['*'] });
    const login = async (totp?: string): Promise<{ token: string; client: HttpClient }> => {
      const reply = await till.client.post('/manage/v1/session', { email, password, totp });
      const { access_token: token } = managed<{ access_token: string }>(reply);
      return { token, client: production.client({ Authorization: `Bearer ${token}` }) };
    };
    const first = await login();
    const { secret } = managed<{ secret: string }>(await first.client.request('POST', '/manage/v1/security/totp'));
    const { token, client } = await login(code(secret, -1));
    managed(await client.request('PATCH', '/manage/v1/security', { body: { totp_for_payouts: true } }));
    return { id, password, secret, token, client };
  };
  /** What of an account a thief would change: everything but the count of tries. */
  const stateOf = async (account: AccountId): Promise<unknown> => {
    const { accounts, manage, wallets } = store.storage;
    const { totp, totpForWithdrawals } = await manage.security(account);
    return {
      account: await accounts.find(account),
      security: { secret: totp?.sealed, totpForWithdrawals },
      credentials: await manage.credentials(account, { before: null, limit: 100 }),
      addresses: await wallets.withdrawalAddresses(account, null, 100),
    };
  };

  test('of a merchant with a second factor: no way to its money is open', async () => {
    const merchant = await person('user');
    const { credentialId } = await till.accounts.createCredential.run(merchant.id);
    const before = await stateOf(merchant.id);
    const thief = merchant.client;
    const patch = (body: object) => thief.request('PATCH', '/manage/v1/security', { body });
    assertStepUp(await patch({ totp_for_payouts: false, data_security: false }));
    assertStepUp(await patch({ totp_for_payouts: false }));
    assertStepUp(await thief.request('POST', '/manage/v1/security/totp'));
    assertStepUp(
      await thief.post('/manage/v1/password', { current: merchant.password, new: 'a password of the thief' }),
    );
    assertStepUp(await thief.request('POST', `/manage/v1/credentials/${credentialId}/reveal`));
    assertStepUp(await thief.post('/manage/v1/credentials', { name: 'mine' }));
    assertStepUp(await thief.post('/manage/v1/payout-addresses', { chain: 'ETH', address: ADDRESS }));
    // The token is worth nothing to the payment API, and a password or a guessed code does not raise the session.
    for (const path of ['/api/withdraw', '/api/bln/withdraw', `/api/v2/order/refund/${UNKNOWN}`])
      assert.equal((await till.client.post(path, {}, { headers: { 'API-Key': merchant.token } })).status, 401, path);
    assertRefused(await thief.post(STEP_UP, { password: merchant.password }), 400, 'totp');
    for (let tries = 0; tries < 5; tries++) assertRefused(await thief.post(STEP_UP, { totp: '000000' }), 400, 'totp');
    assertRefused(await thief.post(STEP_UP, { totp: code(merchant.secret) }), 400, 'totp');
    assertStepUp(await thief.post('/manage/v1/credentials', {}));
    const listed = JSON.stringify(managed<List>(await thief.get('/manage/v1/credentials')));
    assert.doesNotMatch(listed, /t(ak|at|ss|ck|ct)_[A-Za-z0-9]{43}/);
    assert.deepEqual(await stateOf(merchant.id), before);
  });

  test('of a merchant without a second factor: one that the thief enrols does not help it', async () => {
    const [email, password] = ['bare@example.com', 'a password for a test'];
    await till.accounts.createAccount.run({ email, password });
    const reply = await till.client.post('/manage/v1/session', { email, password });
    const thief = production.client(tokenOf(reply));
    assertStepUp(await thief.post('/manage/v1/credentials', {}));
    const { secret } = managed<{ secret: string }>(await thief.request('POST', '/manage/v1/security/totp'));
    managed(await thief.post('/manage/v1/security/totp/confirm', { verify_code: code(secret, -1) }));
    assertRefused(await thief.post(STEP_UP, { totp: code(secret) }), 401);
    assertRefused(await thief.post('/manage/v1/credentials', {}), 401);
  });

  test("of an admin with a second factor: nothing of another account's is open", async () => {
    const [admin, victim] = [await person('admin'), await person('user')];
    const { credentialId } = await till.accounts.createCredential.run(victim.id);
    const before = await stateOf(victim.id);
    const thief = admin.client;
    const of = `?account=${victim.id}`;
    const asked: readonly (readonly [method: string, path: string, body?: object])[] = [
      ['PATCH', `security${of}`, { totp_for_payouts: false, data_security: false }],
      ['PATCH', `security${of}`, { callback_api_key: 'order' }],
      ['POST', `security/totp${of}`],
      ['POST', `credentials/${credentialId}/reveal`],
      ['POST', `credentials/${credentialId}/revoke`],
      ['POST', `credentials/callback/rotate${of}`],
      ['POST', 'credentials', { account: victim.id }],
      ['POST', 'payout-addresses', { chain: 'ETH', address: ADDRESS, account: victim.id }],
      ['POST', 'accounts', { email: 'second@example.com', password: 'a password for a test', role: 'admin' }],
      ['PATCH', `accounts/${victim.id}`, { role: 'admin' }],
      ['POST', `payouts/${UNKNOWN}/approve`],
      ['POST', `accounts/${victim.id}/unfreeze`],
      ['POST', 'chains/ETH/payouts/resume'],
      ['POST', `deposits/${UNKNOWN}/assign`, { order: UNKNOWN }],
      ['POST', `deposits/${UNKNOWN}/refund`, { address: ADDRESS }],
      ['POST', 'deposits/rescan', { chain: 'ETH', from: 1, to: 1 }],
      ['POST', `payouts/${UNKNOWN}/cancel`, { reason: 'x' }],
    ];
    for (const [method, path, body] of asked)
      assertStepUp(await thief.request(method, `/manage/v1/${path}`, body === undefined ? {} : { body }), path);
    assert.deepEqual(await stateOf(victim.id), before);
    assert.equal((await store.sql("SELECT id FROM accounts WHERE email = 'second@example.com'")).length, 0);
    // Even raised, it sees no secret of the other account.
    await stepUp(thief, { totp: code(admin.secret) });
    assertRefused(await thief.request('POST', `/manage/v1/credentials/${credentialId}/reveal`), 403);
    assertRefused(await thief.request('POST', `/manage/v1/security/totp${of}`), 403);
    assert.deepEqual(await stateOf(victim.id), before);
  });
});
