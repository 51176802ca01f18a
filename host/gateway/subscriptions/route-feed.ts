import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { ChainFeed, refuse } from '../../../core/index.ts';
import type { BlockHeader, Logger, Refusal, SharedKind } from '../../../core/index.ts';
import { isOutOfUse } from '../live-route.ts';
import type { LiveRoute } from '../live-route.ts';
import type { Upstream } from '../upstream.ts';
import { PLAIN_WEBSOCKET, WebSocketOpening } from '../websocket-opening.ts';
import type { OpenedWebSocket } from '../websocket-opening.ts';
import { NodeBlocks } from './node-blocks.ts';
import { FeedSession } from './feed-session.ts';
import { NodeConnection, NodeError } from './node-connection.ts';
import { Subscribers } from './subscribers.ts';
import type { Subscriber, Subscription } from './subscribers.ts';

export interface RouteFeedDeps {
  /** The route as it is now; `null` once it is gone or disabled. */
  readonly live: () => LiveRoute | null;
  readonly logger: Logger;
  /** After this time without a block, in milliseconds, it is checked whether the node is behind. */
  readonly silenceMs: number;
  /** Called when the last client has left. */
  readonly onEmpty: () => void;
}

/** What a client gets for `eth_subscribe`: its subscription, a refusal of the gateway, or an error of the node as JSON. */
export type Subscribed = Subscription | Trouble;
type Trouble = Refusal | { readonly errorText: string };

/** The most different filters of logs of a route. */
const MAX_FILTERS = 1_000;
/** The pauses between two rounds in which no upstream could be reached, the last one again and again. */
const PAUSES_MS = [100, 250, 500, 1_000];
/** After this time without any node, clients are closed. */
const GIVE_UP_MS = 15_000;
/** The same after this many rounds in which nodes answered, and could not be continued with. */
const MAX_FAULTS = 3;

/** A node that does not answer the gateway's own calls for this time, in milliseconds, is left. */
const MAX_CALL_MS = 10_000;

const timeoutOf = ({ route }: LiveRoute): number => Math.min(MAX_CALL_MS, route.timeouts.firstByteMs);

const TOO_MANY_FILTERS: Partial<Refusal> = {
  message: `This gateway has subscriptions with ${MAX_FILTERS} different filters of logs already.`,
  rpcCode: -32005,
};

/**
 * The shared subscriptions of one route. It reads blocks from one upstream, and goes on with another one where that ends,
 * is behind, or says what does not fit. It ends with its last client.
 */
export class RouteFeed {
  readonly #deps: RouteFeedDeps;
  readonly #subscribers = new Subscribers();
  readonly #feed = new ChainFeed(this.#subscribers);
  /** The node's ids of the subscriptions to pending transactions, by key. */
  readonly #pending = new Map<string, Promise<string>>();
  readonly #closing = new AbortController();
  #session: FeedSession | null = null;
  /** Whether the session delivers. */
  #ready = false;
  #waiting: (() => void)[] = [];
  /** The clients that are about to subscribe. */
  #joining = 0;
  /** Why nobody can subscribe at the moment. */
  #trouble: Trouble = refuse('upstream_unavailable');
  #probing = false;

