import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { AccountId } from '../../core/index.ts';
import { storedClaim } from '../contract/storage/claim-fixtures.ts';
import { eachStorage } from '../support/each-storage.ts';
import type { TestStorage } from '../support/storage.ts';
import { managed, startFixture } from './fixture.ts';
import type { Fixture, Member } from './fixture.ts';

interface Described {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly schema: { readonly properties?: object }; readonly example?: object }>
    >;
  };
}
interface Asked {
  readonly method: string;
  /** With `{}` where an id goes. */
  readonly target: string;
  readonly body: object | undefined;
  /** The field of the body where an id goes. */
  readonly field: string | null;
}

const PREFIX = '/manage/v1/';
const UNKNOWN = '1530217733410816001';
/** Parameters of a query and fields of a body that name somebody's record. */
const OF_SOMEBODY: readonly string[] = ['account', 'order', 'link', 'webhook', 'pull_payment'];

/** Bodies of operations whose example takes no further field. */
const BODIES: Readonly<Record<string, object>> = { 'deposits/rescan': { chain: 'ETH' } };

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
        const media = requestBody?.content['application/json'];
        const body =
          requestBody === undefined ? undefined : (BODIES[path.slice(PREFIX.length)] ?? media?.example ?? {});
        const inPath = path.includes('{id}') ? [path.replaceAll(/\{\w+\}/g, '{}')] : [];
        const filled = path.replaceAll(/\{\w+\}/g, UNKNOWN);
        const inQuery = parameters
          .filter(({ name, in: place }) => place === 'query' && OF_SOMEBODY.includes(name))
          .map(({ name }) => `${filled}?${name}={}`);
        const inBody = Object.keys(media?.schema.properties ?? {}).filter((name) => OF_SOMEBODY.includes(name));
        return [
          ...[...inPath, ...inQuery].map((target) => ({ target, field: null })),
          ...inBody.map((field) => ({ target: filled, field })),
        ].map((place) => ({ ...place, method: method.toUpperCase(), body }));
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
      const price = { chain: 'ETH', coin: 'ETH', currency: 'USD', price: '25' };
      const made = [
        managed(await post('orders', price), 201),
        managed(await post('apps', { name: 'Theirs', chains: [] }), 201),
        managed(await post('credentials', { name: 'Shop' }), 201),
        managed(await post('webhooks', { url: 'https://shop.example/hook', events: ['order.*'] }), 201),
        managed(await post('links', { title: 'Theirs', currency: 'USD' }), 201),
        managed(await post('pull-payments', { name: 'Theirs', currency: 'USD', amount: '5' }), 201),
        (await storedClaim(store.storage, first.id as AccountId)).id,
        managed(await first.client.get(`${PREFIX}sessions`)),
      ];
      const ids = [...new Set([first.id, ...idsIn(made)])];
      assert.ok(ids.length >= 7, 'account, order, App, key, credential, webhook endpoint, link, session');

      const document = JSON.parse((await fixture.client.get('/openapi.json')).text) as Parameters<typeof placesOf>[0];
      const places = placesOf(document);
      assert.ok(places.length >= 60, `only ${places.length} operations take an id`);

      const before = await store.sql('SELECT id, status FROM orders');
      const second = await fixture.newMember();
      const ask = async ({ method, target, body, field }: Asked, id: string): Promise<readonly [number, string]> => {
        const reply = await second.client.request(method, target.replaceAll('{}', id), {
          headers: { 'If-Match': '1' },
          ...(body === undefined ? {} : { body: field === null ? body : { ...body, [field]: id } }),
        });
        return [reply.status, reply.text];
      };
      for (const place of places) {
        const unknown = await ask(place, UNKNOWN);
        const name = `${place.method} ${place.target} ${place.field ?? ''}`;
        // A link only filters one's own orders, and a pull payment one's own claims.
        const statuses = /\?(?:link|pull_payment)=\{\}$/.test(place.target) ? [200] : [403, 404];
        assert.ok(statuses.includes(unknown[0]), `${name} ${unknown[0]} ${unknown[1]}`);
        for (const id of ids) assert.deepEqual(await ask(place, id), unknown, `${name}, ${id}`);
      }
      assert.deepEqual(await store.sql('SELECT id, status FROM orders'), before);
    });
  });
});
