import { blockNumber } from '../reads.ts';
import type { LogSubject } from './log-filter.ts';

/** A header of a node, checked to have a number, a hash and a parent. */
export interface BlockHeader {
  readonly number: number;
  /** In lower case, as is `parentHash`. */
  readonly hash: string;
  readonly parentHash: string;
  /** The header as JSON, as a notification of `newHeads` has it. */
  readonly text: string;
}

/** A log of a node, checked to be of one block. */
export interface BlockLog extends LogSubject {
  /** The log as JSON, as a notification of `logs` has it. */
  readonly text: string;
}

const HASH = /^0x[0-9a-f]{64}$/i;
const ADDRESS = /^0x[0-9a-f]{40}$/i;
/** Headers of today have some two thousand characters, most of them the bloom of the logs. */
const MAX_HEADER_SIZE = 64 * 1024;
/** What a block has beside its header (go-ethereum, internal/ethapi `RPCMarshalBlock`). */
const BEYOND_HEADER: readonly string[] = ['transactions', 'uncles', 'withdrawals', 'size', 'totalDifficulty'];

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The header in a notification of `newHeads`, or in a block. `null` for what is neither. */
export function readHeader(value: unknown): BlockHeader | null {
  if (!isRecord(value)) return null;
  const { number: quantity, hash, parentHash } = value;
  const number = blockNumber(quantity);
  if (number === null || typeof hash !== 'string' || typeof parentHash !== 'string') return null;
  if (!HASH.test(hash) || !HASH.test(parentHash)) return null;
  const header = Object.fromEntries(Object.entries(value).filter(([name]) => !BEYOND_HEADER.includes(name)));
  const text = JSON.stringify(header);
  if (text.length > MAX_HEADER_SIZE) return null;
  return { number, hash: hash.toLowerCase(), parentHash: parentHash.toLowerCase(), text };
}

/** The logs of a block, in their order. `null` when one of them is malformed or of another block. */
export function readLogs(value: unknown, blockHash: string): readonly BlockLog[] | null {
  if (!Array.isArray(value)) return null;
  const logs = value.map((log: unknown) => readLog(log, blockHash));
  return logs.every((log) => log !== null) ? logs : null;
}

function readLog(value: unknown, blockHash: string): BlockLog | null {
  if (!isRecord(value)) return null;
  const { address, topics, blockHash: hash } = value;
  if (typeof address !== 'string' || !ADDRESS.test(address) || !Array.isArray(topics)) return null;
  if (typeof hash !== 'string' || hash.toLowerCase() !== blockHash) return null;
  if (!topics.every((topic): topic is string => typeof topic === 'string' && HASH.test(topic))) return null;
  return {
    address: address.toLowerCase(),
    topics: topics.map((topic) => topic.toLowerCase()),
    text: JSON.stringify({ ...value, removed: false }),
  };
}

/** The notification of a log whose block is no longer part of the chain. */
export function removedText({ text }: BlockLog): string {
  return JSON.stringify({ ...(JSON.parse(text) as object), removed: true });
}
