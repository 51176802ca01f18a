import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { isTillgateError } from '../../../core/index.ts';
import type { UtxoChain } from '../../../adapters/chains/index.ts';
import { hash256, toHashText } from '../../../adapters/chains/utxo/hash256.ts';
import type { MemoryLogger } from '../../support/fakes.ts';
import type { Interference } from './rpc-proxy.ts';
import { startFixtureNode, utxoChain, watching } from './utxo-fixture-node.ts';

type Answer = ReturnType<Interference>;
const LEFT: Answer = { error: { code: -5, message: 'No such mempool or blockchain transaction' } };

/** A transaction of one input and one output to a script, and its id. */
function transaction(key: string, units: bigint, salt: number): { readonly txid: string; readonly hex: string } {
  const body = Buffer.concat([
    Buffer.from('0200000001', 'hex'),
    Buffer.alloc(36, salt & 0xff),
    Buffer.from('00fdffffff01', 'hex'),
    Buffer.from(units.toString(16).padStart(16, '0'), 'hex').reverse(),
    Buffer.from([key.length / 2]),
    Buffer.from(key, 'hex'),
    Buffer.alloc(4),
  ]);
  // The lock time distinguishes the transactions.
  body.writeUInt32LE(salt, body.length - 4);
  return { txid: toHashText(hash256(body)), hex: body.toString('hex') };
}

/** A node with a mempool that the test fills. */
class Pool {
  readonly waiting = new Map<string, string>();
  loaded: boolean | undefined = true;
  readonly calls: string[] = [];
  change: Interference = () => null;

  readonly answer: Interference = (call) => {
    const { method, params } = call;
    this.calls.push(method);
    const changed = this.change(call);
    if (changed !== null) return changed;
    switch (method) {
      case 'getmempoolinfo':
        return { result: { ...(this.loaded === undefined ? {} : { loaded: this.loaded }), size: this.waiting.size } };
      case 'getrawmempool':
        return { result: [...this.waiting.keys()] };
      case 'getrawtransaction': {
        const hex = this.waiting.get(String(params[0]));
        return hex === undefined ? LEFT : { result: hex };
      }
      case 'getmempoolentry':
        return { result: { time: 1_700_000_000, vsize: 110 } };
      default:
        return null;
    }
  };

  add(key: string, units: bigint, salt: number): string {
    const { txid, hex } = transaction(key, units, salt);
    this.waiting.set(txid, hex);
    return txid;
  }

  fetched(): number {
    return this.calls.splice(0).filter((method) => method === 'getrawtransaction').length;
  }
}

async function open(t: TestContext): Promise<{
  pool: Pool;
  chain: UtxoChain;
  logger: MemoryLogger;
  key: string;
  look: () => ReturnType<UtxoChain['mempool']['pending']>;
}> {
  const pool = new Pool();
  const node = await startFixtureNode(pool.answer);
  const { chain, logger } = await utxoChain([node.url]);
  t.after(async () => {
    await chain.close();
    await node.stop();
  });
  const [address] = await chain.deriveAddresses(0, 1);
  assert.ok(address);
  return {
    pool,
    chain,
    logger,
    key: address.key,
    look: () => chain.mempool.pending(async () => watching(address.key)),
  };
}

const OTHER = '0014'.padEnd(44, 'a');

describe('the mempool of a UTXO node', () => {
  test('each transaction is fetched once, and what pays to the till is shown as long as it waits', async (t) => {
    const { pool, key, look } = await open(t);
    const ours = pool.add(key, 7n, 1);
    for (let salt = 2; salt < 120; salt++) pool.add(OTHER, 9n, salt);
    const expected = {
      txid: ours,
      index: '0',
      units: 7n,
      currency: 'BTC',
      from: null,
      toKey: key,
      seenAt: 1_700_000_000_000,
    };
    assert.deepEqual(await look(), { transfers: [expected], complete: true });
    assert.equal(pool.fetched(), 119);
    assert.deepEqual((await look()).transfers, [expected]);
    assert.equal(pool.fetched(), 0);
    pool.waiting.delete(ours);
    const second = pool.add(key, 8n, 500);
    assert.deepEqual(
      (await look()).transfers.map(({ txid }) => txid),
      [second],
    );
    assert.equal(pool.fetched(), 1);
    pool.add(key, 7n, 1);
    assert.equal((await look()).transfers.length, 2, 'what comes back is shown again');
  });

  test('a large mempool is read in several looks, and until then a look says that it is not whole', async (t) => {
    const { pool, key, look } = await open(t);
    for (let salt = 1_000; salt < 6_500; salt++) pool.add(OTHER, 9n, salt);
    pool.add(key, 7n, 1);
    assert.deepEqual(await look(), { transfers: [], complete: false });
    const { transfers, complete } = await look();
    assert.deepEqual([transfers.length, complete], [1, true]);
    assert.equal(pool.fetched(), 5_501);
  });

  test('one that left between the list and its reading is asked for again should it come back', async (t) => {
    const { pool, key, look } = await open(t);
    const txid = pool.add(key, 7n, 1);
    pool.change = ({ method }) => (method === 'getrawtransaction' ? LEFT : null);
    assert.deepEqual(await look(), { transfers: [], complete: true });
    pool.change = ({ method }) => (method === 'getmempoolentry' ? LEFT : null);
    const { transfers } = await look();
    assert.deepEqual(
      transfers.map((each) => [each.txid, each.seenAt]),
      [[txid, null]],
    );
  });

  test('fault 56: bytes that are another transaction, or none, are no payment', async (t) => {
    const { pool, key, look } = await open(t);
    const { hex } = transaction(key, 7n, 1);
    for (const [at, wrong] of [hex, hex.slice(0, -2), `${hex}00`, '', '00', `02000000000801${hex.slice(10)}`].entries())
      pool.waiting.set(String(at).padStart(64, 'f'), wrong);
    assert.deepEqual(await look(), { transfers: [], complete: true });
    pool.waiting.set('e'.repeat(64), 'no bytes');
    await assert.rejects(look(), (error: unknown) => isTillgateError(error, 'NODE_FAILED'));
  });

  test('fault 42: a node that was restarted says nothing until it has read what waited before', async (t) => {
    const { pool, key, look } = await open(t);
    pool.add(key, 7n, 1);
    await look();
    const before = [...pool.waiting];
    pool.waiting.clear();
    pool.loaded = false;
    await assert.rejects(
      look(),
      (error: unknown) => isTillgateError(error, 'NODE_FAILED') && /still loading/.test(error.message),
    );
    for (const [txid, hex] of before) pool.waiting.set(txid, hex);
    pool.loaded = true;
    assert.equal((await look()).transfers.length, 1);
    pool.loaded = undefined;
    assert.equal((await look()).transfers.length, 1, 'older nodes do not say');
  });

  test('a node that does not serve its mempool has none; the log says so once', async (t) => {
    const { pool, logger, look } = await open(t);
    pool.change = ({ method }) =>
      method === 'getrawmempool' ? { error: { code: -32601, message: 'Method not found' } } : null;
    for (let n = 0; n < 3; n++) assert.deepEqual(await look(), { transfers: [], complete: true });
    assert.equal(logger.lines.filter(({ message }) => message.includes('does not return its mempool')).length, 1);
  });
});
