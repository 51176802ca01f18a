import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { present } from '../../../core/index.ts';
import { startAnvil } from '../../support/anvil.ts';
import type { Anvil } from '../../support/anvil.ts';
import { deployContract, invoke, mint, receipt, transfer } from '../../support/contracts.ts';
import type { DeployedContract } from '../../support/contracts.ts';
import { fund, payingChain } from './evm-paying.ts';
import type { PayingChain, Signed } from './evm-paying.ts';
import { height, keyOf, pay, watching } from './evm-support.ts';

const ETHER = 10n ** 18n;

describe('an EVM chain sees deposits at addresses that it sweeps', () => {
  let anvil: Anvil;
  let till: PayingChain;
  let token: DeployedContract;
  let forwarder: DeployedContract;
  let payer: `0x${string}`;
  let next = 0;

  before(async () => {
    anvil = await startAnvil();
    [payer] = (await anvil.rpc<`0x${string}`[]>('eth_accounts')) as [`0x${string}`];
    token = await deployContract(anvil, 'TestToken', ['USDT', 6]);
    forwarder = await deployContract(anvil, 'Forwarder');
    till = await payingChain([anvil.url], { 'USDT-ERC20': token.address });
    await fund(anvil, till.hot);
    await mint(anvil, token, payer, 1_000_000n);
  });

  after(async () => {
    await till.chain.close();
    await anvil.stop();
  });

  /** A used deposit address with coins for gas and tokens to sweep. */
  async function used(): Promise<{ address: `0x${string}`; index: number }> {
    const { address } = await till.deposit(next);
    await anvil.rpc('anvil_setBalance', [address, '0xde0b6b3a7640000']);
    await mint(anvil, token, address as `0x${string}`, 500n);
    return { address: address as `0x${string}`, index: next++ };
  }

  /** Mines everything that `work` sends in one block; returns its height. */
  async function inOneBlock(work: () => Promise<readonly string[]>): Promise<number> {
    await anvil.setAutomine(false);
    const hashes = await work();
    await anvil.mine();
    for (const hash of hashes) assert.equal((await receipt(anvil, hash as `0x${string}`)).status, 'success');
    await anvil.setAutomine(true);
    return height(anvil);
  }

  async function send(signed: Signed): Promise<string> {
    await till.payments.broadcast(signed);
    return signed.txid;
  }

  const found = async (at: number, address: string): Promise<unknown[]> =>
    (await till.chain.scan(at, at, watching(address))).transfers.map(({ txid, currency, units, index }) => [
      txid,
      currency,
      units,
      index,
    ]);

  test('a token deposit in the block of a sweep is whole', async () => {
    const source = await used();
    const sweep = await till.sign({ to: till.hot.address, currency: 'USDT-ERC20', units: 500n }, { source });
    for (const [units, order] of [
      [90n, 'deposit first'],
      [700n, 'more than the sweep'],
    ] as const) {
      let deposit = '';
      const at = await inOneBlock(async () => {
        deposit = await transfer(anvil, token, source.address, units);
        return order === 'deposit first' ? [deposit, await send(sweep)] : [deposit];
      });
      assert.deepEqual(await found(at, source.address), [[deposit, 'USDT-ERC20', units, '0']]);
    }
  });

  test('several deposits in the block of a sweep are each whole, found by hash and by range alike', async () => {
    const source = await used();
    const sweep = await till.sign({ to: till.hot.address, currency: 'USDT-ERC20', units: 500n }, { source });
    const deposits: string[] = [];
    const at = await inOneBlock(async () => {
      for (const units of [3n, 4n]) deposits.push(await transfer(anvil, token, source.address, units));
      return [...deposits, await send(sweep)];
    });
    await anvil.mine(12);
    for (const to of [at, at + 12]) {
      const { transfers } = await till.chain.scan(at, to, watching(source.address));
      assert.deepEqual(
        transfers.map(({ txid, units }) => [txid, units]),
        [
          [deposits[0], 3n],
          [deposits[1], 4n],
        ],
      );
    }
  });

  test('what somebody else takes from an address by allowance is not made good', async () => {
    const [, spender] = (await anvil.rpc<`0x${string}`[]>('eth_accounts')) as [string, `0x${string}`];
    const source = await used();
    await anvil.rpc('anvil_impersonateAccount', [source.address]);
    await receipt(anvil, await invoke(anvil, token, 'approve', [spender, 500n], { from: source.address }));
    const hashes: string[] = [];
    const at = await inOneBlock(async () => {
      hashes.push(await transfer(anvil, token, source.address, 80n));
      hashes.push(await invoke(anvil, token, 'transferFrom', [source.address, payer, 30n], { from: spender }));
      return hashes;
    });
    assert.deepEqual(await found(at, source.address), [[hashes[0], 'USDT-ERC20', 50n, '0']]);
  });

  test('gas from the hot wallet is no deposit, and a payment beside it is one', async () => {
    const source = await used();
    const gas = await till.sign({ to: source.address, units: 7_000n });
    let payment = '';
    const at = await inOneBlock(async () => {
      payment = await anvil.rpc('eth_sendTransaction', [{ from: payer, to: source.address, value: '0x9' }]);
      return [await send(gas), payment];
    });
    assert.deepEqual(await found(at, source.address), [[payment, 'ETH', 9n, 'value']]);
    const alone = await till.sign({ to: source.address, units: 7_000n });
    const later = await inOneBlock(async () => [await send(alone)]);
    assert.deepEqual(await found(later, source.address), []);
  });

  test('coins from a contract in the block of a sweep of coins are whole, and the sweep is no deposit anywhere', async () => {
    const source = await used();
    const sweep = await till.sign({ to: till.hot.address, units: ETHER / 2n }, { source });
    const hashes: string[] = [];
    const at = await inOneBlock(async () => {
      hashes.push(await send(sweep));
      hashes.push(await invoke(anvil, forwarder, 'forward', [source.address], { value: 333n }));
      return hashes;
    });
    assert.deepEqual(await found(at, source.address), [[hashes[1], 'ETH', 333n, `internal:${keyOf(source.address)}`]]);
  });

  test('a sweep of tokens, which pays its gas in coins, hides no coins and makes none', async () => {
    const source = await used();
    const sweep = await till.sign({ to: till.hot.address, currency: 'USDT-ERC20', units: 500n }, { source });
    const hashes: string[] = [];
    const at = await inOneBlock(async () => {
      hashes.push(await send(sweep));
      hashes.push(await anvil.rpc('eth_sendTransaction', [{ from: payer, to: source.address, value: '0x5' }]));
      return hashes;
    });
    assert.deepEqual(await found(at, source.address), [[present(hashes[1], 'the payment'), 'ETH', 5n, 'value']]);
    await anvil.mine();
    await pay(anvil, source.address, 6n);
    assert.deepEqual((await found(at + 2, source.address)).length, 1);
  });
});
