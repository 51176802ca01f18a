import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SqlStorage } from '../../adapters/storage/knex/index.ts';
import { pgDialect } from '../../adapters/storage/knex/dialects/pg-dialect.ts';
import { sqliteDialect } from '../../adapters/storage/knex/dialects/sqlite-dialect.ts';
import { MIGRATIONS } from '../../adapters/storage/knex/migrations/migrate.ts';
import { checksum } from '../../adapters/storage/knex/migrations/rules.ts';
import { tablesOf } from '../../adapters/storage/knex/tables.ts';
import { checkLedger, HOUR_MS, OPERATOR, present } from '../../core/index.ts';
import type { Actor, AppId, CallbackRequest, Storage, TransferId } from '../../core/index.ts';
import { testedEngines } from '../support/each-storage.ts';
import { FakeClock, FakeTransport } from '../support/fakes.ts';
import { dataOf } from '../support/http.ts';
import type { HttpClient } from '../support/http.ts';
import { startTestTill } from '../support/till.ts';
import type { TestTill } from '../support/till.ts';
import { FIXTURES, loadFixture } from './fixture.ts';
import { AWAY, MASTER_KEY, payOut } from './story.ts';
import type { Facts } from './story.ts';

const MINUTE_MS = 60_000;

for (const engine of testedEngines()) {
  describe(`on ${engine}`, () => {
    for (const name of FIXTURES) {
      test(`fault 269: a database of ${name} is migrated with its business under way, which then comes to its end`, async (t) => {
        const { facts, open, applied } = await loadFixture(t, name, engine);
        const storage = await open();
        await storage.migrate();
        const names = await applied();
        for (const migration of MIGRATIONS) assert.ok(names.has(migration.name), migration.name);
        assert.deepEqual(await checkLedger(storage), []);
        await comesToItsEnd(storage, facts);
        assert.deepEqual(await checkLedger(storage), []);
      });

      test(`fault 270: the migrations that ${name} has applied are word for word those of today`, async (t) => {
        const { applied } = await loadFixture(t, name, engine);
        const kept = await applied();
        const dialect = engine === 'pg' ? pgDialect : sqliteDialect;
        const released = MIGRATIONS.filter((migration) => kept.has(migration.name));
        assert.equal(released.length, [...kept.keys()].filter((each) => each !== 'rules').length, 'none is gone');
        for (const migration of released) {
          const now = checksum(migration.statements(tablesOf(''), dialect));
          assert.equal(now, kept.get(migration.name), `${migration.name} was edited after databases had applied it`);
        }
      });
    }
  });
}

/** Goes on with the business of a kept database, as this release does. */
async function comesToItsEnd(storage: SqlStorage, facts: Facts): Promise<void> {
  const transport = new FakeTransport();
  const clock = new FakeClock(facts.at + MINUTE_MS);
  const options = { clock, masterKey: MASTER_KEY, replace: { callbackTransport: transport }, merchants: 'new' };
  const till = await startTestTill({ storage }, options);
  const merchant = till.client.with({ 'API-Key': facts.apiKey });
  try {
    await ordersGoOn(till, merchant, facts, transport);
    await payoutsGoOn(till, merchant, facts);
    await keysServe(till, facts);
  } finally {
    merchant.close();
    await till.close();
  }
}

const statusOf = async (merchant: HttpClient, id: string): Promise<unknown> =>
  dataOf<{ status: string }>(await merchant.get(`/api/v2/order/detail/${id}`)).status;

async function ordersGoOn(till: TestTill, merchant: HttpClient, facts: Facts, transport: FakeTransport): Promise<void> {
  const { open, partPaid, paid, unheard, refunded } = facts;
  const statuses = (...ids: readonly string[]) => Promise.all(ids.map((id) => statusOf(merchant, id)));
  /** Callbacks to an order's own URL. */
  const sentFor = (id: string): readonly CallbackRequest[] =>
    transport.sent.filter(({ url, body }) => !url.endsWith('/events') && (body ?? '').includes(id));
  assert.deepEqual(await statuses(open, partPaid), ['PENDING', 'PENDING']);
  assert.deepEqual(await statuses(paid, unheard, refunded), ['SUCCESS', 'SUCCESS', 'SUCCESS']);
  for (const order_id of [open, partPaid]) dataOf(await till.client.post('/sandbox/v1/pay', { order_id }));
  await till.work();
  assert.deepEqual(await statuses(open, partPaid), ['SUCCESS', 'SUCCESS']);
  for (const id of [open, partPaid]) assert.equal(sentFor(id).length, 1, 'its callback is sent once');
  till.clock.advance(HOUR_MS);
  await till.work();
  const waited = sentFor(unheard).map(({ url }) => url);
  assert.deepEqual(waited, [AWAY], 'the callback that waited is sent, once');
  assert.deepEqual(sentFor(paid), [], 'what was delivered is not sent again');
}

async function payoutsGoOn(till: TestTill, merchant: HttpClient, facts: Facts): Promise<void> {
  const { storage } = till.till;
  for (let rounds = 0; rounds < 4; rounds++) {
    await payOut(till.till, 'ETH');
    dataOf(await till.client.post('/sandbox/v1/blocks', { chain: 'ETH', count: 12 }));
    await till.work();
  }
  for (const id of [facts.withdrawal, facts.requested])
    assert.equal((await storage.transfers.find(id as TransferId))?.status, 'CONFIRMED');
  assert.equal(await statusOf(merchant, facts.refunded), 'REFUNDED');
  assert.equal(await payoutsOn(storage, 'ETH'), 3, 'each payment is on the chain once');
}

/** How many payments of the till a simulated chain holds. */
async function payoutsOn({ documents }: Pick<Storage, 'documents'>, chain: string): Promise<number> {
  const { value } = present(await documents.read(`plugin:sandbox:chain:${chain}`), 'the chain');
  const { runs } = JSON.parse(value) as { runs: { transfers: { txid: string; payout?: unknown }[] }[] };
  const paid = runs.flatMap(({ transfers }) => transfers).filter(({ payout }) => payout !== undefined);
  return new Set(paid.map(({ txid }) => txid)).size;
}

async function keysServe({ till: { keyCache, manage } }: TestTill, { app }: Facts): Promise<void> {
  await keyCache.start();
  assert.equal(keyCache.find(app.key)?.app.id, app.id);
  const [key, ...others] = await manage.apps.keys(OPERATOR, app.id as AppId);
  const { accountId } = await manage.apps.find(OPERATOR, app.id as AppId);
  const owner: Actor = { ...OPERATOR, accountId, role: 'user' };
  const shown = await manage.apps.revealKey(owner, app.id as AppId, present(key, 'the key').key.id);
  assert.deepEqual([shown.text, others], [app.key, []], 'its text can still be read');
}
