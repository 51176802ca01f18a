import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import knex, { type Knex } from 'knex';
import { generateMnemonic } from '../../adapters/wallet/index.ts';
import { Merchant, readDemo } from '../host/merchant.ts';
import type { Demo } from '../host/merchant.ts';
import { freshDirectory, killAll, run, serve } from '../host/till-process.ts';
import { testedEngines } from '../support/each-storage.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { waitFor } from '../support/wait.ts';

/** One for each kind of thing that must not leave the machine, so that a failure names it. */
const canary = (what: string): string => `${what}Zq7Canary${randomBytes(6).toString('hex')}`;
const CANARIES = {
  nodeKey: canary('node'),
  headerKey: canary('header'),
  rateKey: canary('rate'),
  mailPassword: canary('mail'),
  callbackKey: canary('callback'),
  reference: canary('reference'),
  customer: canary('customer'),
  words: canary('words'),
  misspelt: canary('misspelt'),
  folder: canary('folder'),
};
/** What a node or an operator might write that ends up in a reason. */
const REASON = `https://node.example/v3/${CANARIES.words} said 0x52908400098527886E0F7030069857D2E4169EE7`;

interface Bundle {
  readonly findings: readonly string[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly setting_problems: readonly string[];
  readonly plugins: readonly { readonly plugin: string; readonly options: unknown }[];
  readonly environment: readonly string[];
  readonly database: {
    readonly unknown?: string;
    readonly engine: { readonly name: string };
    readonly migrations: { readonly missing: readonly string[]; readonly foreign: number };
    readonly chains: readonly Readonly<Record<string, unknown>>[];
    readonly orders: readonly { readonly status: string; readonly count: number }[];
    readonly open_alerts: readonly { readonly kind: string; readonly open: number }[];
    readonly callback_attempts: readonly { readonly http_status: number | null }[];
    readonly tables: readonly { readonly table: string; readonly rows: number; readonly unknown?: string }[];
  };
  readonly metrics: Readonly<Record<string, unknown>>;
}

/** A secret as it is, and in the forms that programs give to one; of base64 what does not depend on what stands around it. */
function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const shifted = [0, 1, 2].map((by) =>
    Buffer.concat([Buffer.alloc(by), bytes])
      .toString('base64')
      .replace(/=+$/, '')
      .slice(4, -2),
  );
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('hex'),
    ...shifted,
  ].flatMap((form) => [form.toLowerCase(), form.replaceAll('+', '-').replaceAll('/', '_').toLowerCase()]);
}

function assertHoldsNone(text: string, secrets: Readonly<Record<string, string>>): void {
  for (const [name, secret] of Object.entries(secrets)) {
    assert.ok(secret.length >= 8, `${name} is too short to be looked for`);
    for (const form of formsOf(secret)) assert.ok(!text.toLowerCase().includes(form), `the bundle holds the ${name}`);
  }
  // No URL, no e-mail address, no address of a chain, no hash and no key, whosever they are.
  assert.doesNotMatch(text, /:\/\/|@|0x[0-9a-f]{6}|[A-Za-z0-9+/=_]{44}/i);
  assert.doesNotMatch(text, /(?:tak|tat|tss|tck|tct|tgk|whsec)_[A-Za-z0-9]/);
}

