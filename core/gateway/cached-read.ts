import { blockNeeded, blockNumber } from './block-reference.ts';

/** Reads by hash whose answer contains its block, with the names of the block's hash and number in the answer. */
const BY_HASH: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['eth_getBlockByHash', ['hash', 'number']],
  ['eth_getTransactionByHash', ['hash', 'blockNumber']],
  ['eth_getTransactionReceipt', ['transactionHash', 'blockNumber']],
]);
const HASH = /^0x[0-9a-f]{64}$/i;
/** The members of a filter that all nodes interpret alike. */
const FILTER: ReadonlySet<string> = new Set(['fromBlock', 'toBlock', 'address', 'topics']);
const RESULT = '"result":';

/** True for a read whose answer no longer changes once its block is final. */
export function isCacheable(method: string, params: unknown): boolean {
  if (!Array.isArray(params)) return false;
  if (BY_HASH.has(method)) return typeof params[0] === 'string' && HASH.test(params[0]);
  if (blockNeeded(method, params) === Infinity) return false;
  return method !== 'eth_getLogs' || Object.keys(params[0] as object).every((name) => FILTER.has(name));
}

/**
 * The block that must be final before an answer may be cached. `null` for what is never cached: errors, `null`, and
 * answers about another block than the requested one.
 *
 * @param answer - as `sharedAnswer` returns it
 */
export function blockOfAnswer(method: string, params: readonly unknown[], answer: string): number | null {
  if (!answer.startsWith(RESULT)) return null;
  const result = JSON.parse(answer.slice(RESULT.length)) as unknown;
  if (result === null) return null;
  const names = BY_HASH.get(method);
  if (names === undefined) {
    const block = blockNeeded(method, params);
    const other = method === 'eth_getBlockByNumber' && blockNumber(memberOf(result, 'number')) !== block;
    return other || block === Infinity ? null : block;
  }
  const [hash, number] = names;
  const named = memberOf(result, hash);
  const same = typeof named === 'string' && named.toLowerCase() === String(params[0]).toLowerCase();
  return same ? blockNumber(memberOf(result, number)) : null;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
