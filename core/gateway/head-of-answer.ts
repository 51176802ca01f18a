/** Where the answers of a method name the block that they are of. */
const NAMED_BY: ReadonlyMap<string, RegExp> = new Map([
  ['eth_blockNumber', /"result"\s*:\s*"0x([0-9a-f]{1,13})"/i],
  ['eth_getBlockByNumber', /"number"\s*:\s*"0x([0-9a-f]{1,13})"/i],
  ['eth_getHeaderByNumber', /"number"\s*:\s*"0x([0-9a-f]{1,13})"/i],
  ['eth_getTransactionByHash', /"blockNumber"\s*:\s*"0x([0-9a-f]{1,13})"/i],
  ['eth_getTransactionReceipt', /"blockNumber"\s*:\s*"0x([0-9a-f]{1,13})"/i],
]);

/** True for a method whose answers say which block they are of. */
export function namesItsBlock(method: string): boolean {
  return NAMED_BY.has(method);
}

/** The number of the block that an answer is of; `null` where its opening does not say so. */
export function headOfAnswer(method: string, opening: string): number | null {
  const found = NAMED_BY.get(method)?.exec(opening);
  return found?.[1] === undefined ? null : Number.parseInt(found[1], 16);
}
