import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { createHost, metricsText } from '../../host/index.ts';
import type { Host } from '../../host/index.ts';
import { waitFor } from '../support/wait.ts';
import { Merchant } from './merchant.ts';
import { freshDirectory } from './till-process.ts';

const BROKEN_CHAIN = `{
  code: 'XYZ', name: 'Xyz', assets: [{ chain: 'XYZ', currency: 'XYZ', symbol: 'ETH', decimals: 18, kind: 'native', stable: false }], walletId: 'xyz', startHeight: null, simulator: null,
  policy: { confirmations: () => 1, spendableConfirmations: 1, finalityBlocks: 1, pollIntervalMs: 10, maxScanBlocks: 1 },
  identify: async () => { throw new Error('the node is on fire'); },
  head: async () => { throw new Error('the node is on fire'); },
  deriveAddresses: async () => { throw new Error('the node is on fire'); },
  close: async () => {},
}`;

describe('an embedded host', () => {
  const hosts: Host[] = [];
  // A failed test must not keep its host: the file would never end.
  afterEach(() => Promise.all(hosts.splice(0).map((host) => host.stop())).then(() => undefined));
  const hostOf = (...input: Parameters<typeof createHost>): Host => {
    const host = createHost(...input);
    hosts.push(host);
    return host;
  };

  test('gives its use cases without HTTP, answers the probes, and leaves nothing open', async () => {
    const directory = freshDirectory();
    const host = hostOf({ listen: { port: 0 } }, { directory: directory.path });
    assert.throws(() => host.till, /not started/);
    await host.start();
    const url = host.url.replace('localhost', '127.0.0.1');
    const ready = async (): Promise<unknown> =>
      ((await (await fetch(`${url}/readyz`)).json()) as { data: unknown }).data;
    assert.deepEqual(await ready(), { status: 'ok' });
    assert.equal((await fetch(`${url}/livez`)).status, 200);
    await host.till.storage.chains.setHalted('LTC', 'a block below the final one changed');
    assert.deepEqual(
      await ready(),
      { status: 'degraded', halted_chains: ['LTC'] },
      'a stopped chain is told, the others go on',
    );
    const trouble = { kind: 'lag', text: 'the node lags', since: 0 } as const;
    await host.till.storage.chains.setTrouble('BTC', trouble);
    assert.deepEqual(await ready(), { status: 'degraded', halted_chains: ['LTC'], lagging_chains: ['BTC'] });
    assert.match(
      await (await fetch(`${url}/metrics`)).text(),
      /^tillgate_http_requests_total\{.*operation="readyz".*\} 3$/m,
    );
    assert.equal((await host.till.orderQueries.list(host.demo?.account_id as never, { page: 1, size: 10 })).total, 0);

    const second = createHost(
      { listen: { port: Number(new URL(url).port) }, dataDir: './other' },
      { directory: directory.path },
    );
    await assert.rejects(second.start(), /another program listens there/);
    await host.stop();
    await assert.rejects(fetch(`${url}/livez`));
    directory.remove();
  });

  test('a plugin that fails at run time stops its own chain only', async () => {
    const directory = freshDirectory();
    directory.write(
      'broken.mjs',
      `export default { plugin: { name: 'broken', version: '1.0.0', requires: '^1.0.0', options: (o) => o, setup({ addChain }) { addChain(${BROKEN_CHAIN}); } } };`,
    );
    const host = hostOf(
      { listen: { port: 0 }, plugins: [{ use: './broken.mjs' }, { use: 'sandbox' }] },
      { directory: directory.path, logger: silent() },
    );
    await host.start();
    assert.ok(host.demo !== null);
    const merchant = new Merchant(host.url.replace('localhost', '127.0.0.1'), host.demo);
    const refused = await merchant.payInfo('https://shop.example/paid', { chain: 'XYZ', currency: 'XYZ' });
    assert.equal(refused.code, 50300, 'nobody would see a payment on a chain that was never reached');
    const { data } = await merchant.payInfo('https://shop.example/paid');
    await merchant.pay(data['order_id']);
    await waitFor(async () => (await merchant.status(data['order_id'])) === 'SUCCESS', {
      describe: 'the order on the sound chain',
    });
    assert.match((await metricsText(host.till.metrics)).text, /tillgate_worker_errors_total\{loop="follow:XYZ"\} \d/);
    await host.stop();
    directory.remove();
  });
});

function silent() {
  const nothing = (): void => undefined;
  const logger = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => logger };
  return logger;
}
