import assert from 'node:assert/strict';
import { present } from '../../core/index.ts';
import type {
  BlockRef,
  ChainAdapter,
  DerivedAddress,
  ObservedTransfer,
  ScannedRange,
  WatchList,
} from '../../core/index.ts';
import type { ChainTricks, ChainWorld } from './chain-harness.ts';

/** A watch list of these keys, for every currency. */
export function watching(...keys: readonly string[]): WatchList {
  return { has: (key) => keys.includes(key), nativeKeys: () => keys };
}

/** A function of the harness, which must exist unless it is listed in `lacks`. */
export function trick<Name extends keyof ChainTricks>(world: ChainWorld, name: Name): ChainTricks[Name] {
  const found = world.tricks[name];
  assert.ok(found !== undefined, `the harness neither offers the trick "${name}" nor says under "lacks" why it cannot`);
  // It may be a method of a class.
  return found.bind(world.tricks) as ChainTricks[Name];
}

let derived = 0;

/** An unused deposit address. */
export async function freshAddress({ chain }: Pick<ChainWorld, 'chain'>): Promise<DerivedAddress> {
  derived += 1;
  return present((await chain.deriveAddresses(derived, 1))[0], 'a derived address');
}

/** Scans from a height up to the head, in steps of the adapter's maximum. */
export async function scanFrom(chain: ChainAdapter, first: number, ...keys: readonly string[]): Promise<ScannedRange> {
  const { height } = await chain.head();
  const blocks: BlockRef[] = [];
  const transfers: ObservedTransfer[] = [];
  for (let from = first; from <= height; from += chain.policy.maxScanBlocks) {
    const range = await chain.scan(from, Math.min(height, from + chain.policy.maxScanBlocks - 1), watching(...keys));
    blocks.push(...range.blocks);
    transfers.push(...range.transfers);
  }
  return { blocks, transfers };
}

/** The transfers to an address during an action and in the block after it. */
export async function arrivals(
  world: ChainWorld,
  to: Pick<DerivedAddress, 'key'>,
  happen: () => Promise<unknown>,
): Promise<readonly ObservedTransfer[]> {
  const { height } = await world.chain.head();
  await happen();
  await world.mine(1);
  return (await scanFrom(world.chain, height + 1, to.key)).transfers;
}

/** Asserts that the blocks from a height on are linked by their hashes. */
export function assertLinked(blocks: readonly BlockRef[], first: number): void {
  for (const [at, block] of blocks.entries()) {
    assert.equal(block.height, first + at, 'scanned blocks count up by one');
    if (at > 0) assert.equal(block.parentHash, blocks[at - 1]?.hash, `block ${block.height} names the block before it`);
  }
}

/** Runs work during a failure, and ends the failure in any case, so that it does not affect the next case. */
export async function under(
  trouble: (on: boolean) => void | Promise<void>,
  work: () => Promise<unknown>,
): Promise<void> {
  await trouble(true);
  try {
    await work();
  } finally {
    await trouble(false);
  }
}

/** Asserts that work fails with a message that can be shown: short, and without the node's whole reply. */
export async function assertFails(work: Promise<unknown>): Promise<void> {
  await assert.rejects(work, (error: unknown) => {
    assert.ok(
      error instanceof Error && error.message.length > 0 && error.message.length < 2_000,
      'an error says in a sentence or two what failed',
    );
    return true;
  });
}