for (const engine of testedEngines()) {
  describe(`the bundle for support, ${engine}`, () => {
    const directory = freshDirectory();
    const masterKey = randomBytes(32);
    const mnemonic = generateMnemonic(12);
    let database: FreshDatabase | null = null;
    let sql: Knex;
    let demo: Demo;
    let order: Readonly<Record<string, unknown>> = {};
    let environment: Record<string, string> = {};
    let url = '';
    const bundle = async (name: string, more: Readonly<Record<string, string>> = {}): Promise<[Bundle, string]> => {
      const { code, out, err } = await run(directory.path, ['support-bundle', '--out', name], {
        ...environment,
        ...more,
      });
      assert.equal(code, 0, err);
      const text = readFileSync(join(directory.path, name), 'utf8');
      assertHoldsNone(text, secrets());
      assertHoldsNone(out + err, secrets());
      return [JSON.parse(text) as Bundle, text];
    };
    const secrets = (): Readonly<Record<string, string>> => ({
      ...CANARIES,
      'API key': demo.api_key.slice(4),
      'API token': demo.api_token.slice(4),
      'signing secret': demo.signing_secret.slice(4),
      'callback secret': demo.callback_secret.slice(6),
      password: demo.password,
      'e-mail address': demo.email,
      'account id': demo.account_id,
      'deposit address': String(order['address']),
      'id of the order': String(order['order_id']),
      'token of the payer’s page': String(order['pay_url']).split('/').at(-1) ?? '',
      'master key': masterKey.toString('base64').slice(0, 40),
      'master key in hexadecimal': masterKey.toString('hex'),
      mnemonic: mnemonic.split(' ').slice(0, 4).join(' '),
      ...(database === null ? {} : { 'password of the database': new URL(database.url).password }),
    });
    const settings = {
      mode: 'sandbox',
      dataDir: 'data',
      callbacks: { schedule: [0] },
      rates: {
        sources: [
          { use: 'static' },
          { use: 'coingecko', url: `http://127.0.0.1:9/${CANARIES.rateKey}`, apiKey: CANARIES.rateKey },
        ],
      },
      gateways: [
        {
          host: 'eth.gate.example',
          chain: 'ETH',
          network: 'mainnet',
          protocol: 'jsonrpc',
          upstreams: [{ url: `http://127.0.0.1:9/${CANARIES.nodeKey}`, headers: { 'x-key': CANARIES.headerKey } }],
        },
      ],
    };

    before(async () => {
      environment = { TILLGATE_MASTER_KEY: masterKey.toString('base64'), TILLGATE_MNEMONIC: mnemonic };
      if (engine === 'pg') {
        const { freshDatabase } = await import('../support/postgres.ts');
        database = await freshDatabase();
        environment['TILLGATE_DATABASE_URL'] = database.url;
      }
      directory.write('tillgate.config.json', settings);
      url = await serve(directory.path, environment).url();
      sql = knex(
        database === null
          ? {
              client: 'sqlite3',
              connection: { filename: join(directory.path, 'data/tillgate.db') },
              useNullAsDefault: true,
            }
          : { client: 'pg', connection: database.url, pool: { min: 0, max: 1 } },
      );
      demo = readDemo(directory.path);
      const merchant = new Merchant(url, demo);
      const { status, data } = await merchant.payInfo(`http://127.0.0.1:9/cb?key=${CANARIES.callbackKey}`, {
        merchant_reference: CANARIES.reference,
        metadata: { customer: `${CANARIES.customer}@example.com` },
      });
      assert.equal(status, 200);
      order = data;
      assert.equal((await merchant.pay(data['order_id'])).status, 200);
      await waitFor(async () => (await sql('callback_attempts').select('id')).length > 0, {
        timeoutMs: 30_000,
        describe: 'an attempt to call back',
      });
      await sql('callback_attempts').update({ error: REASON });
      await sql('alerts').insert({
        id: '1',
        kind: 'deposit',
        subject: REASON,
        reason: REASON,
        status: 'OPEN',
        first_at: 1,
        last_at: 1,
        raised: 1,
      });
      await sql('payout_stops').insert({ chain: 'BTC', reason: REASON, stopped_at: 1 });
    });
    after(async () => {
      await sql?.destroy();
      await killAll();
      await database?.drop();
      directory.remove();
    });

    test('fault 286: it says what helps, and in no byte a secret, an address or anything of a customer', async () => {
      const [found] = await bundle('running.json', { TILLGATE_PORT: new URL(url).port });
      assert.equal(found.database.engine.name, engine);
      assert.deepEqual(found.database.migrations, { ...found.database.migrations, missing: [], foreign: 0 });
      assert.deepEqual(found.database.open_alerts.find(({ kind }) => kind === 'deposit')?.open, 1);
      assert.ok(found.database.chains.some(({ chain, payouts_stopped_at: at }) => chain === 'BTC' && at === 1));
      assert.equal(
        found.database.orders.reduce((sum, { count }) => sum + count, 0),
        1,
      );
      assert.ok(found.database.callback_attempts.length > 0);
      assert.deepEqual(
        found.database.tables.filter(({ unknown }) => unknown !== undefined),
        [],
      );
      assert.equal(found.database.tables.find(({ table }) => table === 'orders')?.rows, 1);
      assert.ok(Number(found.metrics['tillgate_orders_total{status=PENDING}']) >= 1, JSON.stringify(found.metrics));
      assert.deepEqual(found.findings, ['payouts-stopped']);
      assert.deepEqual(found.settings['callbacks.schedule'], [0]);
      assert.equal(found.settings['mode'], 'sandbox');
      assert.equal(found.settings['rates.sources.1.use'], 'coingecko');
      assert.equal(found.settings['rates.sources.1.apiKey'], 'set');
      assert.equal(found.settings['gateways.0.protocol'], 'jsonrpc');
      assert.equal(found.settings['signer'], 'not set');
      assert.ok(found.environment.includes('TILLGATE_MASTER_KEY') && !found.environment.includes('TILLGATE_CONFIG'));
    });

    test('fault 287: reasons of chains and nodes are left out, whatever they say and whatever kind they name', async () => {
      const former = await sql('chain_states').where({ chain: 'ETH' }).first<Record<string, unknown>>();
      await killAll();
      await sql('chain_states')
        .where({ chain: 'ETH' })
        .update({ halted_reason: REASON, trouble: JSON.stringify({ kind: REASON, text: REASON, since: REASON }) });
      const [found] = await bundle('halted.json');
      const chain = found.database.chains.find((each) => each['chain'] === 'ETH');
      assert.deepEqual([chain?.['halted'], chain?.['trouble'], chain?.['trouble_since']], [true, 'other', null]);
      assert.deepEqual(found.findings, ['chain-not-read', 'chain-stopped', 'payouts-stopped']);
      assert.ok('unknown' in found.metrics);
      await sql('chain_states')
        .where({ chain: 'ETH' })
        .update({ halted_reason: null, trouble: former?.['trouble'] ?? null });
    });

    test('fault 288: it migrates nothing and writes nothing: a database of another release stays as it was', async () => {
      const last = await sql('schema_migrations').where({ name: '0001-baseline' }).first<Record<string, unknown>>();
      await sql('schema_migrations').where({ name: '0001-baseline' }).delete();
      await sql('schema_migrations').insert({ name: `9999-${CANARIES.words}`, checksum: 'x', applied_at: 1 });
      // A file is complete once nobody has it open.
      await sql.destroy();
      const before = engine === 'sqlite' ? hashOf(join(directory.path, 'data/tillgate.db')) : null;
      const files = readdirSync(join(directory.path, 'data')).filter((name) => !/-(?:wal|shm)$/.test(name));
      const reader = database === null ? null : await readerOf(database.url);
      const [found] = await bundle('older.json', reader === null ? {} : { TILLGATE_DATABASE_URL: reader.url });
      await reader?.drop();
      assert.deepEqual(found.database.migrations.missing, ['0001-baseline']);
      assert.equal(found.database.migrations.foreign, 1);
      assert.deepEqual(
        found.database.tables.filter(({ unknown }) => unknown !== undefined),
        [],
      );
      if (before !== null) assert.equal(hashOf(join(directory.path, 'data/tillgate.db')), before);
      assert.deepEqual(
        readdirSync(join(directory.path, 'data')).filter((name) => !/-(?:wal|shm)$/.test(name)),
        files,
      );
      sql.initialize();
      await sql('schema_migrations').insert(last);
      await sql('schema_migrations').where({ checksum: 'x' }).delete();
    });

    test('fault 288: a database that does not answer is said, and none is made', async () => {
      const nowhere =
        engine === 'pg'
          ? { TILLGATE_DATABASE_URL: `postgres://till:${CANARIES.words}@127.0.0.1:9/till` }
          : { TILLGATE_CONFIG: 'elsewhere.json' };
      directory.write('elsewhere.json', { ...settings, dataDir: CANARIES.folder });
      mkdirSync(join(directory.path, CANARIES.folder));
      const [found] = await bundle('nowhere.json', nowhere);
      assert.equal(found.database.unknown, engine === 'pg' ? 'ECONNREFUSED' : 'SQLITE_CANTOPEN');
      assert.deepEqual(found.findings, ['database-unusable']);
      assert.deepEqual(readdirSync(join(directory.path, CANARIES.folder)), []);
    });

    test('fault 286: settings that are wrong are named by the schema’s own names, and nothing of what is written is shown', async () => {
      directory.write('wrong.json', everySetting());
      const [found] = await bundle('wrong-settings.json', { TILLGATE_CONFIG: 'wrong.json' });
      assert.ok(found.setting_problems.includes('*'), JSON.stringify(found.setting_problems));
      assert.deepEqual(found.findings, ['configuration-wrong']);
      assert.equal(found.settings['(unknown settings)'], 1);
      assert.deepEqual(
        found.plugins.map(({ plugin, options }) => [plugin, options]),
        [
          ['ethereum', ['rpcUrls']],
          ['smtp', ['password']],
          ['own', 1],
        ],
      );
      directory.write('unreadable.json', `{"${CANARIES.words}": `);
      const [unreadable] = await bundle('unreadable-settings.json', { TILLGATE_CONFIG: 'unreadable.json' });
      assert.deepEqual(unreadable.findings, ['configuration-wrong']);
    });

    test('nobody else can read it, and it overwrites nothing', async () => {
      const [, text] = await bundle('once.json');
      const file = join(directory.path, 'once.json');
      assert.equal(statSync(file).mode & 0o777, 0o600);
      const again = await run(directory.path, ['support-bundle', '--out', 'once.json'], environment);
      assert.deepEqual([again.code, /exists already/.test(again.err)], [1, true], again.err);
      assert.equal(readFileSync(file, 'utf8'), text);
      const { out } = await run(directory.path, ['support-bundle', '--json'], environment);
      assert.match((JSON.parse(out) as { file: string }).file, /^tillgate-support-\d{4}-\d{2}-\d{2}T\d{6}Z\.json$/);
    });
  });
}

