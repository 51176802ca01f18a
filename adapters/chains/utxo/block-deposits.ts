import { toHashText } from './hash256.ts';
import { readBlock } from './raw-block.ts';
import type { BlockSummary } from './raw-block.ts';

/** An output to a watched address. */
export interface FoundOutput {
  readonly txid: string;
  readonly number: number;
  readonly units: bigint;
  /** The output script in hexadecimal. */
  readonly key: string;
  /** Newly made coins, which nobody can spend for a hundred blocks. */
  readonly isCoinbase: boolean;
}

/** A block, checked, and what of it is ours. */
export interface ReadBlock {
  readonly summary: BlockSummary;
  readonly outputs: readonly FoundOutput[];
}

/** The till's own addresses are all of one form (BIP-141, version 0): OP_0 and 20 bytes. */
const OWN_SCRIPT_BYTES = 22;
const OP_0 = 0x00;
const PUSH_20 = 0x14;

/**
 * Finds the outputs to watched addresses. Scripts of any other form than the till's own are passed over by their first
 * two bytes; a text is made, and looked up, for the rest only.
 *
 * @throws TillgateError `NODE_FAILED` when the bytes are not that block
 */
export function findDeposits(bytes: Buffer, hash: string, isWatched: (key: string) => boolean): ReadBlock {
  const outputs: FoundOutput[] = [];
  let open: { number: number; units: bigint; key: string }[] = [];
  const summary = readBlock(bytes, hash, {
    output(at, scriptAt, length, number) {
      if (length !== OWN_SCRIPT_BYTES || bytes[scriptAt] !== OP_0 || bytes[scriptAt + 1] !== PUSH_20) return;
      const key = bytes.toString('hex', scriptAt, scriptAt + OWN_SCRIPT_BYTES);
      if (isWatched(key)) open.push({ number, units: bytes.readBigUInt64LE(at), key });
    },
    transaction(place, id) {
      if (open.length === 0) return;
      const txid = toHashText(id);
      for (const output of open) outputs.push({ ...output, txid, isCoinbase: place === 0 });
      open = [];
    },
  });
  return { summary, outputs };
}
