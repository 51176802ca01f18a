import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Hash } from 'viem';
import { isTillgateError } from '../../../core/index.ts';
import type { ScanOptions } from '../../../core/index.ts';
import type { EvmChain } from '../../../adapters/chains/index.ts';
import { startAnvil } from '../../support/anvil.ts';
import type { Anvil } from '../../support/anvil.ts';
import { deployContract, mint, receipt, transfer } from '../../support/contracts.ts';
import type { DeployedContract } from '../../support/contracts.ts';
import { evmChain, freshAddress, height, pay, watching } from './evm-support.ts';
import { startProxy } from './rpc-proxy.ts';
import type { Interference, ProxiedCall } from './rpc-proxy.ts';

/** Answers the first call of a method in place of the node. */
function once(method: string, result: unknown): Interference {
  let done = false;
  return (call) => {
    if (done || call.method !== method) return null;
    done = true;
    return { result };
  };
}

describe('an EVM chain and a node that leaves something out', () => {
  let anvil: Anvil;
  let token: DeployedContract;
  let rare: DeployedContract;
  let payer: `0x${string}`;

  before(async () => {
    anvil = await startAnvil();
    [payer] = (await anvil.rpc<`0x${string}`[]>('eth_accounts')) as [`0x${string}`];
    token = await deployContract(anvil, 'TestToken', ['USDT', 6]);
    rare = await deployContract(anvil, 'TestToken', ['RARE', 6]);
    for (const one of [token, rare]) await mint(anvil, one, payer, 1_000_000_000n);
  });

  after(() => anvil.stop());

  async function through<T>(
    interfere: Interference,
    work: (chain: EvmChain, calls: readonly ProxiedCall[], warnings: () => number) => Promise<T>,
  ): Promise<T> {
    const calls: ProxiedCall[] = [];
    const proxy = await startProxy(anvil.url, (call) => {
      calls.push(call);
      return interfere(call);
    });
    const { chain, logger } = await evmChain([proxy.url], {
      'USDT-ERC20': token.address,
      'RARE-ERC20': rare.address,
    });
    try {
      return await work(chain, calls, () => logger.lines.filter(({ message }) => /left out logs/.test(message)).length);
    } finally {
      await chain.close();
      await proxy.stop();
    }
  }

  /** Mines a block with these transfers to one address. */
  async function paidBlock(to: `0x${string}`, amounts: readonly bigint[], of = token): Promise<number> {
    await anvil.setAutomine(false);
    const sent: Hash[] = [];
    for (const units of amounts) sent.push(await transfer(anvil, of, to, units));
    await anvil.mine();
    await anvil.setAutomine(true);
    for (const one of sent) assert.equal((await receipt(anvil, one)).status, 'success');
    return height(anvil);
  }

  const unitsOf = async (chain: EvmChain, at: number, to: string, options?: ScanOptions): Promise<readonly bigint[]> =>
    (await chain.scan(at, at, watching(to), options)).transfers.map(({ units }) => units);

  test('fault 77: an empty answer of eth_getLogs loses no payment: the header says that there are logs', async () => {
    const to = freshAddress();
    const at = await paidBlock(to, [42n]);
    await through(once('eth_getLogs', []), async (chain, _calls, warnings) => {
      assert.deepEqual(await unitsOf(chain, at, to), [42n]);
      assert.equal(warnings(), 1);
    });
  });

  test('fault 77: the same in a range, which is read when the till is far behind', async () => {
    const to = freshAddress();
    const at = await paidBlock(to, [42n]);
    await anvil.mine(12);
    await through(once('eth_getLogs', []), async (chain) => {
      const { transfers } = await chain.scan(at - 1, at + 11, watching(to));
      assert.deepEqual(
        transfers.map(({ units, block }) => [units, block.height]),
        [[42n, at]],
      );
    });
  });

  test('fault 77: the logs of one contract do not hide that another’s are left out', async () => {
    const to = freshAddress();
    await anvil.setAutomine(false);
    await transfer(anvil, token, freshAddress(), 1n);
    await transfer(anvil, rare, to, 7n);
    await anvil.mine();
    await anvil.setAutomine(true);
    const at = await height(anvil);
    const logs = await anvil.rpc<{ address: string }[]>('eth_getLogs', [
      { fromBlock: `0x${at.toString(16)}`, toBlock: `0x${at.toString(16)}` },
    ]);
    const some = logs.filter(({ address }) => address.toLowerCase() === token.address.toLowerCase());
    assert.equal(some.length, 1);
    await through(once('eth_getLogs', some), async (chain) => assert.deepEqual(await unitsOf(chain, at, to), [7n]));
  });

  test('fault 77: one log left out of many is found when the block is read thoroughly', async () => {
    const to = freshAddress();
    const at = await paidBlock(to, [1n, 2n, 3n]);
    const range = { fromBlock: `0x${at.toString(16)}`, toBlock: `0x${at.toString(16)}` };
    const all = await anvil.rpc<unknown[]>('eth_getLogs', [range]);
    await through(
      ({ method }) => (method === 'eth_getLogs' ? { result: all.slice(1) } : null),
      async (chain) => {
        assert.deepEqual(await unitsOf(chain, at, to), [2n, 3n]);
        const { transfers } = await chain.scan(at, at, watching(to), { thorough: true });
        assert.deepEqual(
          transfers.map(({ units, index }) => [units, index]),
          [
            [1n, '0'],
            [2n, '0'],
            [3n, '0'],
          ],
        );
      },
    );
  });

  test('fault 77: a node without eth_getBlockReceipts is asked for each receipt', async () => {
    const to = freshAddress();
    const at = await paidBlock(to, [4n, 5n]);
    const bare: Interference = ({ method }) => {
      if (method === 'eth_getLogs') return { result: [] };
      return method === 'eth_getBlockReceipts' ? { error: { code: -32601, message: 'method not found' } } : null;
    };
    await through(bare, async (chain, calls) => {
      assert.deepEqual(await unitsOf(chain, at, to), [4n, 5n]);
      assert.deepEqual(await unitsOf(chain, at, to), [4n, 5n]);
      assert.equal(calls.filter(({ method }) => method === 'eth_getBlockReceipts').length, 1);
    });
  });

  for (const [what, change] of [
    ['none at all', (): unknown => []],
    ['null', (): unknown => null],
    ['one too few', (all: unknown[]): unknown => all.slice(1)],
    ['one without its logs', ([one, ...rest]: object[]): unknown => [{ ...one, logs: [] }, ...rest]],
    ['the last without its logs', (all: object[]): unknown => [...all.slice(0, -1), { ...all.at(-1), logs: [] }]],
    [
      'one without its logs and without its filter',
      ([one, ...rest]: object[]): unknown => [{ ...one, logs: [], logsBloom: undefined }, ...rest],
    ],
    [
      'those of another block',
      (all: object[]): unknown => all.map((one) => ({ ...one, blockHash: `0x${'ab'.repeat(32)}` })),
    ],
  ] as const) {
    test(`fault 77: receipts that are incomplete (${what}) are the node’s error, and read again`, async () => {
      const to = freshAddress();
      const at = await paidBlock(to, [8n, 9n]);
      const { hash } = await anvil.rpc<{ hash: string }>('eth_getBlockByNumber', [`0x${at.toString(16)}`, false]);
      const all = await anvil.rpc<object[]>('eth_getBlockReceipts', [hash]);
      assert.equal(all.length, 2);
      const receipts = once('eth_getBlockReceipts', change(all));
      await through(
        (call) => (call.method === 'eth_getLogs' ? { result: [] } : receipts(call)),
        async (chain) => {
          await assert.rejects(unitsOf(chain, at, to), (error: unknown) => isTillgateError(error, 'NODE_FAILED'));
          assert.deepEqual(await unitsOf(chain, at, to), [8n, 9n]);
        },
      );
    });
  }

  test('fault 77: a block that comes without its transactions is the node’s error', async () => {
    const to = freshAddress();
    await pay(anvil, to, 5n);
    const at = await height(anvil);
    const block = await anvil.rpc<object>('eth_getBlockByNumber', [`0x${at.toString(16)}`, true]);
    await through(once('eth_getBlockByNumber', { ...block, transactions: [] }), async (chain) => {
      await assert.rejects(unitsOf(chain, at, to), (error: unknown) => isTillgateError(error, 'NODE_FAILED'));
      assert.deepEqual(await unitsOf(chain, at, to), [5n]);
    });
  });

  test('a block without a Transfer of a configured contract costs no receipts', async () => {
    const to = freshAddress();
    await pay(anvil, to, 5n);
    const at = await height(anvil);
    await through(
      () => null,
      async (chain, calls) => {
        await unitsOf(chain, at, to);
        await unitsOf(chain, at, to, { thorough: true });
        assert.ok(!calls.some(({ method }) => method === 'eth_getBlockReceipts'));
      },
    );
  });

  test('fault 77: whichever one answer is left out once, every payment is found (property)', async () => {
    const payments = fc.array(
      fc.record({ coin: fc.boolean(), block: fc.nat(3), units: fc.bigInt(1n, 1_000n), ours: fc.boolean() }),
      { minLength: 1, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(payments, fc.nat(40), fc.boolean(), async (plan, place, far) => {
        const to = freshAddress();
        const first = (await height(anvil)) + 1;
        const expected: string[] = [];
        await anvil.setAutomine(false);
        for (let block = 0; block < (far ? 10 : 4); block++) {
          for (const { coin, units, ours } of plan.filter((one) => one.block === block)) {
            const payee = ours ? to : freshAddress();
            if (coin)
              await anvil.rpc('eth_sendTransaction', [{ from: payer, to: payee, value: `0x${units.toString(16)}` }]);
            else await transfer(anvil, token, payee, units);
            if (ours) expected.push(`${coin ? 'ETH' : 'USDT-ERC20'} ${units}`);
          }
          await anvil.mine();
        }
        await anvil.setAutomine(true);
        let asked = 0;
        await through(
          ({ method }) => {
            if (method === 'eth_chainId') return null;
            asked += 1;
            return asked === place + 1
              ? { result: method === 'eth_getLogs' || method === 'eth_getBlockReceipts' ? [] : null }
              : null;
          },
          async (chain) => {
            const last = await height(anvil);
            const scan = async () => (await chain.scan(first, last, watching(to))).transfers;
            const found = await scan().catch((error: unknown) => {
              assert.ok(isTillgateError(error, 'NODE_FAILED'), String(error));
              return scan();
            });
            assert.deepEqual(found.map(({ currency, units }) => `${currency} ${units}`).sort(), expected.sort());
          },
        );
      }),
      { numRuns: 20 },
    );
  });
});
