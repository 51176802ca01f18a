import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
// The loader of npm start: Node before 22.18 reads a configuration in TypeScript with one only.
import 'tsx';
import { DEFAULT_READS, FIATS, BUILT_IN_ASSETS, isTillgateError } from '../../core/index.ts';
import { planOf } from '../../host/embed/dependencies.ts';
import { loadConfig, resolveConfig } from '../../host/index.ts';
import type { Environment } from '../../host/index.ts';
import { importPlugins } from '../../host/boot/plugins.ts';
import { SANDBOX_PRICES } from '../../host/settings/static-prices.ts';
import { freshDirectory, killAll, run, serve } from './till-process.ts';

const KEY = randomBytes(32).toString('base64');

function problemsOf(input: unknown, environment: Environment = {}): Record<string, string> {
  try {
    resolveConfig(input, { environment });
  } catch (error) {
    assert.ok(isTillgateError(error, 'CONFIG_INVALID'));
    return Object.fromEntries((error.details.fields ?? []).map(({ path, message }) => [path, message]));
  }
  return {};
}

afterEach(killAll);

describe('the configuration', () => {
  test('is the sandbox when there is none: SQLite under ./data, the simulated chain, static prices', () => {
    const config = resolveConfig({}, { directory: '/srv/till' });
    assert.equal(config.mode, 'sandbox');
    assert.deepEqual(config.database, { client: 'sqlite', filename: '/srv/till/data/tillgate.db' });
    assert.deepEqual(config.plugins, [{ use: 'sandbox' }]);
    assert.equal(config.listen.port, 8080);
    assert.equal(config.callbacks.allowPrivateNetworks, true);
    assert.equal(config.rateSources[0]?.use, 'static');
    assert.deepEqual(config.gateway, {
      fastPath: true,
      keysInPath: true,
      cache: { store: 'memory' },
      allowPrivateUpstreams: true,
      sales: null,
      usageRetentionMs: 400 * 86_400_000,
    });
    assert.deepEqual(config.orders, {
      timeoutMs: 1_800_000,
      watchMs: 86_400_000,
      lateGraceMs: 600_000,
      unconfirmedHoldMs: 21_600_000,
      minTimeoutMs: 60_000,
      maxTimeoutMs: 3_600_000,
      toleranceBps: 0,
      maxToleranceBps: 500,
      min: '0',
      max: '1000000',
      openPerAccount: 10_000,
      openPerLink: 200,
      spreadBps: 0,
      addressesPerDay: 100_000,
      pageMax: 100,
    });
    assert.equal(config.callbacks.keepBodiesMs, 90 * 86_400_000);
    assert.deepEqual(
      config.callbacks.scheduleMs,
      [5, 30, 120, 600, 1800, 3600, 10_800, 21_600, 43_200, 86_400].map((seconds) => seconds * 1000),
    );
  });

  test('has a sandbox price for every fiat code and built-in coin', () => {
    for (const { code } of FIATS) assert.ok(SANDBOX_PRICES[code], code);
    for (const { symbol } of BUILT_IN_ASSETS) assert.ok(SANDBOX_PRICES[symbol], symbol);
  });

  test('refuses unknown keys by name and lists every problem at once, each with its path', () => {
    const problems = problemsOf(
      {
        mode: 'test',
        timeout: 5,
        listen: { port: 70_000, hots: 'x' },
        orders: { toleranceBps: 501 },
        plugins: [{ options: {} }],
        baseUrl: 'pay.example.com',
      },
      { TILLGATE_PORT: 'many', TILLGATE_MASTER_KEY: 'short' },
    );
    const paths = [
      'mode',
      'timeout',
      'listen.port',
      'listen.hots',
      'orders.toleranceBps',
      'plugins.0.use',
      'baseUrl',
      'TILLGATE_PORT',
      'TILLGATE_MASTER_KEY',
    ];
    assert.deepEqual(Object.keys(problems).sort(), [...paths].sort());
    assert.match(problems['timeout'] ?? '', /unknown setting/);
    assert.match(problems['orders.toleranceBps'] ?? '', /from 0 to 500/);
  });

  test('refuses settings of what does not exist yet, by name', () => {
    assert.deepEqual(Object.keys(problemsOf({ lightning: {} })), ['lightning']);
    assert.deepEqual(Object.keys(problemsOf({ callbacks: { hosts: ['*.shop.example', 'https://shop.example'] } })), [
      'callbacks.hosts.1',
    ]);
  });

  test('plans keep their order; each wrong field of a plan is named', () => {
    const account = '1574601001451652541';
    const plan = { units: 1_000, price: '12.50', currency: 'EUR' };
    const sales = (plans: object) => ({ gateway: { sales: { account, plans } } });
    assert.deepEqual(resolveConfig(sales({ b: plan, a: { ...plan, currency: 'JPY', price: '900' } })).gateway.sales, {
      accountId: account,
      agentsId: account,
      newAppsPrepaid: true,
      plans: [
        { name: 'b', units: 1_000, vsCurrency: 'EUR', vsPrice: { digits: 125n, scale: 1 } },
        { name: 'a', units: 1_000, vsCurrency: 'JPY', vsPrice: { digits: 900n, scale: 0 } },
      ],
    });
    const agents = '1574601001451652542';
    const { gateway } = resolveConfig({ gateway: { sales: { account, agents, plans: { a: plan } } } });
    assert.equal(gateway.sales?.agentsId, agents);
    for (const [wrong, path] of [
      [{ ...plan, units: 0 }, 'units'],
      [{ ...plan, price: '0' }, 'price'],
      [{ ...plan, price: '12.505' }, 'price'],
      [{ ...plan, price: 12.5 }, 'price'],
      [{ ...plan, currency: 'XXX' }, 'currency'],
    ] as const)
      assert.deepEqual(Object.keys(problemsOf(sales({ a: wrong }))), [`gateway.sales.plans.a.${path}`]);
    assert.deepEqual(Object.keys(problemsOf(sales({}))), ['gateway.sales.plans']);
    assert.deepEqual(Object.keys(problemsOf(sales({ 'No Name': plan }))), ['gateway.sales.plans.No Name']);
    assert.deepEqual(Object.keys(problemsOf({ gateway: { sales: { account: 'me', plans: { a: plan } } } })), [
      'gateway.sales.account',
    ]);
  });

  test('reads gateways with their defaults, and names each wrong field of each of them', () => {
    const node = {
      host: 'ETH.gate.example',
      chain: 'ETH',
      network: 'mainnet',
      protocol: 'jsonrpc',
      upstreams: ['https://node.example'],
    };
    const cors = { origins: ['https://app.example'] };
    const methods = { eth_getLogs: { requestsPerSecond: 2 }, 'debug_*': { requestsPerSecond: 0.1, burst: 5 } };
    const { gateways } = resolveConfig({ gateways: [{ ...node, limits: { requestsPerSecond: 5, methods }, cors }] });
    const [route] = gateways;
    assert.deepEqual(route?.cors, cors);
    assert.deepEqual(resolveConfig({ gateways: [node] }).gateways[0]?.cors, { origins: ['*'] });
    const logs = { maxRange: 500, splitInto: 4, maxResults: 10_000 };
    const reads = {
      headLagBlocks: 3,
      monotonic: false,
      logs,
      hedgeAfterMs: 250,
      dedupe: true,
      cache: true,
      subscriptions: 'bridge',
    };
    assert.deepEqual(resolveConfig({ gateways: [{ ...node, reads }] }).gateways[0]?.reads, reads);
    assert.deepEqual(resolveConfig({ gateways: [node] }).gateways[0]?.reads, DEFAULT_READS);
    assert.deepEqual(resolveConfig({ gateways: [node] }).gateways[0]?.plans, []);
    assert.deepEqual(resolveConfig({ gateways: [{ ...node, plans: ['starter'] }] }).gateways[0]?.plans, ['starter']);
    assert.deepEqual(Object.keys(problemsOf({ gateways: [{ ...node, plans: ['No Name'] }] })), ['gateways.0.plans.0']);
    for (const own of [{ baseUrl: 'https://eth.gate.example' }, { listen: { host: 'eth.gate.example' } }])
      assert.deepEqual(Object.keys(problemsOf({ gateways: [node], ...own })), ['gateways.0.host']);
    const socket = { ...node, protocol: 'websocket', plans: ['starter'] };
    assert.deepEqual(Object.keys(problemsOf({ gateways: [socket] })), ['gateways.0.plans']);
    assert.deepEqual(Object.keys(problemsOf({ gateways: [{ ...node, reads: { subscriptions: 'each' } }] })), [
      'gateways.0.reads.subscriptions',
    ]);
    assert.deepEqual(
      Object.keys(
        problemsOf({
          gateways: [{ ...node, reads: { headLagBlocks: 0.5, logs: { maxRange: 0, splitInto: 0 }, hedgeAfterMs: 0 } }],
        }),
      ),
      [
        'gateways.0.reads.headLagBlocks',
        'gateways.0.reads.hedgeAfterMs',
        'gateways.0.reads.logs.maxRange',
        'gateways.0.reads.logs.splitInto',
      ],
    );
    assert.deepEqual(
      [route?.id, route?.host, route?.admission, route?.enabled, route?.upstreams, route?.limits],
      [
        'config:eth.gate.example',
        'eth.gate.example',
        'enforce',
        true,
        [{ url: 'https://node.example', headers: {} }],
        {
          requestsPerSecond: 5,
          burst: null,
          concurrency: null,
          methods: { eth_getLogs: { requestsPerSecond: 2, burst: null }, 'debug_*': methods['debug_*'] },
        },
      ],
    );
    for (const [rates, path] of [
      [{ eth_call: { requestsPerSecond: 0 } }, 'eth_call'],
      [{ eth_call: { requestsPerSecond: '1' } }, 'eth_call.requestsPerSecond'],
      [{ eth_call: { burst: 1 } }, 'eth_call.requestsPerSecond'],
      [{ eth_call: { requestsPerSecond: 1, per: 'minute' } }, 'eth_call.per'],
    ] as const)
      assert.deepEqual(Object.keys(problemsOf({ gateways: [{ ...node, limits: { methods: rates } }] })), [
        `gateways.0.limits.methods.${path}`,
      ]);
    const wrong = problemsOf({
      gateways: [
        node,
        { ...node, upstreams: ['ftp://node.example', { url: 'https://node.example', headers: { Host: 'x' } }] },
      ],
    });
    assert.deepEqual(Object.keys(wrong).sort(), [
      'gateways.1.host',
      'gateways.1.upstreams.0.url',
      'gateways.1.upstreams.1.headers.Host',
    ]);
    const origins = ['*', 'https://app.example/path'];
    assert.deepEqual(Object.keys(problemsOf({ gateways: [{ ...node, cors: { origins } }] })), [
      'gateways.0.cors.origins.1',
    ]);
    assert.ok(
      'gateways.0.upstream' in problemsOf({ gateways: [{ ...node, upstream: 'x' }] }),
      'unknown keys are refused',
    );
  });

  test('fault 74: production refuses to start without a master key, with a trivial one, and with the sandbox prices', () => {
    assert.ok('TILLGATE_MASTER_KEY' in problemsOf({ mode: 'production' }));
    assert.ok('TILLGATE_MASTER_KEY' in problemsOf({ mode: 'production' }, { TILLGATE_MASTER_KEY: '00'.repeat(32) }));
    assert.ok(
      'rates.sources.0.prices' in
        problemsOf({ mode: 'production', rates: { sources: [{ use: 'static' }] } }, { TILLGATE_MASTER_KEY: KEY }),
    );
    assert.deepEqual(
      problemsOf(
        {
          mode: 'production',
          database: { client: 'sqlite' },
          rates: { sources: [{ use: 'static', prices: { ETH: '2500' } }] },
        },
        { TILLGATE_MASTER_KEY: KEY },
      ),
      {},
    );
  });

  test('reads the master key as base64 and as hex, and from a file', () => {
    const directory = freshDirectory();
    const bytes = Buffer.from(KEY, 'base64');
    directory.write('key', `${KEY}\n`);
    for (const environment of [
      { TILLGATE_MASTER_KEY: KEY },
      { TILLGATE_MASTER_KEY: bytes.toString('hex') },
      { TILLGATE_MASTER_KEY_FILE: 'key' },
    ]) {
      const { secrets } = resolveConfig({}, { environment, directory: directory.path });
      assert.deepEqual(Buffer.from(secrets.masterKey ?? []), bytes);
    }
    assert.ok('TILLGATE_MASTER_KEY_FILE' in problemsOf({}, { TILLGATE_MASTER_KEY_FILE: join(directory.path, 'none') }));
    assert.ok(
      'TILLGATE_MASTER_KEY_FILE' in
        problemsOf({}, { TILLGATE_MASTER_KEY_FILE: join(directory.path, 'key'), TILLGATE_MASTER_KEY: KEY }),
    );
    directory.remove();
  });

  test('reads the key of CoinGecko from the settings, from a file, or from the environment, and ids of further coins', () => {
    const directory = freshDirectory();
    directory.write('gecko', 'CG-file\n');
    const keyOf = (source: object, environment: Environment = {}): string | undefined => {
      const [found] = resolveConfig(
        {
          rates: {
            sources: [
              { use: 'coingecko', ...source },
              { use: 'kraken', pairs: { SOL: 'SOLUSD' } },
            ],
          },
        },
        { environment, directory: directory.path },
      ).rateSources;
      assert.ok(found?.use === 'coingecko' && !('apiKeyFile' in found));
      return found.apiKey;
    };
    assert.equal(keyOf({ ids: { SOL: 'solana' } }), undefined);
    assert.equal(keyOf({ apiKey: 'CG-text' }, { TILLGATE_COINGECKO_API_KEY: 'CG-environment' }), 'CG-text');
    assert.equal(keyOf({ apiKeyFile: 'gecko' }), 'CG-file');
    assert.equal(keyOf({}, { TILLGATE_COINGECKO_API_KEY: 'CG-environment' }), 'CG-environment');
    assert.equal(keyOf({}, { TILLGATE_COINGECKO_API_KEY_FILE: 'gecko' }), 'CG-file');
    directory.remove();
    const both = { use: 'coingecko', apiKey: 'CG-text', apiKeyFile: 'none' };
    assert.deepEqual(Object.keys(problemsOf({ rates: { sources: [both] } })), ['rates.sources.0.apiKeyFile']);
    assert.match(
      problemsOf({ rates: { sources: [{ use: 'coingecko', apiKeyFile: '/no/such/file' }] } })[
        'rates.sources.0.apiKeyFile'
      ] ?? '',
      /cannot be read \(ENOENT\)/,
    );
  });

  test('says who needs a second factor', () => {
    const demand = (mode: string, auth: object): string => {
      const rates = { sources: [{ use: 'static', prices: { ETH: '1' } }] };
      return resolveConfig({ mode, auth, rates }, { environment: { TILLGATE_MASTER_KEY: KEY } }).auth.secondFactor;
    };
    assert.deepEqual([demand('production', {}), demand('sandbox', {})], ['admins', 'nobody']);
    assert.equal(demand('sandbox', { secondFactor: 'everybody' }), 'everybody');
    assert.deepEqual(Object.keys(problemsOf({ auth: { secondFactor: 'merchants' } })), ['auth.secondFactor']);
    assert.deepEqual(Object.keys(problemsOf({ auth: { adminSecondFactor: true } })), ['auth.adminSecondFactor']);
  });

  test('compares amounts and pool sizes within their sections', () => {
    assert.deepEqual(Object.keys(problemsOf({ orders: { min: '2', max: '1' } })), ['orders.min']);
    assert.deepEqual(Object.keys(problemsOf({ orders: { minTimeoutSeconds: 3601 } })), ['orders.minTimeoutSeconds']);
    assert.deepEqual(
      Object.keys(
        problemsOf({ database: { client: 'pg', connection: 'postgres://db/till', pool: { min: 5, max: 2 } } }),
      ),
      ['database.pool.min'],
    );
  });

  test('the shared cache has an address where it is Redis, and only there; no message repeats it', () => {
    const cache = (value: object, more: object = {}): object => ({ gateway: { cache: value }, ...more });
    const url = 'redis://:canary@10.0.0.7:6379';
    assert.deepEqual(resolveConfig(cache({ store: 'redis', url })).gateway.cache, { store: 'redis', url });
    for (const [input, path] of [
      [cache({ store: 'redis' }), 'gateway.cache.url'],
      [cache({ store: 'redis', url: 'https://canary' }), 'gateway.cache.url'],
      [cache({ store: 'redis', url: 'redis://canary@host:x' }), 'gateway.cache.url'],
      [cache({ url }), 'gateway.cache.url'],
      [cache({ store: 'database' }), 'gateway.cache.store'],
      [cache({ store: 'disk' }), 'gateway.cache.store'],
    ] as const) {
      const problems = problemsOf(input);
      assert.deepEqual(Object.keys(problems), [path]);
      assert.ok(!JSON.stringify(problems).includes('canary'));
    }
    const pg = { database: { client: 'pg', connection: 'postgres://till@127.0.0.1/till' } };
    assert.equal(resolveConfig(cache({ store: 'database' }, pg)).gateway.cache.store, 'database');
    const production = { mode: 'production', baseUrl: 'https://pay.example' };
    assert.ok('gateway.cache.url' in problemsOf(cache({ store: 'redis', url }, production)));
    for (const safe of [url.replace('redis:', 'rediss:'), 'redis://localhost:6379'])
      assert.ok(!('gateway.cache.url' in problemsOf(cache({ store: 'redis', url: safe }, production))));
  });

  test('takes every setting of a till when it is embedded, and none of a server’s', () => {
    const options = { database: 'sqlite::memory:', masterKey: KEY, baseUrl: 'https://shop.example/pay/' };
    const { config } = planOf({
      ...options,
      keys: { graceSeconds: 7 },
      gateway: { fastPath: false, keysInPath: false, usageRetentionDays: 62 },
      auth: { clockSkewSeconds: 2 },
      rates: { sources: [{ use: 'coingecko', apiKey: 'CG-text' }] },
    });
    assert.equal(config.mode, 'production');
    assert.deepEqual([config.keys.graceSeconds, config.auth.clockSkewMs], [7, 2_000]);
    assert.deepEqual(config.gateway, {
      fastPath: false,
      keysInPath: false,
      cache: { store: 'memory' },
      allowPrivateUpstreams: false,
      sales: null,
      usageRetentionMs: 62 * 86_400_000,
    });
    assert.deepEqual(config.rateSources, [{ use: 'coingecko', apiKey: 'CG-text' }]);
    assert.equal(config.callbacks.allowPrivateNetworks, false);
    for (const name of ['listen', 'database', 'plugins', 'dataDir', 'apiDocs']) assert.ok(!(name in config), name);
    assert.throws(() => planOf({ ...options, baseUrl: 'shop' }), /baseUrl: write an absolute http/);
  });

  test('takes the file that TILLGATE_CONFIG names, the one in the working directory, JSON or a module', async () => {
    const directory = freshDirectory();
    directory.write('tillgate.config.json', { mode: 'sandbox', serviceName: 'from-json' });
    directory.write('package.json', { type: 'module' });
    directory.write(
      'other.ts',
      'export default { mode: "sandbox", serviceName: "from-module" as string, database: { client: "pg" as const } };',
    );
    assert.equal((await loadConfig({}, directory.path)).serviceName, 'from-json');
    const config = await loadConfig(
      { TILLGATE_CONFIG: 'other.ts', TILLGATE_DATABASE_URL: 'postgres://db/till', TILLGATE_PORT: '9000' },
      directory.path,
    );
    assert.equal(config.serviceName, 'from-module');
    assert.equal(config.database.client === 'pg' && config.database.connection, 'postgres://db/till');
    assert.equal(config.listen.port, 9000);
    await assert.rejects(loadConfig({ TILLGATE_CONFIG: 'other.ts' }, directory.path), /database\.connection/);
    await assert.rejects(loadConfig({ TILLGATE_CONFIG: 'gone.json' }, directory.path), /does not exist/);
    directory.write('tillgate.config.json', '{"mode": ');
    await assert.rejects(loadConfig({}, directory.path), /cannot be read/);
    directory.remove();
  });
});

