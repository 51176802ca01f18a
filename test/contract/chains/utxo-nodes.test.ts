import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { isTillgateError } from '../../../core/index.ts';
import type { ErrorCode } from '../../../core/index.ts';
import { FIXTURES } from '../../unit/chains/utxo-fixtures.ts';
import { UtxoNode } from '../../../adapters/chains/utxo/utxo-node.ts';
import { MemoryLogger } from '../../support/fakes.ts';
import { startFixtureNode, utxoChain, watching } from './utxo-fixture-node.ts';
import type { Interference } from './rpc-proxy.ts';

const { blocks, genesis, payments } = FIXTURES.bitcoin;
const [first, second, third] = blocks as [(typeof blocks)[0], (typeof blocks)[0], (typeof blocks)[0]];
const failsWith = (code: ErrorCode, words: RegExp) => (error: unknown) =>
  isTillgateError(error, code) && words.test(error.message);

async function through(t: TestContext, change: Interference = () => null): ReturnType<typeof utxoChain> {
  const node = await startFixtureNode(change);
  const made = await utxoChain([node.url]);
  t.after(async () => {
    await made.chain.close();
    await node.stop();
  });
  return made;
}

describe('a UTXO chain and nodes that fail it', () => {
  test('an honest node: identity, head, blocks and deposits', async (t) => {
    const { chain } = await through(t);
    assert.equal(await chain.identify(), `bip122:${genesis}`);
    const head = await chain.head();
    assert.deepEqual([head.height, head.hash, head.parentHash], [third.height, third.hash, second.hash]);
    const keys = (await chain.deriveAddresses(0, 2)).map(({ key }) => key);
    const range = await chain.scan(first.height, third.height, watching(...keys));
    assert.deepEqual(range.blocks.at(-1), head);
    assert.deepEqual(
      range.transfers
        .filter(({ leastConfirmations }) => leastConfirmations === undefined)
        .map(({ txid, units }) => [txid, units]),
      [
        [payments.first, 12_345_678n],
        [payments.second, 100_000_000n],
        [payments.second, 50_000_000n],
      ],
    );
    const mined = range.transfers.filter(({ leastConfirmations }) => leastConfirmations === 100);
    assert.ok(mined.length > 0 && mined.every(({ units }) => units > 0n));
  });

  test('fault 56: a node on another chain halts, also as a fallback', async (t) => {
    const other = 'ab'.repeat(32);
    const { chain } = await through(t, ({ method, params }) =>
      method === 'getblockhash' && params[0] === 0 ? { result: other } : null,
    );
    await assert.rejects(chain.identify(), failsWith('CHAIN_HALTED', /first block is abab.*BTC.*regtest/));
    await assert.rejects(chain.head(), failsWith('CHAIN_HALTED', /abab/));
  });

  test('fault 56: a block with another block’s bytes, or a changed amount in it, is refused', async (t) => {
    const changed = second.hex.replace('00e1f50500000000', '00e1f50600000000');
    assert.notEqual(changed, second.hex);
    for (const hex of [first.hex, changed, second.hex.slice(0, -2), '', 'zz', 7]) {
      const { chain } = await through(t, ({ method, params }) =>
        method === 'getblock' && params[0] === second.hash ? { result: hex } : null,
      );
      await assert.rejects(
        chain.scan(first.height, third.height, watching()),
        failsWith('NODE_FAILED', /something else|malformed/),
      );
    }
  });

  test('fault 56: a header whose fields are not those of its hash is refused', async (t) => {
    for (const [field, value] of [
      ['time', 1],
      ['previousblockhash', first.hash],
      ['version', 1],
      ['nonce', 12],
      ['bits', '00'],
      ['merkleroot', 'x'],
      ['height', -1],
      ['height', 0.5],
    ] as const) {
      const { chain } = await through(t, ({ method, params }) => {
        if (method !== 'getblockheader' || params[0] !== third.hash) return null;
        const bytes = Buffer.from(third.hex, 'hex');
        const hash = (from: number): string =>
          Buffer.from(bytes.subarray(from, from + 32))
            .reverse()
            .toString('hex');
        const header = {
          height: third.height,
          version: bytes.readInt32LE(0),
          previousblockhash: hash(4),
          merkleroot: hash(36),
          time: bytes.readUInt32LE(68),
          bits: '207fffff',
          nonce: bytes.readUInt32LE(76),
        };
        return { result: { ...header, [field]: value } };
      });
      await assert.rejects(chain.head(), failsWith('NODE_FAILED', /another hash|malformed/), field);
    }
  });

  test('fault 56: blocks that do not follow each other are a failure to try again', async (t) => {
    const { chain } = await through(t, ({ method, params }) =>
      method === 'getblockhash' && params[0] === second.height ? { result: first.hash } : null,
    );
    await assert.rejects(
      chain.scan(first.height, third.height, watching()),
      failsWith('NODE_FAILED', /does not follow/),
    );
  });

  test('fault 85: a node says whether it is at the head, downloads, has peers, and what it has pruned', async (t) => {
    const at = { blocks: third.height, headers: third.height, initialblockdownload: false };
    let [chainInfo, networkInfo]: object[] = [at, { networkactive: true, connections: 8 }];
    const server = await startFixtureNode(({ method }) =>
      method === 'getblockchaininfo'
        ? { result: chainInfo }
        : method === 'getnetworkinfo'
          ? { result: networkInfo }
          : null,
    );
    const nodeOf = (network: string): UtxoNode =>
      new UtxoNode({ code: 'BTC', urls: [server.url], genesis: [genesis], network }, new MemoryLogger());
    const [chain, regtest] = [nodeOf('main'), nodeOf('regtest')];
    t.after(async () => {
      await Promise.all([chain.close(), regtest.close()]);
      await server.stop();
    });
    const fine = { behind: null, initialDownload: false, firstBlock: 0 };
    assert.deepEqual(await chain.status(), fine);
    chainInfo = { ...at, pruned: true, pruneheight: 700 };
    assert.deepEqual(await chain.status(), { ...fine, firstBlock: 700 });
    chainInfo = { ...at, headers: third.height + 2 };
    assert.match((await chain.status()).behind ?? '', new RegExp(`headers up to block ${third.height + 2}`));
    chainInfo = { blocks: 5, headers: third.height, initialblockdownload: true };
    const loading = await chain.status();
    assert.deepEqual(
      [loading.initialDownload, /initial download, at block 5/.test(loading.behind ?? '')],
      [true, true],
    );
    chainInfo = at;
    networkInfo = { networkactive: true, connections: 0 };
    assert.deepEqual(await regtest.status(), fine);
    assert.equal((await chain.status()).behind, 'has no peers');
    networkInfo = { networkactive: false, connections: 0 };
    for (const node of [chain, regtest]) assert.equal((await node.status()).behind, 'has its network switched off');
  });

  test('fault 56: a node that lags is left for the next one', async (t) => {
    let lags = false;
    const lagging = await startFixtureNode(({ method }) =>
      lags && method === 'getbestblockhash' ? { result: second.hash } : null,
    );
    const good = await startFixtureNode();
    const { chain } = await utxoChain([lagging.url, good.url]);
    t.after(async () => {
      await chain.close();
      await lagging.stop();
      await good.stop();
    });
    assert.equal((await chain.head()).height, third.height);
    lags = true;
    await assert.rejects(chain.head(), failsWith('NODE_FAILED', /went back/));
    assert.equal((await chain.head()).height, third.height);
  });

  test('another URL serves while the first is down', async (t) => {
    const node = await startFixtureNode();
    const { chain } = await utxoChain(['http://127.0.0.1:1/', node.url]);
    t.after(async () => {
      await chain.close();
      await node.stop();
    });
    assert.equal((await chain.head()).height, third.height);
  });

  test('a block that is missing below the head is a failure, above it is none', async (t) => {
    let hole = false;
    const { chain } = await through(t, ({ method, params }) =>
      hole && method === 'getblockhash' && params[0] === second.height
        ? { error: { code: -8, message: 'Block height out of range' } }
        : null,
    );
    await chain.head();
    assert.equal(await chain.blockAt(third.height + 1), null);
    hole = true;
    await assert.rejects(chain.blockAt(second.height), failsWith('NODE_FAILED', /missing/));
    await assert.rejects(chain.scan(first.height, third.height, watching()), failsWith('NODE_FAILED', /missing/));
  });

  test('fault 73: neither user nor password of the node is in any error or log line', async (t) => {
    const { chain, logger } = await utxoChain([
      'http://s3cr3tuser:s3cr3tpass@127.0.0.1:1/',
      'http://s3cr3tuser:s3cr3tpass@127.0.0.1:2/',
    ]);
    t.after(() => chain.close());
    await assert.rejects(chain.head(), (error: unknown) => {
      assert.ok(isTillgateError(error, 'NODE_FAILED'));
      assert.doesNotMatch(
        JSON.stringify([error.message, error.details, error.stack, String(error.cause), logger.lines]),
        /s3cr3t/,
      );
      return true;
    });
  });

  test('a wrong password is told by the node’s host and status', async (t) => {
    const node = await startFixtureNode(undefined, () => ({ status: 401, body: '' }));
    const { chain } = await utxoChain([node.url]);
    t.after(async () => {
      await chain.close();
      await node.stop();
    });
    await assert.rejects(chain.head(), failsWith('NODE_FAILED', /127\.0\.0\.1:\d+ answered HTTP 401/));
  });

  for (const [what, status, body] of [
    ['an error page', 200, '<html>'],
    ['no JSON-RPC', 200, '{"hello":1}'],
    ['HTTP 503', 503, 'Work queue depth exceeded'],
    ['a redirect', 302, ''],
  ] as const) {
    test(`${what} for an answer is a failure to try again`, async (t) => {
      const node = await startFixtureNode(undefined, () => ({ status, body }));
      const { chain } = await utxoChain([node.url]);
      t.after(async () => {
        await chain.close();
        await node.stop();
      });
      await assert.rejects(chain.head(), failsWith('NODE_FAILED', /127\.0\.0\.1/));
    });
  }
});