const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/** A user of the same database who can read and do nothing else. */
async function readerOf(url: string): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const name = `reader_${randomBytes(4).toString('hex')}`;
  const admin = knex({ client: 'pg', connection: url, pool: { min: 0, max: 1 } });
  await admin.raw(`CREATE ROLE ${name} LOGIN PASSWORD '${name}' IN ROLE pg_read_all_data`);
  const reader = new URL(url);
  [reader.username, reader.password] = [name, name];
  const drop = async (): Promise<void> => {
    await admin.raw(`DROP ROLE ${name}`);
    await admin.destroy();
  };
  return { url: reader.href, drop };
}

/** A secret wherever a text may be written. */
function everySetting(): object {
  const { nodeKey, headerKey, rateKey, mailPassword, callbackKey, customer, words, misspelt, folder } = CANARIES;
  const keyed = `https://x.example/${nodeKey}?key=${nodeKey}`;
  return {
    mode: words,
    serviceName: words,
    baseUrl: keyed,
    dataDir: folder,
    masterKeyFile: folder,
    [misspelt]: misspelt,
    apiDocs: words,
    listen: { host: words, port: words, [misspelt]: 1 },
    signer: { url: `https://${words}.example`, caFile: folder, certFile: folder, keyFile: folder },
    database: { client: 'pg', connection: `postgres://till:${words}@db.example/till`, insecure: words },
    orders: { min: words, max: words, timeoutSeconds: words },
    callbacks: { schedule: [words, 5], hosts: [callbackKey] },
    auth: { breachedPasswords: keyed, secondFactor: words },
    withdrawals: { min: { [words]: words }, limits: [{ currency: words, window: words, total: words }] },
    sweeps: { cold: { [words]: { address: words, above: {} } } },
    rates: { sources: [{ use: 'coingecko', url: keyed, apiKey: rateKey }, { use: words }] },
    gateway: { sales: { account: customer, plans: { [words]: { units: 1, price: words, currency: words } } } },
    gateways: [
      {
        host: words,
        chain: words,
        protocol: words,
        upstreams: [keyed, { url: keyed, headers: { [headerKey]: headerKey } }],
      },
    ],
    plugins: [
      { use: 'ethereum', options: { rpcUrls: [keyed], [misspelt]: 1 } },
      { use: 'smtp', options: { password: mailPassword } },
      { use: `./${folder}.js`, options: { [words]: words } },
    ],
  };
}
