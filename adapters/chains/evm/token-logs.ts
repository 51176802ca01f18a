import { isTillgateError } from '../../../core/index.ts';
import type { BlockRef, CurrencyCode, Logger, WatchList } from '../../../core/index.ts';
import { decodeEventLog } from 'viem/utils';
import type { Hex } from 'viem';
import type { JsonRpcClient } from '../json-rpc.ts';
import { refusal } from '../json-rpc.ts';
import { BlockReceiptReader } from './block-receipts.ts';
import type { ReadBlock } from './blocks.ts';
import { ERC20 } from './erc20.ts';
import { TRANSFER_TOPIC, matchLogs, matchSenders, recipientOf } from './log-matching.ts';
import type { RawLog } from './log-matching.ts';
import { TransferBlooms } from './logs-bloom.ts';
import type { Receipt } from './receipts.ts';
import { asCount, asHash, asKey, inconsistent, malformed, toQuantity } from './rpc-values.ts';

/** A log of a configured token with a watched recipient; unproved until the balances confirm it. */
export interface TokenHit {
  readonly txid: string;
  readonly logNumber: number;
  readonly block: BlockRef;
  readonly currency: CurrencyCode;
  /** The key of the contract's address. */
  readonly tokenKey: string;
  readonly fromKey: string;
  readonly toKey: string;
  readonly units: bigint;
}

/** The movements that the logs of some blocks show. */
export interface TokenMovements {
  readonly hits: readonly TokenHit[];
  /** Tokens that the recipients of these hits sent in the same blocks; their balances rose by that much less. */
  readonly departures: readonly TokenHit[];
  /** Receipts by transaction, of blocks that were read whole. */
  readonly receipts: ReadonlyMap<string, Receipt>;
}

/** The same before it is parsed. */
interface RawMovements {
  readonly arrived: RawLog[];
  readonly left: RawLog[];
  /** The contracts and blocks for which the answer has a Transfer, as {@link placeOf} each. */
  readonly places: ReadonlySet<string>;
}

/** Up to this many blocks are read one by one and by hash; more by range. */
const BY_HASH_LIMIT = 8;
const MAX_RANGE = 128;

/**
 * Reads the Transfer logs of the configured contracts.
 *
 * The address list of the filter is the allow-list: a foreign contract of the same symbol is never requested, and its
 * log is dropped should a node send it.
 *
 * `eth_getLogs` reads an index, which a node may fill after it has the block: until then its answer is empty. So the
 * answer is compared with the bloom filter in the header. Where that shows that a contract may have logged a Transfer
 * and the answer has none of it, the block's receipts are read instead, which settle it.
 */
export class TokenLogs {
  readonly #client: JsonRpcClient;
  readonly #logger: Logger;
  readonly #blooms: TransferBlooms;
  readonly #blockReceipts: BlockReceiptReader;
  readonly #tokens: ReadonlyMap<string, CurrencyCode>;
  readonly #filter: { readonly address: readonly string[]; readonly topics: readonly string[] };
  /** Blocks in one range request: halved when the node refuses, doubled when it does not. */
  #span = MAX_RANGE;

  /** @param tokens - the currency of each contract key */
  constructor(client: JsonRpcClient, logger: Logger, tokens: ReadonlyMap<string, CurrencyCode>) {
    this.#client = client;
    this.#logger = logger;
    this.#tokens = tokens;
    this.#blooms = new TransferBlooms(tokens.keys());
    this.#blockReceipts = new BlockReceiptReader(client, logger, this.#blooms);
    this.#filter = { address: [...tokens.keys()].map((key) => `0x${key}`), topics: [TRANSFER_TOPIC] };
  }

