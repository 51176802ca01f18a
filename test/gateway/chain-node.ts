import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { WebSocket, WebSocketServer } from 'ws';
import type { RawData } from 'ws';
import { KEY, closeServer, HOST, listen } from './support.ts';

/** A log as a node gives it. */
export interface NodeLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly blockHash: string;
  readonly blockNumber: string;
  readonly logIndex: string;
  readonly data: string;
  readonly removed: boolean;
}

/** A block of a scripted chain. */
export interface NodeBlock {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly transactions: readonly string[];
  readonly logs: readonly NodeLog[];
}

export const hashOf = (name: string): string => `0x${Buffer.from(name).toString('hex').padStart(64, '0')}`;
export const nameOf = (hash: string): string => Buffer.from(hash.slice(2).replace(/^(?:00)+/, ''), 'hex').toString();
export const addressOf = (digit: string): string => `0x${digit.repeat(40)}`;
export const quantity = (number: number): string => `0x${number.toString(16)}`;

/** Blocks `a5`, `a6`, … of a branch; each has a log of the contracts 1 and 2. */
export function branch(letter: string, from: number, to: number, parent: string, data = '0x'): NodeBlock[] {
  return Array.from({ length: to - from + 1 }, (_, at) => {
    const number = from + at;
    const hash = hashOf(`${letter}${number}`);
    const log = (digit: string, index: number): NodeLog => ({
      address: addressOf(digit),
      topics: [],
      blockHash: hash,
      blockNumber: quantity(number),
      logIndex: quantity(index),
      data,
      removed: false,
    });
    return {
      number: quantity(number),
      hash,
      parentHash: hashOf(at === 0 ? parent : `${letter}${number - 1}`),
      transactions: [],
      logs: [log('1', 0), log('2', 1)],
    };
  });
}

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A WebSocket node with a chain that a test writes. */
export class ChainNode {
  readonly calls: Call[] = [];
  readonly sockets = new Set<WebSocket>();
  /** Every block that it can be asked for by hash. */
  readonly known = new Map<string, NodeBlock>();
  /** Its chain from its first block on. */
  chain: NodeBlock[] = [];
  /** An answer of another kind: `undefined` for the usual one, `null` for none. */
  answer: (call: Call, socket: WebSocket) => object | null | undefined = () => undefined;
  /** Whether it announces its blocks. */
  announces = true;
  port = 0;
  readonly #subscriptions = new Map<string, { readonly socket: WebSocket; readonly kind: string }>();
  #server: Server = createServer();
  #lastId = 0;

