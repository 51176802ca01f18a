import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freshDirectory } from '../host/till-process.ts';
import { startReceiver } from '../host/merchant.ts';
import { startAnvil } from '../support/anvil.ts';
import { deployContract } from '../support/contracts.ts';
import { FakeLightningNode } from '../support/lightning/fake-node.ts';
import type { FakeGraph } from '../support/lightning/fake-node.ts';
import { serveKind } from '../support/lightning/harness.ts';
import { buildTill } from '../support/till-program.ts';
import type { CrashFixture } from './crash-till.ts';

/** The host with its crash points. */
const TILL = fileURLToPath(new URL('till-main.ts', import.meta.url));
/**
 * The number of states that anvil keeps in memory, more than a reorganisation is deep. Others go to disk, and a
 * restarted till reads the balance of each address that was paid twice: after an hour of orders that took longer than
 * the till lived.
 */
const STATES_KEPT = '128';

/** The nodes, the merchant's server and the debug build, which outlive every kill. */
export async function openFixture(name: string): Promise<CrashFixture & { close(): Promise<void> }> {
  const built = process.env['TEST_CRASH_PROGRAM'];
  const [program, anvil, receiver] = await Promise.all([
    built ?? buildTill(`tillgate-crash-${name}`, TILL),
    startAnvil({ args: ['--prune-history', STATES_KEPT] }),
    startReceiver(),
  ]);
  const token = await deployContract(anvil, 'AuthorizedToken', ['USDT', 6]);
  const graph: FakeGraph = new Map();
  const [node, customer] = [new FakeLightningNode(graph), new FakeLightningNode(graph)];
  // The channel must be large enough for an hour of random payments.
  for (const each of [node, customer]) [each.localMsat, each.remoteMsat] = [10n ** 15n, 10n ** 15n];
  const folder = freshDirectory();
  const { server, options } = await serveKind('lnd', node, folder.path);
  return {
    anvil,
    token,
    receiver,
    lightning: { node, customer, options },
    program,
    close: async () => {
      await Promise.all([anvil.stop(), receiver.close(), server.close()]);
      folder.remove();
      if (built === undefined) rmSync(dirname(program), { recursive: true, force: true });
    },
  };
}
