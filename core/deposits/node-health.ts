import { raiseAlert } from '../alerts/raise-alert.ts';
import type { AlertChannels } from '../alerts/raise-alert.ts';
import { isTillgateError } from '../kernel/errors.ts';
import type { Millis } from '../kernel/time.ts';
import type { BlockRef } from '../ports/block-ref.ts';
import type { ChainAdapter, NodeStatus } from '../ports/chain-adapter.ts';
import type { ChainState, ChainTrouble, TroubleKind } from '../ports/chain-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { Storage } from '../ports/storage.ts';

export interface NodeHealthDeps extends AlertChannels {
  readonly storage: Pick<Storage, 'chains'>;
  readonly clock: Clock;
}

/** What keeps a chain from being read up to now, and which of its nodes are the reason, where several are asked. */
export type FoundTrouble = Pick<ChainTrouble, 'kind' | 'text'> & { readonly nodes?: readonly string[] };

const NOTHING_SAID: Pick<NodeStatus, 'firstBlock' | 'disagreement'> = { firstBlock: 0 };

/** What passes by itself most times is stored, and an alert is raised, once it has lasted this long. */
const PATIENCE_MS = 300_000;
/** What does not pass soon. */
const AT_ONCE: ReadonlySet<TroubleKind> = new Set<TroubleKind>(['initial-download', 'pruned', 'disagreement']);

const NOT_READ = ' is not read up to now, and its orders do not expire';
const CONSEQUENCES: { readonly [Kind in TroubleKind]?: string } = {
  disagreement:
    ' credits nothing that its nodes disagree about, its orders do not expire, and its payments stop until they agree. ' +
    'Compare them with another node, and take the wrong one out of the settings',
};

/**
 * Judges whether a chain's node shows the present: a node that lags, downloads, has pruned what is to be read or fails
 * stops no chain and makes no payment late. It is stored with the chain, for every instance to see, and one alert
 * is raised.
 */
export class NodeHealth {
  readonly #chain: ChainAdapter;
  readonly #deps: NodeHealthDeps;
  #since: Millis | null = null;

  constructor(chain: ChainAdapter, deps: NodeHealthDeps) {
    this.#chain = chain;
    this.#deps = deps;
  }

  /** What the node says of itself; `null` where it says nothing. */
  async status(): Promise<NodeStatus | null> {
    return (await this.#chain.status?.()) ?? null;
  }

  /** Why a head may not be the network's latest block. */
  stale(status: NodeStatus | null, head: BlockRef, now: Millis): FoundTrouble | null {
    if (status?.disagreement != null) return { kind: 'disagreement', ...status.disagreement };
    if (status?.behind != null)
      return { kind: status.initialDownload ? 'initial-download' : 'lag', text: `the node ${status.behind}` };
    const { maxLagMs = null } = this.#chain.policy;
    if (maxLagMs === null || now - head.time <= maxLagMs) return null;
    return { kind: 'lag', text: `the node's latest block, ${head.height}, is of ${new Date(head.time).toISOString()}` };
  }

  /** A head below what was read before, on the same chain. */
  async behind(head: BlockRef, cursor: BlockRef): Promise<FoundTrouble> {
    const status = await this.status();
    const said = status?.behind == null ? '' : `; it ${status.behind}`;
    return {
      kind: status?.initialDownload === true ? 'initial-download' : 'lag',
      text: `the node's latest block is ${head.height}, and block ${cursor.height} was read already${said}`,
    };
  }

  /** Why a step failed, where the node is the reason; `null` otherwise. */
  async failed(error: unknown, cursor: BlockRef | null): Promise<FoundTrouble | null> {
    if (!isTillgateError(error, 'NODE_FAILED')) return null;
    const next = (cursor?.height ?? -1) + 1;
    const { firstBlock, disagreement } = await this.#said();
    if (disagreement != null) return { kind: 'disagreement', ...disagreement };
    if (next === 0 || firstBlock <= next) return { kind: 'failing', text: error.message };
    return {
      kind: 'pruned',
      text:
        `the node has pruned the blocks below ${firstBlock}, and block ${next} is to be read next: ` +
        'give the till a node that has it, or let this one download the chain again (bitcoind: -reindex, with a larger -prune)',
    };
  }

  /** Blocks were read: what was wrong before is over, whatever is found at the head. */
  progressed(): void {
    this.#since = null;
  }

  /** Stores a trouble that lasts, or that there is none any more. */
  async note({ trouble }: ChainState, found: FoundTrouble | null): Promise<void> {
    const { storage, clock, logger, metrics } = this.#deps;
    const { code, name } = this.#chain;
    if (found === null) {
      this.#since = null;
      if (trouble === null) return;
      await storage.chains.setTrouble(code, null);
      logger.info('the chain is read up to now again', { chain: code, after: trouble.kind });
      return;
    }
    const since = (this.#since ??= clock.now());
    const due = AT_ONCE.has(found.kind) || clock.now() - since >= PATIENCE_MS;
    if (!due || trouble?.kind === found.kind) return;
    const { kind, text, nodes = [] } = found;
    await storage.chains.setTrouble(code, { kind, text, since });
    for (const node of nodes) metrics.count('tillgate_node_disagreements_total', { chain: code, node });
    raiseAlert(this.#deps, 'node', `chain ${code}`, `${name}${CONSEQUENCES[kind] ?? NOT_READ}: ${text}.`);
  }

  async #said(): Promise<Pick<NodeStatus, 'firstBlock' | 'disagreement'>> {
    try {
      return (await this.status()) ?? NOTHING_SAID;
    } catch (error) {
      this.#deps.logger.debug('the node does not say how far back its blocks go', { error });
      return NOTHING_SAID;
    }
  }
}