  constructor(deps: RouteFeedDeps) {
    this.#deps = deps;
    this.#run().catch((error: unknown) => {
      deps.logger.error('a shared subscription failed', { error });
      this.#giveUp();
      this.close();
    });
  }

  /**
   * Subscribes a client as soon as blocks are delivered.
   *
   * @param answer - called with the result, before the first notification
   */
  async subscribe(kind: SharedKind, subscriber: Subscriber, answer: (subscribed: Subscribed) => void): Promise<void> {
    this.#joining += 1;
    if (!this.#ready) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const refusal = this.#ready ? await this.#prepare(kind) : this.#trouble;
    this.#joining -= 1;
    if (refusal === null) {
      const id = `0x${randomBytes(16).toString('hex')}`;
      const subscription: Subscription = { id, kind, subscriber, since: this.#feed.turn };
      this.#subscribers.add(subscription);
      answer(subscription);
    } else answer(refusal);
    this.#endIfUnused();
  }

  /** Why a client cannot subscribe; `null` when it can. */
  async #prepare(kind: SharedKind): Promise<Trouble | null> {
    if (kind.kind === 'newPendingTransactions') {
      try {
        await this.#followPending(kind);
      } catch (error) {
        return error instanceof NodeError ? { errorText: error.errorText } : refuse('upstream_unavailable');
      }
    } else if (!this.#subscribers.has(kind) && kind.kind === 'logs' && this.#subscribers.filters >= MAX_FILTERS)
      return refuse('rate_limited', TOO_MANY_FILTERS);
    return null;
  }

  unsubscribe(subscription: Subscription): void {
    this.#subscribers.remove(subscription);
    const { kind } = subscription;
    const followed = this.#pending.get(kind.key);
    if (followed !== undefined && !this.#subscribers.has(kind)) {
      this.#pending.delete(kind.key);
      const node = this.#session?.node;
      followed.then(
        (id) => node?.unsubscribe(id),
        () => undefined,
      );
    }
    this.#endIfUnused();
  }

  /** Ends the feed unless somebody has, or waits for, a subscription. */
  #endIfUnused(): void {
    if (!this.#subscribers.isEmpty || this.#joining > 0 || this.#closing.signal.aborted) return;
    this.close();
    this.#deps.onEmpty();
  }

  /** Called at each check: moves on from an upstream that was removed, cordoned or is silent. */
  check(now: number): void {
    const session = this.#session;
    if (session === null) return;
    const live = this.#deps.live();
    if (live === null || isOutOfUse(live, session.node.upstream)) session.node.close();
    else if (this.#ready && !this.#probing && now - session.heardAt > this.#deps.silenceMs)
      void this.#probe(session, live);
  }

  close(): void {
    this.#closing.abort();
    this.#session?.node.close();
    this.#wakeAll();
  }

  async #run(): Promise<void> {
    let tried: Upstream[] = [];
    let faulty = false;
    let faults = 0;
    let rounds = 0;
    let lostAt = performance.now();
    while (!this.#closing.signal.aborted) {
      const live = this.#deps.live();
      const opened = live === null ? null : await this.#open(live, tried);
      if (this.#closing.signal.aborted) opened?.connection.terminate();
      else if (live === null || opened === null) {
        // Each node was asked. Where those that could be read cannot be continued with again and again, nobody can.
        faults = faulty ? faults + 1 : 0;
        if (faults === MAX_FAULTS || performance.now() - lostAt > GIVE_UP_MS) this.#giveUp();
        else this.#wakeAll();
        [tried, faulty] = [[], false];
        const waitMs = PAUSES_MS[Math.min(rounds, PAUSES_MS.length - 1)];
        rounds += 1;
        await pause(waitMs, undefined, { ref: false, signal: this.#closing.signal }).catch(() => undefined);
      } else {
        const node = new NodeConnection(opened, timeoutOf(live));
        const session = new FeedSession(node, this.#feed);
        const fault = await this.#follow(session);
        if (session.wasUseful) [tried, faulty, faults, rounds, lostAt] = [[], false, 0, 0, performance.now()];
        else faulty ||= fault;
        tried.push(opened.upstream);
      }
    }
  }

  /** Reads from a node until it ends. @returns whether it was the node's fault */
  async #follow(session: FeedSession): Promise<boolean> {
    this.#session = session;
    try {
      const end = await session.run(() => this.#begin(session));
      if (session.refusal !== null) this.#trouble = { errorText: session.refusal };
      return end === 'fault';
    } catch (error) {
      this.#deps.logger.error('a shared subscription failed', { error });
      return true;
    } finally {
      session.node.close();
      this.#session = null;
      this.#ready = false;
      this.#pending.clear();
    }
  }

  async #begin(session: FeedSession): Promise<void> {
    // Those of the node before go on at this one; what it does not offer ends.
    for (const kind of this.#subscribers.pendingKinds())
      await this.#followPending(kind, session).catch((error: unknown) => {
        if (!(error instanceof NodeError)) throw error;
        for (const subscriber of this.#subscribers.removeKind(kind)) subscriber.lost();
      });
    this.#ready = true;
    this.#wakeAll();
  }

  #followPending(kind: SharedKind, session = this.#session): Promise<string> {
    const present = this.#pending.get(kind.key);
    if (present !== undefined) return present;
    if (session === null || kind.kind !== 'newPendingTransactions') throw new Error('nothing to follow');
    const params = kind.full ? [kind.kind, true] : [kind.kind];
    const followed = session.node.subscribe(params, (result) =>
      this.#subscribers.pending(kind.key, JSON.stringify(result ?? null)),
    );
    this.#pending.set(kind.key, followed);
    followed.catch(() => this.#pending.get(kind.key) === followed && this.#pending.delete(kind.key));
    return followed;
  }

  /** Leaves a node that announces nothing while it, or another one, has newer blocks. */
  async #probe(session: FeedSession, live: LiveRoute): Promise<void> {
    this.#probing = true;
    const { heardAt } = session;
    try {
      const head = this.#feed.head ?? Infinity;
      const own = await new NodeBlocks(session.node).latest();
      const other = (own?.number ?? 0) > head ? own : await this.#latestOfAnother(live, session.node.upstream);
      // It may have announced a block in the meantime.
      if (session.heardAt === heardAt && (other?.number ?? 0) > head) session.node.close();
      else session.heardAt = performance.now();
    } catch {
      // The connection has ended, which the session notices itself.
    } finally {
      this.#probing = false;
    }
  }

  async #latestOfAnother(live: LiveRoute, upstream: Upstream): Promise<BlockHeader | null> {
    const opened = await this.#open(live, [upstream]);
    if (opened === null) return null;
    const node = new NodeConnection(opened, timeoutOf(live));
    try {
      return await new NodeBlocks(node).latest();
    } catch {
      return null;
    } finally {
      node.close();
    }
  }

  #open(live: LiveRoute, tried: readonly Upstream[]): Promise<OpenedWebSocket | null> {
    return new Promise((resolve) => {
      new WebSocketOpening(live, PLAIN_WEBSOCKET, {
        onOpen: resolve,
        onUnavailable: () => resolve(null),
        onError: (error) => {
          this.#deps.logger.error('a shared subscription failed', { error });
          resolve(null);
        },
      }).start(tried);
    });
  }

  /** Nobody can be told what was missed: every client is closed, and the feed begins anew. */
  #giveUp(): void {
    for (const subscriber of this.#subscribers.clear()) subscriber.lost();
    this.#feed.restart();
    this.#wakeAll();
    this.#endIfUnused();
  }

  #wakeAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
