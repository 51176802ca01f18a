import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GatewayMetrics } from '../../../host/gateway/gateway-metrics.ts';
import { FinalBlock } from '../../../host/gateway/reads/final-block.ts';
import { ResponseCache } from '../../../host/gateway/reads/response-cache.ts';
import { SharedAnswers } from '../../../host/gateway/reads/shared-answers.ts';
import { StoreCircuit } from '../../../host/gateway/reads/store-circuit.ts';
import { Upstream } from '../../../host/gateway/upstream.ts';
import { MemoryMetrics } from '../../support/fakes.ts';
import { MemoryCacheStore } from '../../support/memory-cache-store.ts';
import { silentLogger } from '../../support/storage.ts';
import { waitFor } from '../../support/wait.ts';

const hashIn = (branch: string, n: number): string => `0x${branch}${n.toString(16).padStart(63, '0')}`;

/** A route's final block at 136 of a chain whose branch the test changes. */
class Chain {
  branch = 'a';
  readonly final = new FinalBlock(64);
  readonly node = new Upstream(
    { url: 'http://127.0.0.1:1', headers: {} },
    { connectMs: 1, firstByteMs: 1, idleMs: 1 },
    null,
    true,
  );

  constructor(head = 200) {
    this.node.health.checked(head, 0);
  }

  round(): Promise<void> {
    return this.final.follow([this.node], 0, (_upstream, block) => Promise.resolve(hashIn(this.branch, block)));
  }
}

describe('fault 451: what is stored for other instances', () => {
  test('waits for a check that began after the answer came, and is dropped when that finds another branch', async (t) => {
    const store = new MemoryCacheStore();
    const metrics = new GatewayMetrics(new MemoryMetrics());
    const shared = new SharedAnswers({ store, metrics, logger: silentLogger, cache: new ResponseCache(1_000_000) });
    t.after(() => {
      metrics.close();
      shared.close();
    });
    const [chain, other] = [new Chain(), new Chain()];
    for (const each of [chain, other]) for (let n = 0; n < 3; n++) await each.round();
    assert.deepEqual(chain.final.checkpoint, { number: 128, hash: hashIn('a', 128) });
    const keep = ({ final, node }: Chain, name: string): void => {
      const { generation, height } = final;
      const call = { method: 'eth_call', params: [{}, '0x10'], chain: 'ETH', network: 'mainnet' };
      const kept = { ...call, final, generation, height };
      const read = { key: name, id: '1', route: 'r', namesBlock: true, flightKey: null, kept };
      shared.keep(read, `"result":"${name}"`, 16, node);
    };
    const stored = (): string =>
      [...store.answers.values()].map(({ value }) => /"result":"(\w+)"/.exec(value)?.[1]).join(' ');
    const settled = async (marker: string): Promise<void> => {
      keep(other, marker);
      await other.round();
      await waitFor(() => stored().includes(marker));
    };
    chain.branch = 'b';
    keep(chain, 'replaced');
    await settled('one');
    assert.equal(stored(), 'one', 'no check has confirmed the branch');
    await chain.round();
    await settled('two');
    await chain.round();
    await chain.round();
    await settled('three');
    assert.equal(stored(), 'one two three');
    keep(chain, 'right');
    await chain.round();
    await waitFor(() => stored().includes('right'));
    assert.ok([...store.answers.values()].at(-1)?.value.includes(hashIn('b', 128)));
  });

  test('a checkpoint counts once the block above it was read again', async () => {
    const chain = new Chain();
    await chain.round();
    assert.deepEqual([chain.final.checkpoint, chain.final.hashOf(128)], [null, null]);
    await chain.round();
    assert.equal(chain.final.hashOf(128), hashIn('a', 128));
    chain.branch = 'b';
    await chain.round();
    assert.deepEqual([chain.final.checkpoint, chain.final.hashOf(128)], [null, null]);
  });

  test('an earlier checkpoint is asked for once in a round, and never one that is not final', async () => {
    const chain = new Chain();
    await chain.round();
    await chain.round();
    let asked = 0;
    const ask = (_upstream: Upstream, block: number): Promise<string | null> => {
      asked += 1;
      return Promise.resolve(asked === 1 ? null : hashIn('a', block));
    };
    for (let n = 0; n < 3; n++) await chain.final.learn(64, ask);
    await chain.final.learn(192, ask);
    assert.deepEqual([asked, chain.final.hashOf(64)], [1, null]);
    await chain.round();
    await chain.final.learn(64, ask);
    assert.deepEqual([asked, chain.final.hashOf(64)], [2, hashIn('a', 64)]);
  });
});

describe('fault 454: a store that fails', () => {
  test('is asked again by one at a time, after a pause', () => {
    const changes: boolean[] = [];
    const circuit = new StoreCircuit((open) => changes.push(open));
    for (let n = 0; n < 3; n++) {
      assert.equal(circuit.mayAsk(0), true);
      circuit.failed(0);
    }
    assert.equal(circuit.mayAsk(4_999), false);
    assert.equal(circuit.mayAsk(5_000), true);
    assert.equal(circuit.mayAsk(5_000), false);
    circuit.failed(5_000);
    assert.equal(circuit.mayAsk(9_999), false);
    assert.equal(circuit.mayAsk(10_000), true);
    circuit.succeeded();
    assert.equal(circuit.mayAsk(10_000), true);
    assert.deepEqual(changes, [true, false]);
  });
});