  constructor(chain: readonly NodeBlock[]) {
    for (const block of chain) this.#take(block);
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}`;
  }

  async start(): Promise<this> {
    this.#server = createServer();
    new WebSocketServer({ server: this.#server }).on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
      socket.on('message', (data: RawData) => this.#received(socket, (data as Buffer).toString()));
    });
    this.port = await listen(this.#server, this.port);
    return this;
  }

  /** Cuts all connections and accepts no further ones. */
  async stop(): Promise<void> {
    const closed = closeServer(this.#server);
    for (const socket of this.sockets) socket.terminate();
    this.#subscriptions.clear();
    await closed;
  }

  /** Adds blocks, replacing those of another branch, and announces each. */
  mine(blocks: readonly NodeBlock[]): void {
    for (const block of blocks) {
      this.#take(block);
      if (this.announces) this.announce(block);
    }
  }

  /** Announces a block, or anything else, to who follows new heads. */
  announce(head: unknown): void {
    const { logs: _logs, transactions: _transactions, ...header } = head as NodeBlock;
    this.notify('newHeads', typeof head === 'object' ? header : head);
  }

  notify(kind: string, result: unknown): void {
    for (const [subscription, one] of this.#subscriptions)
      if (one.kind === kind)
        one.socket.send(
          JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result } }),
        );
  }

  /** How many calls of a method it got. */
  count(method: string, kind?: unknown): number {
    return this.calls.filter((call) => call.method === method && (kind === undefined || call.params[0] === kind))
      .length;
  }

  /** The connections that follow new heads. */
  get followers(): readonly WebSocket[] {
    return [...this.#subscriptions.values()].flatMap(({ kind, socket }) => (kind === 'newHeads' ? [socket] : []));
  }

  get following(): number {
    return this.followers.length;
  }

  #take(block: NodeBlock): void {
    this.known.set(block.hash, block);
    this.chain = [...this.chain.filter(({ number }) => Number(number) < Number(block.number)), block];
  }

  #received(socket: WebSocket, text: string): void {
    const call = JSON.parse(text) as Call;
    this.calls.push(call);
    const own = this.answer(call, socket);
    const reply = own === undefined ? this.#usual(call, socket) : own;
    if (reply !== null) socket.send(JSON.stringify({ jsonrpc: '2.0', id: call.id, ...reply }));
  }

  #usual({ method, params }: Call, socket: WebSocket): object {
    const [first] = params;
    switch (method) {
      case 'eth_subscribe': {
        const id = quantity(++this.#lastId);
        this.#subscriptions.set(id, { socket, kind: String(first) });
        socket.on('close', () => this.#subscriptions.delete(id));
        return { result: id };
      }
      case 'eth_unsubscribe':
        return this.#subscriptions.delete(String(first))
          ? { result: true }
          : { error: { code: -32000, message: 'subscription not found' } };
      case 'eth_getBlockByHash':
        return { result: this.known.get(String(first)) ?? null };
      case 'eth_getBlockByNumber':
        return {
          result: (first === 'latest' ? this.chain.at(-1) : this.chain.find(({ number }) => number === first)) ?? null,
        };
      case 'eth_getLogs': {
        const { blockHash, address } = first as { readonly blockHash: string; readonly address?: readonly string[] };
        const block = this.known.get(blockHash);
        if (block === undefined) return { error: { code: -32000, message: 'unknown block' } };
        return { result: block.logs.filter((log) => address === undefined || address.includes(log.address)) };
      }
      case 'eth_blockNumber':
        return { result: this.chain.at(-1)?.number ?? '0x0' };
      default:
        return { result: '0x1' };
    }
  }
}

export interface Notification {
  readonly subscription: string;
  readonly result: unknown;
}

interface Reply {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
  readonly params?: Notification;
}

/** A client of the gateway that keeps everything it is sent. */
export class RpcClient {
  readonly socket: WebSocket;
  readonly notifications: Notification[] = [];
  readonly replies: Reply[] = [];
  closed: { readonly code: number; readonly reason: string } | null = null;
  #lastId = 0;
  readonly #waiting = new Map<unknown, (reply: Reply) => void>();

  constructor(port: number, key = KEY, path = '/', host = HOST) {
    this.socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, {
      headers: { host, authorization: `Bearer ${key}` },
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', (code, reason) => (this.closed = { code, reason: reason.toString() }));
    this.socket.on('message', (data: RawData) => {
      const reply = JSON.parse((data as Buffer).toString()) as Reply;
      if (reply.params === undefined) {
        this.replies.push(reply);
        this.#waiting.get(reply.id)?.(reply);
      } else this.notifications.push(reply.params);
    });
  }

  static async open(port: number, key?: string, path?: string, host?: string): Promise<RpcClient> {
    const client = new RpcClient(port, key, path, host);
    await new Promise((resolve, reject) => client.socket.once('open', resolve).once('error', reject));
    return client;
  }

  ask(method: string, ...params: readonly unknown[]): Promise<Reply> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  }

  async subscribe(...params: readonly unknown[]): Promise<string> {
    const { result, error } = await this.ask('eth_subscribe', ...params);
    if (typeof result !== 'string') throw new Error(JSON.stringify(error));
    return result;
  }

  /** What a subscription was told: names of blocks, of logs with their index, `-` before what was removed. */
  seen(id: string): readonly string[] {
    return this.notifications.filter(({ subscription }) => subscription === id).map(({ result }) => told(result));
  }
}

function told(result: unknown): string {
  if (typeof result === 'string') return result;
  const { hash, blockHash, logIndex, removed } = result as NodeLog & { readonly hash?: string };
  if (hash !== undefined) return nameOf(hash);
  return `${removed ? '-' : ''}${nameOf(blockHash)}.${Number(logIndex)}`;
}
