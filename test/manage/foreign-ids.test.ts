import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eachStorage } from '../support/each-storage.ts';
import type { TestStorage } from '../support/storage.ts';
import { managed, startFixture } from './fixture.ts';
import type { Fixture, Member } from './fixture.ts';

interface Described {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
}
interface Asked {
  readonly method: string;
  /** With `{}` where an id goes. */
  readonly target: string;
  readonly body: unknown;
}

const PREFIX = '/manage/v1/';
const UNKNOWN = '1530217733410816001';
/** Parameters of a query that name somebody's record. */
const OF_SOMEBODY: readonly string[] = ['user_id', 'account_id', 'webhook_id', 'order_id', 'app_id'];

/** Every id in a reply. */
function idsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return /^\d{16,20}$/.test(value) ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(idsIn) : [];
}

/** Each operation that takes an id, once for each place of it. */
function placesOf(document: {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}): Asked[] {
  return Object.entries(document.paths)
    .filter(([path]) => path.startsWith(PREFIX))
    .flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { parameters = [], requestBody }]) => {
        const body = requestBody === undefined ? undefined : (requestBody.content['application/json']?.example ?? {});
        const inPath = path.includes('_id}') || path.includes('{id}') ? [path.replaceAll(/\{\w+\}/g, '{}')] : [];
        const filled = path.replaceAll(/\{\w+\}/g, UNKNOWN);
        const inQuery = parameters
          .filter(({ name, in: place }) => place === 'query' && OF_SOMEBODY.includes(name))
          .map(({ name }) => `${filled}?${name}={}`);
        return [...inPath, ...inQuery].map((target) => ({ method: method.toUpperCase(), target, body }));
      }),
    );
}

eachStorage((_name, open) => {
  describe('fault 12: every operation of the management API that takes an id', () => {
    let store: TestStorage;
    let fixture: Fixture;
    let first: Member;
    before(async () => {
      store = await open();
      fixture = await startFixture(store);
      first = await fixture.newMember();
    });
    after(async () => {
      await fixture.close();
      await store.close();
    });

    test('answers another account as if nobody had the id, whichever of the first’s records it is of', async () => {
      const post = (path: string, body: object) => first.client.post(`${PREFIX}${path}`, body);
      const price = { chain: 'ETH', currency: 'ETH', vs_currency: 'USD', vs_price: '25' };
      const made = [
        managed(await post('orders', price), 201),
        managed(await post('apps', { name: 'Theirs', chains: [] }), 201),
        managed(await post('credentials', { name: 'Shop' }), 201),
        managed(await post('webhooks', { url: 'https://shop.example/hook', events: ['order.*'] }), 201),
        managed(await post('links', { title: 'Theirs', vs_currency: 'USD' }), 201),
        managed(await first.client.get(`${PREFIX}sessions`)),
      ];
      const ids = [...new Set([first.id, ...idsIn(made)])];
      assert.ok(ids.length >= 7, 'account, order, App, key, credential, webhook endpoint, link, session');

      const document = JSON.parse((await fixture.client.get('/openapi.json')).text) as Parameters<typeof placesOf>[0];
      const places = placesOf(document);
      assert.ok(places.length >= 60, `only ${places.length} operations take an id`);

      const before = await store.sql('SELECT id, status FROM orders');
      const second = await fixture.newMember();
      const ask = async ({ method, target, body }: Asked, id: string): Promise<readonly [number, string]> => {
        const reply = await second.client.request(method, target.replaceAll('{}', id), {
          headers: { 'If-Match': '1' },
          ...(body === undefined ? {} : { body: body as object }),
        });
        return [reply.status, reply.text];
      };
      for (const place of places) {
        const unknown = await ask(place, UNKNOWN);
        assert.ok([403, 404].includes(unknown[0]), `${place.method} ${place.target} ${unknown[0]} ${unknown[1]}`);
        for (const id of ids) assert.deepEqual(await ask(place, id), unknown, `${place.method} ${place.target}, ${id}`);
      }
      assert.deepEqual(await store.sql('SELECT id, status FROM orders'), before);
    });
  });
});
