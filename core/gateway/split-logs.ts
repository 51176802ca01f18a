import type { JsonRpcRequest } from './json-rpc.ts';
import { rangeOf } from './reads.ts';
import type { LogRules } from './route.ts';

/** The method whose calls can be split. */
export const SPLIT_METHOD = 'eth_getLogs';

/** Blocks from `from` to `to`, both included. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** The range of a call that can be split: a single call of `eth_getLogs` with two block numbers; `null` for any other. */
export function splittableRange({ batch, methods, params, ids }: JsonRpcRequest): BlockRange | null {
  if (batch || methods[0] !== SPLIT_METHOD || ids[0] === null) return null;
  const blocks = rangeOf(params[0]);
  if (blocks === 0) return null;
  const from = Number((filterOf(params[0]) as { readonly fromBlock: string }).fromBlock);
  return { from, to: from + blocks - 1 };
}

/**
 * The parts of a call that no upstream reads at once, in order; `null` for one that is sent as it is.
 *
 * @param known - the most blocks that any upstream is known to read; `null` where that is not known
 */
export function splitLogs(
  request: JsonRpcRequest,
  rules: LogRules,
  known: number | null,
): readonly BlockRange[] | null {
  if (rules.splitInto < 2) return null;
  const range = splittableRange(request);
  if (range === null) return null;
  const blocks = range.to - range.from + 1;
  // What was learned is of no use where it takes more parts than are allowed.
  const sizes = [Math.min(rules.maxRange, known ?? Infinity), rules.maxRange];
  const size = sizes.find((each) => Math.ceil(blocks / each) <= rules.splitInto);
  return size === undefined || blocks <= size ? null : partsOf(range, size);
}

function partsOf({ from, to }: BlockRange, size: number): readonly BlockRange[] {
  const parts: BlockRange[] = [];
  for (let first = from; first <= to; first += size) parts.push({ from: first, to: Math.min(to, first + size - 1) });
  return parts;
}

/** The call for a part of the range, with the id of the whole. */
export function partRequest({ params, ids }: JsonRpcRequest, { from, to }: BlockRange): JsonRpcRequest {
  const given = params[0] as readonly unknown[];
  const filter = { ...filterOf(given), fromBlock: quantity(from), toBlock: quantity(to) };
  const own = [filter, ...given.slice(1)];
  const id = ids[0] ?? 'null';
  const text = `{"jsonrpc":"2.0","id":${id},"method":"${SPLIT_METHOD}","params":${JSON.stringify(own)}}`;
  return { batch: false, methods: [SPLIT_METHOD], text, params: [own], ids: [id] };
}

/** The error for a joined answer that would be too large: it names the limit, and a range that may be within it. */
export function tooManyLogs(limit: string, { from, to }: BlockRange): string {
  const message = `${SPLIT_METHOD} may return at most ${limit} here: try the range from ${quantity(from)} to ${quantity(to)}.`;
  return `"error":${JSON.stringify({ code: -32005, message })}`;
}

const quantity = (block: number): string => `0x${block.toString(16)}`;
const filterOf = (params: unknown): object => (params as readonly object[])[0] as object;
