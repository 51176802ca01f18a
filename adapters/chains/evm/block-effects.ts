import type { BlockRef, ChainEffects, Logger, ObservedTransfer, RecordedTransfer } from '../../../core/index.ts';
import type { JsonRpcClient } from '../json-rpc.ts';
import { fetchBlock, fetchBlocks } from './blocks.ts';
import type { ReadBlock } from './blocks.ts';
import { coinMoves } from './coin-arrivals.ts';
import { sumOf } from './coin-balances.ts';
import { InternalCoins } from './internal-coins.ts';
import { recipientOf, TRANSFER_TOPIC } from './log-matching.ts';
import type { RawLog } from './log-matching.ts';
import { fetchReceipts } from './receipts.ts';
import { asArray, asHash, asObject, inconsistent } from './rpc-values.ts';
import type { StateReader } from './state-reader.ts';
import { verifyArrivals } from './token-arrivals.ts';
import type { TokenLogs } from './token-logs.ts';

const LOG_PLACE = /^\d+$/;
const INTERNAL = 'internal:';

/** The readers that the scans of the chain use too. */
export interface EffectReaders {
  readonly client: JsonRpcClient;
  readonly logger: Logger;
  readonly logs: TokenLogs;
  readonly state: StateReader;
  /** The currency of the native coin; `null` when it is not accepted. */
  readonly native: string | null;
}

/**
 * Reads the effects of transactions in one block from the block's own receipts and state. A transaction commits to the
 * `value` that it carries, but the block decides what a contract sends, tokens or coins.
 */
export class BlockEffects implements ChainEffects {
  readonly #readers: EffectReaders;

  constructor(readers: EffectReaders) {
    this.#readers = readers;
  }

  dependsOnBlock(index: string): boolean {
    return LOG_PLACE.test(index) || index.startsWith(INTERNAL);
  }

  async read(
    { height, hash }: Pick<BlockRef, 'height' | 'hash'>,
    recorded: readonly RecordedTransfer[],
  ): Promise<readonly ObservedTransfer[] | null> {
    const { client } = this.#readers;
    const internal = recorded.filter(({ index }) => index.startsWith(INTERNAL));
    const keys = new Set(internal.map(({ index }) => index.slice(INTERNAL.length)));
    const { blocks, coins } = await fetchBlocks(
      client,
      height,
      height,
      keys.size === 0 ? null : (key) => keys.has(key),
    );
    const [block] = blocks;
    if (block?.ref.hash !== hash) return null;
    const tokens = await this.#tokens(
      block,
      recorded.filter(({ index }) => LOG_PLACE.test(index)),
    );
    const moves = coinMoves(
      coins,
      await fetchReceipts(
        client,
        coins.map(({ txid }) => txid),
      ),
    );
    const found = await this.#coins(block.ref, keys, internal, moves);
    if ((await fetchBlock(client, height))?.hash !== hash)
      throw inconsistent(`block ${height} changed while it was read`);
    return [...tokens, ...found];
  }

  async #tokens(block: ReadBlock, recorded: readonly RecordedTransfer[]): Promise<readonly ObservedTransfer[]> {
    if (recorded.length === 0) return [];
    const { client, logger, logs, state } = this.#readers;
    const receivers = await this.#receivers(block, recorded);
    // Reads every log to these receivers in the block, because the logs share the increase of one balance.
    const movements = await logs.read([block], { has: (key) => receivers.has(key) });
    const wanted = [...movements.hits, ...movements.departures].map(({ txid }) => txid);
    const missing = wanted.filter((txid) => !movements.receipts.has(txid));
    const receipts = new Map([...movements.receipts, ...(await fetchReceipts(client, missing))]);
    const unproved = new Set<string>();
    const arrived = await verifyArrivals(movements, receipts, state, logger, unproved);
    const known = new Map(recorded.map((transfer) => [placeOf(transfer), transfer]));
    return arrived.flatMap((transfer) => {
      const place = placeOf(transfer);
      const before = known.get(place);
      if (before === undefined) return [];
      // Without the state of the block, its log is an upper bound of what arrived. A smaller amount was proved when
      // the transfer was recorded.
      const isBound = unproved.has(`${transfer.toKey}:${transfer.currency}`) && before.units < transfer.units;
      return [isBound ? { ...transfer, units: before.units } : transfer];
    });
  }

  /** The receivers of the logs at the recorded places, according to the receipts of this block. */
  async #receivers(block: ReadBlock, recorded: readonly RecordedTransfer[]): Promise<ReadonlySet<string>> {
    const txids = [...new Set(recorded.map(({ txid }) => txid))].filter((txid) => block.txids.includes(txid));
    const values = await this.#readers.client.batchResults(
      txids.map((txid) => ({ method: 'eth_getTransactionReceipt', params: [txid] })),
    );
    const logsOf = new Map<string, readonly unknown[]>();
    for (const [at, txid] of txids.entries()) {
      if (values[at] === null || values[at] === undefined) throw inconsistent(`the receipt of ${txid} is missing`);
      const receipt = asObject(values[at], 'a receipt');
      if (asHash(receipt['blockHash'], "a receipt's block") !== block.ref.hash)
        throw inconsistent(`the receipt of ${txid} is of another block`);
      logsOf.set(txid, asArray(receipt['logs'], "a receipt's logs"));
    }
    const receivers = new Set<string>();
    for (const { txid, index } of recorded) {
      const log = logsOf.get(txid)?.[Number(index)];
      const raw = log === undefined ? null : (asObject(log, 'a log') as RawLog);
      if (raw?.topics?.length === 3 && raw.topics[0] === TRANSFER_TOPIC) receivers.add(recipientOf(raw));
    }
    return receivers;
  }

  /**
   * Coins that contracts sent. They are confirmed when the block raised the balance by the amount, or when the address
   * holds the amount: at an address that was checked late, they are recorded in a later block than the one that brought
   * them.
   */
  async #coins(
    block: BlockRef,
    keys: ReadonlySet<string>,
    recorded: readonly RecordedTransfer[],
    moves: ReturnType<typeof coinMoves>,
  ): Promise<readonly ObservedTransfer[]> {
    const { client, logger, state, native } = this.#readers;
    if (native === null) return [];
    const parent = { height: block.height - 1, hash: block.parentHash };
    const found: ObservedTransfer[] = [];
    const order = [...keys];
    const balances = await state.coins(order.flatMap((key) => [parent, block].map((at) => ({ key, at }))));
    for (const [at, key] of order.entries()) {
      const own = recorded.filter(({ index }) => index === `${INTERNAL}${key}`);
      const [before = 'gone', after = 'gone'] = [balances[2 * at], balances[2 * at + 1]];
      const expected = own.reduce((sum, { units }) => sum + units, 0n);
      const explained = moves.get(key) ?? [];
      if (before === 'gone' || after === 'gone')
        logger.warn(
          'the node does not keep the state of this block: coins that a contract sent in it keep the amount of the first reading',
          {
            height: block.height,
          },
        );
      const isThere =
        before === 'gone' || after === 'gone' || after - sumOf(explained, before) >= expected || after >= expected;
      if (isThere) found.push(...own.map(({ address: _, ...transfer }) => ({ ...transfer, block, toKey: key })));
      else {
        const rise = { key, from: parent, to: block, fromUnits: before, toUnits: after, moves: explained };
        found.push(...(await new InternalCoins(client, state, native).locate([rise], [block])));
      }
    }
    return found;
  }
}

function placeOf({ txid, index }: Pick<RecordedTransfer, 'txid' | 'index'>): string {
  return `${txid}:${index}`;
}
