import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTillgateClient } from '../../../adapters/client/index.ts';
import { AbacusNode } from '../../../examples/write-a-chain/abacus-node.ts';
import { installedServer } from '../../support/installed-server.ts';
import { repository } from '../../support/source-tree.ts';
import { waitFor } from '../../support/wait.ts';
import { emptyFolder } from './folder.ts';
import { ENVIRONMENT, NODE } from './machine.ts';
import { startRegistry } from './registry.ts';
import type { Registry } from './registry.ts';
import { thisRelease } from './releases.ts';

const UNIT = 10n ** 8n;
const CONFIRMATIONS = 3;
const EXAMPLE = 'examples/write-a-chain';
/** The command of its guide. */
const INSTALL = ['tillgate', 'zod', '@noble/curves', '@tillgate/testing', 'tsx'];

describe('a plugin of somebody else, with the packages from a registry', () => {
  let registry: Registry;
  before(async () => {
    registry = await startRegistry();
    registry.publish(await thisRelease());
  });
  after(() => registry.stop());

  it('passes the conformance suite, and a server loads it and takes a payment in its coin', async (t) => {
    const folder = emptyFolder(t, registry);
    const sources = readdirSync(join(repository, EXAMPLE)).filter((name) => name.endsWith('.ts'));
    folder.copy(...sources.map((name) => `${EXAMPLE}/${name}`));
    await folder.npm('install', '--ignore-scripts', ...INSTALL);
    folder.write(
      'abacus.test.ts',
      `import { describeChain } from '@tillgate/testing';\nimport { abacusHarness } from './abacus-harness.ts';\n\ndescribeChain('Abacus', abacusHarness);\n`,
    );
    const told = await folder.run(NODE, '--import', 'tsx', '--test', '--test-reporter=tap', 'abacus.test.ts');
    const passed = Number(/^# pass (\d+)$/m.exec(told)?.[1]);
    t.diagnostic(`${passed} tests of the conformance suite passed`);
    assert.ok(passed > 30, told);

    // Without its scripts sqlite3 has no addon, and the server takes node:sqlite.
    await folder.npm('install', '--ignore-scripts', '@tillgate/server');
    const node = await AbacusNode.start();
    t.after(() => node.stop());
    const server = await installedServer(folder.path, ENVIRONMENT);
    await server.init({
      plugins: [{ use: './index.ts', options: { url: node.url, confirmations: CONFIRMATIONS, pollIntervalMs: 50 } }],
      rates: [{ use: 'static', prices: { ABC: '2', EUR: '1.1' } }],
    });
    const apiKey = await server.merchant();
    const serving = await server.serve(['--import', 'tsx']);
    const client = createTillgateClient({ baseUrl: server.url, credentials: { apiKey } });
    const { id, payment } = await client.orders.create({ price: '25', currency: 'USD', chain: 'ABC', coin: 'ABC' });
    assert.ok(payment !== null);
    assert.equal(payment.amount, '12.5');
    node.pay(payment.address, (25n * UNIT) / 2n);
    node.mine(CONFIRMATIONS);
    await waitFor(async () => (await client.orders.get(id)).status === 'SUCCESS', {
      timeoutMs: 60_000,
      describe: serving.said,
    });
    assert.equal(await serving.terminate(), 0, serving.said());
  });
});
