import { isTillgateError } from '../../../core/index.ts';
import type { BlockRef, CurrencyCode, WatchList } from '../../../core/index.ts';
import { decodeEventLog } from 'viem/utils';
import type { Hex } from 'viem';
import type { JsonRpcClient } from '../json-rpc.ts';
import { refusal } from '../json-rpc.ts';
import { ERC20 } from './erc20.ts';
import { TRANSFER_TOPIC, matchLogs, matchSenders, recipientOf } from './log-matching.ts';
import type { RawLog } from './log-matching.ts';
import { asCount, asHash, asKey, inconsistent, malformed, toQuantity } from './rpc-values.ts';

/** A configured token's log with a watched recipient: unproved until the balances confirm it. */
export interface TokenHit {
  readonly txid: string;
  readonly logNumber: number;
  readonly block: BlockRef;
  readonly currency: CurrencyCode;
  /** The contract's address as a key. */
  readonly tokenKey: string;
  readonly fromKey: string;
  readonly toKey: string;
  readonly units: bigint;
}

/** What the logs of some blocks say. */
export interface TokenMovements {
  readonly hits: readonly TokenHit[];
  /** What the recipients of these hits sent in the same blocks: their balances rose by so much less. */
  readonly departures: readonly TokenHit[];
}

/** The same, before it is read further. */
interface RawMovements {
  readonly arrived: RawLog[];
  readonly left: RawLog[];
}

/** So few blocks are asked for one by one and by hash; more by range. */
const BY_HASH_LIMIT = 8;
const MAX_RANGE = 128;

/**
 * Reads the Transfer logs of the configured contracts.
 *
 * The address list of the filter is the allow-list: a foreign contract of the same symbol is never asked for, and a log
 * of one is dropped should a node send it.
 */
export class TokenLogs {
  readonly #client: JsonRpcClient;
  readonly #tokens: ReadonlyMap<string, CurrencyCode>;
  readonly #filter: { readonly address: readonly string[]; readonly topics: readonly string[] };
  /** Blocks in one range request: halved when the node refuses, doubled when it does not. */
  #span = MAX_RANGE;

  /** @param tokens - the currency of each contract key */
  constructor(client: JsonRpcClient, tokens: ReadonlyMap<string, CurrencyCode>) {
    this.#client = client;
    this.#tokens = tokens;
    this.#filter = { address: [...tokens.keys()].map((key) => `0x${key}`), topics: [TRANSFER_TOPIC] };
  }

