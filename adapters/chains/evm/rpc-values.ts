import { TillgateError, contradiction } from '../../../core/index.ts';
import type { Millis } from '../../../core/index.ts';

/** An unchecked JSON object of a node's answer. */
export type RpcObject = Readonly<Record<string, unknown>>;

const QUANTITY = /^0x[0-9a-f]{1,64}$/i;
const HASH = /^0x[0-9a-f]{64}$/i;
const ADDRESS = /^0x[0-9a-f]{40}$/i;

/**
 * The error for an invalid reply of a node. It is retried: nodes behind a load balancer answer like this while they
 * start.
 */
export function malformed(what: string): TillgateError {
  return new TillgateError('NODE_FAILED', `The node's answer is malformed: ${what}.`);
}

/** The error for a reply that contradicts an earlier one; the step is retried from its start. */
export function inconsistent(what: string): TillgateError {
  return new TillgateError('NODE_FAILED', `The node's answers are inconsistent: ${what}.`);
}

/** The error for replies that cannot be true together, whatever the chain does in the meantime. */
export function contradictory(what: string): TillgateError {
  return contradiction(`The node contradicts itself: ${what}.`);
}

export function asObject(value: unknown, what: string): RpcObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(what);
  return value as RpcObject;
}

export function asArray(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed(what);
  return value as readonly unknown[];
}

/** A quantity of any size. */
export function asUnits(value: unknown, what: string): bigint {
  if (typeof value !== 'string' || !QUANTITY.test(value)) throw malformed(what);
  return BigInt(value);
}

/** A quantity that is a count: heights, positions. */
export function asCount(value: unknown, what: string): number {
  const count = Number(asUnits(value, what));
  if (!Number.isSafeInteger(count)) throw malformed(what);
  return count;
}

/** A time, which the node sends in seconds. */
export function asTime(value: unknown, what: string): Millis {
  const seconds = asCount(value, what);
  // The largest time that a `Date` can hold.
  if (seconds > 8_640_000_000_000) throw malformed(what);
  return seconds * 1000;
}

/** 32 bytes, in lower case. */
export function asHash(value: unknown, what: string): string {
  if (typeof value !== 'string' || !HASH.test(value)) throw malformed(what);
  return value.toLowerCase();
}

/** Whether a text is a hash, in any case. */
export function isHash(text: string): boolean {
  return HASH.test(text);
}

/** 20 bytes as a watch key: 40 hexadecimal digits, lower case. */
export function asKey(value: unknown, what: string): string {
  if (typeof value !== 'string' || !ADDRESS.test(value)) throw malformed(what);
  return value.slice(2).toLowerCase();
}

/** A number in the format of JSON-RPC quantities. */
export function toQuantity(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}

/** Selects the state after a block by its hash (EIP-1898), so that no other branch can answer. */
export function atBlock(hash: string): { readonly blockHash: string } {
  return { blockHash: hash };
}

/** Whether a message says that the node has no state of such an old block. */
export function isStateGone(message: string): boolean {
  return /missing trie node|prun|archive|state (?:is |data )?(?:not available|unavailable|not found)|historical state|required historical|too old|no state available/i.test(
    message,
  );
}
