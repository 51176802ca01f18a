import { TRANSFER_TOPIC } from '../evm/log-matching.ts';
import { asArray, asCount, asHash, asHex, asKey, asObject, asTime, asUnits, malformed } from './tron-values.ts';

/** A token's Transfer (TRC-20) out of a transaction's logs. */
export interface TransferLog {
  /** The log's position in the transaction. */
  readonly index: number;
  readonly contractKey: string;
  readonly fromKey: string;
  readonly toKey: string;
  readonly units: bigint;
}

/** The outcome of a mined transaction. */
export interface TransactionInfo {
  readonly txid: string;
  readonly height: number;
  readonly blockTime: number;
  /** False when the result of the execution or of the transaction is a failure. */
  readonly succeeded: boolean;
  /** The amount burnt as its fee, in sun. */
  readonly fee: bigint;
  /** As returned by the node; {@link readTransferLog} reads one. */
  readonly logs: readonly unknown[];
}

/** 32 bytes; an address fills the last 40 digits. */
const TOPIC_LENGTH = 64;
const ADDRESS_START = 24;
/** Without the `0x` that nodes of other chains write. */
const TRANSFER = TRANSFER_TOPIC.slice(2);

/**
 * Reads a node's reply about a mined transaction.
 *
 * A plain transfer's receipt has no result at all, a contract call's has `SUCCESS` or the reason of its failure; a failed
 * transaction of any kind is marked `FAILED` besides.
 */
export function readTransactionInfo(value: unknown): TransactionInfo {
  const info = asObject(value, "a transaction's outcome");
  const receipt = asObject(info['receipt'] ?? {}, 'a receipt');
  const result = receipt['result'];
  return {
    txid: asHash(info['id'], 'transaction id'),
    height: asCount(info['blockNumber'], "a transaction's block"),
    blockTime: asTime(info['blockTimeStamp'], "a transaction's time"),
    succeeded: (result === undefined || result === 'SUCCESS') && info['result'] !== 'FAILED',
    fee: asUnits(info['fee'], 'the fee of a transaction'),
    logs: asArray(info['log'] ?? [], 'the logs of a transaction'),
  };
}

/** The key of the contract that wrote a log; `null` where there is none. */
export function peekContract(log: unknown): string | null {
  const address = (log as { readonly address?: unknown } | null)?.address;
  // 20 bytes; some releases put the prefix before them.
  return typeof address === 'string' ? address.slice(-40).toLowerCase() : null;
}

/** The recipient of a log: the digits of the third topic, not checked yet; `null` for other logs. */
export function peekRecipient(log: unknown): string | null {
  const topics = (log as { readonly topics?: unknown } | null)?.topics;
  if (!Array.isArray(topics) || topics.length !== 3 || topics[0] !== TRANSFER) return null;
  const recipient: unknown = topics[2];
  if (typeof recipient !== 'string' || recipient.length !== TOPIC_LENGTH) throw malformed("a log's recipient");
  return recipient.slice(ADDRESS_START).toLowerCase();
}

/** The log as a Transfer of a fungible token; `null` for other logs. @throws TillgateError `NODE_FAILED` for a malformed one */
export function readTransferLog(log: unknown, index: number): TransferLog | null {
  const toKey = peekRecipient(log);
  if (toKey === null) return null;
  const { address, topics, data } = log as {
    readonly address?: unknown;
    readonly topics: readonly unknown[];
    readonly data?: unknown;
  };
  const amount = asHex(data, 'the amount of a transfer');
  if (amount.length !== TOPIC_LENGTH) throw malformed('the amount of a transfer');
  return {
    index,
    contractKey: asKey(address, "a log's contract"),
    fromKey: asHash(topics[1], "a transfer's sender").slice(ADDRESS_START),
    toKey,
    units: BigInt(`0x${amount}`),
  };
}
