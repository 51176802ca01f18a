import { TillgateError } from '../../../core/index.ts';
import { hash256, toHashText } from './hash256.ts';
import { merkleRoot } from './merkle-root.ts';
import { readTransaction, transactionId } from './raw-transaction.ts';
import type { TransactionVisitor } from './raw-transaction.ts';
import { WireReader } from './wire-reader.ts';

/** A block's header and the number of its transactions. */
export interface BlockSummary {
  readonly hash: string;
  readonly parentHash: string;
  /** The block's time in seconds. */
  readonly time: number;
  readonly transactions: number;
}

/** Callbacks for reading a block. Their data must not be trusted before {@link readBlock} has returned. */
export interface BlockVisitor extends TransactionVisitor {
  /** Called after the inputs and outputs of each transaction; `place` 0 is the coinbase. */
  transaction?(place: number, txid: Uint8Array, start: number, end: number): void;
}

const HEADER_BYTES = 80;
const PARENT_AT = 4;
const ROOT_AT = 36;
const TIME_AT = 68;

/**
 * Reads a whole block and verifies it against its hash: the header must have that hash, and the root of the transaction
 * ids must be the header's. An invented or omitted transaction would need another header with the same hash.
 *
 * @param hash - the hash by which the block was requested
 * @throws TillgateError `NODE_FAILED` when the bytes are not that block
 */
export function readBlock(bytes: Buffer, hash: string, visitor: BlockVisitor): BlockSummary {
  const header = bytes.subarray(0, HEADER_BYTES);
  if (header.length < HEADER_BYTES || toHashText(hash256(header)) !== hash)
    throw wrongBlock(hash, 'its header has another hash');
  const txids = readTransactions(bytes, hash, visitor);
  const root = merkleRoot(txids);
  if (root === null || Buffer.compare(root, header.subarray(ROOT_AT, TIME_AT)) !== 0) {
    throw wrongBlock(hash, 'its transactions are not those of its header');
  }
  return {
    hash,
    parentHash: toHashText(header.subarray(PARENT_AT, ROOT_AT)),
    time: header.readUInt32LE(TIME_AT),
    transactions: txids.length,
  };
}

function readTransactions(bytes: Buffer, hash: string, visitor: BlockVisitor): readonly Buffer[] {
  const reader = new WireReader(bytes);
  const txids: Buffer[] = [];
  try {
    reader.skip(HEADER_BYTES);
    const count = reader.size();
    let hasExtension = false;
    for (let place = 0; place < count; place++) {
      const layout = readTransaction(reader, visitor);
      const txid = transactionId(bytes, layout);
      visitor.transaction?.(place, txid, layout.start, layout.end);
      txids.push(txid);
      hasExtension = layout.isHogEx && place === count - 1;
    }
    // Litecoin's extension block follows, which headers commit to only through that last transaction.
    if (reader.at !== bytes.length && !hasExtension) throw new RangeError('more bytes than the block has');
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw wrongBlock(hash, error.message);
  }
  return txids;
}

function wrongBlock(hash: string, why: string): TillgateError {
  return new TillgateError('NODE_FAILED', `The node sent something else for the block ${hash}: ${why}.`);
}
