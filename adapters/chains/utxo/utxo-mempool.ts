import type {
  ChainMempool,
  CurrencyCode,
  Logger,
  Millis,
  PendingTransfer,
  PendingTransfers,
  WatchList,
} from '../../../core/index.ts';
import { TillgateError } from '../../../core/index.ts';
import { findOutputs } from './block-deposits.ts';
import { asArray, asCount, asHash, asHex, asObject } from './node-values.ts';
import { refusedWith } from './utxo-node.ts';
import type { UtxoNode } from './utxo-node.ts';

/** Transactions read in one look: a node's whole mempool, at the start, is read in some of them. */
const READ_AT_MOST = 5_000;
/** Calls in one request; this many transactions of the largest relayed size stay well below the reply limit. */
const AT_ONCE = 50;
const METHOD_NOT_FOUND = -32_601;

type Undated = Omit<PendingTransfer, 'seenAt'>;

/**
 * The mempool of one node. Each transaction is fetched and read once, when it is new. Only the ids of current ones are kept, so
 * that this grows no further than the node's own mempool.
 */
export class UtxoMempool implements ChainMempool {
  readonly #node: UtxoNode;
  readonly #currency: CurrencyCode;
  readonly #logger: Logger;
  #read: ReadonlySet<string> = new Set();
  readonly #ours = new Map<string, readonly PendingTransfer[]>();
  #warned = false;

  constructor(node: UtxoNode, currency: CurrencyCode, logger: Logger) {
    this.#node = node;
    this.#currency = currency;
    this.#logger = logger;
  }

  /** @throws TillgateError `NODE_FAILED`, also while the node is still loading its mempool after a restart */
  async pending(watch: () => Promise<WatchList>): Promise<PendingTransfers> {
    const listed = await this.#list();
    const fresh = listed.filter((txid) => !this.#read.has(txid));
    const reading = fresh.slice(0, READ_AT_MOST);
    const missed = new Set(fresh.slice(READ_AT_MOST));
    // Read after the list: an address in it was assigned before the payment.
    const watched = reading.length === 0 ? null : await watch();
    for (let at = 0; watched !== null && at < reading.length; at += AT_ONCE) {
      for (const txid of await this.#readSome(reading.slice(at, at + AT_ONCE), watched)) missed.add(txid);
    }
    const waiting = new Set(listed);
    for (const txid of this.#ours.keys()) if (!waiting.has(txid)) this.#ours.delete(txid);
    for (const txid of missed) waiting.delete(txid);
    this.#read = waiting;
    return { transfers: [...this.#ours.values()].flat(), complete: fresh.length <= READ_AT_MOST };
  }

  async #list(): Promise<readonly string[]> {
    // An incomplete list is not returned: transactions missing from it would seem to have disappeared.
    const { loaded } = asObject(await this.#node.call('getmempoolinfo'), 'the mempool');
    if (loaded === false)
      throw new TillgateError('NODE_FAILED', 'The node is still loading its mempool after its start.');
    try {
      return asArray(await this.#node.call('getrawmempool'), 'what waits to be mined').map((txid) =>
        asHash(txid, 'a transaction’s id'),
      );
    } catch (error) {
      if (!refusedWith(error, METHOD_NOT_FOUND)) throw error;
      if (!this.#warned)
        this.#logger.warn('the node does not return its mempool: payments count from the time of their block');
      this.#warned = true;
      return [];
    }
  }

  /** @returns the transactions that have left the mempool in the meantime */
  async #readSome(txids: readonly string[], watch: WatchList): Promise<readonly string[]> {
    const replies = await this.#node.batch(txids.map((txid) => ({ method: 'getrawtransaction', params: [txid] })));
    const left: string[] = [];
    const ours = new Map<string, readonly Undated[]>();
    for (const [at, txid] of txids.entries()) {
      const reply = replies[at];
      if (reply === undefined || reply.problem !== null) left.push(txid);
      else {
        const transfers = this.#transfers(txid, Buffer.from(asHex(reply.result, `transaction ${txid}`), 'hex'), watch);
        if (transfers.length > 0) ours.set(txid, transfers);
      }
    }
    const times = await this.#times([...ours.keys()]);
    for (const [txid, transfers] of ours)
      this.#ours.set(
        txid,
        transfers.map((transfer) => ({ ...transfer, seenAt: times.get(txid) ?? null })),
      );
    return left;
  }

  #transfers(txid: string, bytes: Buffer, watch: WatchList): readonly Undated[] {
    // A transaction that cannot be read, such as one of Litecoin's extension, is found in its block.
    const outputs = findOutputs(bytes, txid, (key) => watch.has(key)) ?? [];
    return outputs
      .filter(({ units }) => units > 0n)
      .map(({ number, units, key }) => ({
        txid,
        index: String(number),
        currency: this.#currency,
        units,
        from: null,
        toKey: key,
      }));
  }

  /** The times when the node first had each transaction, by its own clock. */
  async #times(txids: readonly string[]): Promise<ReadonlyMap<string, Millis>> {
    const times = new Map<string, Millis>();
    if (txids.length === 0) return times;
    const replies = await this.#node.batch(txids.map((txid) => ({ method: 'getmempoolentry', params: [txid] })));
    for (const [at, { result, problem }] of replies.entries()) {
      const txid = txids[at];
      if (txid !== undefined && problem === null)
        times.set(txid, asCount(asObject(result, 'a waiting transaction')['time'], 'its time') * 1_000);
    }
    return times;
  }
}
