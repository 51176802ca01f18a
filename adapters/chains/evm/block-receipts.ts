import type { Logger } from '../../../core/index.ts';
import { refusal } from '../json-rpc.ts';
import type { JsonRpcClient } from '../json-rpc.ts';
import type { ReadBlock } from './blocks.ts';
import type { RawLog } from './log-matching.ts';
import { BloomUnion, asBloom } from './logs-bloom.ts';
import type { TransferBlooms } from './logs-bloom.ts';
import { readReceipt } from './receipts.ts';
import type { Receipt } from './receipts.ts';
import { asArray, asHash, asObject, inconsistent } from './rpc-values.ts';

/** Blocks whose receipts are read in one request: about a megabyte each on a busy chain. */
const BLOCKS_AT_ONCE = 4;
/** JSON-RPC's "method not found". */
const UNKNOWN_METHOD = -32601;

/** A receipt with its logs and its bloom filter. */
export interface ReceiptWithLogs {
  readonly receipt: Receipt;
  readonly logs: readonly RawLog[];
  /** As returned by the node. */
  readonly bloom: unknown;
}

/**
 * Reads all receipts of blocks. Their logs come with the block itself, and not from an index that a node may fill
 * later.
 *
 * The receipts of a block are accepted only when they are complete: one for each transaction, log numbers without a
 * gap, logs that match the bloom filter of each receipt, and every bit of the header's filter explained.
 */
export class BlockReceiptReader {
  readonly #client: JsonRpcClient;
  readonly #logger: Logger;
  readonly #blooms: TransferBlooms;
  #wholeBlocks = true;

  constructor(client: JsonRpcClient, logger: Logger, blooms: TransferBlooms) {
    this.#client = client;
    this.#logger = logger;
    this.#blooms = blooms;
  }

  /**
   * Returns receipts in the order of the blocks. @throws TillgateError `NODE_FAILED` when receipts are missing or
   * incomplete
   */
  async read(blocks: readonly ReadBlock[]): Promise<readonly (readonly ReceiptWithLogs[])[]> {
    const read: (readonly ReceiptWithLogs[])[] = [];
    for (let at = 0; at < blocks.length; at += BLOCKS_AT_ONCE) {
      const part = blocks.slice(at, at + BLOCKS_AT_ONCE);
      const answers = this.#wholeBlocks ? await this.#byBlock(part) : part.map(() => null);
      for (const [place, block] of part.entries()) {
        const receipts = readAll(answers[place] ?? (await this.#byTransaction(block)), block);
        checkNumbers(receipts.values(), block);
        checkBlooms(receipts.values(), block, this.#blooms);
        read.push([...receipts.values()]);
      }
    }
    return read;
  }

  /** `null` for a block whose receipts the node does not return in one reply. */
  async #byBlock(blocks: readonly ReadBlock[]): Promise<readonly (readonly unknown[] | null)[]> {
    const replies = await this.#client.batch(
      blocks.map(({ ref }) => ({ method: 'eth_getBlockReceipts', params: [ref.hash] })),
    );
    return replies.map(({ problem, result }) => {
      if (problem?.code === UNKNOWN_METHOD && this.#wholeBlocks) {
        this.#wholeBlocks = false;
        this.#logger.warn('the node does not offer eth_getBlockReceipts: a call for each transaction is made instead', {
          host: this.#client.host,
        });
      }
      if (problem !== null) return null;
      if (result === null) throw inconsistent('the receipts of a block are missing');
      return asArray(result, 'the receipts of a block');
    });
  }

  async #byTransaction({ txids }: ReadBlock): Promise<readonly unknown[]> {
    const replies = await this.#client.batch(
      txids.map((txid) => ({ method: 'eth_getTransactionReceipt', params: [txid] })),
    );
    return replies.map(({ problem, result }) => {
      if (problem !== null) throw refusal('eth_getTransactionReceipt', problem, this.#client.host);
      return result;
    });
  }
}

/** Every receipt of the block by its transaction. */
function readAll(values: readonly unknown[], { ref, txids }: ReadBlock): ReadonlyMap<string, ReceiptWithLogs> {
  const receipts = new Map<string, ReceiptWithLogs>();
  for (const value of values) {
    if (value === null || value === undefined) throw inconsistent(`a receipt of block ${ref.height} is missing`);
    const fields = asObject(value, 'a receipt');
    const receipt = readReceipt(fields, asHash(fields['transactionHash'], "a receipt's transaction"));
    if (receipt.blockHash !== ref.hash) throw inconsistent(`a receipt is of another block than ${ref.height}`);
    const logs = asArray(fields['logs'], "a receipt's logs").map((log) => asObject(log, 'a log') as RawLog);
    receipts.set(receipt.txid, { receipt, logs, bloom: fields['logsBloom'] });
  }
  const missing = txids.find((txid) => !receipts.has(txid));
  if (missing !== undefined) throw inconsistent(`the receipt of ${missing} is missing`);
  return receipts;
}

/** Logs are numbered throughout the block: an omitted log leaves a gap, unless it is the last one. */
function checkNumbers(receipts: Iterable<ReceiptWithLogs>, { ref }: ReadBlock): void {
  const numbers = new Set<number>();
  for (const { receipt } of receipts) for (const number of receipt.logNumbers) numbers.add(number);
  for (let number = 0; number < numbers.size; number++)
    if (!numbers.has(number)) throw inconsistent(`log ${number} of block ${ref.height} is missing`);
}

/**
 * Checks the filters: each receipt's filter must match its own logs, and together they must explain the header's
 * filter.
 */
function checkBlooms(
  receipts: Iterable<ReceiptWithLogs>,
  { ref, bloom: whole }: ReadBlock,
  blooms: TransferBlooms,
): void {
  const union = new BloomUnion();
  for (const { receipt, logs, bloom: told } of receipts) {
    // Some nodes omit it; the logs themselves are used then.
    const bloom = told === undefined || told === null ? null : asBloom(told, "a receipt's filter");
    if (bloom !== null) union.addBloom(bloom);
    if (bloom !== null && blooms.possible(bloom).length === 0) continue;
    const own = bloom === null ? union : new BloomUnion();
    for (const log of logs) own.addLog(log);
    if (bloom !== null && !own.covers(bloom)) throw inconsistent(`the receipt of ${receipt.txid} lacks logs`);
  }
  if (!union.covers(whole))
    throw inconsistent(`the receipts of block ${ref.height} lack logs that are in the bloom filter of its header`);
}
