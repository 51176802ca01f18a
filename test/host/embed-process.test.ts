import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { endWithThisProcess } from '../support/processes.ts';
import { freshDirectory } from './till-process.ts';

const at = (path: string): string => JSON.stringify(new URL(`../../${path}`, import.meta.url).href);

/** An application that embeds a till and looks at what that does to its process. */
const APPLICATION = `
  import { randomBytes } from 'node:crypto';
  import { readdirSync } from 'node:fs';
  import { register } from 'prom-client';

  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'uncaughtException', 'unhandledRejection', 'exit', 'beforeExit', 'warning'];
  const look = () => ({
    listeners: signals.map((name) => process.listenerCount(name)),
    // zod keeps its registry where other copies of zod find it.
    globals: Object.getOwnPropertyNames(globalThis).filter((name) => !name.startsWith('__zod_')).sort(),
    metrics: register.getMetricsAsArray().length,
    files: readdirSync('.'),
    title: process.title,
    directory: process.cwd(),
  });
  const environment = { ...process.env };
  const before = look();
  const { createTillgate } = await import(${at('host/embed/index.ts')});
  const { sandbox } = await import(${at('plugins/sandbox/index.ts')});

  const exit = process.exit;
  process.exit = () => { throw new Error('the till ended the process'); };
  const till = await createTillgate({
    database: 'sqlite::memory:',
    masterKey: randomBytes(32),
    baseUrl: 'https://shop.example.com',
    mode: 'sandbox',
    plugins: [sandbox()],
  });
  till.express();
  till.on('order.created', () => undefined);
  const { id } = await till.accounts.create({ email: 'shop@example.com' });
  await till.orders.create({ account: id, chain: 'ETH', coin: 'ETH', currency: 'EUR', price: '1' });
  const during = look();
  await till.close();
  console.log(JSON.stringify({ before, during, after: look(), environment: JSON.stringify(process.env) === JSON.stringify(environment), servers: process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length }));
  process.exit = exit;
`;

interface Looks {
  readonly before: object;
  readonly during: object;
  readonly after: object;
  readonly environment: boolean;
  readonly servers: number;
}

test('a till changes nothing of its process, prints nothing, listens nowhere, and keeps nothing alive when it is closed', async (t) => {
  const directory = freshDirectory();
  t.after(() => directory.remove());
  // Resolved from here: the application stands in a folder without packages.
  const child = spawn(
    process.execPath,
    [
      '--import',
      import.meta.resolve('tsx'),
      '--input-type=module',
      '-e',
      APPLICATION.replace("'prom-client'", JSON.stringify(import.meta.resolve('prom-client'))),
    ],
    {
      cwd: directory.path,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  endWithThisProcess(child);
  const texts = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.err += text));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  assert.deepEqual([code, texts.err], [0, '']);
  const [line = '', ...rest] = texts.out.trim().split('\n');
  assert.deepEqual(rest, [], 'only the application speaks');
  const { before, during, after, environment, servers } = JSON.parse(line) as Looks;
  assert.deepEqual(during, before);
  assert.deepEqual(after, before);
  assert.deepEqual([environment, servers], [true, 0]);
});
