import type { BlockRef } from '../../../core/index.ts';
import type { TronClient, TronNode } from './tron-client.ts';
import { asArray, asCount, asHash, asObject, asTime, contradictory, inconsistent, malformed } from './tron-values.ts';

/** A block id's first 8 bytes are the block's number. */
const NUMBER_DIGITS = 16;
/** An address's digits without the prefix. */
const KEY_DIGITS = 40;
/** Blocks with their transactions in one request: up to some megabytes each. */
const BLOCKS_AT_ONCE = 5;

/** A block, and the result of each of its transactions: `SUCCESS`, `REVERT`, `OUT_OF_ENERGY` … by transaction id. */
export interface TronBlock {
  readonly ref: BlockRef;
  readonly results: ReadonlyMap<string, string>;
  /** The keys of the accounts that signed the transactions, by transaction id. */
  readonly signers: ReadonlyMap<string, string>;
}

/** Reads a block's reference; its id must contain its number. */
export function readBlockRef(value: unknown): BlockRef {
  const block = asObject(value, 'a block');
  const header = asObject(asObject(block['block_header'], 'a block header')['raw_data'], 'a block header');
  const hash = asHash(block['blockID'], 'block id');
  const height = asCount(header['number'], 'block number');
  if (hash.slice(0, NUMBER_DIGITS) !== height.toString(16).padStart(NUMBER_DIGITS, '0'))
    throw malformed('a block id of another height');
  return {
    height,
    hash,
    parentHash: asHash(header['parentHash'], 'parent hash'),
    time: asTime(header['timestamp'], 'block timestamp'),
  };
}

/** The latest block. */
export async function fetchHead(node: TronNode | TronClient): Promise<BlockRef> {
  return readBlockRef(await node.ask('/wallet/getnowblock', {}));
}

/** The latest block that no reorganisation can remove: two thirds of the block producers have built on it. */
export async function fetchSolidHead(node: TronNode | TronClient): Promise<BlockRef> {
  return readBlockRef(await node.ask('/walletsolidity/getnowblock', {}));
}

/** The block at a height, or `null` where the node has none. */
export async function fetchBlock(node: TronNode | TronClient, height: number): Promise<TronBlock | null> {
  const value = asObject(await node.ask('/wallet/getblockbynum', { num: height }), 'a block');
  if (value['blockID'] === undefined) return null;
  const block = readBlock(value);
  if (block.ref.height !== height) throw contradictory(`asked for block ${height}, answered ${block.ref.height}`);
  return block;
}

/**
 * Reads blocks `from` to `to` in parts and gives each part to `each` before the next is read, so that only one part's
 * transactions are in memory.
 *
 * @returns their places, linked
 * @throws TillgateError `NODE_FAILED` when one is missing or they are not linked
 */
export async function fetchBlocks(
  client: TronClient,
  from: number,
  to: number,
  each: (blocks: readonly TronBlock[]) => Promise<void>,
): Promise<readonly BlockRef[]> {
  const refs: BlockRef[] = [];
  for (let first = from; first <= to; first += BLOCKS_AT_ONCE) {
    const last = Math.min(to, first + BLOCKS_AT_ONCE - 1);
    // The end is not part of the range.
    const answer = asObject(
      await client.ask('/wallet/getblockbylimitnext', { startNum: first, endNum: last + 1 }),
      'blocks',
    );
    const blocks = asArray(answer['block'] ?? [], 'blocks').map(readBlock);
    if (blocks.length !== last - first + 1)
      throw inconsistent(`asked for blocks ${first} to ${last}, answered ${blocks.length}`);
    for (const { ref } of blocks) {
      checkLink(ref, from + refs.length, refs.at(-1));
      refs.push(ref);
    }
    await each(blocks);
  }
  return refs;
}

function readBlock(value: unknown): TronBlock {
  const ref = readBlockRef(value);
  const results = new Map<string, string>();
  const signers = new Map<string, string>();
  for (const entry of asArray(asObject(value, 'a block')['transactions'] ?? [], 'the transactions of a block')) {
    const transaction = asObject(entry, 'a transaction');
    const txid = asHash(transaction['txID'], 'transaction id');
    const signer = peekSigner(transaction);
    results.set(txid, readResult(transaction));
    if (signer !== null) signers.set(txid, signer);
  }
  return { ref, results, signers };
}

/** A transaction has one contract, which names its account; `null` where the node returns none. */
function peekSigner(transaction: Readonly<Record<string, unknown>>): string | null {
  const [contract] = ((transaction['raw_data'] ?? {}) as { contract?: readonly unknown[] }).contract ?? [];
  const { parameter } = (contract ?? {}) as { parameter?: { value?: { owner_address?: unknown } } };
  const owner = parameter?.value?.owner_address;
  return typeof owner === 'string' ? owner.slice(-KEY_DIGITS).toLowerCase() : null;
}

function readResult(transaction: Readonly<Record<string, unknown>>): string {
  const [result] = asArray(transaction['ret'] ?? [], 'the result of a transaction');
  const word = result === undefined ? undefined : asObject(result, 'the result of a transaction')['contractRet'];
  return typeof word === 'string' ? word : 'DEFAULT';
}

function checkLink(ref: BlockRef, height: number, former: BlockRef | undefined): void {
  if (ref.height !== height) throw contradictory(`asked for block ${height}, answered ${ref.height}`);
  if (former !== undefined && ref.parentHash !== former.hash)
    throw inconsistent(`block ${height} does not follow block ${former.height}`);
}
