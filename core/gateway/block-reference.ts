/** Which parameter of a read names its block. */
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

/** As nodes write numbers (Ethereum's JSON-RPC, "QUANTITY"), up to 2⁵². */
const QUANTITY = /^0x(?:0|[1-9a-f][0-9a-f]{0,12})$/i;

/** A block number as nodes write it; `null` for anything else, tags among it. */
export function blockNumber(value: unknown): number | null {
  return typeof value === 'string' && QUANTITY.test(value) ? Number(value) : null;
}

/**
 * The block that a node must have come to before it can answer a read: the number that the read names, and `Infinity`
 * for what depends on the newest block, or may.
 */
export function blockNeeded(method: string, params: unknown): number {
  if (!Array.isArray(params)) return Infinity;
  if (method === 'eth_getLogs') return lastOfRange(params[0]);
  const at = BLOCK_PARAMETER.get(method);
  return at === undefined ? Infinity : (numberNamed(params[at]) ?? Infinity);
}

/** A block as a number, or as EIP-1898 has it: `{"blockNumber": "0x…"}`. */
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
