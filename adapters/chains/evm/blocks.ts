import type { BlockRef } from '../../../core/index.ts';
import type { JsonRpcClient, RpcCall } from '../json-rpc.ts';
import { asBloom } from './logs-bloom.ts';
import {
  asArray,
  asCount,
  asHash,
  asKey,
  asObject,
  asTime,
  asUnits,
  contradictory,
  inconsistent,
  malformed,
  toQuantity,
} from './rpc-values.ts';
import type { RpcObject } from './rpc-values.ts';

/** Headers in one request. */
const HEADERS_AT_ONCE = 100;
/** Blocks with all their transactions in one request: some hundred kilobytes each. */
const FULL_BLOCKS_AT_ONCE = 8;

/** The root of a trie that holds nothing. */
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

/** A plain transaction that moves the native coin to or from an address of interest. */
export interface CoinTransaction {
  readonly txid: string;
  readonly position: number;
  readonly block: BlockRef;
  readonly fromKey: string;
  /** `null` when it creates a contract. */
  readonly toKey: string | null;
  readonly units: bigint;
}

/** A block's reference, the bloom filter of its logs, and the ids of all its transactions. */
export interface ReadBlock {
  readonly ref: BlockRef;
  readonly bloom: string;
  readonly txids: readonly string[];
}

/** A linked range of blocks and the coin transactions of interest in it. */
export interface ReadBlocks {
  readonly blocks: readonly ReadBlock[];
  readonly coins: readonly CoinTransaction[];
}

/** Reads the reference of a block from its header, and ignores the rest. */
export function readBlockRef(value: unknown): BlockRef {
  const block = asObject(value, 'a block');
  return {
    height: asCount(block['number'], 'block number'),
    hash: asHash(block['hash'], 'block hash'),
    parentHash: asHash(block['parentHash'], 'parent hash'),
    time: asTime(block['timestamp'], 'block timestamp'),
  };
}

/** The latest block. */
export async function fetchHead(client: JsonRpcClient): Promise<BlockRef> {
  return readBlockRef(await client.call('eth_getBlockByNumber', ['latest', false]));
}

/** The block at a height, or `null` where the node has none. */
export async function fetchBlock(client: JsonRpcClient, height: number): Promise<BlockRef | null> {
  const { method, params } = blockCall(height);
  return readBlockAt(height, await client.call(method, params));
}

/** The call that reads the block at a height. */
export function blockCall(height: number): RpcCall {
  return { method: 'eth_getBlockByNumber', params: [toQuantity(height), false] };
}

/** The answer to {@link blockCall}, or `null` where the node has no such block. */
export function readBlockAt(height: number, value: unknown): BlockRef | null {
  if (value === null || value === undefined) return null;
  const block = readBlockRef(value);
  if (block.height !== height) throw contradictory(`asked for block ${height}, answered ${block.height}`);
  return block;
}

/**
 * Reads blocks `from` to `to` in parts, so that only the transactions of one part are in memory.
 *
 * @param interest - selects address keys; `null` reads headers only
 * @throws TillgateError `NODE_FAILED` when a block is missing or the blocks are not linked
 */
export async function fetchBlocks(
  client: JsonRpcClient,
  from: number,
  to: number,
  interest: ((key: string) => boolean) | null,
): Promise<ReadBlocks> {
  const step = interest === null ? HEADERS_AT_ONCE : FULL_BLOCKS_AT_ONCE;
  const blocks: ReadBlock[] = [];
  const coins: CoinTransaction[] = [];
  for (let first = from; first <= to; first += step) {
    const last = Math.min(to, first + step - 1);
    const calls = Array.from({ length: last - first + 1 }, (_, offset) => ({
      method: 'eth_getBlockByNumber',
      params: [toQuantity(first + offset), interest !== null],
    }));
    for (const value of await client.batchResults(calls)) {
      if (value === null) throw inconsistent(`the block at height ${from + blocks.length} is missing`);
      const block = readBlock(asObject(value, 'a block'));
      checkLink(block.ref, from + blocks.length, blocks.at(-1)?.ref);
      blocks.push(block);
      if (interest !== null) coins.push(...readCoins(asObject(value, 'a block'), block.ref, interest));
    }
  }
  return { blocks, coins };
}

function readBlock(value: RpcObject): ReadBlock {
  const ref = readBlockRef(value);
  const transactions = asArray(value['transactions'], 'the transactions of a block');
  if (transactions.length === 0 && asHash(value['transactionsRoot'], 'transactions root') !== EMPTY_ROOT)
    throw inconsistent(`the transactions of block ${ref.height} are missing`);
  return {
    ref,
    bloom: asBloom(value['logsBloom'], "a block's filter of logs"),
    // Full transactions or only their ids, as requested.
    txids: transactions.map((one) =>
      asHash(typeof one === 'string' ? one : asObject(one, 'a transaction')['hash'], 'transaction hash'),
    ),
  };
}

function checkLink(ref: BlockRef, height: number, former: BlockRef | undefined): void {
  if (ref.height !== height) throw contradictory(`asked for block ${height}, answered ${ref.height}`);
  if (former !== undefined && ref.parentHash !== former.hash)
    throw inconsistent(`block ${height} does not follow block ${former.height}`);
}

function readCoins(block: RpcObject, ref: BlockRef, interest: (key: string) => boolean): CoinTransaction[] {
  const coins: CoinTransaction[] = [];
  const transactions = asArray(block['transactions'], 'the transactions of a block');
  transactions.forEach((value, position) => {
    const transaction = asObject(value, 'a transaction');
    const { to } = transaction;
    const toKey = to === null || to === undefined ? null : asKey(to, 'a recipient');
    const fromKey = asKey(transaction['from'], 'a sender');
    if ((toKey !== null && interest(toKey)) || interest(fromKey))
      coins.push(readCoin(transaction, ref, position, fromKey, toKey));
  });
  return coins;
}

function readCoin(
  transaction: RpcObject,
  block: BlockRef,
  position: number,
  fromKey: string,
  toKey: string | null,
): CoinTransaction {
  if (asHash(transaction['blockHash'], "a transaction's block") !== block.hash)
    throw malformed('a transaction of another block');
  return {
    txid: asHash(transaction['hash'], 'transaction hash'),
    position,
    block,
    fromKey,
    toKey,
    units: asUnits(transaction['value'], 'transaction value'),
  };
}
