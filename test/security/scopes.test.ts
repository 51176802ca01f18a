import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { createOperations } from '../../adapters/http/index.ts';
import type { Operation } from '../../adapters/http/index.ts';
import { present, SCOPES } from '../../core/index.ts';
import type { CredentialId, NewCredential, Scope } from '../../core/index.ts';
import { assertRefused, managed, stepUp } from '../manage/fixture.ts';
import { assertError, envelope, signatureHeaders } from '../support/http.ts';
import type { Reply } from '../support/http.ts';
import type { TestStorage } from '../support/storage.ts';
import type { TestTill } from '../support/till.ts';
import { startProductionTill } from './production-till.ts';
import type { ProductionTill } from './production-till.ts';

const UNKNOWN = '1530217733410816001';
const OUTSIDE = 40302;

/** What each operation of a merchant needs; one that is added needs a line. */
const NEEDED: Readonly<Record<string, Scope>> = {
  createPayUrl: 'create',
  createPayInfo: 'create',
  createLightningOrder: 'create',
  listOrders: 'read',
  getOrderDetail: 'read',
  listTransactions: 'read',
  getRefundInfo: 'read',
  refundOrder: 'move',
  listWallets: 'read',
  listSelfCustodyBalances: 'read',
  withdraw: 'move',
  withdrawLightning: 'move',
  getLightningBalance: 'read',
  listCryptoCurrencies: 'read',
  listFiatCurrencies: 'read',
};

describe('fault 111: a key that was made for less, in production mode', () => {
  let production: ProductionTill;
  let store: TestStorage;
  let till: TestTill;
  let operations: readonly Operation[];
  before(async () => {
    production = await startProductionTill({ settings: { auth: { secondFactor: 'nobody' } } });
    ({ store, till } = production);
    operations = createOperations({
      serviceName: 'service',
      sandbox: false,
      pageMax: 100,
      requestsPerMinute: 1,
      payerWritesPerMinute: 10_000,
      loginsPerMinute: 1,
      trustedHops: 0,
      allowPrivateNetworks: false,
    }).filter(({ auth }) => auth.kind === 'merchant');
  });
  after(() => production.close());

  const credential = (scopes: readonly Scope[], expiresAt?: number): Promise<NewCredential> =>
    till.accounts.createCredential.run(till.merchant.account.id, 'narrow', {
      scopes,
      ...(expiresAt === undefined ? {} : { expiresAt }),
    });
  const target = ({ path }: Operation): string => path.replace(/\{[^}]+\}/g, UNKNOWN);
  const ask = (operation: Operation, headers: Record<string, string>): Promise<Reply> =>
    till.client.request(operation.method, target(operation), {
      headers,
      ...(operation.method === 'GET' ? {} : { body: '{}' }),
    });
  const one = (id: string): Operation =>
    present(
      operations.find((operation) => operation.id === id),
      id,
    );

  test('every operation of a merchant names its scope', () => {
    const named = Object.fromEntries(
      operations.map(({ id, auth }) => [id, auth.kind === 'merchant' ? auth.scope : '']),
    );
    assert.deepEqual(named, NEEDED);
  });

  for (const scope of SCOPES) {
    test(`a credential with the scope "${scope}" opens what needs it, by key and by signature, and nothing else`, async () => {
      const keys = await credential([scope]);
      const pair = { apiToken: keys.apiToken, signingSecret: keys.signingSecret };
      for (const operation of operations) {
        const body = operation.method === 'GET' ? '' : '{}';
        const signed = signatureHeaders(pair, operation.method, target(operation), body, { at: till.clock.now() });
        for (const headers of [{ 'API-Key': keys.apiKey }, signed]) {
          const reply = await ask(operation, headers);
          const { code } = envelope(reply);
          assert.equal(code === OUTSIDE, NEEDED[operation.id] !== scope, `${operation.id}: ${reply.text}`);
          if (code === OUTSIDE) assertError(reply, OUTSIDE);
        }
      }
    });
  }

  test('of two credentials in one request the lesser decides', async () => {
    const [wide, narrow] = [await credential(SCOPES), await credential(['read'])];
    const pair = { apiToken: wide.apiToken, signingSecret: wide.signingSecret };
    const path = target(one('refundOrder'));
    const signed = signatureHeaders(pair, 'POST', path, '{}', { at: till.clock.now() });
    assertError(await ask(one('refundOrder'), { ...signed, 'API-Key': narrow.apiKey }), OUTSIDE);
    // The refused request has not used the signature up.
    assertError(await ask(one('refundOrder'), signed), 40400);
    const keys = { 'API-Key': wide.apiKey, 'X-Token': narrow.apiKey };
    assertError(await ask(one('withdrawLightning'), keys), OUTSIDE);
    assertError(await ask(one('withdrawLightning'), { 'API-Key': narrow.apiKey, 'X-Token': wide.apiKey }), OUTSIDE);
  });

  test('a credential ends at its time: key and signature are those of nobody then', async () => {
    const keys = await credential(SCOPES, till.clock.now() + 1000);
    const list = one('listOrders');
    const pair = { apiToken: keys.apiToken, signingSecret: keys.signingSecret };
    const signed = (): Record<string, string> =>
      signatureHeaders(pair, 'GET', target(list), '', { at: till.clock.now() });
    for (const headers of [{ 'API-Key': keys.apiKey }, signed()])
      assert.equal(envelope(await ask(list, headers)).code, 0);
    till.clock.advance(1000);
    assertError(await ask(list, { 'API-Key': keys.apiKey }), 40101);
    assertError(await ask(list, signed()), 40102);
  });

  test('the management API makes and shows them; what is not a scope or a time to come is refused', async () => {
    const { email, password } = till.merchant;
    const { access_token: token } = managed<{ access_token: string }>(
      await till.client.post('/manage/v1/session', { email, password }),
    );
    const client = till.client.with({ Authorization: `Bearer ${token}` });
    await stepUp(client, { password });
    const make = (body: object): Promise<Reply> => client.post('/manage/v1/credentials', body);
    const expiresAt = new Date(till.clock.now() + 60_000).toISOString();
    const made = managed<{ id: CredentialId; api_key: string; scopes: string[]; expires_at: string }>(
      await make({ scopes: ['create', 'read', 'read'], expires_at: expiresAt }),
      201,
    );
    assert.deepEqual([made.scopes, made.expires_at], [['read', 'create'], expiresAt]);
    assertError(await ask(one('withdraw'), { 'API-Key': made.api_key }), OUTSIDE);
    const all = managed<{ scopes: string[]; expires_at: null }>(await make({}), 201);
    assert.deepEqual([all.scopes, all.expires_at], [[...SCOPES], null]);
    assertRefused(await make({ scopes: [] }), 400, 'scopes');
    assertRefused(await make({ scopes: ['admin'] }), 400, 'scopes.0');
    for (const time of [new Date(till.clock.now()).toISOString(), '2027-02-30T00:00:00Z', '2027-01-01', 5])
      assertRefused(await make({ expires_at: time }), 400, 'expires_at');
    const [row] = (await store.storage.audit.list(till.merchant.account.id, { before: null, limit: 100 })).filter(
      ({ subjectId }) => subjectId === made.id,
    );
    assert.deepEqual(row?.changes['scopes'], { from: null, to: ['read', 'create'] });
    client.close();
  });
});
