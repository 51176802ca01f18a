import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { freePort } from '../support/free-port.ts';
import { endWithThisProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait.ts';
import { emptyProject, tarball } from './project.ts';
import type { Project } from './project.ts';

/** The core on storage of one's own: an order is made, its events are told, and nothing but the package is there. */
const CORE_ALONE = `
  import { AssetCatalogue, CreateOrder, DEFAULT_ORDER_SETTINGS, IdSequence, present, readDecimal } from 'tillgate';

  const clock = { now: () => Date.now() };
  const quiet = () => undefined;
  const metrics = { count: quiet, gauge: quiet, observe: quiet };
  const events = { emit: (name) => console.log(name), on: () => quiet };
  const eth = { chain: 'ETH', currency: 'ETH', symbol: 'ETH', decimals: 18, kind: 'native', stable: false };
  const rows = new Map();
  const storage = {
    orders: {
      create: async ({ order }) => { const row = { ...order, number: rows.size + 1 }; rows.set(row.id, row); return { kind: 'created', order: row }; },
      find: async (id) => rows.get(id) ?? null,
    },
  };
  const assets = new AssetCatalogue([eth]);
  const addresses = { take: async () => ({ chain: 'ETH', address: '0xabc', key: '0xabc', walletId: 'w', index: 0 }), giveBack: quiet };
  const rates = { usdWorth: async () => present(readDecimal('25'), 'worth'), quote: async () => ({ units: 10n ** 16n, rate: { base: 'ETH', sources: [] } }) };
  const random = { bytes: (count) => new Uint8Array(count).fill(7) };
  const ids = new IdSequence(clock.now, 1, () => 0);
  const createOrder = new CreateOrder({ storage, assets, rates, addresses, clock, ids: { next: () => ids.next() }, random, events, metrics, settings: DEFAULT_ORDER_SETTINGS });
  const order = await createOrder.inCoin(
    { accountId: '1', credentialId: null, via: 'api-key' },
    { chain: 'ETH', currency: 'ETH', vsCurrency: 'USD', vsPrice: present(readDecimal('25'), 'price') },
  );
  console.log(order.status, order.payment.units, rows.size);
`;

const CLIENT_ALONE = `
  import { createTillgateClient, signTestCallback, verifyCallback } from 'tillgate/client';
  const callbackSecret = 'whsec_' + Buffer.alloc(32, 7).toString('base64');
  const signed = await signTestCallback({ url: 'https://shop.example/paid', callbackToken: 'cbt', callbackSecret });
  const { event } = await verifyCallback(signed, { callbackSecret });
  console.log(event, typeof createTillgateClient({ baseUrl: 'https://pay.example', credentials: { apiKey: 'key' } }).orders.get);
`;

/** What examples/embed-express is installed with: the application's own, and what npm names as peers of the adapters used. */
const EMBED_PEERS = [
  'express',
  'knex',
  'sqlite3',
  '@asteasolutions/zod-to-openapi',
  '@noble/curves',
  '@noble/hashes',
  '@scure/base',
  '@scure/bip32',
  '@scure/bip39',
  '@scure/btc-signer',
  'eventemitter3',
  'inversify',
  'jose',
  'lossless-json',
  'preact',
  'preact-render-to-string',
  'rate-limiter-flexible',
  'reflect-metadata',
  'uqr',
  'viem',
  'zod',
];

/** A consumer's own program, which must compile against the types alone, those of node among what is missing. */
const CONSUMER = `
  import { readDecimal, formatUnits, type EventBus, type Order } from 'tillgate';
  import { createTillgateClient, isApiError } from 'tillgate/client';
  export function follow(events: EventBus, order: Order): () => void {
    return events.on('order.status', ({ orderId, to }) => { if (orderId === order.id) console.log(to.toLowerCase()); });
  }
  export const price: string | undefined = readDecimal('1') === null ? undefined : formatUnits(1n, 2);
  export const till = createTillgateClient({ baseUrl: 'https://pay.example', credentials: { apiKey: 'key' } });
  export const refused = (error: unknown): boolean => isApiError(error, 'state_conflict');
  export const paid = async (id: string): Promise<string | undefined> => (await till.orders.get(id)).payment?.amount.trim();
  // @ts-expect-error an event that there is not
  export const never = (events: EventBus): unknown => events.on('order.stolen', () => undefined);
`;

describe('the package, installed from its tarball into an empty project', () => {
  let packed: string;
  const projects: Project[] = [];
  const project = async (): Promise<Project> => {
    const made = await emptyProject(packed);
    projects.push(made);
    return made;
  };
  before(async () => {
    packed = await tarball();
  });
  after(() => projects.forEach((each) => each.remove()));

  test('brings nothing with it: core and client run with no other package there, express, knex, viem and native modules least of all', async () => {
    const { path, write, node } = await project();
    assert.deepEqual(
      readdirSync(join(path, 'node_modules')).filter((name) => !name.startsWith('.')),
      ['tillgate'],
    );
    const manifest = JSON.parse(readFileSync(join(path, 'node_modules/tillgate/package.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    for (const field of ['dependencies', 'devDependencies', 'optionalDependencies'])
      assert.ok(!(field in manifest), field);
    assert.ok(!existsSync(join(path, 'node_modules/tillgate/node_modules')));
    write('core.js', CORE_ALONE);
    assert.equal(await node('core.js'), 'order.created\nPENDING 10000000000000000n 1\n');
    write('client.js', CLIENT_ALONE);
    assert.match(await node('client.js'), /^order\.succeeded function/);
  });

  test('has types that stand alone, with none of them left unchecked', async () => {
    const { path, write } = await project();
    const file = write('consumer.ts', CONSUMER);
    const program = ts.createProgram([file], {
      strict: true,
      skipDefaultLibCheck: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2023,
      lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      types: [],
      typeRoots: [join(path, 'none')],
    });
    const problems = ts
      .getPreEmitDiagnostics(program)
      .map(
        ({ messageText, file: where }) =>
          `${where?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      );
    assert.deepEqual(problems, []);
  });

  test('examples/embed-express runs on it with its peers and no others, as plain JavaScript', async () => {
    const { path, add, write } = await project();
    add(EMBED_PEERS);
    const source = readFileSync(fileURLToPath(new URL('../../examples/embed-express/main.ts', import.meta.url)), 'utf8')
      .replaceAll("'../../host/embed/index.ts'", "'tillgate/embed'")
      .replaceAll("'../../core/index.ts'", "'tillgate'")
      .replaceAll(/'\.\.\/\.\.\/plugins\/(\w+)\/index\.ts'/g, "'tillgate/plugins/$1'");
    assert.doesNotMatch(source, /\.\.\//);
    const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023 };
    write('main.js', ts.transpileModule(source, { fileName: 'main.mts', compilerOptions: options }).outputText);
    const port = await freePort();
    const child = spawn(process.execPath, ['main.js'], {
      cwd: path,
      env: { ...process.env, PORT: String(port), DATABASE: 'app.db' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    endWithThisProcess(child);
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (said += text));
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    await waitFor(() => /shop on/.test(said) || child.exitCode !== null, { timeoutMs: 60_000, describe: () => said });
    assert.match(said, /shop on/);
    const bought = (await (await fetch(`http://127.0.0.1:${port}/buy`, { method: 'POST' })).json()) as { pay: string };
    // The page's own script and style stand in the package too.
    const page = await fetch(bought.pay.replace('localhost', '127.0.0.1'));
    assert.equal(page.status, 200);
    const assets = [...(await page.text()).matchAll(/(?:src|href)="(assets\/[^"]+)"/g)].map(
      ([, asset = '']) => new URL(asset, page.url),
    );
    assert.ok(assets.length > 0);
    for (const asset of assets) assert.equal((await fetch(asset)).status, 200, asset.href);
    child.kill('SIGTERM');
    assert.equal(await ended, 0, said);
  });
});
