import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chooseHome, headOfAnswer, homeOf, seedOf, ShownBlock, UpstreamHealth } from '../../../core/index.ts';
import type { Home } from '../../../core/index.ts';

const NEWEST = { lacks: null, now: 1_000, block: Infinity, maxLag: 10, headLag: 1, draw: () => 0 };
const upstream = (name: string, head = 100): Home & { readonly health: UpstreamHealth } => {
  const health = new UpstreamHealth();
  health.checked(head, 0);
  return { seed: seedOf(name), shown: new ShownBlock(), health, cordoned: false };
};
const apps = Array.from({ length: 300 }, (_, index) => seedOf(`app ${index}`));

describe('the home of an App', () => {
  test('Apps are spread evenly, and only those of a removed upstream move', () => {
    const all = [upstream('a'), upstream('b'), upstream('c')];
    const homes = apps.map((spread) => homeOf(all, spread));
    for (const one of all) assert.ok(homes.filter((home) => home === one).length > 60);
    const [gone, ...left] = all;
    const next = apps.map((spread) => homeOf(left, spread));
    for (const [index, home] of homes.entries()) if (home !== gone) assert.equal(next[index], home);
    assert.ok(
      new Set(next.filter((_, index) => homes[index] === gone)).size === 2,
      'its Apps are spread over the others',
    );
  });

  test('a home that is behind the others, or much slower, is left, and counts as avoided for a minute', () => {
    for (const spoil of [
      (health: UpstreamHealth) => health.checked(90, 0),
      (health: UpstreamHealth) => health.succeeded(2_000, 999),
    ]) {
      const all = [upstream('a'), upstream('b')];
      const [spread = 0] = apps;
      const home = homeOf(all, spread);
      const other = all.find((one) => one !== home);
      assert.equal(chooseHome(all, [], NEWEST, spread), home);
      home?.health.started(998);
      if (home !== null) spoil(home.health);
      assert.equal(chooseHome(all, [], NEWEST, spread), other);
      assert.equal(home?.shown.isAvoided(60_000), true);
      assert.equal(home?.shown.isAvoided(62_000), false);
    }
  });

  test('an upstream that does not say what its newest block is takes over all the same', () => {
    const all = [upstream('a'), upstream('b')];
    const [spread = 0] = apps;
    const home = homeOf(all, spread);
    const other = all.find((one) => one !== home);
    home?.shown.show(200, 999);
    assert.equal(chooseHome(all, home === null ? [] : [home], NEWEST, spread), null);
    other?.health.checked(null, 1);
    assert.equal(chooseHome(all, home === null ? [] : [home], NEWEST, spread), other);
  });
});

describe('what an upstream is known to have', () => {
  test('a health check that began before an answer does not take back the block of it; a later one does', () => {
    const health = new UpstreamHealth();
    health.answered(106, 500);
    health.checked(105, 400);
    assert.deepEqual([health.head, health.latest], [105, 106]);
    health.checked(104, 600);
    assert.equal(health.latest, 104);
  });

  test('a block that was answered counts for a minute, and until the chain is seen to be shorter', () => {
    const shown = new ShownBlock();
    shown.show(106, 1_000);
    assert.deepEqual([shown.at(61_000), shown.at(61_001)], [106, 0]);
    shown.checked(50, 900);
    assert.equal(shown.at(2_000), 106);
    shown.checked(50, 1_001);
    assert.equal(shown.at(2_000), 50);
  });

  test('only what changed is reported, and that an upstream was left once', () => {
    const shown = new ShownBlock();
    assert.equal(shown.report(), null);
    shown.show(7, 1);
    shown.leave(1);
    assert.deepEqual(shown.report(), { block: 7, left: true });
    assert.equal(shown.report(), null);
    const heard = new ShownBlock();
    heard.hear({ block: 7, left: true }, 1);
    assert.deepEqual([heard.at(2), heard.isAvoided(2)], [7, true]);
    assert.deepEqual(heard.report(), { block: 7, left: false }, 'what was heard is not said to have been left here');
  });
});

test('the block that an answer is of', () => {
  const cases: readonly (readonly [string, string, number | null])[] = [
    ['eth_blockNumber', '{"jsonrpc":"2.0","id":1,"result":"0x1aF"}', 0x1af],
    ['eth_blockNumber', '{"jsonrpc":"2.0","id":1,"result" : "0x20000000000000"}', null],
    ['eth_blockNumber', '{"jsonrpc":"2.0","id":1,"result":null}', null],
    ['eth_getBlockByNumber', '{"result":{"hash":"0xab","number":"0x10","parentHash":"0xcd"}}', 16],
    ['eth_getTransactionReceipt', '{"result":{"blockHash":"0xab","blockNumber":"0x11"}}', 17],
    ['eth_call', '{"result":"0x10"}', null],
  ];
  for (const [method, opening, block] of cases) assert.equal(headOfAnswer(method, opening), block, opening);
});
