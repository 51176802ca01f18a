import { CallsInFlight, refuse } from '../../../core/index.ts';
import type { JsonRpcRequest } from '../../../core/index.ts';
import { guarded } from '../guard-methods.ts';
import { isOutOfUse } from '../live-route.ts';
import type { LiveRoute } from '../live-route.ts';
import { rpcRefusals } from '../refusal-response.ts';
import type { Upstream } from '../upstream.ts';
import type { BridgeHelper, WebSocketBridge } from '../websocket-bridge.ts';
import { WebSocketOpening } from '../websocket-opening.ts';
import type { OpenedWebSocket, WantedWebSocket } from '../websocket-opening.ts';
import { SharedSession } from './shared-session.ts';
import type { SubscriptionHub } from './subscription-hub.ts';

export interface SurvivingCallsDeps {
  readonly hub: SubscriptionHub;
  /** The route as it is now; `null` once it is gone or disabled. */
  readonly live: () => LiveRoute | null;
}

/** The pauses before each further round in which an upstream is looked for. */
const PAUSES_MS = [100, 250, 500, 1_000, 2_000, 4_000];
const LOST = refuse('upstream_unavailable', {
  message: 'The connection to the node ended before it answered; try again.',
  rpcCode: -32005,
});

/**
 * Keeps a client's connection while its upstream connection is replaced: calls without an answer are sent again where
 * they are reads, and answered with an error otherwise. Its subscriptions are shared.
 */
export class SurvivingCalls implements BridgeHelper {
  readonly #bridge: WebSocketBridge;
  readonly #deps: SurvivingCallsDeps;
  readonly #session: SharedSession;
  readonly #calls = new CallsInFlight();
  readonly #wanted: WantedWebSocket;
  #upstream: Upstream;
  #opening: WebSocketOpening | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** Whether the client has a subscription at its own upstream, which ends with that. */
  #pinned = false;

  constructor(
    bridge: WebSocketBridge,
    live: LiveRoute,
    { upstream, connection }: OpenedWebSocket,
    deps: SurvivingCallsDeps,
  ) {
    this.#bridge = bridge;
    this.#deps = deps;
    this.#upstream = upstream;
    // The client has this subprotocol now, so every further upstream has to speak it.
    this.#wanted = { rest: '/', protocols: connection.protocol === '' ? [] : [connection.protocol] };
    this.#session = new SharedSession({
      hub: deps.hub,
      live,
      traceId: bridge.context.traceId,
      answer: (text) => bridge.answer(text),
      subscriber: {
        notify: (id, result) =>
          bridge.notify(
            `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":${result}}}`,
          ),
        lost: () => bridge.close(1013, 'subscription_lost'),
      },
      onError: (error) => bridge.abort(error),
    });
  }

  take(request: JsonRpcRequest): boolean {
    return this.#session.take(request);
  }

  sent(request: JsonRpcRequest): void {
    this.#calls.sent(request);
  }

  received(bytes: Buffer): void {
    if (this.#calls.count === 0) return;
    const text = bytes.toString('utf8');
    if (this.#calls.answered(text)?.subscribes === true) this.#pinned ||= text.includes('"result"');
  }

  lostUpstream(): boolean {
    if (this.#pinned) return false;
    this.#replace([this.#upstream]);
    return true;
  }

  /** Leaves an upstream that the route no longer has, or that is cordoned, once nothing is owed by it. */
  check(): void {
    const live = this.#deps.live();
    const idle = !this.#pinned && this.#calls.count === 0 && this.#opening === null && this.#timer === null;
    if (idle && live !== null && isOutOfUse(live, this.#upstream)) this.#bridge.leaveUpstream();
  }

  end(): void {
    this.#session.end();
    this.#opening?.abandon();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #replace(left: readonly Upstream[]): void {
    const { again, lost } = this.#calls.take();
    for (const call of lost) this.#bridge.answer(rpcRefusals(call, LOST, this.#bridge.context.traceId));
    this.#open(left, 0, () => {
      for (const call of again) {
        this.#calls.sentAgain(call);
        this.#bridge.forward(call.text ?? '');
      }
    });
  }

  #open(tried: readonly Upstream[], round: number, onOpen: () => void): void {
    this.#timer = null;
    const live = this.#deps.live();
    if (live === null) {
      this.#bridge.close(1001, 'route_disabled');
      return;
    }
    this.#opening = new WebSocketOpening(live, this.#wanted, {
      onOpen: (opened) => {
        this.#opening = null;
        const { upstream, connection } = opened;
        if (connection.protocol === (this.#wanted.protocols[0] ?? '')) {
          this.#upstream = upstream;
          this.#bridge.use(opened, onOpen);
          return;
        }
        connection.terminate();
        this.#open([...tried, upstream], round, onOpen);
      },
      onUnavailable: () => {
        this.#opening = null;
        const waitMs = PAUSES_MS[round];
        const next = guarded(this.#bridge, () => this.#open([], round + 1, onOpen));
        if (waitMs === undefined) this.#bridge.close(1011, 'upstream_unavailable');
        else this.#timer = setTimeout(next, waitMs).unref();
      },
      onError: (error) => this.#bridge.abort(error),
    });
    this.#opening.start(tried);
  }
}
