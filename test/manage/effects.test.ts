import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { SECRET_PREFIXES } from '../../core/index.ts';
import type { AccountId, ManageAction } from '../../core/index.ts';
import { manageOperations } from '../../adapters/http/index.ts';
import type { ManageDeps, Operation } from '../../adapters/http/index.ts';
import { storedClaim } from '../contract/storage/claim-fixtures.ts';
import { eachStorage } from '../support/each-storage.ts';
import type { TestStorage } from '../support/storage.ts';
import { managed, manageEnvelope, startFixture } from './fixture.ts';
import type { Fixture, List, Member } from './fixture.ts';
import { UNKNOWN, WALK } from './walk.ts';
import type { Sent } from './walk.ts';

const BASE = '/manage/v1';
/** Text that no answer may hold. */
const CANARIES = { header: 'Bearer CANARY-OF-A-HEADER', path: 'CANARY-OF-A-PATH', query: 'CANARY-OF-A-QUERY' };
const CALLBACK = 'https://shop.example/callback';
/** A secret that is shown whole: its kind and more characters than a list shows of it. */
const WHOLE_SECRET = new RegExp(`(?:${Object.values(SECRET_PREFIXES).join('|')})[0-9A-Za-z+/=]{16}|/l/[0-9a-f]{32}#`);

interface Record {
  readonly id: string;
}

/** A merchant with a record of every kind, and the secrets of its account. */
interface World {
  readonly merchant: Member;
  /** Ids by the first part of a path, and of some by the operation. */
  readonly ids: ReadonlyMap<string, string>;
  readonly secrets: readonly string[];
}

const post = (by: Member, path: string, body: object = {}) => by.client.post(`${BASE}/${path}`, body);

async function makeWorld(fixture: Fixture): Promise<World> {
  const merchant = await fixture.newMember();
  const make = async <T extends Record = Record>(path: string, body: object): Promise<T> =>
    managed<T>(await post(merchant, path, body), 201);
  const app = await make<Record & { key: Record & { api_key: string } }>('apps', { name: 'App', chains: ['ETH'] });
  const webhook = await make<Record & { secret: string }>('webhooks', { url: CALLBACK, events: ['order.*'] });
  const credential = await make<Record & { [name: string]: string }>('credentials', { name: 'Shop' });
  const pull = await make<Record & { url: string }>('pull-payments', { name: 'Prize', currency: 'EUR', amount: '5' });
  const claim = await storedClaim(fixture.till.till.storage, merchant.id as AccountId, {
    status: 'REJECTED',
  });
  const link = await make('links', { title: 'Concert', currency: 'USD', price: '25' });
  const pointOfSale = await make('links', { title: 'Point of sale', currency: 'USD', face: 'POINT_OF_SALE' });
  const pairing = managed<{ pairing_url: string }>(await post(merchant, `links/${pointOfSale.id}/pairing`));
  const order = { price: '25', currency: 'USD', chain: 'ETH', coin: 'USDT-ERC20', callback_url: CALLBACK };
  const paid = await make('orders', order);
  await fixture.till.client.post('/sandbox/v1/pay', { order_id: paid.id });
  await fixture.till.client.post('/sandbox/v1/blocks', { chain: 'ETH', count: 5 });
  await fixture.till.work();
  const waiting = await make('orders', order);
  const callbacks = managed<List<Record>>(await merchant.client.get(`${BASE}/callbacks`)).items;
  const gateway = managed<Record & { upstreams: readonly Record[] }>(
    await post(fixture.admin, 'gateways', {
      ...{ host: `eth-${merchant.id}.gate.example`, chain: 'ETH', network: 'mainnet', protocol: 'jsonrpc' },
      upstreams: [
        {
          url: `https://node.example/v3/${CANARIES.path}?key=${CANARIES.query}`,
          headers: { authorization: CANARIES.header },
        },
      ],
    }),
    201,
  );
  const secretOf = (record: object): string[] =>
    Object.entries(record).flatMap(([name, value]) =>
      /_key$|token|secret/.test(name) && typeof value === 'string' && value.length > 16 ? [value] : [],
    );
  assert.ok(callbacks[0], 'the paid order has a callback');
  return {
    merchant,
    ids: new Map([
      ...([
        ['accounts', merchant.id],
        ['apps', app.id],
        ['key', app.key.id],
        ['gateways', gateway.id],
        ['upstream', gateway.upstreams[0]?.id ?? UNKNOWN],
      ] as const),
      ...([
        ['credentials', credential.id],
        ['webhooks', webhook.id],
        ['links', link.id],
        ['pull-payments', pull.id],
        ['claims', claim.id],
      ] as const),
      ...([
        ['pairLinkDevice', pointOfSale.id],
        ['unpairLinkDevices', pointOfSale.id],
        ['orders', paid.id],
      ] as const),
      ...([
        ['terminateOrder', waiting.id],
        ['callbacks', callbacks[0].id],
      ] as const),
    ]),
    secrets: [
      ...Object.values(CANARIES),
      ...secretOf(app.key),
      ...secretOf(webhook),
      ...secretOf(credential),
      pull.url.slice(pull.url.lastIndexOf('/') + 1),
      ...[merchant.password, merchant.token, pairing.pairing_url.slice(pairing.pairing_url.indexOf('#') + 1)],
    ],
  };
}

