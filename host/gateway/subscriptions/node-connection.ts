import { WebSocket } from 'ws';
import type { RawData } from 'ws';
import { guarded } from '../guard-methods.ts';
import type { Abortable } from '../guard-methods.ts';
import type { Upstream } from '../upstream.ts';
import { onFlood } from '../websocket-opening.ts';
import type { OpenedWebSocket } from '../websocket-opening.ts';

/** The error member of a node's reply, as JSON. */
export class NodeError extends Error {
  readonly errorText: string;

  constructor(errorText: string) {
    super('The node answered with an error.');
    this.errorText = errorText;
  }
}

/** The connection ended, or the node did not answer in time or in a readable form. */
export class NodeGone extends Error {}

interface PendingCall {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
  /** Set for a call of `eth_subscribe`. */
  readonly onNotification: ((result: unknown) => void) | null;
}

interface NodeMessage {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

/** JSON-RPC with a node over a WebSocket of the gateway's own. A message that cannot be read ends the connection. */
export class NodeConnection implements Abortable {
  readonly upstream: Upstream;
  /** Resolves once the connection has ended. */
  readonly ended: Promise<void>;
  readonly #connection: WebSocket;
  readonly #timeoutMs: number;
  readonly #calls = new Map<number, PendingCall>();
  readonly #subscriptions = new Map<string, (result: unknown) => void>();
  #lastId = 0;
  #over = false;
  #onEnd: () => void = () => undefined;

  /** @param timeoutMs - for each call */
  constructor({ upstream, connection, transport }: OpenedWebSocket, timeoutMs: number) {
    this.upstream = upstream;
    this.#connection = connection;
    this.#timeoutMs = timeoutMs;
    this.ended = new Promise((resolve) => (this.#onEnd = resolve));
    connection.on(
      'message',
      guarded(this, (data: RawData) => this.#received(data)),
    );
    connection.on('error', () => this.close());
    connection.on('close', () => this.close());
    if (transport !== null) onFlood(transport, () => this.close());
    if (connection.readyState === WebSocket.OPEN) connection.resume();
    else this.close();
  }

  get isOver(): boolean {
    return this.#over;
  }

  abort(): void {
    this.close();
  }

  /** Ends the connection; every call under way is rejected. */
  close(): void {
    if (this.#over) return;
    this.#over = true;
    this.#connection.terminate();
    for (const call of this.#calls.values()) {
      clearTimeout(call.timer);
      call.reject(new NodeGone());
    }
    this.#calls.clear();
    this.#subscriptions.clear();
    this.#onEnd();
  }

  /** @throws NodeError, NodeGone */
  call(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.#send(method, params, null);
  }

  /**
   * Subscribes; no notification is missed, since the first one may follow the reply at once.
   *
   * @returns the node's id of the subscription
   * @throws NodeError, NodeGone
   */
  async subscribe(params: readonly unknown[], onNotification: (result: unknown) => void): Promise<string> {
    return (await this.#send('eth_subscribe', params, onNotification)) as string;
  }

  unsubscribe(id: string): void {
    if (this.#subscriptions.delete(id)) this.call('eth_unsubscribe', [id]).catch(() => undefined);
  }

  #send(method: string, params: readonly unknown[], onNotification: PendingCall['onNotification']): Promise<unknown> {
    if (this.#over) return Promise.reject(new NodeGone());
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.close(), this.#timeoutMs).unref();
      this.#calls.set(id, { resolve, reject, timer, onNotification });
      this.#connection.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  }

  #received(data: RawData): void {
    if (this.#over) return;
    const message = JSON.parse((data as Buffer).toString('utf8')) as NodeMessage | null;
    if (typeof message !== 'object' || message === null) throw new NodeGone();
    if (message.method === undefined) this.#answered(message);
    else if (message.method === 'eth_subscription') this.#notified(message.params);
  }

  #answered({ id, result, error }: NodeMessage): void {
    const call = typeof id === 'number' ? this.#calls.get(id) : undefined;
    if (call === undefined) return;
    this.#calls.delete(id as number);
    clearTimeout(call.timer);
    if (error !== undefined && error !== null) {
      call.reject(new NodeError(JSON.stringify(error)));
      return;
    }
    if (call.onNotification !== null) {
      // Without an id nothing can be received.
      if (typeof result !== 'string') throw new NodeGone();
      this.#subscriptions.set(result, call.onNotification);
    }
    call.resolve(result);
  }

  #notified(params: unknown): void {
    if (typeof params !== 'object' || params === null) return;
    const { subscription, result } = params as { readonly subscription?: unknown; readonly result?: unknown };
    if (typeof subscription === 'string') this.#subscriptions.get(subscription)?.(result);
  }
}
