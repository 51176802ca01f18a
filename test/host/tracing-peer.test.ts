import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { endWithThisProcess } from '../support/processes.ts';
import { Merchant, readDemo } from './merchant.ts';
import { freshDirectory, killAll, serve } from './till-process.ts';
import type { Ended, TillProcess } from './till-process.ts';

const PRELOAD = new URL('without-opentelemetry.mjs', import.meta.url).href;
const WORDS =
  /tracing: tillgate needs @opentelemetry\/api for the setting tracing: npm install @opentelemetry\/api\. The package @tillgate\/server/;

const at = (path: string): string => JSON.stringify(new URL(`../../${path}`, import.meta.url).href);

/** An application that embeds a till; it says how the till opened, and sells something. */
const application = (tracing: boolean): string => `
  import { randomBytes } from 'node:crypto';
  const { createTillgate } = await import(${at('host/embed/index.ts')});
  const { sandbox } = await import(${at('plugins/sandbox/index.ts')});
  try {
    const till = await createTillgate({
      database: 'sqlite::memory:',
      masterKey: randomBytes(32),
      baseUrl: 'https://shop.example.com',
      mode: 'sandbox',
      plugins: [sandbox()],
      tracing: ${tracing},
    });
    const { id } = await till.accounts.create({ email: 'shop@example.com' });
    await till.orders.create({ account: id, chain: 'ETH', coin: 'ETH', currency: 'EUR', price: '1' });
    await till.close();
    console.log('sold');
  } catch (error) {
    console.log(error.code + ' ' + error.message);
  }
`;

describe('a machine without @opentelemetry/api', () => {
  let directory: ReturnType<typeof freshDirectory>;
  let environment: Readonly<Record<string, string>>;
  beforeEach(() => {
    directory = freshDirectory();
    environment = { NODE_OPTIONS: `--import ${PRELOAD}`, ASKED_FILE: join(directory.path, 'asked') };
  });
  afterEach(async () => {
    await killAll();
    directory.remove();
  });

  const asked = (): string => {
    const file = join(directory.path, 'asked');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  /** The built program of a test run has the package in it. */
  const start = (settings: object): TillProcess => {
    directory.write('tillgate.config.json', { mode: 'sandbox', ...settings });
    return serve(directory.path, environment, 'compiled');
  };
  const embed = async (tracing: boolean): Promise<Ended> => {
    const args = ['--import', import.meta.resolve('tsx'), '--input-type=module', '-e', application(tracing)];
    const child = spawn(process.execPath, args, {
      cwd: directory.path,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    endWithThisProcess(child);
    const texts = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.err += text));
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...texts })));
  };

  test('a server that is to trace says which package is missing, and how to install it', async () => {
    const { code, err } = await start({ tracing: true }).ended();
    assert.equal(code, 1);
    assert.match(err, WORDS);
  });

  test('an embedded till that is to trace says the same, as CONFIG_INVALID', async () => {
    const { out, err } = await embed(true);
    assert.match(out, /^CONFIG_INVALID /, err);
    assert.match(out, WORDS);
  });

  test('a server that does not trace sells, and never asks for it', async () => {
    const url = await start({}).url();
    const order = await new Merchant(url, readDemo(directory.path)).payInfo('https://shop.example.com/callback');
    assert.equal(order.code, 0, order.message);
    assert.equal(asked(), '');
  });

  test('an embedded till that does not trace sells, and never asks for it', async () => {
    const { out, err } = await embed(false);
    assert.deepEqual([out, err], ['sold\n', '']);
    assert.equal(asked(), '');
  });
});
