import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChainFeed, ChainWindow, MAX_GAP_BLOCKS } from '../../../../core/index.ts';
import type { FeedSink } from '../../../../core/index.ts';
import { block, branch, nameOf, ScriptedSource } from './blocks.ts';
import type { ScriptedBlock } from './blocks.ts';

function feedOf(window?: ChainWindow): { readonly feed: ChainFeed; readonly seen: string[] } {
  const seen: string[] = [];
  const sink: FeedSink = {
    wantedLogs: () => ({ addresses: [], topics: [] }),
    removed: (each) => seen.push(`-${nameOf(each)}:${each.logs.length}`),
    added: (each) => seen.push(`+${nameOf(each)}:${each.logs.length}`),
  };
  return { feed: new ChainFeed(sink, window), seen };
}

const last = (blocks: readonly ScriptedBlock[]): ScriptedBlock => blocks.at(-1)!;

describe('a feed of blocks', () => {
  it('begins behind the first block, delivers each once, and ignores what comes again', async () => {
    const { feed, seen } = feedOf();
    const chain = branch('a', 1, 4, 'g');
    const source = new ScriptedSource(chain);
    for (const each of [0, 1, 1, 2, 0, 3]) await feed.accept(chain[each]!, source);
    assert.deepEqual(seen, ['+a2:1', '+a3:1', '+a4:1']);
    assert.equal(feed.head, 4);
  });

  it('fills a gap by the hashes of parents, and a longer one by numbers', async () => {
    for (const [missing, byHash] of [
      [3, 3],
      [40, 0],
    ] as const) {
      const { feed, seen } = feedOf();
      const chain = branch('a', 1, missing + 2, 'g');
      const source = new ScriptedSource(chain);
      await feed.accept(chain[0]!, source);
      assert.equal(await feed.accept(last(chain), source), 'delivered');
      assert.deepEqual(
        seen,
        chain.slice(1).map(({ number }) => `+a${number}:1`),
      );
      assert.equal(source.asked.length, byHash);
    }
  });

  it('delivers a branch from its fork on, after the blocks that it replaces were removed, the newest first', async () => {
    const { feed, seen } = feedOf();
    const old = branch('a', 1, 5, 'g');
    const other = branch('b', 3, 6, 'a2');
    const source = new ScriptedSource([...old, ...other]);
    for (const each of old) await feed.accept(each, source);
    seen.length = 0;
    await feed.accept(last(other), source);
    assert.deepEqual(seen, ['-a5:1', '-a4:1', '-a3:1', '+b3:1', '+b4:1', '+b5:1', '+b6:1']);
  });

  it('follows a branch whose blocks are announced from the fork on, and one that begins before the first block', async () => {
    const { feed, seen } = feedOf();
    const old = branch('a', 1, 5, 'g');
    const other = branch('b', 3, 6, 'a2');
    const source = new ScriptedSource([...old, ...other]);
    await feed.accept(old[4]!, source);
    for (const each of other) await feed.accept(each, source);
    assert.deepEqual(seen, ['-a5:0', '-a4:0', '-a3:0', '+b3:1', '+b4:1', '+b5:1', '+b6:1']);
  });

  it('fault 425: goes on behind the last delivered block where a node ends in the middle of a gap', async () => {
    const { feed, seen } = feedOf();
    const chain = branch('a', 1, 10, 'g');
    const dying = new ScriptedSource(chain);
    await feed.accept(chain[0]!, dying);
    dying.beforeLogs = (hash) => {
      if (hash === chain[5]!.hash) throw new Error('closed');
    };
    await assert.rejects(feed.accept(last(chain), dying), /closed/);
    feed.changeSource();
    await feed.accept(last(chain), new ScriptedSource(chain));
    assert.deepEqual(
      seen,
      chain.slice(1).map(({ number }) => `+a${number}:1`),
    );
  });

  it('fault 426: waits for a new node that is behind, also where it is on another branch', async () => {
    const { feed, seen } = feedOf();
    const chain = branch('a', 1, 6, 'g');
    const stale = branch('b', 3, 5, 'a2');
    const source = new ScriptedSource([...chain, ...stale]);
    for (const each of chain.slice(0, 5)) await feed.accept(each, source);
    seen.length = 0;
    feed.changeSource();
    assert.equal(await feed.accept(chain[2]!, source), 'known');
    assert.equal(await feed.accept(stale[1]!, source), 'behind');
    assert.equal(await feed.accept(stale[2]!, source), 'behind');
    assert.equal(await feed.accept(chain[5]!, source), 'delivered');
    assert.deepEqual(seen, ['+a6:1']);
  });

  it('fault 425: a reorganisation while nodes are changed is delivered from its fork on', async () => {
    const { feed, seen } = feedOf();
    const old = branch('a', 1, 5, 'g');
    const other = branch('b', 4, 7, 'a3');
    for (const each of old) await feed.accept(each, new ScriptedSource(old));
    seen.length = 0;
    feed.changeSource();
    await feed.accept(last(other), new ScriptedSource([...old.slice(0, 3), ...other]));
    assert.deepEqual(seen, ['-a5:1', '-a4:1', '+b4:1', '+b5:1', '+b6:1', '+b7:1']);
  });

  it('fault 427: says what is wrong with a node whose blocks do not link, or are too far away', async () => {
    const chain = branch('a', 1, 5, 'g');
    const far = branch('f', 6 + MAX_GAP_BLOCKS, 6 + MAX_GAP_BLOCKS, 'x');
    const lying: readonly (readonly [ScriptedBlock, string])[] = [
      [block('x', 7, 'unknown'), 'unlinked'],
      [block('x', 9, 'a5'), 'unlinked'],
      [block('x', 5, 'a1'), 'unlinked'],
      [block('x', 5, 'wrong'), 'unlinked'],
      [far[0]!, 'too_far'],
      [block('x', 1, 'y'), 'too_far'],
    ];
    for (const [head, said] of lying) {
      const { feed, seen } = feedOf();
      const source = new ScriptedSource([...chain, block('wrong', 2, 'a1')]);
      for (const each of chain) await feed.accept(each, source);
      seen.length = 0;
      assert.equal(await feed.accept(head, source), said);
      assert.deepEqual(seen, []);
    }
  });

  it('fault 427: another block than the one that was asked for by its hash does not link', async () => {
    const { feed, seen } = feedOf();
    const chain = branch('a', 1, 5, 'g');
    const source = new ScriptedSource(chain);
    for (const each of chain) await feed.accept(each, source);
    seen.length = 0;
    source.blockByHash = () => Promise.resolve(block('z6', 6, 'a5'));
    assert.equal(await feed.accept(block('x7', 7, 'y6'), source), 'unlinked');
    assert.deepEqual(seen, []);
  });

  it('fault 427: a node without the logs of a block delivers nothing of it', async () => {
    const { feed, seen } = feedOf();
    const chain = branch('a', 1, 3, 'g');
    await feed.accept(chain[0]!, new ScriptedSource(chain));
    assert.equal(await feed.accept(chain[1]!, new ScriptedSource([])), 'no_logs');
    assert.deepEqual(seen, []);
    await feed.accept(chain[1]!, new ScriptedSource(chain));
    assert.deepEqual(seen, ['+a2:1']);
  });

  it('begins again with the next block after a restart', async () => {
    const { feed, seen } = feedOf();
    const chain = branch('a', 1, 2, 'g');
    const other = branch('b', 5_000, 5_001, 'h');
    const source = new ScriptedSource([...chain, ...other]);
    for (const each of chain) await feed.accept(each, source);
    feed.restart();
    for (const each of other) await feed.accept(each, source);
    assert.deepEqual(seen, ['+a2:1', '+b5001:1']);
  });
});

describe('the window of delivered blocks', () => {
  const filled = (blocks: number, size: number): ChainWindow => {
    const window = new ChainWindow({ blocks, size });
    for (const header of branch('a', 1, 100, 'g')) window.push({ header, logs: header.logs, turn: header.number });
    return window;
  };

  it('fault 428: is bounded by blocks and by size, and keeps the newest', () => {
    const byBlocks = filled(10, Infinity);
    assert.deepEqual([byBlocks.blocks, byBlocks.bottom, byBlocks.tip?.number], [10, 91, 100]);
    const bySize = filled(Infinity, 2_000);
    assert(bySize.size <= 2_000 && bySize.blocks > 1 && bySize.tip?.number === 100);
    assert.deepEqual([filled(Infinity, 1).blocks, filled(Infinity, 1).tip?.number], [1, 100]);
    assert(!byBlocks.has(branch('a', 1, 1, 'g')[0]!.hash));
  });

  it('is empty, and has no size, after everything was rolled back', () => {
    const window = filled(10, Infinity);
    assert.equal(window.rollBack('none').length, 10);
    assert.deepEqual([window.blocks, window.size, window.tip], [0, 0, null]);
  });
});
