/**
 * The node of Abacus, a toy chain of accounts: one file, in memory, JSON over HTTP. For a real chain you use its own
 * node.
 *
 *     GET  /genesis  /head  /fee  /blocks/:height  /accounts/:address  /accounts/:address/:nonce  /transactions/:id
 *     POST /transactions
 */
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { isSigned, keyHash, readAddress, transactionId, transactionSchema, writeAddress } from './abacus-wire.ts';
import type { WireAccount, WireBlock, WireReceipt, WireTransaction } from './abacus-wire.ts';

/** An answer of the node: a status and a value. */
type Answer = readonly [status: number, value: unknown];

const FEE = 10n;
const RICH = 10n ** 24n;
const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A node for tests: the test mines its blocks and causes its failures. */
export class AbacusNode {
  /** The account of a payer. */
  readonly payer: string;
  /** The present failures: no answers, a stale head, blocks that are not linked, lost replies. */
  readonly trouble = { down: false, lag: 0, lies: false, losesReplies: false };
  readonly blocks: WireBlock[] = [];
  readonly #pool = new Map<string, WireTransaction>();
  readonly #secret = randomBytes(32);
  readonly #salt: string;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  #branch = 0;

  private constructor(name: string) {
    this.#salt = name;
    this.payer = writeAddress(keyHash(secp256k1.getPublicKey(this.#secret)));
    this.mine();
  }

  /** Starts a node for a network of this name on a free port of the loopback interface. */
  static async start(name = 'abacus'): Promise<AbacusNode> {
    const node = new AbacusNode(name);
    await new Promise<void>((resolve) => node.#server.listen(0, '127.0.0.1', resolve));
    return node;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  /** Adds a payment of the payer to the mempool; an amount above its balance is mined without effect. */
  pay(to: string, amount: bigint, { fee = FEE, nonce = this.account(this.payer).nextNonce } = {}): string {
    const unsigned = {
      from: this.payer,
      to,
      amount: `${amount}`,
      fee: `${fee}`,
      nonce,
      key: Buffer.from(secp256k1.getPublicKey(this.#secret)).toString('hex'),
    };
    const id = transactionId(unsigned);
    const signature = Buffer.from(secp256k1.sign(Buffer.from(id, 'hex'), this.#secret, { prehash: false })).toString(
      'hex',
    );
    const [status] = this.#take({ ...unsigned, signature });
    if (status !== 200) throw new Error(`the payment was refused with ${status}`);
    return id;
  }

  /** Mines blocks; the first contains the waiting transactions. */
  mine(count = 1): void {
    for (let mined = 0; mined < count; mined++) this.blocks.push(this.#block(this.#takeUp()));
  }

  /** The transactions that can be mined now, in the order of their nonces; one with a later nonce stays pending. */
  #takeUp(): readonly WireTransaction[] {
    const next = new Map<string, number>();
    const taken: WireTransaction[] = [];
    for (const [id, transaction] of [...this.#pool].sort(([, a], [, b]) => a.nonce - b.nonce)) {
      const due = next.get(transaction.from) ?? this.account(transaction.from).minedNonce;
      if (transaction.nonce > due) continue;
      this.#pool.delete(id);
      if (transaction.nonce < due) continue;
      next.set(transaction.from, due + 1);
      taken.push(transaction);
    }
    return taken;
  }

  /** Replaces the latest blocks by a longer branch; their transactions are mined again at once, or dropped. */
  reorganise(depth: number, outcome: 'again' | 'gone'): void {
    const dropped = this.blocks.splice(-depth).flatMap(({ receipts }) => receipts);
    this.#branch += 1;
    if (outcome === 'again') for (const { id, transaction } of dropped) this.#pool.set(id, transaction);
    this.mine(depth + 1);
  }

  /** Drops waiting transactions, as a restarted node does. */
  forget(): void {
    this.#pool.clear();
  }

  account(address: string): WireAccount {
    const mined = this.blocks.flatMap(({ receipts }) => receipts);
    const sent = mined.filter(({ transaction }) => transaction.from === address);
    const waiting = [...this.#pool.values()].filter(({ from }) => from === address);
    return {
      balance: `${this.#balance(address, mined)}`,
      minedNonce: sent.length,
      nextNonce: sent.length + waiting.length,
    };
  }

  #balance(address: string, receipts: readonly WireReceipt[]): bigint {
    let balance = address === this.payer ? RICH : 0n;
    for (const {
      ok,
      transaction: { from, to, amount, fee },
    } of receipts) {
      if (from === address) balance -= BigInt(fee) + (ok ? BigInt(amount) : 0n);
      if (to === address && ok) balance += BigInt(amount);
    }
    return balance;
  }

  #block(transactions: readonly WireTransaction[]): WireBlock {
    const height = this.blocks.length;
    const past = this.blocks.flatMap(({ receipts }) => receipts);
    const receipts: WireReceipt[] = [];
    for (const transaction of transactions) {
      const ok =
        this.#balance(transaction.from, [...past, ...receipts]) >= BigInt(transaction.amount) + BigInt(transaction.fee);
      receipts.push({ id: transactionId(transaction), transaction, height, ok });
    }
    const parent = this.blocks.at(-1)?.hash ?? '0'.repeat(64);
    const hash = sha(JSON.stringify([this.#salt, this.#branch, height, parent, receipts]));
    return { height, hash, parent, time: Date.now(), receipts };
  }

  /** Only one payment waits for each nonce: the one with the highest fee. */
  #take(transaction: WireTransaction): Answer {
    const id = transactionId(transaction);
    if (this.#find(id) !== undefined) return [200, { id }];
    const { from, to, nonce, fee } = transaction;
    if (!isSigned(transaction) || readAddress(to) === null || BigInt(fee) < FEE) return [400, { error: 'invalid' }];
    if (nonce < this.account(from).minedNonce) return [409, { error: 'nonce used' }];
    for (const [other, waiting] of this.#pool) {
      if (waiting.from !== from || waiting.nonce !== nonce) continue;
      if (BigInt(waiting.fee) >= BigInt(fee)) return [409, { error: 'fee too low to replace' }];
      this.#pool.delete(other);
    }
    this.#pool.set(id, transaction);
    return [200, { id }];
  }

  #find(id: string): WireReceipt | undefined {
    const waiting = this.#pool.get(id);
    if (waiting !== undefined) return { id, transaction: waiting, height: null, ok: true };
    return this.blocks.flatMap(({ receipts }) => receipts).find((receipt) => receipt.id === id);
  }

  #get([what = '', name = '', nonce]: readonly string[]): unknown {
    const shown = this.blocks.slice(0, this.blocks.length - this.trouble.lag);
    switch (what) {
      case 'genesis':
        return { hash: this.blocks[0]?.hash };
      case 'head':
        return shown.at(-1);
      case 'fee':
        return { fee: `${FEE}` };
      case 'blocks':
        return this.trouble.lies ? { ...shown[Number(name)], parent: sha(name) } : shown[Number(name)];
      case 'transactions':
        return this.#find(name);
      case 'accounts':
        if (nonce === undefined) return this.account(name);
        return this.blocks
          .flatMap(({ receipts }) => receipts)
          .find(({ transaction }) => transaction.from === name && transaction.nonce === Number(nonce));
      default:
        return undefined;
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (this.trouble.down) return void request.socket.destroy();
    const reply = (status: number, value: unknown): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (request.method === 'POST') {
      const parsed = transactionSchema.safeParse(JSON.parse(Buffer.concat(chunks).toString()));
      const [status, value] = parsed.success ? this.#take(parsed.data) : [400, { error: 'malformed' }];
      if (this.trouble.losesReplies) request.socket.destroy();
      else reply(status, value);
      return;
    }
    const found = this.#get((request.url ?? '').split('/').slice(1));
    reply(found === undefined ? 404 : 200, found ?? { error: 'not found' });
  }
}
