import { performance } from 'node:perf_hooks';
import { nextUpstream } from '../live-route.ts';
import type { LiveRoute } from '../live-route.ts';
import type { Upstream } from '../upstream.ts';
import { blockHashOf, callRpc } from '../upstream-rpc.ts';

/** A block by which several calls are held to one branch of the chain, and the upstreams that have it. */
export interface BranchAnchor {
  readonly block: number;
  readonly hash: string;
  readonly upstreams: readonly Upstream[];
}

/** True if no reorganisation can reach the block, whichever upstream is asked. */
export function isFinal({ chain, upstreams }: LiveRoute, block: number): boolean {
  const heads = upstreams.flatMap(({ health }) => health.head ?? []);
  return heads.length > 0 && block <= Math.min(...heads) - chain.finalityBlocks;
}

/** Finds the block `last`, or the newest one where the chain ends before it; `null` where no upstream answers. */
export async function findAnchor(live: LiveRoute, last: number, signal: AbortSignal): Promise<BranchAnchor | null> {
  const first = nextUpstream(live, [], { methods: [], block: Infinity, range: 0 }, null);
  if (first === null) return null;
  const head = await headOf(first, signal);
  if (head === null) return null;
  const block = Math.min(last, head);
  const hash = await blockHashOf(first, block, signal);
  if (hash === null) return null;
  const now = performance.now();
  const others = live.upstreams.filter((each) => each !== first && each.health.state(now) === 'up');
  const hashes = await Promise.all(others.map((each) => blockHashOf(each, block, signal)));
  return { block, hash, upstreams: [first, ...others.filter((_each, index) => hashes[index] === hash)] };
}

/** True if all these upstreams still have the block. */
export async function holds(
  { block, hash }: BranchAnchor,
  upstreams: Iterable<Upstream>,
  signal: AbortSignal,
): Promise<boolean> {
  const hashes = await Promise.all([...upstreams].map((each) => blockHashOf(each, block, signal)));
  return hashes.every((each) => each === hash);
}

async function headOf(upstream: Upstream, signal: AbortSignal): Promise<number | null> {
  try {
    const { result } = await callRpc(upstream, 'eth_blockNumber', [], signal);
    const head = typeof result === 'string' ? Number(result) : NaN;
    return Number.isSafeInteger(head) && head >= 0 ? head : null;
  } catch {
    return null;
  }
}
