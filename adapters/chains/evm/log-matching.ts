import type { WatchList } from '../../../core/index.ts';
import { malformed } from './rpc-values.ts';

/** `keccak256("Transfer(address,address,uint256)")`. */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** A log as returned by the node. Only matching logs are read further. */
export interface RawLog {
  readonly topics?: readonly unknown[];
  readonly removed?: unknown;
  readonly [field: string]: unknown;
}

/** 32 bytes: `0x` and 64 digits; an address fills the last 40 of them. */
const TOPIC_LENGTH = 66;
const ADDRESS_START = 26;

/**
 * The logs whose recipient is watched.
 *
 * Only the recipient is read, from the third topic, and looked up: of the logs of a busy chain hardly any matches.
 *
 * @param logs - the result of `eth_getLogs`
 * @throws TillgateError `NODE_FAILED` when it is no list of logs
 */
export function matchLogs(logs: unknown, watch: Pick<WatchList, 'has'>): RawLog[] {
  if (!Array.isArray(logs)) throw malformed('eth_getLogs');
  const hits: RawLog[] = [];
  for (const log of logs as readonly (RawLog | null)[]) {
    const topics = log?.topics;
    if (!Array.isArray(topics)) throw malformed('a log without topics');
    const recipient: unknown = topics[2];
    // A transfer whose recipient is not a topic does not belong to a standard token.
    if (recipient === undefined) continue;
    if (typeof recipient !== 'string' || recipient.length !== TOPIC_LENGTH) throw malformed("a log's recipient");
    if (watch.has(recipient.slice(ADDRESS_START).toLowerCase())) hits.push(log as RawLog);
  }
  return hits;
}

/** The logs whose sender is one of a few addresses; used only when these received something in the same blocks. */
export function matchSenders(logs: readonly RawLog[], senders: ReadonlySet<string>): RawLog[] {
  return logs.filter(({ topics }) => {
    const sender: unknown = topics?.[1];
    return (
      typeof sender === 'string' &&
      sender.length === TOPIC_LENGTH &&
      senders.has(sender.slice(ADDRESS_START).toLowerCase())
    );
  });
}

/** The watch key of the recipient of a log that {@link matchLogs} returned. */
export function recipientOf({ topics }: RawLog): string {
  return String(topics?.[2]).slice(ADDRESS_START).toLowerCase();
}
