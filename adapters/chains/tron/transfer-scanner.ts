import type { CurrencyCode, ObservedTransfer, ScannedRange, WatchList } from '../../../core/index.ts';
import { tronAddress } from './tron-address.ts';
import { fetchBlocks } from './blocks.ts';
import type { TronBlock } from './blocks.ts';
import { peekContract, peekRecipient, readTransactionInfo, readTransferLog } from './transaction-info.ts';
import type { TronClient } from './tron-client.ts';
import { asArray, asHash, asObject, asTime, contradictory, inconsistent } from './tron-values.ts';

/**
 * Finds transfers of the configured contracts to watched addresses.
 *
 * Nodes return the outcomes of a block's transactions by height alone, so they are compared with the block that was
 * read: they must be of exactly the same transactions and have the same time. Otherwise a node on another branch, or
 * one that is not that far yet, would appear to have a block without payments.
 */
export class TransferScanner {
  readonly #client: TronClient;
  readonly #currencies: ReadonlyMap<string, CurrencyCode>;

  /** @param currencies - by the contract's key */
  constructor(client: TronClient, currencies: ReadonlyMap<string, CurrencyCode>) {
    this.#client = client;
    this.#currencies = currencies;
  }

  /**
   * @param txids - reads only these transactions; all when left out
   * @throws TillgateError `NODE_FAILED` when the node's answers contradict each other
   */
  async scan(
    from: number,
    to: number,
    watch: Pick<WatchList, 'has'>,
    txids: ReadonlySet<string> | null = null,
  ): Promise<ScannedRange> {
    const transfers: ObservedTransfer[] = [];
    const blocks = await fetchBlocks(this.#client, from, to, async (part) => {
      const found = await Promise.all(part.map((block) => this.#scanBlock(block, watch, txids)));
      transfers.push(...found.flat());
    });
    return { blocks, transfers };
  }

  async #scanBlock(
    block: TronBlock,
    watch: Pick<WatchList, 'has'>,
    txids: ReadonlySet<string> | null,
  ): Promise<readonly ObservedTransfer[]> {
    if (block.results.size === 0) return [];
    const { height } = block.ref;
    const infos = asArray(
      await this.#client.ask('/wallet/gettransactioninfobyblocknum', { num: height }),
      'the outcomes of a block',
    );
    if (infos.length !== block.results.size) {
      this.#client.distrust();
      throw inconsistent(`block ${height} has ${block.results.size} transactions, but ${infos.length} outcomes`);
    }
    // As many outcomes as transactions, all different, so none is missing.
    if (new Set(infos.map((info) => asObject(info, "a transaction's outcome")['id'])).size !== infos.length)
      throw contradictory(`an outcome of block ${height} is listed twice`);
    const wanted = infos.filter((info) => txids?.has(String(asObject(info, "a transaction's outcome")['id'])) ?? true);
    return wanted.flatMap((info) => this.#readOutcome(info, block, watch));
  }

  #readOutcome(value: unknown, block: TronBlock, watch: Pick<WatchList, 'has'>): readonly ObservedTransfer[] {
    const info = asObject(value, "a transaction's outcome");
    const txid = asHash(info['id'], 'transaction id');
    const result = block.results.get(txid);
    if (result === undefined || asTime(info['blockTimeStamp'], "a transaction's time") !== block.ref.time) {
      throw inconsistent(`block ${block.ref.height} changed while its transactions were read`);
    }
    const logs = asArray(info['log'] ?? [], 'the logs of a transaction');
    // Hardly any transaction of a busy chain is relevant, and the others are not read further.
    if (!logs.some((log) => this.#concerns(log, watch))) return [];
    if (result !== 'SUCCESS' || !readTransactionInfo(info).succeeded) return [];
    return logs.flatMap((log, index) =>
      this.#concerns(log, watch) ? this.#readTransfer(log, index, txid, block) : [],
    );
  }

  /** Checks the contract first: logs of other contracts are ignored. */
  #concerns(log: unknown, watch: Pick<WatchList, 'has'>): boolean {
    const contract = peekContract(log);
    if (contract === null || !this.#currencies.has(contract)) return false;
    const recipient = peekRecipient(log);
    return recipient !== null && watch.has(recipient);
  }

  #readTransfer(log: unknown, index: number, txid: string, { ref, signers }: TronBlock): readonly ObservedTransfer[] {
    const transfer = readTransferLog(log, index);
    const currency = transfer === null ? undefined : this.#currencies.get(transfer.contractKey);
    // A transfer of an address to itself is not a deposit.
    if (transfer === null || currency === undefined || transfer.units === 0n || transfer.fromKey === transfer.toKey)
      return [];
    const { fromKey, toKey, units } = transfer;
    // For payments through a contract no sender is named: the address in the log may have no key.
    const from = signers.get(txid) === fromKey ? tronAddress(fromKey) : null;
    return [{ txid, index: String(index), block: ref, currency, units, from, toKey }];
  }
}
