import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startAnvil } from '../../support/anvil.ts';
import type { Anvil } from '../../support/anvil.ts';
import { ethereumOn, payOnAnvil } from '../../support/anvil-payer.ts';
import { addSqlite, installedServer } from '../../support/installed-server.ts';
import type { InstalledServer } from '../../support/installed-server.ts';
import { emptyFolder } from './folder.ts';
import type { Folder } from './folder.ts';
import { ENVIRONMENT, NODE } from './machine.ts';
import { startRegistry } from './registry.ts';
import type { Registry } from './registry.ts';
import { nextRelease, thisRelease } from './releases.ts';

const RATES = [{ use: 'static', prices: { ETH: '2500', EUR: '1.1' } }];

interface Sold {
  readonly status: string;
  /** Of all orders, newest first. */
  readonly ids: readonly string[];
}

describe('@tillgate/server and @tillgate/client, installed from a registry', () => {
  let registry: Registry;
  let anvil: Anvil;
  before(async () => {
    [registry, anvil] = await Promise.all([startRegistry(), startAnvil()]);
  });
  after(() => Promise.all([registry.stop(), anvil.stop()]));

  /** The merchant's program makes an order, and somebody pays it. */
  const sell = async (merchant: Folder, server: InstalledServer, apiKey: string): Promise<Sold> => {
    const program = merchant.start(NODE, 'sell.mjs', server.url, apiKey);
    await payOnAnvil(
      anvil,
      (JSON.parse(await program.line('order')) as { payment: Parameters<typeof payOnAnvil>[1] }).payment,
    );
    const sold = JSON.parse(await program.line('result')) as Sold;
    await program.ended();
    return sold;
  };

  it('take a payment on a real node, and go on with the same database after an upgrade', async (t) => {
    const release = await thisRelease();
    registry.publish(release);
    const folder = emptyFolder(t, registry);
    // The scripts would compile the driver where no binary of it can be had.
    const seconds = await folder.npm('install', '--ignore-scripts', '@tillgate/server');
    const { packages, megabytes } = folder.size();
    t.diagnostic(`${packages} packages, ${megabytes.toFixed(1)} MB, in ${seconds.toFixed(1)} s`);
    addSqlite(folder.path);
    const server = await installedServer(folder.path, ENVIRONMENT);
    await server.init({ plugins: [ethereumOn(anvil)], rates: RATES });
    const apiKey = await server.merchant();

    const merchant = emptyFolder(t, registry);
    await merchant.npm('install', '@tillgate/client');
    assert.equal(merchant.size().packages, 1);
    merchant.copy('test/lab/registry/programs/sell.mjs');

    const serving = await server.serve();
    const first = await sell(merchant, server, apiKey);
    assert.deepEqual([first.status, first.ids.length], ['SUCCESS', 1]);
    assert.equal(await serving.terminate(), 0, serving.said());

    const next = nextRelease(release, folder.path);
    registry.publish(next);
    await folder.npm('install', '--ignore-scripts', `@tillgate/server@${next[0]?.version}`);
    for (const name of ['@tillgate/server', 'tillgate']) assert.equal(folder.version(name), next[0]?.version);
    const upgraded = await server.serve();
    // The client of the release before serves as well.
    const second = await sell(merchant, server, apiKey);
    assert.equal(second.status, 'SUCCESS');
    assert.deepEqual(second.ids.slice(1), first.ids);
    assert.equal(await upgraded.terminate(), 0, upgraded.said());
    const books = await server.tillgate(['ledger', 'check', '--full']);
    assert.equal(books.code, 0, books.err);
  });
});
