import { raiseAlert } from '../notify/index.ts';
import type { AlertChannels } from '../notify/index.ts';
import { isTillgateError } from '../kernel/index.ts';
import type { BlockRef, Clock, Millis, Storage } from '../kernel/index.ts';
import type { ChainAdapter, ChainState, ChainTrouble, NodeStatus, TroubleKind } from '../chain/index.ts';
import { isContradiction } from './contradiction.ts';
import { UNREAD_ALERT_MS } from '../chain/index.ts';

export interface NodeHealthDeps extends AlertChannels {
  readonly storage: Pick<Storage, 'chains'>;
  readonly clock: Clock;
}

/** What prevents a chain from being read up to the present, and the responsible nodes where there are several. */
export type FoundTrouble = Pick<ChainTrouble, 'kind' | 'text'> & { readonly nodes?: readonly string[] };

const NOTHING_SAID: Pick<NodeStatus, 'firstBlock' | 'disagreement'> = { firstBlock: 0 };

/**
 * Troubles that usually end by themselves, while blocks may still be read, are stored and raise an alert after this
 * long, in milliseconds.
 */
const PATIENCE_MS = 300_000;
/** A failing node shows no block at all, so this is as short as the watchdog's delay. */
const FAILING_PATIENCE_MS = UNREAD_ALERT_MS;
/** Troubles that do not end soon. */
const AT_ONCE: ReadonlySet<TroubleKind> = new Set<TroubleKind>([
  'initial-download',
  'pruned',
  'disagreement',
  'unseen',
]);

const NOT_READ = ' has not been read to its head, so its orders do not expire';
const CONSEQUENCES: { readonly [Kind in TroubleKind]?: string } = {
  disagreement:
    ' has nodes that disagree: the deposits in question are not credited, orders do not expire, and payouts stop until the nodes agree. ' +
    'Compare them with another node, and remove the wrong one from the settings',
  unseen:
    ' has blocks in which coins sent by contracts could not be seen; its orders do not expire until such coins have been found by the balances of addresses',
};

/**
 * Judges whether a chain's node shows the present. A node that lags, downloads, has pruned the next blocks, or fails,
 * neither stops the chain nor makes payments late. The trouble is stored with the chain, for every instance to see, and
 * one alert is raised.
 */
export class NodeHealth {
  readonly #chain: ChainAdapter;
  readonly #deps: NodeHealthDeps;
  #since: Millis | null = null;
  /** The trouble for which this instance has raised an alert. */
  #told: TroubleKind | null = null;

  constructor(chain: ChainAdapter, deps: NodeHealthDeps) {
    this.#chain = chain;
    this.#deps = deps;
  }

  /** The node's report about itself; `null` where the adapter has none. */
  async status(): Promise<NodeStatus | null> {
    return (await this.#chain.status?.()) ?? null;
  }

  /** Why a head may not be the network's latest block; `null` when it is. */
  stale(status: NodeStatus | null, head: BlockRef, now: Millis): FoundTrouble | null {
    if (status?.disagreement != null) return { kind: 'disagreement', ...status.disagreement };
    if (status?.behind != null)
      return { kind: status.initialDownload ? 'initial-download' : 'lag', text: `the node ${status.behind}` };
    const { maxLagMs = null } = this.#chain.policy;
    if (maxLagMs === null || now - head.time <= maxLagMs) return null;
    return {
      kind: 'lag',
      text: `the node's latest block, ${head.height}, has the time ${new Date(head.time).toISOString()}`,
    };
  }

  /** The trouble of a node whose head is below what was read before, on the same chain. */
  async behind(head: BlockRef, cursor: BlockRef): Promise<FoundTrouble> {
    const status = await this.status();
    const said = status?.behind == null ? '' : `; it ${status.behind}`;
    return {
      kind: status?.initialDownload === true ? 'initial-download' : 'lag',
      text: `the node's latest block is ${head.height}, but block ${cursor.height} was already read${said}`,
    };
  }

  /** The reason for a failed step, where the node is the cause; `null` otherwise. */
  async failed(error: unknown, cursor: BlockRef | null): Promise<FoundTrouble | null> {
    if (!isTillgateError(error, 'NODE_FAILED')) return null;
    const next = (cursor?.height ?? -1) + 1;
    const { firstBlock, disagreement } = await this.#said();
    if (disagreement != null) return { kind: 'disagreement', ...disagreement };
    if (isContradiction(error))
      return { kind: 'disagreement', text: error.message.replace(/\.$/, ''), nodes: this.#only };
    if (next === 0 || firstBlock <= next) return { kind: 'failing', text: error.message };
    return {
      kind: 'pruned',
      text:
        `the node has pruned the blocks below ${firstBlock}, and block ${next} is to be read next: ` +
        'configure a node that has it, or let this one download the chain again (bitcoind: -reindex, with a larger -prune)',
    };
  }

  /** Stores at once why following could not start. The watchdog raises the alert. */
  async notStarted(error: unknown): Promise<void> {
    const { storage, clock, logger } = this.#deps;
    const { code } = this.#chain;
    try {
      const former = (await storage.chains.state(code))?.trouble ?? null;
      const text = error instanceof Error ? error.message : String(error);
      if (former?.text === text) return;
      await storage.chains.setTrouble(code, { kind: 'failing', text, since: former?.since ?? clock.now() });
    } catch (failure) {
      // The caller must get the first error.
      logger.warn('the reason why a chain is not read could not be stored', { chain: code, error: failure });
    }
  }

  /** Records that blocks were read, which ends earlier troubles. */
  progressed(): void {
    this.#since = null;
  }

  /** Stores a trouble that lasts, or that there is none any more. */
  async note({ trouble }: ChainState, found: FoundTrouble | null): Promise<void> {
    const { storage, clock, logger, metrics } = this.#deps;
    const { code, name } = this.#chain;
    if (found === null) {
      this.#since = null;
      this.#told = null;
      if (trouble === null) return;
      await storage.chains.setTrouble(code, null);
      logger.info('the chain is read up to now again', { chain: code, after: trouble.kind });
      return;
    }
    const since = (this.#since ??= clock.now());
    const patienceMs = found.kind === 'failing' ? FAILING_PATIENCE_MS : PATIENCE_MS;
    const due = AT_ONCE.has(found.kind) || clock.now() - since >= patienceMs;
    // Another instance may have stored the trouble and stopped before its alert, so this instance raises its own.
    if (!due || (trouble?.kind === found.kind && this.#told === found.kind)) return;
    const { kind, text, nodes = [] } = found;
    await storage.chains.setTrouble(code, { kind, text, since });
    for (const node of nodes) metrics.count('tillgate_node_disagreements_total', { chain: code, node });
    raiseAlert(this.#deps, 'node', `chain ${code}`, `${name}${CONSEQUENCES[kind] ?? NOT_READ}: ${text}.`);
    this.#told = kind;
  }

  /** The host of the chain's node, where there is only one: with several, any of them may have answered. */
  get #only(): readonly string[] {
    const hosts = this.#chain.nodes?.hosts ?? [];
    return hosts.length === 1 ? hosts : [];
  }

  async #said(): Promise<Pick<NodeStatus, 'firstBlock' | 'disagreement'>> {
    try {
      return (await this.status()) ?? NOTHING_SAID;
    } catch (error) {
      this.#deps.logger.debug('the node did not report its oldest stored block', { error });
      return NOTHING_SAID;
    }
  }
}