  /**
   * The movements in the given blocks, in the order of the chain.
   *
   * @param thorough - reads the receipts of every block that may have a Transfer, so that not even one log of many is
   *   missed
   */
  async read(blocks: readonly ReadBlock[], watch: Pick<WatchList, 'has'>, thorough = false): Promise<TokenMovements> {
    if (this.#tokens.size === 0) return { hits: [], departures: [], receipts: new Map() };
    const refs = blocks.map(({ ref }) => ref);
    const indexed = refs.length <= BY_HASH_LIMIT ? await this.#byHash(refs, watch) : await this.#byRange(refs, watch);
    const { found, receipts } = await this.#fromReceipts(
      blocks.filter((block) => this.#isOpen(block, thorough, indexed)),
      indexed,
      watch,
    );
    const { arrived, left } = joined([indexed, found]);
    const byHeight = new Map(refs.map((block) => [block.height, block]));
    return { hits: this.#readHits(arrived, byHeight), departures: this.#readHits(left, byHeight), receipts };
  }

  /** Whether the answer may be incomplete for the block. */
  #isOpen({ ref, bloom }: ReadBlock, thorough: boolean, { places }: RawMovements): boolean {
    return this.#blooms.possible(bloom).some((key) => thorough || !places.has(placeOf(ref.hash, `0x${key}`)));
  }

  async #fromReceipts(
    blocks: readonly ReadBlock[],
    indexed: RawMovements,
    watch: Pick<WatchList, 'has'>,
  ): Promise<{ readonly found: RawMovements; readonly receipts: ReadonlyMap<string, Receipt> }> {
    const read = await this.#blockReceipts.read(blocks);
    const found = read.map((receipts) => {
      const logs = receipts.flatMap((receipt) => receipt.logs.filter((log) => this.#isTransfer(log)));
      return movements(logs, watch);
    });
    found.forEach(({ places }, at) => {
      const omitted = [...places].find((place) => !indexed.places.has(place));
      if (omitted === undefined) return;
      this.#logger.warn('the node left out logs of a block that it has; they were read from the receipts', {
        height: blocks[at]?.ref.height,
        host: this.#client.host,
      });
    });
    return {
      found: joined(found),
      receipts: new Map(read.flat().map(({ receipt }) => [receipt.txid, receipt])),
    };
  }

  #isTransfer({ address, topics }: RawLog): boolean {
    return (
      typeof address === 'string' && this.#tokens.has(address.slice(2).toLowerCase()) && topics?.[0] === TRANSFER_TOPIC
    );
  }

  #readHits(logs: readonly RawLog[], byHeight: ReadonlyMap<number, BlockRef>): readonly TokenHit[] {
    const hits = logs.map((log) => this.#readHit(log, byHeight)).filter((hit) => hit !== null);
    hits.sort((a, b) => a.block.height - b.block.height || a.logNumber - b.logNumber);
    // A log that is listed twice counts once.
    return hits.filter((hit, at) => hit.logNumber !== hits[at - 1]?.logNumber || hit.block !== hits[at - 1]?.block);
  }

  async #byHash(blocks: readonly BlockRef[], watch: Pick<WatchList, 'has'>): Promise<RawMovements> {
    const calls = blocks.map(({ hash }) => ({ method: 'eth_getLogs', params: [{ ...this.#filter, blockHash: hash }] }));
    const results = await this.#client.batchResults(calls);
    return joined(results.map((result) => movements(result, watch)));
  }

  async #byRange(blocks: readonly BlockRef[], watch: Pick<WatchList, 'has'>): Promise<RawMovements> {
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
   * The movements of one range; `null` when the node refuses it as too large. The last block of the range is read in
   * the same request, since a lagging node would answer with an empty list and not with an error.
   */
  async #onePart(part: readonly BlockRef[], watch: Pick<WatchList, 'has'>): Promise<RawMovements | null> {
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
    // Four topics are a Transfer of a non-fungible token (ERC-721), which has no amount.
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

function movements(logs: unknown, watch: Pick<WatchList, 'has'>): RawMovements {
  const arrived = matchLogs(logs, watch);
  const all = logs as readonly RawLog[];
  const left = arrived.length === 0 ? [] : matchSenders(all, new Set(arrived.map(recipientOf)));
  return { arrived, left, places: placesOf(all) };
}

/**
 * Each contract and block is normalised only once: a range has tens of thousands of logs. Most have the same block as
 * the previous one, and many the same contract, and comparing is faster than a look-up.
 */
function placesOf(logs: readonly RawLog[]): ReadonlySet<string> {
  const byBlock = new Map<unknown, Set<unknown>>();
  let [lastBlock, lastContract, contracts]: [unknown, unknown, Set<unknown>] = [undefined, undefined, new Set()];
  for (const { topics, removed, blockHash, address } of logs) {
    if (topics?.length !== 3 || topics[0] !== TRANSFER_TOPIC || removed === true) continue;
    if (blockHash !== lastBlock) {
      contracts = byBlock.get(blockHash) ?? new Set();
      byBlock.set(blockHash, contracts);
      [lastBlock, lastContract] = [blockHash, undefined];
    }
    if (address === lastContract) continue;
    contracts.add(address);
    lastContract = address;
  }
  return new Set([...byBlock].flatMap(([hash, contracts]) => [...contracts].map((one) => placeOf(hash, one))));
}

/** The key of a contract in a block. */
function placeOf(blockHash: unknown, address: unknown): string {
  return `${String(blockHash)} ${String(address)}`.toLowerCase();
}

function joined(parts: readonly RawMovements[]): RawMovements {
  return {
    arrived: parts.flatMap(({ arrived }) => arrived),
    left: parts.flatMap(({ left }) => left),
    places: new Set(parts.flatMap(({ places }) => [...places])),
  };
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
