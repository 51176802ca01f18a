import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { MAX_WEBHOOKS } from '../../core/index.ts';
import { eachStorage } from '../support/each-storage.ts';
import { dataOf } from '../support/http.ts';
import type { TestStorage } from '../support/storage.ts';
import { assertRefused, managed, startFixture } from './fixture.ts';
import type { Fixture, List, Member } from './fixture.ts';

type Fields = Record<string, unknown>;
type Endpoint = Fields & { readonly id: string; readonly secret: string };

const WEBHOOKS = '/manage/v1/webhooks';
const UNKNOWN = '1530217733410816001';
const DAY_MS = 86_400_000;

interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A merchant's server, which answers what it is told. */
class Receiver {
  readonly received: Received[] = [];
  status = 200;
  readonly #server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = request.headers as Record<string, string>;
      this.received.push({ headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(this.status).end();
    });
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/events`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** True when the library of the standard takes the request with this secret, its own clock aside. */
function verifies(secret: string, { headers, body }: Received): boolean {
  const signed = new Webhook(secret).sign(
    String(headers['webhook-id']),
    new Date(Number(headers['webhook-timestamp']) * 1000),
    body,
  );
  return String(headers['webhook-signature']).split(' ').includes(signed);
}

eachStorage((_name, open) => {
  let store: TestStorage;
  let fixture: Fixture;
  let user: Member;
  const receiver = new Receiver();
  let url: string;
  before(async () => {
    store = await open();
    fixture = await startFixture(store, { sessionTtlSeconds: 1_000_000 });
    user = await fixture.newMember();
    url = await receiver.start();
  });
  after(async () => {
    receiver.close();
    await fixture.close();
    await store.close();
  });

  const create = async (by = user, more: Fields = {}): Promise<Endpoint> =>
    managed<Endpoint>(await by.client.post(WEBHOOKS, { url, events: ['order.*'], ...more }), 201);
  const patch = (by: Member, id: string, body: object) => by.client.request('PATCH', `${WEBHOOKS}/${id}`, { body });
  const send = (by: Member, id: string, what: string) => by.client.request('POST', `${WEBHOOKS}/${id}/${what}`);
  const deliveries = async (by: Member, id: string): Promise<readonly Fields[]> =>
    managed<List>(await by.client.get(`/manage/v1/callbacks?webhook=${id}`)).items;
  const lastReceived = async (): Promise<Received> => {
    await fixture.till.work();
    const last = receiver.received.at(-1);
    assert.ok(last !== undefined);
    return last;
  };

  describe('a webhook endpoint', () => {
    test('shows its secret when it is made, and never again', async () => {
      const member = await fixture.newMember();
      const { secret, ...made } = await create(member, { events: ['order.*', 'refund.failed', 'order.*'] });
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
      assert.deepEqual([made['url'], made['events'], made['enabled']], [url, ['order.*', 'refund.failed'], true]);
      assert.deepEqual([made['account'], made['previous_secret_expires_at']], [member.id, null]);
      assert.deepEqual(managed(await member.client.get(`${WEBHOOKS}/${made.id}`)), made);
      assert.deepEqual(managed<List>(await member.client.get(WEBHOOKS)).items, [made]);
      const { text } = await member.client.get('/manage/v1/audit?limit=100');
      assert.ok(!text.includes(secret.slice(6)) && text.includes('webhook.create'));
      const rows = await store.sql('SELECT sealed FROM webhook_endpoints WHERE id = ?', [made.id]);
      assert.ok(!JSON.stringify(rows).includes(secret.slice(6)));
    });

    test('is changed, and removed for good', async () => {
      const { id } = await create();
      const changed = managed(await patch(user, id, { events: ['deposit.credited'], enabled: false }));
      assert.deepEqual([changed['url'], changed['events'], changed['enabled']], [url, ['deposit.credited'], false]);
      assert.equal(changed['secret'], undefined);
      assert.deepEqual(managed(await patch(user, id, { enabled: true }))['events'], ['deposit.credited']);
      assert.deepEqual(managed(await user.client.request('DELETE', `${WEBHOOKS}/${id}`)), { id, removed: true });
      assertRefused(await user.client.get(`${WEBHOOKS}/${id}`), 404);
      assertRefused(await patch(user, id, {}), 404);
      const actions = managed<List>(await user.client.get('/manage/v1/audit')).items.map(({ action }) => action);
      assert.deepEqual(actions.slice(0, 4), ['webhook.remove', 'webhook.update', 'webhook.update', 'webhook.create']);
    });

    test('receives known types and groups only: others are refused by their place', async () => {
      for (const event of ['order.paid', '*', 'webhook.test', 'orders.*'])
        assertRefused(await user.client.post(WEBHOOKS, { url, events: ['order.*', event] }), 400, 'events.1');
      assertRefused(await user.client.post(WEBHOOKS, { url, events: [] }), 400, 'events');
      assertRefused(await user.client.post(WEBHOOKS, { events: ['order.*'] }), 400, 'url');
      const { id } = await create();
      assertRefused(await patch(user, id, { events: ['nothing'] }), 400, 'events.0');
    });

    test(`fault 176: an account has at most ${MAX_WEBHOOKS}, also when they are made at once`, async () => {
      const member = await fixture.newMember();
      const replies = await Promise.all(
        Array.from({ length: MAX_WEBHOOKS + 3 }, () => member.client.post(WEBHOOKS, { url, events: ['order.*'] })),
      );
      assert.equal(replies.filter(({ status }) => status === 201).length, MAX_WEBHOOKS);
      assert.equal(replies.filter(({ status }) => status === 409).length, 3);
      assert.equal(managed<List>(await member.client.get(WEBHOOKS)).items.length, MAX_WEBHOOKS);
      // Others are not counted.
      await create(await fixture.newMember());
    });

    test("fault 12: another account's is answered byte for byte as an unknown one, by every operation", async () => {
      const { id } = await create();
      const other = await fixture.newMember();
      const asks: readonly ((which: string) => Promise<{ readonly status: number; readonly text: string }>)[] = [
        (which) => other.client.get(`${WEBHOOKS}/${which}`),
        (which) => patch(other, which, { url: 'http://thief.example/' }),
        (which) => other.client.request('DELETE', `${WEBHOOKS}/${which}`),
        (which) => send(other, which, 'rotate'),
        (which) => send(other, which, 'test'),
        (which) => other.client.get(`/manage/v1/callbacks?webhook=${which}`),
      ];
      for (const ask of asks) {
        const [foreign, unknown, garbage] = [await ask(id), await ask(UNKNOWN), await ask('garbage')];
        assert.deepEqual([foreign.status, foreign.text, garbage.text], [404, unknown.text, unknown.text]);
      }
      assert.equal(managed<List>(await other.client.get(WEBHOOKS)).items.length, 0);
      assertRefused(await other.client.post(WEBHOOKS, { url, events: ['order.*'], account: user.id }), 404);
      assert.equal(managed(await user.client.get(`${WEBHOOKS}/${id}`))['url'], url);
    });

    test('of another account is managed by an admin, who never gets its secret', async () => {
      const made = await create(fixture.admin, { account: user.id });
      assert.deepEqual([made['account'], made.secret], [user.id, undefined]);
      assert.equal(managed(await send(fixture.admin, made.id, 'rotate'))['secret'], undefined);
      assert.match(String(managed(await send(user, made.id, 'rotate'))['secret']), /^whsec_/);
    });
  });

  describe('an endpoint’s test event', () => {
    test('arrives signed as Standard Webhooks says, with nothing else that identifies the till', async () => {
      const { id, secret } = await create();
      managed(await send(user, id, 'test'));
      const last = await lastReceived();
      assert.ok(verifies(secret, last));
      assert.deepEqual(JSON.parse(last.body), {
        type: 'webhook.test',
        timestamp: new Date(fixture.till.clock.now()).toISOString(),
        data: { webhook: id },
      });
      assert.equal(last.headers['content-type'], 'application/json');
      for (const name of ['api-key', 'api-token', 'signature', 'algorithm', 'body-md5'])
        assert.equal(last.headers[name], undefined, name);
      const [row] = await deliveries(user, id);
      assert.deepEqual(
        [row?.['event'], row?.['status'], row?.['webhook'], row?.['order']],
        ['webhook.test', 'DELIVERED', id, null],
      );
      assert.equal(row?.['id'], last.headers['webhook-id']);
    });

    test('is signed with both secrets for a day after a rotation, and then with the new one alone', async () => {
      const { id, secret: former } = await create();
      const rotated = managed<Endpoint>(await send(user, id, 'rotate'));
      assert.notEqual(rotated.secret, former);
      assert.equal(Date.parse(String(rotated['previous_secret_expires_at'])), fixture.till.clock.now() + DAY_MS);
      const signed = async (): Promise<readonly boolean[]> => {
        managed(await send(user, id, 'test'));
        const last = await lastReceived();
        return [rotated.secret, former].map((secret) => verifies(secret, last));
      };
      assert.deepEqual(await signed(), [true, true]);
      fixture.till.clock.advance(DAY_MS - 1);
      assert.deepEqual(await signed(), [true, true]);
      fixture.till.clock.advance(1);
      assert.deepEqual(await signed(), [true, false]);
    });

    test('is sent again by hand with the same id, and its log says how each attempt went', async () => {
      const { id } = await create();
      managed(await send(user, id, 'test'));
      const first = await lastReceived();
      const path = `/manage/v1/callbacks/${String(first.headers['webhook-id'])}`;
      managed(await user.client.request('POST', `${path}/redeliver`));
      assert.equal((await lastReceived()).headers['webhook-id'], first.headers['webhook-id']);
      const detail = managed<Fields & { log: Fields[] }>(await user.client.get(path));
      assert.deepEqual(
        detail.log.map(({ http_status: status }) => status),
        [200, 200],
      );
    });

    test('fault 177: waits for a receiver that fails, is given up with its endpoint, and is not sent again to a removed one', async () => {
      receiver.status = 500;
      const { id } = await create();
      managed(await send(user, id, 'test'));
      await fixture.till.work();
      const before = receiver.received.length;
      managed(await patch(user, id, { enabled: false }));
      assertRefused(await send(user, id, 'test'), 409);
      const [row] = await deliveries(user, id);
      assert.deepEqual([row?.['status'], row?.['attempts']], ['DEAD', 1]);
      const redeliver = `/manage/v1/callbacks/${String(row?.['id'])}/redeliver`;
      assertRefused(await user.client.request('POST', redeliver), 409);
      managed(await patch(user, id, { enabled: true }));
      managed(await user.client.request('POST', redeliver));
      managed(await user.client.request('DELETE', `${WEBHOOKS}/${id}`));
      fixture.till.clock.advance(DAY_MS);
      receiver.status = 200;
      await fixture.till.work();
      assert.equal(receiver.received.length, before);
      assertRefused(await user.client.request('POST', redeliver), 409);
    });
  });

  describe('an order of the payment API', () => {
    test('reaches the endpoint with the record of its callbacks, and the same id when the receiver was away', async () => {
      const member = await fixture.newMember();
      const { secret } = await create(member);
      const key = managed(await member.client.post('/manage/v1/credentials', {}), 201)['api_key'];
      const merchant = fixture.client.with({ 'API-Key': String(key) });
      const { order_id: orderId } = dataOf<{ order_id: string }>(
        await merchant.post('/api/order/pay-info', { chain: 'ETH', currency: 'ETH', vs_currency: 'USD', vs_price: 25 }),
      );
      merchant.close();
      receiver.status = 503;
      const first = await lastReceived();
      receiver.status = 200;
      fixture.till.clock.advance(60_000);
      const second = await lastReceived();
      assert.equal(second.headers['webhook-id'], first.headers['webhook-id']);
      assert.ok(verifies(secret, first) && verifies(secret, second));
      assert.equal(second.body, first.body);
      const { type, data } = JSON.parse(second.body) as { readonly type: string; readonly data: Fields };
      assert.deepEqual([type, data['id'], data['status']], ['order.created', orderId, 'PENDING']);
      managed(await member.client.request('POST', `/manage/v1/orders/${orderId}/cancel`));
      assert.equal((JSON.parse((await lastReceived()).body) as Fields)['type'], 'order.terminated');
    });
  });
});

eachStorage((_name, open) => {
  test('fault 178: an endpoint inside the network, without TLS or with credentials is refused, also as a change', async (t) => {
    const store = await open();
    const places = { allowPrivateNetworks: false, hosts: ['*.example', 'hooks.example:8443', '10.0.0.1'] };
    const fixture = await startFixture(store, { callbackPlaces: places });
    t.after(async () => {
      await fixture.close();
      await store.close();
    });
    const user = await fixture.newMember();
    const events = ['order.*'];
    const { id } = managed<Endpoint>(
      await user.client.post(WEBHOOKS, { url: 'https://shop.example/events', events }),
      201,
    );
    for (const url of [
      'http://shop.example/events',
      'https://10.0.0.1/',
      'https://127.1/',
      'https://[::ffff:7f00:1]/',
      'https://169.254.169.254/latest/meta-data',
      'https://localhost/',
      'https://user:secret@shop.example/',
      'ftp://shop.example/',
      'https://shop.other/',
      'shop.example',
      '',
    ]) {
      assertRefused(await user.client.post(WEBHOOKS, { url, events }), 400, 'url');
      assertRefused(await user.client.request('PATCH', `${WEBHOOKS}/${id}`, { body: { url } }), 400, 'url');
    }
    assert.equal(managed(await user.client.get(`${WEBHOOKS}/${id}`))['url'], 'https://shop.example/events');
  });
});
