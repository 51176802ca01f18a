import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { parseEther } from 'viem';
import { createTillgateClient } from '../../adapters/client/index.ts';
import { startAnvil } from '../support/anvil.ts';
import type { Anvil } from '../support/anvil.ts';
import { freePort } from '../support/free-port.ts';
import { endWithThisProcess } from '../support/processes.ts';
import { repository } from '../support/source-tree.ts';
import { waitFor } from '../support/wait.ts';
import { tarballs } from '../package/project.ts';

const execute = promisify(execFile);
/** The addon of this very version, which the tests use: compiling it again takes minutes where no binary of it can be had. */
const ADDON = 'node_modules/sqlite3/build/Release/node_sqlite3.node';
const RATES = [{ use: 'static', prices: { ETH: '2500', EUR: '1.1' } }];

/** Only what a user of the machine has: none of this process's settings. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name !== 'NODE_OPTIONS' && !/^(TILLGATE|TEST|npm)_/.test(name)),
);

describe('@tillgate/server, installed from its tarball into an empty folder', () => {
  const path = mkdtempSync(join(tmpdir(), 'tillgate-server-'));
  let anvil: Anvil;
  before(async () => {
    anvil = await startAnvil();
    writeFileSync(join(path, 'package.json'), JSON.stringify({ name: 'till', private: true }));
    const { '@tillgate/client': client, '@tillgate/server': server, tillgate: library } = await tarballs();
    const packages = [client, library, server];
    await execute('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages], { cwd: path });
    mkdirSync(join(path, 'node_modules/sqlite3/build/Release'), { recursive: true });
    copyFileSync(join(repository, ADDON), join(path, ADDON));
  });
  after(async () => {
    await anvil.stop();
    rmSync(path, { recursive: true, force: true });
  });

  const tillgate = (args: readonly string[], input = ''): Promise<{ code: number | null; out: string; err: string }> =>
    new Promise((resolve) => {
      const child = spawn('npx', ['tillgate', ...args], {
        cwd: path,
        env: environment,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      endWithThisProcess(child);
      const texts = { out: '', err: '' };
      child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.out += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.err += text));
      child.stdin.end(input);
      child.once('close', (code) => resolve({ code, ...texts }));
    });
  const record = async (args: readonly string[], input?: string): Promise<Record<string, string>> => {
    const { code, out, err } = await tillgate([...args, '--json'], input);
    assert.equal(code, 0, err);
    return JSON.parse(out) as Record<string, string>;
  };

  test('brings every package in the tested version and no other', () => {
    const { dependencies } = JSON.parse(
      readFileSync(join(path, 'node_modules/@tillgate/server/package.json'), 'utf8'),
    ) as { dependencies: Record<string, string> };
    for (const [name, version] of Object.entries(dependencies)) {
      const installed = JSON.parse(readFileSync(join(path, 'node_modules', name, 'package.json'), 'utf8')) as {
        version: string;
      };
      assert.equal(installed.version, version, name);
    }
    for (const name of ['typescript', 'tsx', 'playwright-core', 'react', 'solc'])
      assert.ok(!existsSync(join(path, 'node_modules', name)), name);
  });

  test('two commands later a payment on a real node makes an order SUCCESS', async () => {
    const plugin = {
      use: 'ethereum',
      options: { rpcUrls: [anvil.url], chainId: anvil.chainId, confirmations: 1, pollIntervalMs: 200, tokens: {} },
    };
    const port = String(await freePort());
    const url = `http://127.0.0.1:${port}`;
    const flags = ['--base-url', url, '--port', port, '--email', 'boss@example.com', '--password-stdin'];
    const made = await tillgate(
      ['init', '--plugins', JSON.stringify([plugin]), '--rates', JSON.stringify(RATES), ...flags],
      'a good long password\n',
    );
    assert.equal(made.code, 0, made.out + made.err);
    const { id = '' } = await record(
      ['account', 'create', '--email', 'shop@example.com', '--verified', '*', '--password-stdin'],
      'another good password\n',
    );
    const { api_key: apiKey = '' } = await record(['credential', 'create', '--account', id]);

    const server = spawn(process.execPath, [join(path, 'node_modules/.bin/tillgate'), 'serve'], {
      cwd: path,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    endWithThisProcess(server);
    const ended = new Promise<number | null>((resolve) => server.once('close', resolve));
    let said = '';
    for (const stream of [server.stdout, server.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (said += text));
    const describe = (): string => said;
    await waitFor(() => said.includes(`listens on ${url}`), { timeoutMs: 120_000, describe });

    const client = createTillgateClient({ baseUrl: url, credentials: { apiKey } });
    const order = await client.orders.create({ price: '12.50', currency: 'EUR', chain: 'ETH', coin: 'ETH' });
    assert(order.payment !== null);
    const [from = ''] = await anvil.rpc<string[]>('eth_accounts');
    const value = `0x${parseEther(order.payment.amount).toString(16)}`;
    await anvil.rpc('eth_sendTransaction', [{ from, to: order.payment.address, value }]);
    await anvil.mine(3);
    const status = await waitFor(
      async () => {
        const { status: now } = await client.orders.get(order.id);
        return now === 'SUCCESS' ? now : undefined;
      },
      { timeoutMs: 120_000, describe },
    );
    assert.equal(status, 'SUCCESS');
    server.kill('SIGTERM');
    assert.equal(await ended, 0, said);
    const books = await tillgate(['ledger', 'check', '--full']);
    assert.equal(books.code, 0, books.err);
  });
});
