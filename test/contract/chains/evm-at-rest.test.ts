import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { getAddress } from 'viem';
import { present } from '../../../core/index.ts';
import { MnemonicWallet } from '../../../adapters/wallet/index.ts';
import type { ChainAdapter } from '../../../core/index.ts';
import { evm } from '../../../plugins/evm/index.ts';
import { EVM_PRESETS } from '../../../plugins/evm/presets.ts';
import { startAnvil } from '../../support/anvil.ts';
import { deployContract } from '../../support/contracts.ts';
import { buildDomain } from '../../support/domain.ts';
import { FakeClock, MemoryLogger } from '../../support/fakes.ts';
import { openTestStorage } from '../../support/storage.ts';
import { MNEMONIC } from './evm-support.ts';
import { startProxy } from './rpc-proxy.ts';

const POLLS = 3;
const DEPTH = 5;
const MOST_PER_SECOND = 2;

/**
 * A preset's chain with its coin and one token. Blocks are read the second time sooner than usual, which does not
 * change the number of calls.
 */
async function open(preset: string, url: string, tokens: unknown): Promise<ChainAdapter> {
  const chains: ChainAdapter[] = [];
  const wallet = new MnemonicWallet(MNEMONIC);
  await evm.plugin.setup({
    ...{
      options: evm.plugin.options({ preset, rpcUrls: [url], tokens, confirmations: DEPTH, finalityBlocks: DEPTH }),
      logger: new MemoryLogger(),
    },
    ...{ clock: new FakeClock(), wallet, signer: null },
    documents: { read: async () => null, write: async () => false },
    addChain: (chain) => void chains.push(chain),
    addLightning: () => undefined,
    addRateSource: () => undefined,
    addNotifier: () => undefined,
    onClose: () => undefined,
  });
  return present(chains[0], 'the chain');
}

describe('a chain at rest asks its node little, with every block read twice', () => {
  for (const [name, { code, chainId, blockSeconds, pollIntervalMs }] of Object.entries(EVM_PRESETS)) {
    test(`${name}: at most ${MOST_PER_SECOND} requests a second`, async (t) => {
      const anvil = await startAnvil({ chainId });
      t.after(() => anvil.stop());
      const proxy = await startProxy(anvil.url, () => null);
      t.after(() => proxy.stop());
      const token = await deployContract(anvil, 'TestToken', ['USDC', 6]);
      const tokens = { [`USDC-${code}`]: { address: getAddress(token.address), decimals: 6 } };
      const chain = await open(name, proxy.url, tokens);
      t.after(() => chain.close());
      const domain = await buildDomain((await openTestStorage('memory', t)).storage);
      const follower = domain.newFollower(chain);
      await follower.start();
      const lease = await domain.lease(chain as never);
      const untilIdle = async (): Promise<void> => {
        while ((await follower.step(lease)) === 'advanced');
      };
      await untilIdle();
      await anvil.mine(2 * DEPTH);
      await untilIdle();
      const [requests, calls] = [proxy.requests(), proxy.calls()];
      for (let poll = 0; poll < POLLS; poll++) {
        await anvil.mine(Math.ceil(pollIntervalMs / 1_000 / blockSeconds));
        await untilIdle();
      }
      const perSecond = (count: number): number => count / ((POLLS * pollIntervalMs) / 1_000);
      t.diagnostic(
        `${name}: ${perSecond(proxy.requests() - requests)} requests, ${perSecond(proxy.calls() - calls)} calls in them`,
      );
      assert.ok(perSecond(proxy.requests() - requests) <= MOST_PER_SECOND);
    });
  }
});
