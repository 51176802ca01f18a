import { present } from '../../../core/index.ts';
import type { ChainMempool, PendingTransfer, PendingTransfers, WatchList } from '../../../core/index.ts';
import { valuesOf } from './node-group.ts';
import type { NodeGroup } from './node-group.ts';

/**
 * The transactions in the mempools of enough nodes. Mempools differ without being wrong, so this is no disagreement.
 */
export class QuorumMempool implements ChainMempool {
  readonly #group: NodeGroup;

  constructor(group: NodeGroup) {
    this.#group = group;
  }

  async pending(watch: () => Promise<WatchList>): Promise<PendingTransfers> {
    let asked: Promise<WatchList> | null = null;
    const once = (): Promise<WatchList> => (asked ??= watch());
    const answers = await this.#group.ask((chain) => present(chain.mempool, 'a mempool').pending(once), 'mempool');
    const seen = new Map<string, PendingTransfer[]>();
    let complete = true;
    for (const found of valuesOf(answers)) {
      complete &&= found.complete;
      for (const transfer of found.transfers) {
        const { txid, index, toKey, currency, units } = transfer;
        const key = `${txid} ${index} ${toKey} ${currency} ${units}`;
        seen.set(key, [...(seen.get(key) ?? []), transfer]);
      }
    }
    const enough = [...seen.values()].filter(({ length }) => length >= this.#group.quorum);
    return { transfers: enough.map(latest), complete };
  }
}

/** The transfer with the time at which enough nodes had it. */
function latest(same: readonly PendingTransfer[]): PendingTransfer {
  const [first, ...others] = same;
  return others.reduce(
    (last, each) => ((each.seenAt ?? Infinity) > (last.seenAt ?? Infinity) ? each : last),
    present(first, 'a transfer'),
  );
}
