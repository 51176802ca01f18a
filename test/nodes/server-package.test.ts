import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { createTillgateClient } from '../../adapters/client/index.ts';
import { startAnvil } from '../support/anvil.ts';
import type { Anvil } from '../support/anvil.ts';
import { ethereumOn, payOnAnvil } from '../support/anvil-payer.ts';
import { addSqlite, installedServer, usersEnvironment } from '../support/installed-server.ts';
import { waitFor } from '../support/wait.ts';
import { tarballs } from '../package/project.ts';

const execute = promisify(execFile);
const RATES = [{ use: 'static', prices: { ETH: '2500', EUR: '1.1' } }];

describe('@tillgate/server, installed from its tarball into an empty folder', () => {
  const path = mkdtempSync(join(tmpdir(), 'tillgate-server-'));
  let anvil: Anvil;
  before(async () => {
    anvil = await startAnvil();
    writeFileSync(join(path, 'package.json'), JSON.stringify({ name: 'till', private: true }));
    const { '@tillgate/client': client, '@tillgate/server': server, tillgate: library } = await tarballs();
    const packages = [client, library, server];
    const options = ['--ignore-scripts', '--no-audit', '--no-fund'];
    await execute('npm', ['install', ...options, ...packages], { cwd: path, env: usersEnvironment });
    addSqlite(path);
  });
  after(async () => {
    await anvil.stop();
    rmSync(path, { recursive: true, force: true });
  });

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
    const server = await installedServer(path);
    await server.init({ plugins: [ethereumOn(anvil)], rates: RATES });
    const apiKey = await server.merchant();
    const serving = await server.serve();
    const client = createTillgateClient({ baseUrl: server.url, credentials: { apiKey } });
    const order = await client.orders.create({ price: '12.50', currency: 'EUR', chain: 'ETH', coin: 'ETH' });
    assert(order.payment !== null);
    await payOnAnvil(anvil, order.payment);
    await waitFor(async () => (await client.orders.get(order.id)).status === 'SUCCESS', {
      timeoutMs: 120_000,
      describe: serving.said,
    });
    assert.equal(await serving.terminate(), 0, serving.said());
    const books = await server.tillgate(['ledger', 'check', '--full']);
    assert.equal(books.code, 0, books.err);
  });
});
