import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { manageOperations } from '../../adapters/http/index.ts';
import type { ManageDeps, Operation } from '../../adapters/http/index.ts';
import { eachStorage } from '../support/each-storage.ts';
import type { TestStorage } from '../support/storage.ts';
import { assertRefused, managed, startFixture } from './fixture.ts';
import type { Fixture } from './fixture.ts';
import { UNKNOWN } from './walk.ts';

const REFUSED = 'is not a field of this operation';

function operations(): readonly Operation[] {
  // Only described here, never called.
  const settings = { secureCookies: true, allowPrivateNetworks: false };
  return manageOperations({ settings, manage: {}, assets: {} } as unknown as ManageDeps);
}

eachStorage((_name, open) => {
  describe('a field that an operation of the management API does not have', () => {
    let store: TestStorage;
    let fixture: Fixture;
    before(async () => {
      store = await open();
      fixture = await startFixture(store);
    });
    after(async () => {
      await fixture.close();
      await store.close();
    });

    const send = ({ method, path, schemas: { query, body } }: Operation, fields: object) =>
      fixture.admin.client.request(
        method,
        path.replaceAll(/\{\w+\}/g, UNKNOWN) + (query === null ? '' : '?size=1&constructor=1'),
        { headers: { 'If-Match': '1' }, ...(body === null ? {} : { body: fields }) },
      );

    test('is refused by its name, in a query and in a body', async () => {
      const taking = operations().filter(({ schemas: { query, body } }) => query !== null || body !== null);
      assert.ok(taking.length >= 60, `only ${taking.length} operations take fields`);
      for (const operation of taking) {
        const { errors = [] } = assertRefused(await send(operation, { size: 1, constructor: 1 }), 400);
        for (const name of ['size', 'constructor'])
          assert.ok(
            errors.some(({ path, message }) => path === name && message === REFUSED),
            `${operation.id}: ${JSON.stringify(errors)}`,
          );
      }
    });

    test('is named together with what else is wrong, and nothing of the request is done', async () => {
      const { client, id } = await fixture.newMember();
      const target = `/manage/v1/accounts/${id}`;
      const reply = await client.request('PATCH', target, { body: { name: 'Shop', avatar_url: 7, emial: 'a@b.c' } });
      const { errors = [] } = assertRefused(reply, 400);
      assert.deepEqual(errors.map(({ path }) => path).toSorted(), ['avatar_url', 'emial']);
      assertRefused(await client.request('PATCH', target, { body: { name: 'Shop', emial: 'a@b.c' } }), 400, 'emial');
      assert.equal(managed(await client.get(target))['name'], null);
    });

    test('is named by its place inside an object of the body', async () => {
      const route = { host: 'gate.example', chain: 'ETH', network: 'mainnet', protocol: 'jsonrpc', upstreams: [] };
      const body = { ...route, limits: { request_per_second: 1 }, methods: { allow: [], denied: [] } };
      const { errors = [] } = assertRefused(await fixture.admin.client.post('/manage/v1/gateways', body), 400);
      assert.deepEqual(
        errors.filter(({ message }) => message === REFUSED).map(({ path }) => path),
        ['methods.denied', 'limits.request_per_second'],
      );
    });
  });
});
