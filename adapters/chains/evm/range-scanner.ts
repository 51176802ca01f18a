import { assert } from '../../../core/index.ts';
import type {
  BlockRef,
  CurrencyCode,
  Logger,
  ObservedTransfer,
  ScanOptions,
  ScannedRange,
  WatchList,
} from '../../../core/index.ts';
import type { JsonRpcClient } from '../json-rpc.ts';
import { fetchBlock, fetchBlocks } from './blocks.ts';
import type { CoinTransaction } from './blocks.ts';
import { coinMoves, directArrivals } from './coin-arrivals.ts';
import { CoinBalances } from './coin-balances.ts';
import { InternalCoins } from './internal-coins.ts';
import { fetchReceipts } from './receipts.ts';
import type { Receipt } from './receipts.ts';
import { inconsistent } from './rpc-values.ts';
import { StateReader } from './state-reader.ts';
import { verifyArrivals } from './token-arrivals.ts';
import { TokenLogs } from './token-logs.ts';

/** What is looked for. */
export interface ScannerOptions {
  /** The native coin's currency, `null` when it is not taken. */
  readonly native: CurrencyCode | null;
  /** Token contracts by currency, checksummed. */
  readonly contracts: ReadonlyMap<CurrencyCode, string>;
  /** The till's own hot wallet: coins that it sends to a deposit address pay for a sweep and are no deposit. */
  readonly hotAddress: string | null;
  readonly maxBalanceCalls: number;
}

/**
 * Reads a range of blocks and what it brought to watched addresses.
 *
 * Everything is bound to the hashes of the headers that were read first, and the last header is read again at the end:
 * a chain that changes meanwhile fails the scan, which is then repeated.
 */
export class RangeScanner {
  readonly #client: JsonRpcClient;
  readonly #logger: Logger;
  readonly #native: CurrencyCode | null;
  readonly #logs: TokenLogs;
  readonly #state: StateReader;
  readonly #balances: CoinBalances;
  readonly #hotKey: string | null;

  constructor(
    client: JsonRpcClient,
    logger: Logger,
    { native, contracts, hotAddress, maxBalanceCalls }: ScannerOptions,
  ) {
    this.#client = client;
    this.#logger = logger;
    this.#native = native;
    this.#hotKey = hotAddress === null ? null : keyOf(hotAddress);
    this.#logs = new TokenLogs(
      client,
      logger,
      new Map([...contracts].map(([currency, address]) => [keyOf(address), currency])),
    );
    this.#state = new StateReader(client, logger);
    this.#balances = new CoinBalances(this.#state, logger, maxBalanceCalls);
  }

  /** @throws TillgateError `NODE_FAILED` when the node's answers are missing, malformed or do not fit together */
  async scan(from: number, to: number, watch: WatchList, options: ScanOptions = {}): Promise<ScannedRange> {
    const { thorough = false } = options;
    assert(
      Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 0 && from <= to,
      `scan of blocks ${from} to ${to}`,
    );
    const interest = this.#native === null ? null : (key: string): boolean => watch.has(key);
    const { blocks, coins } = await fetchBlocks(this.#client, from, to, interest);
    const refs = blocks.map(({ ref }) => ref);
    const movements = await this.#logs.read(blocks, watch, thorough);
    const wanted = [...movements.hits, ...movements.departures, ...coins].map(({ txid }) => txid);
    const receipts = new Map([
      ...movements.receipts,
      ...(await fetchReceipts(
        this.#client,
        wanted.filter((txid) => !movements.receipts.has(txid)),
      )),
    ]);
    const transfers = [
      ...(await verifyArrivals(movements, receipts, this.#state, this.#logger)),
      ...(this.#native === null ? [] : await this.#coins(this.#native, refs, coins, receipts, watch, options)),
    ];
    await this.#confirmTip(refs.at(-1) as BlockRef);
    // Sorting is stable: within a block the order of finding stays.
    return { blocks: refs, transfers: transfers.sort((a, b) => a.block.height - b.block.height) };
  }

  async #coins(
    currency: CurrencyCode,
    refs: readonly BlockRef[],
    coins: readonly CoinTransaction[],
    receipts: ReadonlyMap<string, Receipt>,
    watch: WatchList,
    { thorough = false, ownPayments = false }: ScanOptions,
  ): Promise<readonly ObservedTransfer[]> {
    // Gas for sweeps is left out here, and explained to the balances below: it is no deposit either way.
    const payments = ownPayments ? coins : coins.filter(({ fromKey }) => fromKey !== this.#hotKey);
    const direct = directArrivals(payments, receipts, watch, currency);
    // The genesis block has no parent to compare balances with.
    if (thorough || refs[0]?.height === 0) return direct;
    const rises = await this.#balances.check(refs, watch.nativeKeys(), coinMoves(coins, receipts));
    return [...direct, ...(await new InternalCoins(this.#client, this.#state, currency).locate(rises, refs))];
  }

  async #confirmTip(tip: BlockRef): Promise<void> {
    const now = await fetchBlock(this.#client, tip.height);
    if (now?.hash !== tip.hash) throw inconsistent(`block ${tip.height} changed while it was read`);
  }
}

function keyOf(address: string): string {
  return address.slice(2).toLowerCase();
}
