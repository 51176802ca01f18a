import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { blockNeeded, chooseUpstream, UpstreamHealth } from '../../../core/index.ts';
import type { Choice, Choosable } from '../../../core/index.ts';

const upstream = (act: (health: UpstreamHealth) => void = () => undefined, cordoned = false): Choosable => {
  const health = new UpstreamHealth();
  act(health);
  return { health, cordoned };
};

const at = (head: number | null): Choosable => upstream((health) => health.checked(head, 0));

const NEWEST: Choice = { lacks: null, now: 0, block: Infinity, maxLag: 10, headLag: 1, draw: () => 0 };

/** Everyone that some draw leads to. */
function chosen<T extends Choosable>(all: readonly T[], changes: Partial<Choice> = {}): Set<T | null> {
  const draws = Array.from({ length: all.length }, (_, n) => n);
  return new Set(draws.map((n) => chooseUpstream(all, [], { ...NEWEST, ...changes, draw: (below) => n % below })));
}

function answer(health: UpstreamHealth, tookMs: number, now: number): void {
  health.started(now);
  health.succeeded(tookMs, now);
}

describe('fault 151: an upstream that is behind', () => {
  const [head, next, behind, far] = [at(1000), at(999), at(998), at(989)];

  test('gets no request of the newest block while another one has it', () => {
    assert.deepEqual(chosen([behind, head]), new Set([head]));
    assert.deepEqual(chosen([far, behind, next, head]), new Set([next, head]));
    assert.deepEqual(chosen([behind, head], { headLag: 2 }), new Set([behind, head]));
  });

  test('gets requests of a block that it has, unless it is far behind', () => {
    assert.deepEqual(chosen([far, behind, head], { block: 5 }), new Set([behind, head]));
    assert.deepEqual(chosen([behind, head], { block: 998 }), new Set([behind, head]));
    assert.deepEqual(chosen([behind, head], { block: 999 }), new Set([head]));
    assert.deepEqual(chosen([behind, head], { block: 5000 }), new Set([head]), 'a block that nobody has yet');
  });

  test('gets all of them where the others are down, and where its head is not known', () => {
    const down = upstream((health) => health.checkFailed(0));
    assert.deepEqual(chosen([behind, down]), new Set([behind]));
    const unknown = at(null);
    assert.deepEqual(chosen([unknown, head]), new Set([unknown, head]));
  });
});

describe('the cheaper of two', () => {
  test('fault 152: one that was slow is tried again once that is long enough ago', () => {
    const [slow, quick] = [at(1), at(1)];
    answer(slow.health, 1000, 0);
    answer(quick.health, 10, 0);
    const choice = (now: number) => {
      answer(quick.health, 10, now);
      return [...chosen([slow, quick], { now })];
    };
    for (const now of [1, 5_000, 20_000]) assert.deepEqual(choice(now), [quick], String(now));
    assert.deepEqual(choice(40_000), [slow]);
    answer(slow.health, 1000, 40_000);
    assert.deepEqual(choice(40_001), [quick], 'it is still slow');
    assert.deepEqual(choice(80_000), [slow]);
    answer(slow.health, 5, 80_000);
    assert.deepEqual(choice(80_001), [slow], 'it has become quick');
  });

  test('one that answers by errors costs more than one that is slower, for a while', () => {
    const [failing, good] = [at(1), at(1)];
    answer(good.health, 50, 0);
    answer(failing.health, 1, 0);
    assert.deepEqual([...chosen([failing, good])], [failing]);
    failing.health.started(0);
    failing.health.erred(1, 0);
    assert.deepEqual([...chosen([failing, good])], [good]);
    answer(good.health, 50, 60_000);
    assert.deepEqual([...chosen([failing, good], { lacks: null, now: 60_000 })], [failing]);
    assert.equal(failing.health.state(0), 'up', 'errors of requests open no circuit');
  });

  test('one that has more requests running costs more', () => {
    const [busy, free] = [at(1), at(1)];
    for (const { health } of [busy, free]) answer(health, 10, 0);
    busy.health.started(0);
    assert.deepEqual([...chosen([busy, free])], [free]);
  });
});

describe('fault 443: an upstream that an operator has cordoned', () => {
  const failedAt = (now: number) => (health: UpstreamHealth) => health.checkFailed(now);
  const [good, out] = [upstream(), upstream(undefined, true)];

  test('is never chosen, alone or beside others, up or due for a trial', () => {
    assert.deepEqual(chosen([out]), new Set([null]));
    assert.deepEqual(chosen([out, out]), new Set([null]));
    assert.deepEqual(chosen([out, good]), new Set([good]));
    const [down, outAndDown] = [upstream(failedAt(0)), upstream(failedAt(0), true)];
    assert.deepEqual(chosen([out, down]), new Set([null]), 'not even when all others are down');
    assert.deepEqual(chosen([outAndDown, outAndDown], { now: 1e9 }), new Set([null]));
    assert.deepEqual(chosen([outAndDown, down], { now: 1e9 }), new Set([down]));
    const lacks = (each: Choosable): boolean => each === good;
    assert.deepEqual(chosen([out, good], { lacks: lacks as Choice['lacks'] }), new Set([good]));
  });

  test('does not make the others old by its own head', () => {
    const [ahead, behind] = [upstream((health) => health.checked(2000, 0), true), at(1000)];
    assert.deepEqual(chosen([ahead, behind, at(998)], { block: 1000 }), new Set([behind]));
  });
});

describe('the block that a read needs', () => {
  const hash = `0x${'ab'.repeat(32)}`;
  for (const [method, params, needed] of [
    ['eth_getBlockByNumber', ['0x10', false], 16],
    ['eth_getBlockByNumber', ['latest', false], Infinity],
    ['eth_getBlockByNumber', ['0x010', false], Infinity],
    ['eth_getBlockByNumber', ['16', false], Infinity],
    ['eth_getBlockByNumber', [16, false], Infinity],
    ['eth_getBlockByNumber', [`0x${'f'.repeat(20)}`, false], Infinity],
    ['eth_getBlockByNumber', [], Infinity],
    ['eth_getBlockByNumber', { 0: '0x10' }, Infinity],
    ['eth_getBlockByNumber', undefined, Infinity],
    ['eth_call', [{ to: '0x10' }, '0x10'], 16],
    ['eth_call', [{ to: '0x10' }], Infinity],
    ['eth_call', [{ to: '0x10' }, { blockNumber: '0x10' }], 16],
    ['eth_call', [{ to: '0x10' }, { blockNumber: '0x10', blockHash: hash }], Infinity],
    ['eth_call', [{ to: '0x10' }, { blockHash: hash }], Infinity],
    ['eth_getStorageAt', ['0x10', '0x1', '0x20'], 32],
    ['eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x10' }], 16],
    ['eth_getLogs', [{ fromBlock: '0x1' }], Infinity],
    ['eth_getLogs', [{ fromBlock: '0x1', toBlock: 'latest' }], Infinity],
    ['eth_getLogs', [{ blockHash: hash }], Infinity],
    ['eth_getLogs', [], Infinity],
    ['eth_getBlockByHash', [hash, false], Infinity],
    ['eth_getTransactionReceipt', [hash], Infinity],
    ['eth_sendRawTransaction', ['0x10'], Infinity],
  ] as const)
    test(`${method} ${JSON.stringify(params)}: ${needed}`, () => assert.equal(blockNeeded(method, params), needed));
});