/** The fields by which an operation names an account. */
const OF_ACCOUNT = ['account'] as const;

interface Reply {
  readonly status: number;
  readonly text: string;
}

async function ask(by: Member, { ids, merchant }: World, operation: Operation, sent: Sent): Promise<Reply> {
  const { id, method, path, schemas } = operation;
  const kind = path.slice(BASE.length + 1).split('/')[0] as string;
  const target = path
    .replace('{code}', 'ETH')
    .replace('{field}', 'data_security')
    .replace('{key}', ids.get('key') ?? UNKNOWN)
    .replace('{upstream}', ids.get('upstream') ?? UNKNOWN)
    .replace('{id}', ids.get(id) ?? ids.get(kind) ?? UNKNOWN);
  const named = (shape: object | undefined): string | undefined =>
    OF_ACCOUNT.find((name) => shape !== undefined && name in shape);
  const [inQuery, inBody] = [named(schemas.query?.shape), named(schemas.body?.shape)];
  const query = inQuery === undefined ? '' : `?${inQuery}=${merchant.id}`;
  const body = { ...(inBody === undefined ? {} : { [inBody]: merchant.id }), ...sent };
  const headers = { 'If-Match': '"1"' };
  return by.client.request(method, target + query, {
    headers,
    ...(method === 'GET' || schemas.body === null ? {} : { body }),
  });
}

const wantsFactor = ({ text }: Reply): boolean => {
  try {
    return (JSON.parse(text) as { readonly reason?: string }).reason === 'step_up_required';
  } catch {
    return false; // a list as CSV
  }
};

/** Operations that end or change the session that asks come last. */
const LAST: readonly string[] = ['createSession', 'stepUp', 'updateAccount', 'endSession'];

eachStorage((_name, open) => {
  describe('fault 365: every operation of the management API costs what it can cause', () => {
    let store: TestStorage;
    let fixture: Fixture;
    let world: World;
    let operations: readonly Operation[];
    before(async () => {
      store = await open();
      fixture = await startFixture(store, { sessionTtlSeconds: 10_000_000 });
      world = await makeWorld(fixture);
      const settings = { secureCookies: true, allowPrivateNetworks: false };
      const deps = { settings, assets: fixture.till.till.assets, manage: fixture.manage };
      operations = manageOperations(deps satisfies ManageDeps).toSorted(
        (a, b) => LAST.indexOf(a.id) - LAST.indexOf(b.id),
      );
    });
    after(async () => {
      await fixture.close();
      await store.close();
    });

    const walkOf = ({ id }: Operation) => WALK[id as ManageAction];
    const noSecret = ({ id }: Operation, reply: Reply, secrets: readonly string[]): void => {
      const { answersOwnSecrets = false } = WALK[id as ManageAction];
      for (const secret of secrets) assert.ok(!reply.text.includes(secret), `${id} answers a secret: ${reply.text}`);
      if (!answersOwnSecrets) assert.doesNotMatch(reply.text, WHOLE_SECRET, `${id} answers a secret`);
    };
    const walk = async (by: Member, mine: boolean): Promise<void> => {
      for (const operation of operations) {
        const { free = [], charged = [], othersCharged = [] } = walkOf(operation);
        const wanted = [...charged, ...(mine ? [] : othersCharged)];
        assert.ok(free.length + charged.length + othersCharged.length > 0, `nothing is sent to ${operation.id}`);
        for (const sent of wanted) {
          const reply = await ask(by, world, operation, sent);
          const what = `${operation.id} ${JSON.stringify(sent)} is answered ${reply.status} ${reply.text}`;
          assert.ok(wantsFactor(reply), what);
          assert.equal(reply.status, 403, what);
        }
        for (const sent of [...free, ...(mine ? othersCharged : [])]) {
          const reply = await ask(by, world, operation, sent);
          const what = `${operation.id} ${JSON.stringify(sent)} is answered ${reply.status} ${reply.text}`;
          assert.ok(!wantsFactor(reply), what);
          assert.ok(reply.status !== 500, what);
          noSecret(operation, reply, world.secrets);
        }
      }
    };

    test('to the session of an admin over another account, which was not raised', async () => {
      await walk(await fixture.newMember('admin', { raised: false }), false);
    });

    test('and no answer to an admin, raised or not, holds a secret of another account', async () => {
      world = await makeWorld(fixture);
      const admin = await fixture.newMember('admin');
      for (const operation of operations) {
        const { free = [], charged = [], othersCharged = [] } = walkOf(operation);
        for (const sent of [...free, ...othersCharged, ...charged]) {
          // They answer with the admin's own token, or end it.
          if (['createSession', 'stepUp', 'endSession'].includes(operation.id)) continue;
          noSecret(operation, await ask(admin, world, operation, sent), world.secrets);
        }
      }
    });

    test('to the session of a merchant over its own account, which was not raised', async () => {
      world = await makeWorld(fixture);
      const { email, password } = world.merchant;
      const { access_token: token } = managed<{ access_token: string }>(await fixture.login(email, password));
      const client = fixture.client.with({ Authorization: `Bearer ${token}` });
      await walk({ ...world.merchant, client, token }, true);
      client.close();
      assert.equal(manageEnvelope(await world.merchant.client.get(`${BASE}/session`)).msg, 'ok');
    });
  });
});
