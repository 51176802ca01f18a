import { mulDiv } from '../../../core/index.ts';

/** Units for 1,000 virtual bytes, as nodes state fee rates. */
export type FeeRate = bigint;

/** Version, lock time, and the two bytes that announce witnesses, in units of weight (BIP-141). */
const FRAME = 8 * 4 + 2;
/** Outpoint, empty script and sequence; then a signature of 72 bytes at most and a key of 33, each with its length. */
const OWN_INPUT = 41 * 4 + 1 + 73 + 34;
const AMOUNT = 8;

/**
 * The size in virtual bytes of a transaction that spends this many of the till's coins. It is exact except for
 * signatures that are a byte or two shorter, so it is never too small.
 */
export function virtualSizeOf(inputs: number, scriptLengths: readonly number[]): number {
  const outputs = scriptLengths.reduce((sum, length) => sum + AMOUNT + sizeOfCount(length) + length, 0);
  const bytes = sizeOfCount(inputs) + sizeOfCount(scriptLengths.length) + outputs;
  return Math.ceil((FRAME + inputs * OWN_INPUT + bytes * 4) / 4);
}

/** The cost of one more of the till's own coins as an input, rounded up. */
export function inputCost(rate: FeeRate): bigint {
  return mulDiv(rate, BigInt(OWN_INPUT), 4_000n, 'up');
}

/** The fee for a size, rounded up: the network refuses a transaction that pays one unit too little. */
export function feeOf(rate: FeeRate, vbytes: number): bigint {
  return mulDiv(rate, BigInt(vbytes), 1_000n, 'up');
}

function sizeOfCount(count: number): number {
  return count < 0xfd ? 1 : 3;
}
