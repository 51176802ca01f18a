import { toHashText } from './hash256.ts';
import { readBlock } from './raw-block.ts';
import type { BlockSummary } from './raw-block.ts';
import { readTransaction, transactionId } from './raw-transaction.ts';
import type { TransactionVisitor } from './raw-transaction.ts';
import { WireReader } from './wire-reader.ts';

/** An output to a watched address. */
export interface FoundOutput {
  readonly txid: string;
  readonly number: number;
  readonly units: bigint;
  /** The output script in hexadecimal. */
  readonly key: string;
  /** Newly mined coins, which cannot be spent for a hundred blocks. */
  readonly isCoinbase: boolean;
}

/** A checked block, with its outputs to watched addresses. */
export interface ReadBlock {
  readonly summary: BlockSummary;
  readonly outputs: readonly FoundOutput[];
}

/** All addresses of the till have one form (BIP-141, version 0): OP_0 and 20 bytes. */
const OWN_SCRIPT_BYTES = 22;
const OP_0 = 0x00;
const PUSH_20 = 0x14;

/** The outputs to watched addresses, in the order of reading. */
type Outputs = Omit<FoundOutput, 'txid' | 'isCoinbase'>[];

/**
 * Collects outputs to watched addresses. Scripts of another form than the till's are skipped by their first two bytes;
 * only the others are converted to text and looked up.
 */
function outputVisitor(
  bytes: Buffer,
  isWatched: (key: string) => boolean,
  found: (output: Outputs[0]) => void,
): Required<Pick<TransactionVisitor, 'output'>> {
  return {
    output(at, scriptAt, length, number) {
      if (length !== OWN_SCRIPT_BYTES || bytes[scriptAt] !== OP_0 || bytes[scriptAt + 1] !== PUSH_20) return;
      const key = bytes.toString('hex', scriptAt, scriptAt + OWN_SCRIPT_BYTES);
      if (isWatched(key)) found({ number, units: bytes.readBigUInt64LE(at), key });
    },
  };
}

/** The outputs of one transaction to watched addresses; `null` for bytes that are not this transaction. */
export function findOutputs(bytes: Buffer, txid: string, isWatched: (key: string) => boolean): Outputs | null {
  const found: Outputs = [];
  try {
    const reader = new WireReader(bytes);
    const layout = readTransaction(
      reader,
      outputVisitor(bytes, isWatched, (output) => void found.push(output)),
    );
    return layout.end === bytes.length && toHashText(transactionId(bytes, layout)) === txid ? found : null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/**
 * Finds the outputs of a block to watched addresses.
 *
 * @throws TillgateError `NODE_FAILED` when the bytes are not that block
 */
export function findDeposits(bytes: Buffer, hash: string, isWatched: (key: string) => boolean): ReadBlock {
  const outputs: FoundOutput[] = [];
  let open: Outputs = [];
  const summary = readBlock(bytes, hash, {
    ...outputVisitor(bytes, isWatched, (output) => void open.push(output)),
    transaction(place, id) {
      if (open.length === 0) return;
      const txid = toHashText(id);
      for (const output of open) outputs.push({ ...output, txid, isCoinbase: place === 0 });
      open = [];
    },
  });
  return { summary, outputs };
}
