import { hash256 } from './hash256.ts';
import type { WireReader } from './wire-reader.ts';

/** Callbacks for reading a transaction, with positions in the reader's buffer: nothing is copied. */
export interface TransactionVisitor {
  /** @param at - where the input's outpoint begins, 36 bytes */
  input?(at: number): void;
  /** @param at - where the output's amount begins, 8 bytes; its script begins at `scriptAt` */
  output?(at: number, scriptAt: number, scriptLength: number, number: number): void;
}

/** The byte offsets of a transaction's parts (BIP-144). */
export interface TransactionLayout {
  readonly start: number;
  /** The start of the inputs and outputs, including their counts. */
  readonly bodyStart: number;
  readonly bodyEnd: number;
  /** The position after the lock time. */
  readonly end: number;
  readonly hasWitness: boolean;
  /** Litecoin's last transaction of a block, which ties its extension block to it (LIP-2). */
  readonly isHogEx: boolean;
}

const OUTPOINT = 36;
const SEQUENCE = 4;
const AMOUNT = 8;
const WITNESS_FLAG = 1;
const MWEB_FLAG = 8;

/** @throws RangeError when the bytes are not a transaction */
export function readTransaction(reader: WireReader, visitor: TransactionVisitor): TransactionLayout {
  const start = reader.skip(4);
  // A count of zero inputs announces flags; a transaction without inputs does not exist.
  const flags = reader.bytes[reader.at] === 0 ? readFlags(reader) : 0;
  const bodyStart = reader.at;
  const inputs = reader.size();
  for (let count = 0; count < inputs; count++) readInput(reader, visitor);
  const outputs = reader.size();
  for (let number = 0; number < outputs; number++) readOutput(reader, visitor, number);
  const bodyEnd = reader.at;
  const hasWitness = (flags & WITNESS_FLAG) !== 0;
  if (hasWitness) for (let count = 0; count < inputs; count++) skipWitness(reader);
  const isHogEx = (flags & MWEB_FLAG) !== 0;
  // In a block the extension's part is always absent, which is one zero byte.
  if (isHogEx && reader.byte() !== 0) throw new RangeError('a transaction of the extension block');
  reader.skip(4);
  return { start, bodyStart, bodyEnd, end: reader.at, hasWitness, isHogEx };
}

function readFlags(reader: WireReader): number {
  reader.skip(1);
  const flags = reader.byte();
  if (flags === 0 || (flags & ~(WITNESS_FLAG | MWEB_FLAG)) !== 0) throw new RangeError(`unknown flags ${flags}`);
  return flags;
}

function readInput(reader: WireReader, visitor: TransactionVisitor): void {
  const at = reader.skip(OUTPOINT);
  reader.skip(reader.size());
  reader.skip(SEQUENCE);
  visitor.input?.(at);
}

function readOutput(reader: WireReader, visitor: TransactionVisitor, number: number): void {
  const at = reader.skip(AMOUNT);
  const length = reader.size();
  const scriptAt = reader.skip(length);
  visitor.output?.(at, scriptAt, length, number);
}

function skipWitness(reader: WireReader): void {
  for (let items = reader.size(); items > 0; items--) reader.skip(reader.size());
}

let scratch = Buffer.alloc(4_096);

/** The id of a transaction: the hash of all but its witnesses. */
export function transactionId(
  bytes: Buffer,
  { start, bodyStart, bodyEnd, end, hasWitness, isHogEx }: TransactionLayout,
): Buffer {
  if (!hasWitness && !isHogEx) return hash256(bytes.subarray(start, end));
  const length = bodyEnd - bodyStart + 8;
  if (scratch.length < length) scratch = Buffer.alloc(length * 2);
  bytes.copy(scratch, 0, start, start + 4);
  bytes.copy(scratch, 4, bodyStart, bodyEnd);
  bytes.copy(scratch, length - 4, end - 4, end);
  return hash256(scratch.subarray(0, length));
}

/** Each byte weighs four units, a byte of witnesses one (BIP-141); in virtual bytes, rounded up. */
export function virtualSize({ start, bodyStart, bodyEnd, end }: TransactionLayout): number {
  const stripped = bodyEnd - bodyStart + 8;
  return Math.ceil((stripped * 3 + (end - start)) / 4);
}
