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