describe('a settings file', () => {
  test('that does not say in which mode it is meant is refused; without a file it is the sandbox', async () => {
    const directory = freshDirectory();
    assert.equal((await loadConfig({}, directory.path)).mode, 'sandbox');
    directory.write('tillgate.config.json', { listen: { host: '0.0.0.0' }, baseUrl: 'https://pay.example.com' });
    await assert.rejects(loadConfig({}, directory.path), /mode: write "sandbox" or "production"/);
    directory.remove();
  });

  test('is where its paths begin, wherever the command is started', async () => {
    const [elsewhere, home] = [freshDirectory(), freshDirectory()];
    home.write('till.json', { mode: 'sandbox', dataDir: 'data', database: { client: 'sqlite', filename: 'own.db' } });
    const { dataDir, database } = await loadConfig({ TILLGATE_CONFIG: join(home.path, 'till.json') }, elsewhere.path);
    assert.equal(dataDir, join(home.path, 'data'));
    assert.deepEqual(database, { client: 'sqlite', filename: join(home.path, 'own.db') });
    for (const directory of [elsewhere, home]) directory.remove();
  });
});

describe('the self-hosting example', () => {
  test('is a production configuration that every check accepts', async () => {
    const directory = fileURLToPath(new URL('../../examples/self-host', import.meta.url));
    const config = await loadConfig({ TILLGATE_MASTER_KEY: KEY }, directory);
    assert.equal(config.mode, 'production');
    assert.deepEqual((await importPlugins(config.plugins, config.mode, directory)).problems, []);
  });
});

