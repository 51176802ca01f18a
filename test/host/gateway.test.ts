import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, afterEach, describe, test } from 'node:test';
import { isTillgateError, OPERATOR } from '../../core/index.ts';
import { PinoLogger } from '../../adapters/logging/index.ts';
import { resolveManage } from '../../host/boot/container.ts';
import { createHost, resolveConfig } from '../../host/index.ts';
import { openHostRuntime } from '../../host/boot/open.ts';
import { startNode } from '../gateway/support.ts';
import { startAnvil } from '../support/anvil.ts';
import { testedEngines } from '../support/each-storage.ts';
import { freePort } from '../support/free-port.ts';
import { freshDatabase } from '../support/postgres.ts';
import { waitFor } from '../support/wait.ts';
import { freshDirectory, killAll, run, serve } from './till-process.ts';

const HOST = 'eth.gate.example';
const LIMITED = 'limited.gate.example';
const OWN = 'till.example';
const MANAGED = 'managed.gate.example';
/** At one a second, no machine is so slow that it comes back while the test runs. */
const BURST = 400;
const AT_ONCE = 8;

interface Reply {
  readonly status: number;
  readonly body: string;
}

/** A JSON-RPC call to the gateway's host, as a reverse proxy would pass it on. */
function rpc(url: string, key: string | null, method = 'eth_chainId', host = HOST): Promise<Reply> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] });
  const headers = {
    Host: host,
    'Content-Type': 'application/json',
    ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const reasonOf = ({ body }: Reply): string =>
  (JSON.parse(body) as { error: { data: { reason: string } } }).error.data.reason;

/** One server hears what an App took on the other: it refuses long before that App had its burst here. */
async function sharedLimit([one, other]: readonly string[], ask: (url: string) => Promise<Reply>): Promise<void> {
  assert(one !== undefined && other !== undefined);
  assert.equal((await ask(other)).status, 200);
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let n = 0; n < BURST / AT_ONCE; n++) await ask(one);
    }),
  );
  let asked = 0;
  await waitFor(
    async () => {
      const replies = await Promise.all(Array.from({ length: AT_ONCE }, () => ask(other)));
      asked += replies.filter(({ status }) => status === 200).length;
      return replies.some(({ status }) => status === 429);
    },
    { intervalMs: 250, timeoutMs: 60_000 },
  );
  assert(asked < BURST / 2, `${asked} more requests before the refusal`);
}

for (const engine of testedEngines()) {
  describe(`the gateway of a real host on ${engine}`, () => {
    afterEach(killAll);

    test('a key made on the command line opens the route, beside the payment API; a revoke that was answered holds at once, on every instance (fault 14)', async (t) => {
      const anvil = await startAnvil();
      const directory = freshDirectory();
      const database = engine === 'pg' ? await freshDatabase() : null;
      t.after(async () => {
        await anvil.stop();
        await database?.drop();
        directory.remove();
      });
      directory.write('tillgate.config.json', {
        mode: 'sandbox',
        database: database === null ? { client: 'sqlite' } : { client: 'pg', connection: database.url },
        gateways: [
          { host: HOST, chain: 'ETH', network: 'devnet', protocol: 'jsonrpc', upstreams: [anvil.url] },
          {
            host: LIMITED,
            chain: 'ETH',
            network: 'devnet',
            protocol: 'jsonrpc',
            upstreams: [anvil.url],
            limits: { requestsPerSecond: 1, burst: BURST },
          },
        ],
      });
      const urls = [await serve(directory.path).url()];
      if (engine === 'pg') urls.push(await serve(directory.path).url());
      const command = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
        const { code, out, err } = await run(directory.path, [...args, '--json']);
        assert.equal(code, 0, err);
        return JSON.parse(out) as Record<string, unknown>;
      };

      const account = await command(
        'account',
        'create',
        '--email',
        'node-user@example.com',
        '--password',
        'correct horse battery',
      );
      const app = await command(
        'app',
        'create',
        '--account',
        String(account['id']),
        '--name',
        'wallet',
        '--chains',
        'ETH',
      );
      const first = app['key'] as { id: string; api_key: string };
      for (const url of urls) {
        assert.deepEqual(JSON.parse((await rpc(url, first.api_key)).body), { jsonrpc: '2.0', id: 1, result: '0x7a69' });
        assert.equal(reasonOf(await rpc(url, null)), 'key_missing');
        assert.equal(reasonOf(await rpc(url, first.api_key, 'anvil_setBalance')), 'method_not_allowed');
        assert.equal((await fetch(`${url}/livez`)).status, 200, 'another host is the payment API');
      }

      const rotated = await command('key', 'rotate', '--app', String(app['id']));
      const second = rotated['key'] as { id: string; api_key: string };
      for (const url of urls)
        for (const { api_key } of [first, second]) assert.equal((await rpc(url, api_key)).status, 200);
      assert.equal((await command('key', 'revoke', '--app', String(app['id']), '--key', first.id))['state'], 'revoked');
      for (const url of urls) {
        assert.equal(reasonOf(await rpc(url, first.api_key)), 'key_revoked');
        assert.equal((await rpc(url, second.api_key)).status, 200);
      }
      const listed = await command('gateway', 'list');
      assert.deepEqual(
        (listed as unknown as { host: string; source: string }[]).map(({ host, source }) => [host, source]),
        [HOST, LIMITED].map((host) => [host, 'config']),
      );

      type Upstreams = readonly { id: string; url: string; cordoned: boolean }[];
      const [upstream] = (await command('gateway', 'upstreams', HOST)) as unknown as Upstreams;
      assert.deepEqual([upstream?.url, upstream?.cordoned], [`${anvil.url}/`, false]);
      for (const [word, cordoned] of [
        ['cordon', true],
        ['uncordon', false],
      ] as const) {
        const changed = (await command(
          'gateway',
          word,
          `config:${HOST}`,
          String(upstream?.id),
        )) as unknown as Upstreams;
        assert.deepEqual(changed, [{ ...upstream, cordoned }]);
        for (const url of urls) {
          const reply = await rpc(url, second.api_key);
          assert.equal(reply.status, cordoned ? 503 : 200, `fault 443: ${word} holds once it is answered`);
          if (cordoned) assert.equal(reasonOf(reply), 'upstream_unavailable');
        }
      }
      const unknown = await run(directory.path, ['gateway', 'cordon', 'nowhere.example', String(upstream?.id)]);
      assert.deepEqual([unknown.code, /no such gateway/.test(unknown.err)], [1, true], unknown.err);

      const limited = (url: string): Promise<Reply> => rpc(url, second.api_key, 'eth_chainId', LIMITED);
      if (engine === 'pg') await sharedLimit(urls, limited);
    });
  });
}

