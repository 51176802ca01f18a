import { isRefusal, readSharedKind, refuse, replyWith } from '../../../core/index.ts';
import type { JsonRpcRequest, Refusal, SharedKind } from '../../../core/index.ts';
import type { LiveRoute } from '../live-route.ts';
import { rpcRefusal } from '../refusal-response.ts';
import type { SubscriptionHub } from './subscription-hub.ts';
import type { Subscriber, Subscription } from './subscribers.ts';

export interface SharedSessionDeps {
  readonly hub: SubscriptionHub;
  readonly live: LiveRoute;
  readonly traceId: string;
  /** Sends an answer to the client. */
  readonly answer: (text: string) => void;
  readonly subscriber: Subscriber;
  readonly onError: (error: unknown) => void;
}

/** The most subscriptions of one connection. */
const MAX_SUBSCRIPTIONS = 1_000;
const TOO_MANY: Partial<Refusal> = {
  message: `This connection has ${MAX_SUBSCRIPTIONS} subscriptions already; end one of them first.`,
  rpcCode: -32005,
};

/** The shared subscriptions of one client's connection. */
export class SharedSession {
  readonly #deps: SharedSessionDeps;
  readonly #subscriptions = new Map<string, Subscription>();
  /** Those that are not answered yet. */
  #asked = 0;
  #over = false;

  constructor(deps: SharedSessionDeps) {
    this.#deps = deps;
  }

  /**
   * Answers a request that is about shared subscriptions alone. False for every other one, which a node has to answer:
   * also for subscriptions in a batch, whose answer could come after their first notifications.
   */
  take({ batch, methods, params, ids }: JsonRpcRequest): boolean {
    const [method] = methods;
    if (!batch && method === 'eth_subscribe') {
      const [kind, [id = null]] = [readSharedKind(params[0]), ids];
      if (kind === null || id === null) return false;
      this.#subscribe(kind, id);
      return true;
    }
    const named = methods.map((each, at) => (each === 'eth_unsubscribe' ? this.#named(params[at]) : null));
    if (!named.every((subscription) => subscription !== null)) return false;
    const answers = named.map((subscription, at) => [this.#unsubscribe(subscription), ids[at] ?? null] as const);
    const texts = answers.flatMap(([known, id]) => (id === null ? [] : [replyWith(`"result":${known}`, id)]));
    if (texts.length > 0) this.#deps.answer(batch ? `[${texts.join(',')}]` : (texts[0] ?? ''));
    return true;
  }

  /** Ends all of them. */
  end(): void {
    this.#over = true;
    for (const subscription of this.#subscriptions.values()) this.#deps.hub.unsubscribe(this.#deps.live, subscription);
    this.#subscriptions.clear();
  }

  #subscribe(kind: SharedKind, id: string): void {
    const { hub, live, subscriber, answer, traceId } = this.#deps;
    if (this.#subscriptions.size + this.#asked >= MAX_SUBSCRIPTIONS) {
      answer(rpcRefusal(refuse('rate_limited', TOO_MANY), id, traceId));
      return;
    }
    this.#asked += 1;
    hub
      .subscribe(live, kind, subscriber, (subscribed) => {
        this.#asked -= 1;
        if (!('id' in subscribed))
          answer(isRefusal(subscribed) ? rpcRefusal(subscribed, id, traceId) : errorReply(subscribed, id));
        else if (this.#over) hub.unsubscribe(live, subscribed);
        else {
          this.#subscriptions.set(subscribed.id, subscribed);
          answer(replyWith(`"result":"${subscribed.id}"`, id));
        }
      })
      .catch((error: unknown) => this.#deps.onError(error));
  }

  /** Whether it was there still: a batch may name it twice. */
  #unsubscribe(subscription: Subscription): boolean {
    const known = this.#subscriptions.delete(subscription.id);
    if (known) this.#deps.hub.unsubscribe(this.#deps.live, subscription);
    return known;
  }

  /** The subscription of this connection that the parameters of `eth_unsubscribe` name; `null` for none. */
  #named(params: unknown): Subscription | null {
    if (!Array.isArray(params) || params.length !== 1) return null;
    const [id] = params as readonly unknown[];
    return typeof id === 'string' ? (this.#subscriptions.get(id) ?? null) : null;
  }
}

const errorReply = ({ errorText }: { readonly errorText: string }, id: string): string =>
  replyWith(`"error":${errorText}`, id);
