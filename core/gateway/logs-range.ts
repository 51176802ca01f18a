import { blockNumber } from './block-reference.ts';
import { refuse } from './refusal.ts';
import type { Refusal } from './refusal.ts';

/** What the gateway knows of a chain's end, to tell how far a range with tags reaches. */
export interface ChainEnd {
  /** The number of the newest block; `null` when no upstream has said one. */
  readonly head: number | null;
  /** How far behind it the tags `safe` and `finalized` may be. */
  readonly finalityBlocks: number;
}

/** Methods that read the logs of a range; a filter's are read in one call afterwards. */
const BY_RANGE: ReadonlySet<string> = new Set(['eth_getlogs', 'eth_newfilter']);
/** Members of a filter, in lower case. Some nodes take a name in any case, and of two the last. */
const MEMBERS: ReadonlySet<string> = new Set(['fromblock', 'toblock', 'blockhash', 'address', 'topics']);
const LOWEST_TAGS: ReadonlySet<string> = new Set(['safe', 'finalized']);
const HIGHEST_TAGS: ReadonlySet<string> = new Set(['latest', 'pending']);

/** True for a method whose calls are limited by {@link checkLogsRange}. */
export function readsLogs(method: string): boolean {
  return BY_RANGE.has(method.toLowerCase());
}

/**
 * The refusal of a call that reads the logs of more than `limit` blocks, or of a range that two readers could read
 * differently; `null` for every other call.
 */
export function checkLogsRange(method: string, params: unknown, limit: number, end: ChainEnd): Refusal | null {
  if (!readsLogs(method)) return null;
  const filter: unknown = Array.isArray(params) ? params[0] : undefined;
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) return unclear(method);
  const names = Object.keys(filter);
  if (names.some((name) => !MEMBERS.has(name.toLowerCase()))) return unclear(method);
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length) return unclear(method);
  const members = new Map(Object.entries(filter).map(([name, value]) => [name.toLowerCase(), value as unknown]));
  if (isGiven(members.get('blockhash')))
    return isGiven(members.get('fromblock')) || isGiven(members.get('toblock')) ? unclear(method) : null;
  const [from, to] = [members.get('fromblock'), members.get('toblock')].map((block) =>
    isGiven(block) ? block : 'latest',
  );
  if (from === to) return null;
  const blocks = span(from, to, end);
  if (blocks === 'unclear') return unclear(method);
  if (blocks === 'unknown')
    return beyond(`${method} may read at most ${limit} blocks here: name them by their numbers for the moment.`);
  return blocks <= limit
    ? null
    : beyond(`${method} may read at most ${limit} blocks here, and this range has ${blocks}.`);
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
const beyond = (message: string): Refusal => refuse('range_too_large', { message });
const unclear = (method: string): Refusal =>
  refuse('bad_request', { message: `The range of ${method} must be plain: fromBlock and toBlock, or blockHash.` });

/** How many blocks a range has at most. */
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
