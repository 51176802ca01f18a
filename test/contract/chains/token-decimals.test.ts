import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isTillgateError } from '../../../core/index.ts';
import { startAnvil } from '../../support/anvil.ts';
import type { Anvil } from '../../support/anvil.ts';
import { deployContract } from '../../support/contracts.ts';
import type { DeployedContract } from '../../support/contracts.ts';
import { CONTRACTS, openFixture, USDT } from '../../support/tron/tron-fixture.ts';
import { tronAddress } from '../../../adapters/chains/index.ts';
import { evmChain, freshAddress } from './evm-support.ts';
import { startProxy } from './rpc-proxy.ts';

const refuses = (code: 'CHAIN_HALTED' | 'NOT_READY', words: RegExp) => (error: unknown) =>
  isTillgateError(error, code) && words.test(error.message);

describe('fault 100: the decimals of the settings are held against the contract', () => {
  let anvil: Anvil;
  let token: DeployedContract;

  before(async () => {
    anvil = await startAnvil();
    token = await deployContract(anvil, 'TestToken', ['USDT', 18]);
  });
  after(() => anvil.stop());

  test('on an EVM chain a difference is refused by name; the coin and a right token are not', async (t) => {
    const right = await deployContract(anvil, 'TestToken', ['USDC', 6]);
    const { chain } = await evmChain([anvil.url], { 'USDT-ERC20': token.address, 'USDC-ERC20': right.address });
    t.after(() => chain.close());
    await assert.rejects(
      chain.verifyAsset('USDT-ERC20'),
      refuses('CHAIN_HALTED', /USDT-ERC20 has 18 decimals, but the settings of ETH say 6/),
    );
    await chain.verifyAsset('USDC-ERC20');
    await chain.verifyAsset('ETH');
  });

  test('an address without a contract, and a contract that says no decimals, are refused', async (t) => {
    const forwarder = await deployContract(anvil, 'Forwarder');
    for (const address of [freshAddress(), forwarder.address]) {
      const { chain } = await evmChain([anvil.url], { 'USDT-ERC20': address });
      t.after(() => chain.close());
      await assert.rejects(chain.verifyAsset('USDT-ERC20'), refuses('CHAIN_HALTED', /no token contract of USDT-ERC20/));
    }
  });

  test('while no node answers it is not ready; what was right once is not asked again', async (t) => {
    const right = await deployContract(anvil, 'TestToken', ['USDC', 6]);
    let down = true;
    let calls = 0;
    const proxy = await startProxy(
      anvil.url,
      ({ method }) => {
        if (method === 'eth_call') calls += 1;
        return null;
      },
      () => (down ? { status: 503, body: '' } : null),
    );
    t.after(() => proxy.stop());
    const { chain } = await evmChain([proxy.url], { 'USDC-ERC20': right.address });
    t.after(() => chain.close());
    await assert.rejects(chain.verifyAsset('USDC-ERC20'), refuses('NOT_READY', /no node of ETH answers/));
    down = false;
    await chain.verifyAsset('USDC-ERC20');
    down = true;
    await chain.verifyAsset('USDC-ERC20');
    assert.equal(calls, 1);
  });

  test('on Tron a difference is refused by name', async (t) => {
    const fixture = await openFixture();
    t.after(() => fixture.stop());
    await fixture.chain.verifyAsset(USDT);
    const wrong = await fixture.open({ tokens: { [USDT]: { address: tronAddress(CONTRACTS.usdt), decimals: 18 } } });
    await assert.rejects(
      wrong.verifyAsset(USDT),
      refuses('CHAIN_HALTED', /has 6 decimals, but the settings of TRX say 18/),
    );
  });
});
