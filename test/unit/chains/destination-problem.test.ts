import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MnemonicWallet } from '../../../adapters/wallet/index.ts';
import type { ChainAdapter, Plugin } from '../../../core/index.ts';
import { ethereum } from '../../../plugins/ethereum/index.ts';
import { tron } from '../../../plugins/tron/index.ts';
import { FakeClock, MemoryLogger } from '../../support/fakes.ts';

const JUNK = 'test test test test test test test test test test test junk';
const URL = 'http://127.0.0.1:1';

async function chainOf({ plugin }: typeof ethereum | typeof tron, input: unknown): Promise<ChainAdapter> {
  const chains: ChainAdapter[] = [];
  const wallet = new MnemonicWallet(JUNK);
  await (plugin as Plugin).setup({
    options: (plugin as Plugin).options(input),
    logger: new MemoryLogger(),
    clock: new FakeClock(),
    wallet,
    signer: wallet,
    documents: { read: async () => null, write: async () => false },
    addChain: (chain) => void chains.push(chain),
    addLightning: () => undefined,
    addRateSource: () => undefined,
    addNotifier: () => undefined,
    onClose: () => undefined,
  });
  const [chain] = chains;
  assert(chain !== undefined);
  return chain;
}

describe('fault 80: a destination that loses every payment is known without a node', () => {
  test('on Ethereum: the zero address, built-in contracts, the contracts of its tokens; nothing else', async () => {
    const chain = await chainOf(ethereum, { rpcUrls: [URL] });
    const problem = (address: string) => chain.destinationProblem?.(address) ?? null;
    const built = (n: number) => `0x${n.toString(16).padStart(40, '0')}`;
    assert.match(problem(built(0)) ?? '', /zero address/);
    for (const number of [1, 9, 0x100, 0xffff]) assert.match(problem(built(number)) ?? '', /built-in contract/);
    assert.equal(problem(built(0x10000)), null);
    assert.match(problem(chain.contractAddress('USDT-ERC20')) ?? '', /contract of a token/);
    assert.match(problem(chain.contractAddress('USDC-ERC20')) ?? '', /contract of a token/);
    assert.equal(problem('0x90F79bf6EB2c4f870365E785982E1f101E93b906'), null);
    await chain.close();
  });

  test('on Tron: the same, in its own form', async () => {
    const chain = await chainOf(tron, { apiUrls: [URL] });
    assert.match(chain.destinationProblem?.('T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb') ?? '', /zero address/);
    assert.match(chain.destinationProblem?.(chain.contractAddress('USDT-TRC20')) ?? '', /contract of a token/);
    assert.equal(chain.destinationProblem?.(chain.payments?.hotAddress ?? ''), null);
    await chain.close();
  });
});
