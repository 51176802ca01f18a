import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findAncestor, readPast } from '../../../core/deposits/find-ancestor.ts';
import type { BlockRef, ChainAdapter } from '../../../core/index.ts';

const FINALITY = 5;

/** Blocks 0 to `height`: those of the followed chain, from `fork` on of another one. */
function branch(height: number, fork = Infinity): readonly BlockRef[] {
  const hash = (at: number): string => `${at < fork ? 'a' : 'b'}${at}`;
  return Array.from({ length: height + 1 }, (_, at) => ({
    height: at,
    hash: hash(at),
    parentHash: hash(at - 1),
    time: at,
  }));
}

function chainOf(blocks: readonly BlockRef[], asked: number[] = []): ChainAdapter {
  return {
    code: 'ETH',
    name: 'Ethereum',
    policy: { finalityBlocks: FINALITY },
    blockAt: (height: number) => {
      asked.push(height);
      return Promise.resolve(blocks[height] ?? null);
    },
  } as unknown as ChainAdapter;
}

/** What is found by a till that has followed blocks from `first` to `read`. */
async function found(
  node: readonly BlockRef[],
  { read, first = 0 }: { readonly read: number; readonly first?: number },
): Promise<unknown> {
  const followed = branch(read);
  const stored = {
    block: (_chain: string, height: number) =>
      Promise.resolve(height >= first && height <= read ? (followed[height] ?? null) : null),
  };
  const result = await findAncestor(chainOf(node), stored, followed[read] as BlockRef, node.at(-1) as BlockRef);
  return result === null || result === 'behind' ? result : result.hash;
}

const halted = { code: 'CHAIN_HALTED' };

describe('the last block that a node and the till have in common', () => {
  test('is the last one that was read, also where the node has more', async () => {
    assert.equal(await found(branch(20), { read: 20 }), null);
    assert.equal(await found(branch(30), { read: 20 }), null);
  });

  test('is not looked for while the node has less of the same chain, however far it is behind', async () => {
    for (const height of [19, 15, 14, 0]) assert.equal(await found(branch(height), { read: 20 }), 'behind');
  });

  test('is where the other branch begins, down to the finality bound', async () => {
    for (const fork of [20, 18, 16]) assert.equal(await found(branch(25, fork), { read: 20 }), `a${fork - 1}`);
    assert.equal(await found(branch(18, 17), { read: 20 }), 'a16', 'also from a node that is behind');
  });

  test('stops the chain where it lies below the finality bound', async () => {
    await assert.rejects(found(branch(25, 15), { read: 20 }), halted);
    await assert.rejects(found(branch(18, 15), { read: 20 }), halted);
  });

  test('stops nothing while the node that shows another branch has hardly any blocks of it', async () => {
    assert.equal(await found(branch(16, 14), { read: 20 }), 'behind');
    assert.equal(await found(branch(17, 15), { read: 20 }), 'behind', 'two above the bound, which it meets at 15');
    await assert.rejects(found(branch(18, 14), { read: 20 }), halted);
    await assert.rejects(found(branch(2, 0), { read: 20 }), halted, 'and of no block at all in common');
  });

  test('is the one below the block where following began: nothing there was credited', async () => {
    assert.equal(await found(branch(25, 17), { read: 20, first: 18 }), 'b17');
  });
});

describe('the blocks that are stored when following begins', () => {
  test('are all from the finality bound up, lowest first', async () => {
    for (const height of [FINALITY - 1, FINALITY, 40]) {
      const blocks = branch(height);
      const past = await readPast(chainOf(blocks), blocks[height] as BlockRef);
      assert.deepEqual(past, blocks.slice(Math.max(height - FINALITY, 0)));
    }
  });

  test('are asked for once each, and none where finality is at once', async () => {
    const [blocks, asked] = [branch(200), [] as number[]];
    const chain = { ...chainOf(blocks, asked), policy: { finalityBlocks: 25 } } as ChainAdapter;
    assert.equal((await readPast(chain, blocks[200] as BlockRef)).length, 26);
    assert.deepEqual(
      asked,
      Array.from({ length: 25 }, (_, at) => 199 - at),
    );
    const final = { ...chain, policy: { finalityBlocks: 0 } } as ChainAdapter;
    assert.deepEqual(await readPast(final, blocks[200] as BlockRef), [blocks[200]]);
  });

  test('are refused when one is missing or not linked to the next', async () => {
    const blocks = branch(20);
    const broken = blocks.map((block) => (block.height === 17 ? { ...block, hash: 'other' } : block));
    await assert.rejects(readPast(chainOf(broken), blocks[20] as BlockRef), { code: 'NODE_FAILED' });
    const missing = blocks.map((block) => (block.height === 15 ? null : block)) as readonly BlockRef[];
    await assert.rejects(readPast(chainOf(missing), blocks[20] as BlockRef), { code: 'NODE_FAILED' });
  });
});