  /** Movements in the given blocks, in the order of the chain. */
  async read(blocks: readonly BlockRef[], watch: WatchList): Promise<TokenMovements> {
    if (this.#tokens.size === 0) return { hits: [], departures: [] };
    const { arrived, left } =
      blocks.length <= BY_HASH_LIMIT ? await this.#byHash(blocks, watch) : await this.#byRange(blocks, watch);
    const byHeight = new Map(blocks.map((block) => [block.height, block]));
    return { hits: this.#readHits(arrived, byHeight), departures: this.#readHits(left, byHeight) };
  }

  #readHits(logs: readonly RawLog[], byHeight: ReadonlyMap<number, BlockRef>): readonly TokenHit[] {
    const hits = logs.map((log) => this.#readHit(log, byHeight)).filter((hit) => hit !== null);
    hits.sort((a, b) => a.block.height - b.block.height || a.logNumber - b.logNumber);
    // A log that is listed twice is one log.
    return hits.filter((hit, at) => hit.logNumber !== hits[at - 1]?.logNumber || hit.block !== hits[at - 1]?.block);
  }

  async #byHash(blocks: readonly BlockRef[], watch: WatchList): Promise<RawMovements> {
    const calls = blocks.map(({ hash }) => ({ method: 'eth_getLogs', params: [{ ...this.#filter, blockHash: hash }] }));
    const results = await this.#client.batchResults(calls);
    return joined(results.map((result) => movements(result, watch)));
  }

  async #byRange(blocks: readonly BlockRef[], watch: WatchList): Promise<RawMovements> {
    const parts: RawMovements[] = [];
    let at = 0;
    while (at < blocks.length) {
      const part = blocks.slice(at, at + this.#span);
      const found = await this.#onePart(part, watch);
      if (found === null) {
        this.#span = Math.max(1, part.length >> 1);
        continue;
      }
      parts.push(found);
      at += part.length;
      this.#span = Math.min(MAX_RANGE, this.#span * 2);
    }
    return joined(parts);
  }

  /**
   * The movements of one range, or `null` when the node finds it too much. The range's last block is read in the same
   * request: a node that lags behind would have answered with an empty list instead of an error.
   */
  async #onePart(part: readonly BlockRef[], watch: WatchList): Promise<RawMovements | null> {
    const first = part[0] as BlockRef;
    const last = part.at(-1) as BlockRef;
    const range = { ...this.#filter, fromBlock: toQuantity(first.height), toBlock: toQuantity(last.height) };
    try {
      const [logs, tip] = await this.#client.batch([
        { method: 'eth_getLogs', params: [range] },
        { method: 'eth_getBlockByNumber', params: [toQuantity(last.height), false] },
      ]);
      if (logs === undefined || tip === undefined) throw malformed('a batch');
      if (logs.problem !== null) {
        if (part.length > 1) return null;
        throw refusal('eth_getLogs', logs.problem, this.#client.host);
      }
      const tipHash = (tip.result as { hash?: unknown } | null)?.hash;
      if (typeof tipHash !== 'string' || tipHash.toLowerCase() !== last.hash) {
        throw inconsistent(`block ${last.height} changed while its logs were read`);
      }
      return movements(logs.result, watch);
    } catch (error) {
      if (isTillgateError(error) && error.details['tooLarge'] === true && part.length > 1) return null;
      throw error;
    }
  }

  #readHit(log: RawLog, byHeight: ReadonlyMap<number, BlockRef>): TokenHit | null {
    if (log.removed === true) return null;
    const tokenKey = asKey(log['address'], "a log's contract");
    const currency = this.#tokens.get(tokenKey);
    // Four topics are a Transfer of a unique token (ERC-721), which carries no amount.
    if (currency === undefined || log.topics?.length !== 3 || log.topics[0] !== TRANSFER_TOPIC) return null;
    const block = byHeight.get(asCount(log['blockNumber'], "a log's block number"));
    if (block === undefined || asHash(log['blockHash'], "a log's block") !== block.hash)
      throw inconsistent('a log of another block');
    const transfer = decodeTransfer(log);
    return {
      txid: asHash(log['transactionHash'], "a log's transaction"),
      logNumber: asCount(log['logIndex'], 'a log number'),
      block,
      currency,
      tokenKey,
      fromKey: asKey(transfer.from, "a transfer's sender"),
      toKey: asKey(transfer.to, "a transfer's recipient"),
      units: transfer.value,
    };
  }
}

function movements(logs: unknown, watch: WatchList): RawMovements {
  const arrived = matchLogs(logs, watch);
  const left = arrived.length === 0 ? [] : matchSenders(logs as readonly RawLog[], new Set(arrived.map(recipientOf)));
  return { arrived, left };
}

function joined(parts: readonly RawMovements[]): RawMovements {
  return { arrived: parts.flatMap(({ arrived }) => arrived), left: parts.flatMap(({ left }) => left) };
}

function decodeTransfer(log: RawLog): { readonly from: string; readonly to: string; readonly value: bigint } {
  try {
    const { args } = decodeEventLog({
      abi: ERC20,
      eventName: 'Transfer',
      data: log['data'] as Hex,
      topics: log.topics as [Hex, ...Hex[]],
    });
    return args;
  } catch {
    throw malformed('a transfer log');
  }
}