describe('fault 366: which names the gateways of a real host have', () => {
  const directory = freshDirectory();
  after(() => directory.remove());

  test('none of the till itself: its API and pages stay there', async (t) => {
    const port = await freePort();
    const host = createHost({ listen: { port }, baseUrl: `https://${OWN}/` }, { directory: directory.path });
    t.after(() => host.stop());
    await host.start();
    const [email, password] = ['admin@till.example', 'correct horse battery'];
    await host.till.createAccount.run({ email, password, role: 'admin' });
    let token = '';
    const post = async (path: string, body: object): Promise<{ status: number; text: string }> => {
      const headers = {
        'Content-Type': 'application/json',
        ...(token === '' ? {} : { Authorization: `Bearer ${token}` }),
      };
      const reply = await fetch(`http://127.0.0.1:${port}/manage/v1/${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      const text = await reply.text();
      token = (JSON.parse(text) as { data?: { access_token?: string } }).data?.access_token ?? token;
      return { status: reply.status, text };
    };
    assert.equal((await post('session', { email, password })).status, 200);
    assert.equal((await post('session/step-up', { password })).status, 200);
    const route = { chain: 'ETH', network: 'devnet', protocol: 'jsonrpc', upstreams: ['https://1.1.1.1/'] };
    for (const own of [OWN, OWN.toUpperCase()]) {
      const { status, text } = await post('gateways', { ...route, host: own });
      assert.equal(status, 400, text);
      assert.match(text, /"host","message":"must not be a name or an address of the till itself/);
    }
    assert.equal((await post('gateways', { ...route, host: MANAGED })).status, 201);
  });
});

describe('fault 390: where the gateways of a real host lead', () => {
  const directory = freshDirectory();
  afterEach(killAll);
  after(() => directory.remove());

  test('those of the settings file may lead to this machine; those of the management API only where the operator says so', async (t) => {
    const node = await startNode();
    t.after(() => node.close());
    const settings = {
      mode: 'sandbox',
      gateways: [{ host: HOST, chain: 'ETH', network: 'devnet', protocol: 'jsonrpc', upstreams: [node.url] }],
    };
    const write = (allowPrivateUpstreams: boolean) =>
      directory.write('tillgate.config.json', { ...settings, gateway: { allowPrivateUpstreams } });
    const made = async (allowPrivateUpstreams: boolean): Promise<void> => {
      write(allowPrivateUpstreams);
      const config = resolveConfig({ gateway: { allowPrivateUpstreams } }, { directory: directory.path });
      const runtime = await openHostRuntime(config, new PinoLogger({ level: 'silent' }), 'command');
      const { routes } = resolveManage(runtime.container, []);
      const upstreams = [{ url: node.url, headers: {} }];
      const route = { host: MANAGED, chain: 'ETH', network: 'devnet', protocol: 'jsonrpc', upstreams } as const;
      try {
        await routes.create(OPERATOR, route);
      } finally {
        await runtime.close();
      }
    };
    const command = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
      const { code, out, err } = await run(directory.path, [...args, '--json']);
      assert.equal(code, 0, err);
      return JSON.parse(out) as Record<string, unknown>;
    };
    write(false);
    const email = ['--email', 'node-user@example.com', '--password', 'correct horse battery'];
    const account = String((await command('account', 'create', ...email))['id']);
    const app = await command('app', 'create', '--account', account, '--name', 'wallet', '--chains', 'ETH');
    const { api_key: key } = app['key'] as { api_key: string };
    await assert.rejects(made(false), (error) => isTillgateError(error, 'INVALID_FIELDS'));
    await made(true);
    const statuses = async (allowPrivateUpstreams: boolean): Promise<readonly number[]> => {
      write(allowPrivateUpstreams);
      const till = serve(directory.path);
      const url = await till.url();
      const asked = [await rpc(url, key), await rpc(url, key, 'eth_chainId', MANAGED)];
      await till.signal('SIGTERM');
      return asked.map(({ status }) => status);
    };
    assert.deepEqual(await statuses(true), [200, 200]);
    assert.deepEqual(await statuses(false), [200, 503]);
  });
});
