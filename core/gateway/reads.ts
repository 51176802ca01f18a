import type { JsonRpcRequest } from './json-rpc.ts';
import { membersOf } from './json-text.ts';
import { isRead } from './method-policy.ts';

/** The position of the block parameter of each read. */
const BLOCK_PARAMETER: ReadonlyMap<string, number> = new Map([
  ['eth_getBlockByNumber', 0],
  ['eth_getBlockReceipts', 0],
  ['eth_getBlockTransactionCountByNumber', 0],
  ['eth_getHeaderByNumber', 0],
  ['eth_getTransactionByBlockNumberAndIndex', 0],
  ['eth_getUncleByBlockNumberAndIndex', 0],
  ['eth_getUncleCountByBlockNumber', 0],
  ['eth_call', 1],
  ['eth_getAccount', 1],
  ['eth_getBalance', 1],
  ['eth_getCode', 1],
  ['eth_getTransactionCount', 1],
  ['eth_getProof', 2],
  ['eth_getStorageAt', 2],
]);

/** The QUANTITY format of Ethereum's JSON-RPC, up to 2⁵². */
const QUANTITY = /^0x(?:0|[1-9a-f][0-9a-f]{0,12})$/i;

/** A block number in the QUANTITY format; `null` for anything else, including tags. */
export function blockNumber(value: unknown): number | null {
  return typeof value === 'string' && QUANTITY.test(value) ? Number(value) : null;
}

/**
 * The lowest head that a node needs to answer a read: the block number in the parameters, or `Infinity` for a read that
 * depends, or may depend, on the newest block.
 */
export function blockNeeded(method: string, params: unknown): number {
  if (!Array.isArray(params)) return Infinity;
  if (method === 'eth_getLogs') return lastOfRange(params[0]);
  const at = BLOCK_PARAMETER.get(method);
  return at === undefined ? Infinity : (numberNamed(params[at]) ?? Infinity);
}

/** A block as a number, or as an object of EIP-1898: `{"blockNumber": "0x…"}`. */
function numberNamed(value: unknown): number | null {
  if (typeof value !== 'object' || value === null) return blockNumber(value);
  const { blockNumber: number, ...rest } = value as { readonly blockNumber?: unknown };
  return Object.keys(rest).length === 0 ? blockNumber(number) : null;
}

function lastOfRange(filter: unknown): number {
  if (typeof filter !== 'object' || filter === null) return Infinity;
  const { fromBlock, toBlock } = filter as { readonly fromBlock?: unknown; readonly toBlock?: unknown };
  return Math.max(blockNumber(fromBlock) ?? Infinity, blockNumber(toBlock) ?? Infinity);
}

/** How many blocks' logs a call of `eth_getLogs` reads; 0 where it names no numbers. */
export function rangeOf(params: unknown): number {
  const filter: unknown = Array.isArray(params) ? params[0] : null;
  if (typeof filter !== 'object' || filter === null) return 0;
  const { fromBlock, toBlock } = filter as { readonly fromBlock?: unknown; readonly toBlock?: unknown };
  const [from, to] = [blockNumber(fromBlock), blockNumber(toBlock)];
  return from === null || to === null ? 0 : Math.max(0, to - from + 1);
}

const REQUEST: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);

/**
 * A key of reads that get the same answer: method and parameters, exactly as received. `null` for requests that must be
 * answered separately: batches, notifications, calls that may have an effect, and requests with further members.
 */
export function coalescingKey({ batch, methods, ids, text }: JsonRpcRequest): string | null {
  const [method = ''] = methods;
  const [id = null] = ids;
  if (batch || id === null || id === 'null' || !isRead(method)) return null;
  const members = membersOf(text);
  if (members?.get('jsonrpc') !== '"2.0"') return null;
  for (const name of members.keys()) if (!REQUEST.has(name)) return null;
  return `${method}\n${members.get('params') ?? ''}`;
}

/** A plain reply: the id of its request as JSON text, and its result or error as received. */
export interface PlainReply {
  readonly id: string;
  /** `"result":…` or `"error":…` */
  readonly answer: string;
}

/** Reads a reply in JSON text, which is known to be valid; `null` for anything but a plain reply. */
export function plainReply(text: string): PlainReply | null {
  const members = membersOf(text);
  const id = members?.get('id');
  if (members?.size !== 3 || members.get('jsonrpc') !== '"2.0"' || id === undefined) return null;
  for (const name of ['result', 'error']) {
    const value = members.get(name);
    if (value !== undefined) return { id, answer: `"${name}":${value}` };
  }
  return null;
}

/**
 * The result or error of a reply as received, without the id of its request. `null` for anything but a plain reply to
 * the request with this id.
 *
 * @param id - as JSON text
 */
export function answerOf(text: string, id: string): string | null {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  const reply = plainReply(text);
  return reply?.id === id ? reply.answer : null;
}

/** The reply to the request with this id. @param answer - as {@link answerOf} returns it */
export function replyWith(answer: string, id: string): string {
  return `{"jsonrpc":"2.0","id":${id},${answer}}`;
}

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
 * @param answer - as `answerOf` returns it
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
