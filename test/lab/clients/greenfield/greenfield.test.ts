import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { checkLedger } from '../../../../core/index.ts';
import { startStoryTill } from '../../../http/greenfield/till-world.ts';
import type { StoryTill } from '../../../http/greenfield/till-world.ts';
import { openTestStorage } from '../../../support/storage.ts';
import type { TestStorage } from '../../../support/storage.ts';
import { chosenClients, SHOP_CALLS, SHOP_CLIENTS } from '../clients.ts';
import type { ShopCall } from '../clients.ts';
import { runClient } from '../run-client.ts';

describe('packages for the Greenfield API do what a shop does with a till', { concurrency: 1 }, () => {
  let store: TestStorage;
  let till: StoryTill;
  before(async () => {
    store = await openTestStorage('sqlite');
    till = await startStoryTill(store);
  });
  after(async () => {
    assert.deepEqual(await checkLedger(store.storage), []);
    await till.close();
    await store.close();
  });

  for (const client of chosenClients(SHOP_CLIENTS))
    for (const [name, without] of Object.entries(client.packages))
      test(`${name}: the server, an invoice, webhooks and a pull payment`, async () => {
        const { baseUrl, apiKey, storeId, shop } = await till.newWorld();
        const environment = {
          ...{ GREENFIELD_URL: baseUrl, GREENFIELD_KEY: apiKey, GREENFIELD_STORE: storeId, GREENFIELD_WAY: name },
          GREENFIELD_HOOK: `${shop.url}/hook`,
        };
        const { said, failure } = await runClient(client, { environment: async () => environment });
        assert.equal(failure, null, `${failure}`);
        assert(said.has('version'));
        const expected = SHOP_CALLS.filter((call) => without[call] === undefined);
        assert.deepEqual(
          SHOP_CALLS.filter((call) => said.has(call)),
          expected,
        );
        for (const call of expected) assert.match(said.get(call) ?? '', SAID[call], call);

        const [id] = (said.get('made') ?? '').split(' ');
        const reply = await fetch(`${baseUrl}/api/v1/stores/${storeId}/invoices/${id}`, {
          headers: { Authorization: `token ${apiKey}` },
        });
        const invoice = (await reply.json()) as Record<string, unknown>;
        assert.deepEqual([invoice['id'], invoice['storeId'], invoice['currency']], [id, storeId, 'EUR']);
        assert.equal(invoice['status'], expected.includes('marked') ? 'Invalid' : 'New');
      });
});

/** What a program prints of each call. */
const SAID: Readonly<Record<ShopCall, RegExp>> = {
  server: /^[2-9]\.\d+\.\d+ true$/,
  made: /^\S+ New https?:\/\/\S+$/,
  got: /^\S+ 12\.50? EUR \{.*"orderId": ?"[\w-]+-1".*\}$/,
  listed: /^1$/,
  coins: /^true$/,
  marked: /^Invalid Marked$/,
  hook: /^\S+ true$/,
  hooks: /^1$/,
  removed: /^0$/,
  pull: /^\S+ 4(\.00)? EUR https?:\/\/\S+$/,
  pulls: /^1$/,
  refused: /^401$/,
};
