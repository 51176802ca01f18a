import { TillgateError, contradiction, parseUnits } from '../../../core/index.ts';

/** An unchecked JSON object of a node's answer. */
export type NodeObject = Readonly<Record<string, unknown>>;

/** Decimals of a coin in all chains of this family. */
export const COIN_DECIMALS = 8;
const HASH = /^[0-9a-f]{64}$/;
const HEX = /^(?:[0-9a-f]{2})*$/;

/** The error for an invalid reply of a node; the step is retried. */
export function malformed(what: string): TillgateError {
  return new TillgateError('NODE_FAILED', `The node's answer is malformed: ${what}.`);
}

/** The error for a reply that contradicts another one; the step is retried from its start. */
export function inconsistent(what: string): TillgateError {
  return new TillgateError('NODE_FAILED', `The node's answers are inconsistent: ${what}.`);
}

/** The error for replies that cannot be true together, whatever the chain does in the meantime. */
export function contradictory(what: string): TillgateError {
  return contradiction(`The node contradicts itself: ${what}.`);
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

/** Whether a text is a hash. */
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
