import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isTillgateError } from '../../../core/index.ts';
import type { ErrorCode } from '../../../core/index.ts';
import { startAnvil } from '../../support/anvil.ts';
import type { Anvil } from '../../support/anvil.ts';
import { deployContract, invoke, mint, receipt, transfer } from '../../support/contracts.ts';
import type { DeployedContract } from '../../support/contracts.ts';
import { evmChain, freshAddress, height, keyOf, pay, watching } from './evm-support.ts';
import { startProxy } from './rpc-proxy.ts';
import type { Interference } from './rpc-proxy.ts';

const failsWith = (code: ErrorCode, words: RegExp) => (error: unknown) =>
  isTillgateError(error, code) && words.test(error.message);

describe('an EVM chain and nodes that fail it', () => {
  let anvil: Anvil;
  let token: DeployedContract;
  let to: `0x${string}`;
  let paidAt: number;

  before(async () => {
    anvil = await startAnvil();
    token = await deployContract(anvil, 'TestToken', ['USDT', 6]);
    const [payer] = (await anvil.rpc<`0x${string}`[]>('eth_accounts')) as [`0x${string}`];
    await mint(anvil, token, payer, 1_000_000n);
    to = freshAddress();
    await receipt(anvil, await transfer(anvil, token, to, 42n));
    paidAt = await height(anvil);
    await pay(anvil, to, 7n);
    await anvil.mine(20);
  });

  after(() => anvil.stop());

  /** Runs with a chain whose node's answers are changed. */
  async function through(
    interfere: Interference,
    work: (chain: Awaited<ReturnType<typeof evmChain>>) => Promise<void>,
  ): Promise<void> {
    const proxy = await startProxy(anvil.url, interfere);
    const made = await evmChain([proxy.url], { 'USDT-ERC20': token.address });
    try {
      await work(made);
    } finally {
      await made.chain.close();
      await proxy.stop();
    }
  }

  test('the identity holds the chain id and the hash of the genesis block', async () => {
    const { chain } = await evmChain([anvil.url]);
    const genesis = await anvil.rpc<{ hash: string }>('eth_getBlockByNumber', ['0x0', false]);
    assert.equal(await chain.identify(), `eip155:31337/${genesis.hash}`);
    await chain.close();
  });

  test('fault 56: a node on another chain halts, and both chains are named', async () => {
    const { chain } = await evmChain([anvil.url], {}, { chainId: 1 });
    await assert.rejects(chain.identify(), failsWith('CHAIN_HALTED', /chain 31337.*chain 1\b/));
    await assert.rejects(chain.head(), failsWith('CHAIN_HALTED', /31337/));
    await chain.close();
  });

  test('fault 56: a fallback URL on another chain is never believed, and does not stop a chain whose own node is down', async () => {
    const { chain } = await evmChain(['http://127.0.0.1:1/', anvil.url], {}, { chainId: 5 });
    await assert.rejects(chain.head(), failsWith('NODE_FAILED', /31337/));
    await chain.close();
  });

  test('fault 73: a node that is down is named by its host, without the key in its URL', async () => {
    const { chain, logger } = await evmChain(['http://user:s3cr3tpass@127.0.0.1:1/v3/s3cr3tkey?token=s3cr3tquery']);
    await assert.rejects(chain.head(), (error: unknown) => {
      assert.ok(isTillgateError(error, 'NODE_FAILED'));
      assert.match(error.message, /127\.0\.0\.1:1/);
      assert.doesNotMatch(
        JSON.stringify([error.message, error.details, error.stack, String(error.cause), logger.lines]),
        /s3cr3t/,
      );
      return true;
    });
    await chain.close();
  });

  test('fault 73: a key that the node repeats in its refusal is taken out', async () => {
    const proxy = await startProxy(anvil.url, () => ({
      error: { code: -32000, message: 'project s3cr3tkey exceeded its quota' },
    }));
    const { chain } = await evmChain([`${proxy.url}/v3/s3cr3tkey`]);
    await assert.rejects(chain.head(), failsWith('NODE_FAILED', /project \*\*\* exceeded its quota/));
    await chain.close();
    await proxy.stop();
  });

  test('another URL serves when the first is down, and again when the second goes', async () => {
    const second = await startProxy(anvil.url, () => null);
    const third = await startProxy(anvil.url, () => null);
    const { chain } = await evmChain(['http://127.0.0.1:1/', second.url, third.url]);
    const head = await height(anvil);
    assert.equal((await chain.head()).height, head);
    await second.stop();
    assert.equal((await chain.head()).height, head);
    assert.equal((await chain.head()).height, head);
    assert.ok(third.requests() >= 2);
    await chain.close();
    await third.stop();
  });

  for (const [what, status, body] of [
    ['an error page', 200, '<html>504</html>'],
    ['no JSON-RPC', 200, '{"hello":1}'],
    ['another id', 200, '{"jsonrpc":"2.0","id":999999,"result":"0x7a69"}'],
    ['null', 200, 'null'],
    ['a list of nulls', 200, '[null]'],
    ['HTTP 503', 503, '{}'],
    ['HTTP 429', 429, '{}'],
    ['a redirect', 302, ''],
  ] as const) {
    test(`${what} for an answer is a failure to try again`, async () => {
      const proxy = await startProxy(
        anvil.url,
        () => null,
        () => ({ status, body }),
      );
      const { chain } = await evmChain([proxy.url]);
      await assert.rejects(chain.head(), failsWith('NODE_FAILED', /127\.0\.0\.1/));
      await chain.close();
      await proxy.stop();
    });
  }

  test('a node that hangs is given up in time', async () => {
    const { createServer } = await import('node:http');
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const { chain } = await evmChain([`http://127.0.0.1:${port}`], {}, { requestTimeoutMs: 100 });
    await assert.rejects(chain.head(), failsWith('NODE_FAILED', /no answer in time/));
    await chain.close();
    silent.closeAllConnections();
    await new Promise((resolve) => silent.close(resolve));
  });

  test('fault 56: a head that goes back on the same chain is a lagging node', async () => {
    let lag = 0;
    await through(
      ({ method, params }) =>
        method === 'eth_getBlockByNumber' && params[0] === 'latest' && lag > 0 ? { result: lagged } : null,
      async ({ chain }) => {
        const head = await chain.head();
        await chain.scan(head.height - 3, head.height, watching());
        lagged = await anvil.rpc('eth_getBlockByNumber', [`0x${(head.height - 2).toString(16)}`, false]);
        lag = 1;
        await assert.rejects(chain.head(), failsWith('NODE_FAILED', /went back/));
        lag = 0;
        assert.deepEqual(await chain.head(), head);
      },
    );
  });
  let lagged: unknown = null;

  test('fault 56: a head that fell back behind the finality bound is shown as it is: the follower compares it', async () => {
    const rewound = await startProxy(anvil.url, ({ method, params }) => {
      return fallen !== null && method === 'eth_getBlockByNumber' && params[0] === 'latest' ? { result: fallen } : null;
    });
    let fallen: unknown = null;
    const { chain } = await evmChain([rewound.url]);
    await anvil.mine(chain.policy.finalityBlocks + 2);
    const head = await chain.head();
    const height = head.height - chain.policy.finalityBlocks - 1;
    fallen = await anvil.rpc('eth_getBlockByNumber', [`0x${height.toString(16)}`, false]);
    assert.equal((await chain.head()).height, height);
    await chain.close();
    await rewound.stop();
  });

  test('fault 85: a node says how far it has synchronised; one that has no such method is judged by its head', async () => {
    let answer: ReturnType<Interference> = null;
    await through(
      ({ method }) => (method === 'eth_syncing' ? answer : null),
      async ({ chain }) => {
        const fine = { behind: null, initialDownload: false, firstBlock: 0 };
        assert.deepEqual(await chain.status(), fine);
        answer = { error: { code: -32601, message: 'the method eth_syncing does not exist' } };
        assert.deepEqual(await chain.status(), fine);
        answer = { result: { currentBlock: '0x10', highestBlock: '0x10', txIndexRemainingBlocks: '0x5' } };
        assert.deepEqual(await chain.status(), fine);
        answer = { result: { currentBlock: '0x10', highestBlock: '0x12' } };
        assert.deepEqual(await chain.status(), { ...fine, behind: 'is synchronising, at block 16 of 18' });
        answer = { result: { currentBlock: '0x10', highestBlock: '0x1000' } };
        assert.equal((await chain.status()).initialDownload, true);
        answer = { result: { batchSeen: 7 } };
        assert.equal((await chain.status()).behind, 'is synchronising');
      },
    );
  });

  test('where one URL lags, the next one is asked instead', async () => {
    const head = await height(anvil);
    const behind = await anvil.rpc('eth_getBlockByNumber', [`0x${(head - 1).toString(16)}`, false]);
    let lags = false;
    const proxy = await startProxy(anvil.url, ({ params }) =>
      lags && params[0] === 'latest' ? { result: behind } : null,
    );
    const { chain } = await evmChain([proxy.url, anvil.url]);
    assert.equal((await chain.head()).height, head);
    lags = true;
    await assert.rejects(chain.head(), failsWith('NODE_FAILED', /went back/));
    assert.equal((await chain.head()).height, head);
    await chain.close();
    await proxy.stop();
  });

  test('a node that has had enough of a batch is left for another one', async () => {
    const proxy = await startProxy(
      anvil.url,
      () => null,
      (body) =>
        body.startsWith('[')
          ? { status: 200, body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"Too Many Requests"}}' }
          : null,
    );
    const { chain } = await evmChain([proxy.url, anvil.url], { 'USDT-ERC20': token.address });
    assert.deepEqual(
      (await chain.scan(paidAt - 1, paidAt + 1, watching(to))).transfers.map(({ units }) => units),
      [42n, 7n],
    );
    assert.ok(proxy.requests() <= 2, `${proxy.requests()} requests`);
    await chain.close();
    await proxy.stop();
  });

  test('a block that is missing below the head is a failure, above it is none', async () => {
    let hole = false;
    await through(
      ({ method, params }) =>
        hole && method === 'eth_getBlockByNumber' && params[0] === `0x${paidAt.toString(16)}` ? { result: null } : null,
      async ({ chain }) => {
        const head = await chain.head();
        assert.equal(await chain.blockAt(head.height + 1), null);
        hole = true;
        await assert.rejects(chain.blockAt(paidAt), failsWith('NODE_FAILED', /missing/));
        await assert.rejects(chain.scan(paidAt, paidAt, watching(to)), failsWith('NODE_FAILED', /missing/));
        await assert.rejects(chain.scan(paidAt - 1, paidAt + 1, watching(to)), failsWith('NODE_FAILED', /missing/));
      },
    );
  });

  for (const [what, change] of [
    ['a block without a parent', (block: Record<string, unknown>) => ({ ...block, parentHash: undefined })],
    ['a block of another height', (block: Record<string, unknown>) => ({ ...block, number: '0x1' })],
    ['a block whose time is none', (block: Record<string, unknown>) => ({ ...block, timestamp: 12 })],
    ['a block without transactions', (block: Record<string, unknown>) => ({ ...block, transactions: null })],
    ['a block that is no object', () => 'block'],
  ] as const) {
    test(`${what} is a failure to try again`, async () => {
      const block = await anvil.rpc<Record<string, unknown>>('eth_getBlockByNumber', [
        `0x${paidAt.toString(16)}`,
        true,
      ]);
      await through(
        ({ method }) => (method === 'eth_getBlockByNumber' ? { result: change(block) } : null),
        async ({ chain }) => {
          await assert.rejects(
            chain.scan(paidAt, paidAt, watching(to)),
            failsWith('NODE_FAILED', /malformed|are inconsistent|contradicts itself/),
          );
        },
      );
    });
  }

  for (const [what, change] of [
    ['of another block', (log: Record<string, unknown>) => ({ ...log, blockHash: `0x${'1'.repeat(64)}` })],
    ['without data', (log: Record<string, unknown>) => ({ ...log, data: '0x' })],
    ['without a contract', (log: Record<string, unknown>) => ({ ...log, address: undefined })],
    ['without topics', (log: Record<string, unknown>) => ({ ...log, topics: null })],
    [
      'with half a topic',
      (log: Record<string, unknown>) => ({ ...log, topics: [(log['topics'] as string[])[0], '0x', '0x12'] }),
    ],
    ['that the receipt lacks', (log: Record<string, unknown>) => ({ ...log, logIndex: '0x63' })],
    ['that is null', () => null],
  ] as const) {
    test(`a log ${what} is a failure, never a credit`, async () => {
      await through(lyingLogs(await realLogs(), change), async ({ chain }) => {
        await assert.rejects(
          chain.scan(paidAt, paidAt, watching(to)),
          failsWith('NODE_FAILED', /malformed|are inconsistent|contradicts itself/),
        );
      });
    });
  }

  for (const [what, change] of [
    ['that was removed', (log: Record<string, unknown>) => ({ ...log, removed: true })],
    ['of a foreign contract', (log: Record<string, unknown>) => ({ ...log, address: `0x${'2'.repeat(40)}` })],
    [
      'of a unique token',
      (log: Record<string, unknown>) => ({ ...log, topics: [...(log['topics'] as string[]), `0x${'0'.repeat(64)}`] }),
    ],
  ] as const) {
    test(`a log ${what} is ignored, and does not stand for the block's own`, async () => {
      await through(lyingLogs(await realLogs(), change), async ({ chain }) => {
        const { transfers } = await chain.scan(paidAt, paidAt, watching(to));
        assert.deepEqual(
          transfers.map(({ units }) => units),
          [42n],
        );
      });
    });
  }

  test('a log that claims more than arrived, and one listed twice, bring what arrived', async () => {
    const logs = await realLogs();
    const inflated = logs.map((log) => ({ ...log, data: `0x${'f'.repeat(64)}` }));
    await through(
      lyingLogs([...inflated, ...inflated], (log) => log),
      async ({ chain }) => {
        const { transfers } = await chain.scan(paidAt, paidAt, watching(to));
        assert.deepEqual(
          transfers.map(({ units }) => units),
          [42n],
        );
      },
    );
  });

  test('a receipt that failed, is missing or is of another block brings nothing', async () => {
    const receiptOf =
      (changes: Record<string, unknown> | null): Interference =>
      ({ method }) =>
        method === 'eth_getTransactionReceipt' ? { result: changes === null ? null : { ...real, ...changes } } : null;
    const [log] = await realLogs();
    const real = await anvil.rpc<Record<string, unknown>>('eth_getTransactionReceipt', [log?.['transactionHash']]);
    await through(receiptOf({ status: '0x0' }), async ({ chain }) => {
      assert.deepEqual((await chain.scan(paidAt, paidAt, watching(to))).transfers, []);
    });
    for (const changes of [
      null,
      { blockHash: `0x${'3'.repeat(64)}` },
      { status: undefined },
      { transactionHash: `0x${'4'.repeat(64)}` },
    ]) {
      await through(receiptOf(changes), async ({ chain }) => {
        await assert.rejects(
          chain.scan(paidAt, paidAt, watching(to)),
          failsWith('NODE_FAILED', /malformed|are inconsistent|contradicts itself/),
        );
      });
    }
  });

  test('a node that has not come to the end of the range yet does not pass for an empty one', async () => {
    await through(
      // The answer of a load balancer's lagging backend: no logs, no error, and no such block.
      ({ method, params }) => {
        if (method === 'eth_getLogs') return { result: [] };
        return method === 'eth_getBlockByNumber' && params[1] === false ? { result: null } : null;
      },
      async ({ chain }) => {
        await assert.rejects(
          chain.scan(paidAt, paidAt + 15, watching(to)),
          failsWith('NODE_FAILED', /changed while its logs were read/),
        );
      },
    );
  });

  test('a tip that changes while the range is read fails the scan', async () => {
    let asked = 0;
    const tip = await anvil.rpc<Record<string, unknown>>('eth_getBlockByNumber', [
      `0x${(paidAt + 1).toString(16)}`,
      false,
    ]);
    await through(
      ({ method, params }) => {
        if (method !== 'eth_getBlockByNumber' || params[0] !== `0x${(paidAt + 1).toString(16)}` || params[1] !== false)
          return null;
        asked += 1;
        return { result: { ...tip, hash: `0x${'5'.repeat(64)}` } };
      },
      async ({ chain }) => {
        await assert.rejects(
          chain.scan(paidAt, paidAt + 1, watching(to)),
          failsWith('NODE_FAILED', /changed while it was read/),
        );
        assert.equal(asked, 1);
      },
    );
  });

  test('ranges that the node finds too long are halved, and nothing is lost', async () => {
    const spans: number[] = [];
    await through(
      ({ method, params }) => {
        const filter = params[0] as { fromBlock?: string; toBlock?: string };
        if (method !== 'eth_getLogs' || filter.fromBlock === undefined) return null;
        const span = Number(filter.toBlock) - Number(filter.fromBlock) + 1;
        spans.push(span);
        return span > 3 ? { error: { code: -32005, message: 'query returned more than 10000 results' } } : null;
      },
      async ({ chain }) => {
        const { transfers } = await chain.scan(paidAt - 2, paidAt + 15, watching(to));
        assert.deepEqual(
          transfers.map(({ units }) => units),
          [42n, 7n],
        );
        assert.ok(spans.includes(18) && spans.some((span) => span <= 3));
      },
    );
  });

  test('a node that takes no batches is asked one by one', async () => {
    const proxy = await startProxy(
      anvil.url,
      () => null,
      (body) =>
        body.startsWith('[')
          ? { status: 200, body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}' }
          : null,
    );
    const { chain } = await evmChain([proxy.url], { 'USDT-ERC20': token.address });
    const { transfers } = await chain.scan(paidAt - 2, paidAt + 15, watching(to));
    assert.deepEqual(
      transfers.map(({ units }) => units),
      [42n, 7n],
    );
    await chain.close();
    await proxy.stop();
  });

  test('where the node has pruned the state, the logs are believed and a warning is written', async () => {
    await through(
      ({ method }) =>
        method === 'eth_call' || method === 'eth_getBalance'
          ? { error: { code: -32000, message: 'missing trie node 0xabc (path )' } }
          : null,
      async ({ chain, logger }) => {
        const { transfers, unseen } = await chain.scan(paidAt, paidAt + 1, watching(to));
        assert.deepEqual(
          transfers.map(({ units }) => units),
          [42n, 7n],
        );
        assert.equal(unseen, true);
        assert.ok(logger.lines.some(({ level, message }) => level === 'warn' && message.includes('from the log')));
        assert.ok(logger.lines.some(({ level, message }) => level === 'warn' && message.includes('current balances')));
      },
    );
  });

  test('a node that reads state by height only is understood', async () => {
    await through(
      ({ method, params }) =>
        (method === 'eth_call' || method === 'eth_getBalance') && typeof params[1] === 'object'
          ? { error: { code: -32602, message: 'invalid argument 1: json: cannot unmarshal object' } }
          : null,
      async ({ chain }) => {
        const { transfers } = await chain.scan(paidAt, paidAt + 1, watching(to));
        assert.deepEqual(
          transfers.map(({ units }) => units),
          [42n, 7n],
        );
      },
    );
  });

  test('a token that refuses to tell balances brings nothing', async () => {
    await through(
      ({ method }) => (method === 'eth_call' ? { error: { code: 3, message: 'execution reverted: paused' } } : null),
      async ({ chain, logger }) => {
        const { transfers } = await chain.scan(paidAt, paidAt, watching(to));
        assert.deepEqual(transfers, []);
        assert.ok(logger.lines.some(({ level }) => level === 'error'));
      },
    );
  });

  test('an answer that is too large is a failure that names no URL', async () => {
    const proxy = await startProxy(
      anvil.url,
      () => null,
      () => ({ status: 200, body: `"${'x'.repeat(65 * 1024 * 1024)}"` }),
    );
    const { chain } = await evmChain([proxy.url]);
    await assert.rejects(chain.head(), failsWith('NODE_FAILED', /larger than/));
    await chain.close();
    await proxy.stop();
  });

  test('fault 51: a chain that went back and grew another way is followed', async () => {
    const own = await startAnvil();
    const { chain } = await evmChain([own.url]);
    const forwarder = await deployContract(own, 'Forwarder');
    await own.mine(3);
    const snapshot = await own.rpc('evm_snapshot');
    const fork = await height(own);
    const payee = freshAddress();
    await receipt(own, await invoke(own, forwarder, 'forward', [payee], { value: 9n }));
    await own.mine(2);
    const before = await chain.head();
    assert.equal((await chain.scan(fork + 1, before.height, watching(payee))).transfers.length, 1);
    await own.rpc('evm_revert', [snapshot]);
    await pay(own, payee, 4n);
    const head = await chain.head();
    assert.equal(head.height, fork + 1);
    assert.deepEqual(
      (await chain.scan(fork + 1, head.height, watching(payee))).transfers.map(({ index, units, toKey }) => [
        index,
        units,
        toKey,
      ]),
      [['value', 4n, keyOf(payee)]],
    );
    await chain.close();
    await own.stop();
  });

  async function realLogs(): Promise<Record<string, unknown>[]> {
    const at = `0x${paidAt.toString(16)}`;
    return anvil.rpc('eth_getLogs', [{ fromBlock: at, toBlock: at, address: token.address }]);
  }

  function lyingLogs(
    logs: readonly Record<string, unknown>[],
    change: (log: Record<string, unknown>) => unknown,
  ): Interference {
    return ({ method }) => (method === 'eth_getLogs' ? { result: logs.map(change) } : null);
  }
});