describe('a start that must not happen', () => {
  test('tells every problem of the file on standard error and exits with 1', async () => {
    const directory = freshDirectory();
    directory.write('tillgate.config.json', { mode: 'production', tiemout: 1, orders: { min: 5 } });
    const { code, err } = await run(directory.path, ['serve']);
    assert.equal(code, 1);
    for (const word of ['tiemout', 'orders.min', 'TILLGATE_MASTER_KEY']) assert.match(err, new RegExp(word));
    directory.remove();
  });

  test('fault 74: production refuses the sandbox plugin, the key that the sandbox made, and the demo merchant', async () => {
    const directory = freshDirectory();
    const sandbox = serve(directory.path);
    await sandbox.url();
    assert.equal((await sandbox.signal('SIGTERM')).code, 0);

    directory.write('tillgate.config.json', { mode: 'production', plugins: [{ use: 'sandbox' }, { use: 'nowhere' }] });
    const plugins = await run(directory.path, ['serve'], { TILLGATE_MASTER_KEY: KEY });
    assert.equal(plugins.code, 1);
    assert.match(plugins.err, /plugins\.0: plugin sandbox: is for the sandbox only/);
    assert.match(plugins.err, /plugins\.1: plugin nowhere/);

    directory.write('tillgate.config.json', { mode: 'production' });
    const generated = await run(directory.path, ['serve'], { TILLGATE_MASTER_KEY_FILE: join('data', 'master.key') });
    assert.equal(generated.code, 1);
    assert.match(generated.err, /the key that the sandbox made/);
    const other = await run(directory.path, ['serve'], { TILLGATE_MASTER_KEY: KEY });
    assert.equal(other.code, 1);
    assert.match(other.err, /another master key/);

    const own = freshDirectory();
    const keyed = serve(own.path, { TILLGATE_MASTER_KEY: KEY });
    await keyed.url();
    assert.equal((await keyed.signal('SIGTERM')).code, 0);
    own.write('tillgate.config.json', { mode: 'production' });
    const demo = await run(own.path, ['serve'], { TILLGATE_MASTER_KEY: KEY });
    assert.equal(demo.code, 1);
    assert.match(demo.err, /demo@example\.com, an account of the sandbox/);
    own.remove();
    directory.remove();
  });
});
