import { blockNumber } from './reads.ts';
import { refuse } from './refusal.ts';
import type { Refusal } from './refusal.ts';

/** The known end of a chain, from which the range of block tags is computed. */
export interface ChainEnd {
  /** The number of the newest block; `null` when no upstream has reported one. */
  readonly head: number | null;
  /** The most blocks by which the tags `safe` and `finalized` may be behind it. */
  readonly finalityBlocks: number;
}

/** Methods that read the logs of a range. A filter's logs are read in one call later. */
const BY_RANGE: ReadonlySet<string> = new Set(['eth_getlogs', 'eth_newfilter']);
/** Members of a filter. Some nodes fold the case of names, each in its own way, so only this spelling is valid. */
const MEMBERS: ReadonlySet<string> = new Set(['fromBlock', 'toBlock', 'blockHash', 'address', 'topics']);
const LOWEST_TAGS: ReadonlySet<string> = new Set(['safe', 'finalized']);
const HIGHEST_TAGS: ReadonlySet<string> = new Set(['latest', 'pending']);

/** True for a method whose calls are limited by {@link checkLogsRange}. */
export function readsLogs(method: string): boolean {
  return BY_RANGE.has(method.toLowerCase());
}

/**
 * The refusal of a call that reads the logs of more than `limit` blocks, or of a range that two parsers could interpret
 * differently; `null` for every other call.
 */
export function checkLogsRange(method: string, params: unknown, limit: number, end: ChainEnd): Refusal | null {
  if (!readsLogs(method)) return null;
  const filter: unknown = Array.isArray(params) ? params[0] : undefined;
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) return unclear(method);
  if (Object.keys(filter).some((name) => !MEMBERS.has(name))) return unclear(method);
  const { fromBlock, toBlock, blockHash } = filter as Readonly<Record<string, unknown>>;
  if (isGiven(blockHash)) return isGiven(fromBlock) || isGiven(toBlock) ? unclear(method) : null;
  const [from, to] = [fromBlock, toBlock].map((block) => (isGiven(block) ? block : 'latest'));
  if (from === to) return null;
  const blocks = span(from, to, end);
  if (blocks === 'unclear') return unclear(method);
  if (blocks === 'unknown')
    return beyond(
      `${method} may read at most ${limit} blocks here: give block numbers instead of tags for the moment.`,
    );
  return blocks <= limit
    ? null
    : beyond(`${method} may read at most ${limit} blocks here, and this range has ${blocks}.`);
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
const beyond = (message: string): Refusal => refuse('range_too_large', { message });
const unclear = (method: string): Refusal =>
  refuse('bad_request', {
    message: `${method} takes only the members fromBlock and toBlock, or blockHash, for its range of blocks.`,
  });

/** The largest number of blocks that a range can have. */
function span(from: unknown, to: unknown, { head, finalityBlocks }: ChainEnd): number | 'unclear' | 'unknown' {
  const first = from === 'earliest' ? 0 : blockNumber(from);
  const last = to === 'earliest' ? 0 : blockNumber(to);
  if ((first === null && !isTag(from)) || (last === null && !isTag(to))) return 'unclear';
  if (head === null && (first === null || last === null)) return 'unknown';
  const end = head ?? 0;
  const lowest = first ?? (LOWEST_TAGS.has(from as string) ? Math.max(0, end - finalityBlocks) : end);
  return (last ?? end) - lowest + 1;
}

function isTag(block: unknown): boolean {
  return typeof block === 'string' && (LOWEST_TAGS.has(block) || HIGHEST_TAGS.has(block));
}
