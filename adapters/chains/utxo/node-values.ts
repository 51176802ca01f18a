import { TillgateError, parseUnits } from '../../../core/index.ts';

/** A JSON object of a node's answer, not looked at yet. */
export type NodeObject = Readonly<Record<string, unknown>>;

/** Decimals of a coin in all chains of this family. */
export const COIN_DECIMALS = 8;
const HASH = /^[0-9a-f]{64}$/;
const HEX = /^(?:[0-9a-f]{2})*$/;

/** What a node sent that it must not send; the step is tried again. */
export function malformed(what: string): TillgateError {
  return new TillgateError('NODE_FAILED', `The node's answer is malformed: ${what}.`);
}

/** What a node says that contradicts itself; tried again from the start of the step. */
export function inconsistent(what: string): TillgateError {
  return new TillgateError('NODE_FAILED', `The node's answers do not fit together: ${what}.`);
}

export function asObject(value: unknown, what: string): NodeObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(what);
  return value as NodeObject;
}

export function asArray(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed(what);
  return value as readonly unknown[];
}

export function asCount(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw malformed(what);
  return value;
}

/** 32 bytes in lower case, in the order in which block and transaction hashes are printed. */
export function asHash(value: unknown, what: string): string {
  if (typeof value !== 'string' || !HASH.test(value)) throw malformed(what);
  return value;
}

/** True for the text of a hash. */
export function isHash(text: string): boolean {
  return HASH.test(text);
}

export function asHex(value: unknown, what: string): string {
  if (typeof value !== 'string' || !HEX.test(value)) throw malformed(what);
  return value;
}

/** An amount of coins in units, from the digits that the node wrote. */
export function asUnits(value: unknown, what: string): bigint {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  const units = typeof text === 'string' ? parseUnits(text, COIN_DECIMALS) : null;
  if (units === null) throw malformed(what);
  return units;
}
