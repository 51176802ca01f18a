import { createHash } from 'node:crypto';
import { assert } from '../../core/index.ts';
import type { BlockRef, CurrencyCode, Millis } from '../../core/index.ts';

/** A payment in a simulated block. */
export interface SandboxTransfer {
  readonly txid: string;
  readonly currency: CurrencyCode;
  /** A whole number of units, as text. */
  readonly units: string;
  readonly key: string;
  /** The index of the output in its transaction; 0 by default. */
  readonly place?: number;
  /**
   * The coins that a payment of the till spent, and its fee in units of the native coin; absent from other payments.
   */
  readonly payout?: { readonly spends: readonly string[]; readonly fee: string };
}

/** Distinguishes the coins of one transaction. It contains the units, so that no list of coins is needed. */
export function coinIndex({ place = 0, units }: Pick<SandboxTransfer, 'place' | 'units'>): string {
  return `${place}-${units}`;
}

/** The units of a coin from its name, `txid:place-units`; `null` for another name. */
export function unitsOfCoin(ref: string): bigint | null {
  const units = /:\d+-(\d+)$/.exec(ref)?.[1];
  return units === undefined ? null : BigInt(units);
}

/** Blocks mined together: one that holds transfers, or any number of empty ones. */
interface Run {
  readonly count: number;
  readonly time: Millis;
  readonly transfers: readonly SandboxTransfer[];
  /** The number of the reorganisation that made it; blocks of two branches never share a hash. */
  readonly fork: number;
}

/** All that is stored of a simulated chain. Blocks below `base` are forgotten. */
export interface SandboxState {
  readonly version: 1;
  readonly genesis: string;
  readonly base: BlockRef;
  readonly runs: readonly Run[];
  readonly forks: number;
  readonly payments: number;
}

/** A block and what is in it. */
export interface SandboxBlock {
  readonly ref: BlockRef;
  readonly transfers: readonly SandboxTransfer[];
}

/** The number of runs that are always kept. */
const KEPT_RUNS = 300;
/** The maximum number of runs, while those above the scanned height wait to be scanned. */
const MOST_RUNS = 3_000;
const MOST_BLOCKS = 20_000;
/** Scanned blocks that a reorganisation may still ask for. */
const KEPT_BELOW_SCAN = 64;

/** SHA-256 with the chain's own prefix. */
export function sandboxHash(prefix: string, text: string): string {
  return `${prefix}${createHash('sha256').update(text).digest('hex')}`;
}

/** A chain that holds its first block only. */
export function genesisState(prefix: string, name: string, time: Millis): SandboxState {
  const hash = sandboxHash(prefix, `tillgate sandbox genesis ${name}`);
  const base = { height: 0, hash, parentHash: `${prefix}${'0'.repeat(64)}`, time };
  return { version: 1, genesis: hash, base, runs: [], forks: 0, payments: 0 };
}

/** Every kept block, the base first: hashes are computed, each from its parent, height and content. */
export function blocksOf({ base, runs }: SandboxState, prefix: string): readonly SandboxBlock[] {
  const blocks: SandboxBlock[] = [{ ref: base, transfers: [] }];
  let parent = base;
  for (const { count, time, transfers, fork } of runs) {
    const content = JSON.stringify([time, fork, transfers]);
    for (let n = 0; n < count; n++) {
      const height = parent.height + 1;
      parent = {
        height,
        hash: sandboxHash(prefix, `${parent.hash} ${height} ${content}`),
        parentHash: parent.hash,
        time,
      };
      blocks.push({ ref: parent, transfers });
    }
  }
  return blocks;
}

/** Adds blocks, and forgets the oldest ones. */
export function append(
  state: SandboxState,
  added: { readonly count: number; readonly time: Millis; readonly transfers: readonly SandboxTransfer[] },
  scannedTo: number,
  prefix: string,
): SandboxState {
  assert(added.count >= 1 && (added.count === 1 || added.transfers.length === 0), 'transfers in more than one block');
  const time = Math.max(added.time, state.runs.at(-1)?.time ?? state.base.time);
  return prune({ ...state, runs: [...state.runs, { ...added, time, fork: state.forks }] }, scannedTo, prefix);
}

/** Takes the top blocks away; what they held is returned, oldest first. */
export function cut(
  state: SandboxState,
  depth: number,
): { readonly state: SandboxState; readonly dropped: readonly SandboxTransfer[] } {
  const runs = [...state.runs];
  const dropped: SandboxTransfer[] = [];
  let left = depth;
  while (left > 0) {
    const top = runs.pop();
    assert(top !== undefined, 'a reorganisation below the kept blocks');
    if (top.count > left) runs.push({ ...top, count: top.count - left });
    else dropped.unshift(...top.transfers);
    left -= Math.min(top.count, left);
  }
  return { state: { ...state, runs, forks: state.forks + 1 }, dropped };
}

function prune(state: SandboxState, scannedTo: number, prefix: string): SandboxState {
  let blocks = state.runs.reduce((sum, { count }) => sum + count, 0);
  let gone = 0;
  let height = state.base.height;
  for (const { count } of state.runs) {
    const left = state.runs.length - gone;
    const scanned = height + count <= scannedTo - KEPT_BELOW_SCAN;
    const tooMany = left > MOST_RUNS || (blocks > MOST_BLOCKS && left > 1);
    if (!tooMany && !(left > KEPT_RUNS && scanned)) break;
    gone += 1;
    height += count;
    blocks -= count;
  }
  if (gone === 0) return state;
  const forgotten = blocksOf({ ...state, runs: state.runs.slice(0, gone) }, prefix);
  return { ...state, base: (forgotten.at(-1) as SandboxBlock).ref, runs: state.runs.slice(gone) };
}
