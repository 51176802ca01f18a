import type { Logger, RouteId, SharedKind } from '../../../core/index.ts';
import type { Abortable } from '../guard-methods.ts';
import type { LiveRoute, LiveRoutes } from '../live-route.ts';
import { RouteFeed } from './route-feed.ts';
import type { Subscribed } from './route-feed.ts';
import type { Subscriber, Subscription } from './subscribers.ts';

export interface SubscriptionHubDeps {
  readonly routes: LiveRoutes;
  readonly logger: Logger;
  /** After this time without a block, in milliseconds, it is checked whether a node is behind; `null` for the chain's. */
  readonly silenceMs: number | null;
}

/** The shared subscriptions of all routes: a feed for each route that has any. */
export class SubscriptionHub implements Abortable {
  readonly #deps: SubscriptionHubDeps;
  readonly #feeds = new Map<RouteId, RouteFeed>();

  constructor(deps: SubscriptionHubDeps) {
    this.#deps = deps;
  }

  /** @param answer - called with the result, before the first notification */
  subscribe(
    live: LiveRoute,
    kind: SharedKind,
    subscriber: Subscriber,
    answer: (subscribed: Subscribed) => void,
  ): Promise<void> {
    return this.#feedOf(live).subscribe(kind, subscriber, answer);
  }

  unsubscribe({ route: { id } }: LiveRoute, subscription: Subscription): void {
    this.#feeds.get(id)?.unsubscribe(subscription);
  }

  /** An internal error of a check, which the next one may not have. */
  abort(error: unknown): void {
    this.#deps.logger.error('a shared subscription failed', { error });
  }

  /** Called at intervals. */
  check(now: number): void {
    for (const feed of this.#feeds.values()) feed.check(now);
  }

  close(): void {
    for (const feed of this.#feeds.values()) feed.close();
    this.#feeds.clear();
  }

  #feedOf({ route: { id }, chain }: LiveRoute): RouteFeed {
    const present = this.#feeds.get(id);
    if (present !== undefined) return present;
    const { routes, logger, silenceMs } = this.#deps;
    const feed: RouteFeed = new RouteFeed({
      live: () => routes.byId(id),
      logger,
      silenceMs: silenceMs ?? chain.silenceMs,
      onEmpty: () => {
        if (this.#feeds.get(id) === feed) this.#feeds.delete(id);
      },
    });
    this.#feeds.set(id, feed);
    return feed;
  }
}
