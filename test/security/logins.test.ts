import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { ScryptHasher } from '../../adapters/crypto/index.ts';
import { managed } from '../manage/fixture.ts';
import { dataOf } from '../support/http.ts';
import type { Reply } from '../support/http.ts';
import { eachStorage } from '../support/each-storage.ts';
import type { TestStorage } from '../support/storage.ts';
import type { TestTill } from '../support/till.ts';
import { startProductionTill } from './production-till.ts';
import type { ProductionTill } from './production-till.ts';

const PASSWORD = 'a password for a test';
const HOME = '192.0.2.9';

eachStorage((engine, open) => {
  describe(`fault 112: strangers keep nobody from logging in, in production mode on ${engine}`, () => {
    let production: ProductionTill;
    let store: TestStorage;
    let till: TestTill;
    before(async () => {
      production = await startProductionTill({
        store: await open(),
        hasher: new ScryptHasher({ cost: { N: 2 ** 13, r: 8, p: 1 } }),
        settings: { listen: { trustedHops: 1 }, limits: { loginsPerMinute: 20 } },
      });
      ({ store, till } = production);
    });
    after(() => production.close());

    let people = 0;
    const person = async (): Promise<string> => {
      const email = `person-${(people += 1)}@example.com`;
      await till.accounts.createAccount.run({ email, password: PASSWORD, role: 'user' });
      return email;
    };
    const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
    const dashboard = (address: string, email: string, password = PASSWORD): Promise<Reply> =>
      till.client.post('/manage/v1/session', { email, password }, from(address));
    const exchange = (address: string, username: string, password = PASSWORD): Promise<Reply> =>
      till.client.post('/api/plugin/key/service', { username, password }, from(address));

    for (const [name, login, accept] of [
      ['the management API', dashboard, (reply: Reply) => managed(reply)],
      ['login of the payment API', exchange, (reply: Reply) => dataOf(reply)],
    ] as const) {
      test(`wrong passwords for a victim refuse its right one from no other network, at ${name}`, async () => {
        const victim = await person();
        const statuses = [];
        for (let tries = 0; tries < 22; tries++)
          statuses.push((await login(`198.51.100.${tries}`, victim, 'wrong')).status);
        assert.deepEqual(statuses, [...Array<number>(20).fill(401), 429, 429]);
        // Written as IPv6, an attacker has a /64 of addresses.
        for (let tries = 0; tries < 22; tries++)
          statuses.push((await login(`2001:db8::${tries}`, `${tries}@x.example`, 'wrong')).status);
        assert.deepEqual(statuses.slice(42), [429, 429]);
        accept(await login(HOME, victim));
        // Logins that succeed are not counted.
        for (let count = 0; count < 25; count++) accept(await login(HOME, victim));
      });
    }

    for (const [name, login, accept] of [
      ['the management API', dashboard, (reply: Reply) => managed(reply)],
      ['login of the payment API', exchange, (reply: Reply) => dataOf(reply)],
    ] as const) {
      test(`a hundred addresses that fill the queue of hashes leave a known network its own, at ${name}`, async () => {
        const [known, other] = [await person(), await person()];
        accept(await login(HOME, known));
        const flood = Array.from({ length: 110 }, (_, at) => dashboard(`10.${at}.0.1`, `nobody-${at}@x.example`, 'x'));
        const [owner, stranger] = await Promise.all([login(HOME, known), login(HOME, other), ...flood]);
        const refused = (await Promise.all(flood)).filter(({ status }) => status === 429);
        assert.ok(refused.length > 0, 'the lane of strangers was full');
        accept(owner);
        assert.ok([200, 429].includes(stranger.status));
      });
    }

    test('networks of logins are few for each account, and forgotten after a month', async () => {
      const { accounts } = store.storage;
      const email = await person();
      const account = await accounts.findByEmail(email);
      assert(account !== null);
      for (let network = 0; network < 20; network++) {
        managed(await dashboard(`10.1.${network}.1`, email));
        till.clock.advance(1);
      }
      const rows = await store.sql('SELECT network FROM login_networks WHERE account_id = ?', [account.id]);
      assert.equal(rows.length, 16);
      assert.equal(await accounts.networkSeen(account.id, '10.1.0.0/24'), null);
      assert.notEqual(await accounts.networkSeen(account.id, '10.1.19.0/24'), null);
    });
  });
});
