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
import { BlockEffects } from './block-effects.ts';
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

/** The coins and addresses that a scan looks for. */
export interface ScannerOptions {
  /** The currency of the native coin; `null` when it is not accepted. */
  readonly native: CurrencyCode | null;
  /** Token contracts by currency, checksummed. */
  readonly contracts: ReadonlyMap<CurrencyCode, string>;
  /** The till's own hot wallet: coins that it sends to a deposit address pay for a sweep and are not a deposit. */
  readonly hotAddress: string | null;
  readonly maxBalanceCalls: number;
}

/** Payments of the native coin, and whether some could not be seen. */
interface CoinsRead {
  readonly arrivals: readonly ObservedTransfer[];
  readonly unseen: boolean;
}

const NO_COINS: CoinsRead = { arrivals: [], unseen: false };

/**
 * Reads a range of blocks and the transfers to watched addresses in it.
 *
 * All reads are bound to the hashes of the headers that were read first, and the last header is read again at the end:
 * if the chain changes in the meantime, the scan fails and is repeated.
 */
export class RangeScanner {
  readonly #client: JsonRpcClient;
  readonly #logger: Logger;
  readonly #native: CurrencyCode | null;
  readonly #logs: TokenLogs;
  readonly #state: StateReader;
  readonly #balances: CoinBalances;
  readonly #hotKey: string | null;
  /** The same readers, for blocks that are read again before a credit. */
  readonly effects: BlockEffects;

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
    this.effects = new BlockEffects({ client, logger, logs: this.#logs, state: this.#state, native });
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
    const tokens = await verifyArrivals(movements, receipts, this.#state, this.#logger);
    const { arrivals, unseen } =
      this.#native === null ? NO_COINS : await this.#coins(this.#native, refs, coins, receipts, watch, options);
    const transfers = [...tokens, ...arrivals];
    await this.#confirmTip(refs.at(-1) as BlockRef);
    // Sorting is stable, so transfers of a block stay in the order of finding.
    return {
      blocks: refs,
      transfers: transfers.sort((a, b) => a.block.height - b.block.height),
      ...(unseen ? { unseen } : {}),
    };
  }

  async #coins(
    currency: CurrencyCode,
    refs: readonly BlockRef[],
    coins: readonly CoinTransaction[],
    receipts: ReadonlyMap<string, Receipt>,
    watch: WatchList,
    { thorough = false, ownPayments = false }: ScanOptions,
  ): Promise<CoinsRead> {
    // Gas for sweeps is left out here and counted as explained for the balances below: it is not a deposit.
    const payments = ownPayments ? coins : coins.filter(({ fromKey }) => fromKey !== this.#hotKey);
    const direct = directArrivals(payments, receipts, watch, currency);
    // The genesis block has no parent to compare balances with.
    if (thorough || refs[0]?.height === 0) return { arrivals: direct, unseen: false };
    const { rises, unseen } = await this.#balances.check(refs, watch.nativeKeys(), coinMoves(coins, receipts));
    const inside = await new InternalCoins(this.#client, this.#state, currency).locate(rises, refs);
    return { arrivals: [...direct, ...inside], unseen };
  }

  async #confirmTip(tip: BlockRef): Promise<void> {
    const now = await fetchBlock(this.#client, tip.height);
    if (now?.hash !== tip.hash) throw inconsistent(`block ${tip.height} changed while it was read`);
  }
}

function keyOf(address: string): string {
  return address.slice(2).toLowerCase();
}
