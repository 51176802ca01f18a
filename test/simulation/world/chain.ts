import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { BlockRef } from '../../../core/index.ts';
import type { SimRandom } from '../random.ts';
import { behaviourOf } from './payees.ts';

/** One payment of a transaction. */
export interface SimOutput {
  readonly to: string;
  readonly currency: string;
  readonly units: bigint;
  readonly index: string;
  /** A contract sends it, so no log and no transaction of its own shows it. */
  readonly hidden?: boolean;
}

/** A transaction of a payer (`own` false, whose funds are not tracked) or of the till. */
export interface SimTx {
  readonly txid: string;
  readonly own: boolean;
  /** The payer, or the till's own address. */
  readonly source: string | null;
  readonly nonce: number | null;
  /** References of the coins it spends, on the coin chain. */
  readonly coins: readonly string[];
  readonly outputs: readonly SimOutput[];
  readonly fee: bigint;
  /** The change to the hot wallet, on the coin chain. */
  readonly change: bigint;
  /** The last block time at which it can be mined; `null` for ever. */
  readonly expiresAt: number | null;
}

interface SimBlock {
  readonly ref: BlockRef;
  readonly txs: readonly SimTx[];
}

/** The position of a transaction on the present chain. */
export interface Inclusion {
  readonly tx: SimTx;
  readonly height: number;
  readonly succeeded: boolean;
}

/** On a chain whose transactions expire, blocks below this many others are final. */
export const SOLID = 5;

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The id of a transaction with this content. */
export function txidOf(content: string): string {
  return sha(content);
}

/**
 * The real state of a chain, independent of its node: blocks, balances, coins, nonces, and unconfirmed transactions.
 */
export class SimChain {
  readonly code: string;
  readonly model: 'account' | 'utxo';
  readonly native: string;
  readonly hot: string;
  readonly mempool = new Map<string, SimTx>();
  readonly included = new Map<string, Inclusion>();
  /** The number in 256 of the till's transactions that are mined without effect; account chain only. */
  reverting = 0;
  /**
   * The time in which a transaction of the till can be mined, on a chain like Tron: no nonces, no raised fees, and no
   * reorganisation below {@link SOLID}. `null` on all others.
   */
  expiryMs: number | null = null;
  /** Addresses frozen by the tokens' issuer: the till's tokens move neither from nor to them. */
  readonly frozen = new Set<string>();
  /** The difference of its miners' clocks from the world's. */
  skewMs = 0;
  /** The effects of contracts' payments in blocks of either proposer. */
  readonly dependent = new Map<string, readonly (readonly SimOutput[])[]>();
  readonly #balances = new Map<string, bigint>();
  readonly #nonces = new Map<string, number>();
  readonly #coins = new Map<string, { readonly to: string; readonly units: bigint }>();
  readonly #spent = new Map<string, string>();
  /** The blocks of any branch that contained each of the till's transactions, and whether it took effect there. */
  readonly #ends = new Map<string, { readonly hash: string; readonly succeeded: boolean }[]>();
  /** By block and transaction, abandoned branches included. */
  readonly #paidIn = new Map<string, readonly SimOutput[]>();
  readonly #now: () => number;
  #blocks: SimBlock[] = [];
  #salt = 0;

  constructor(code: string, model: 'account' | 'utxo', native: string, now: () => number) {
    this.code = code;
    this.model = model;
    this.native = native;
    this.hot = `${code.toLowerCase()}-hot`;
    this.#now = now;
    this.#add([], now());
  }

  get time(): number {
    return this.#now();
  }

  /** The time of a block, or of the first one below zero. */
  timeOf(height: number): number {
    return this.#blocks[Math.max(height, 0)]?.ref.time ?? Infinity;
  }

  /** True when the next block cannot contain it. Another branch still may, if it forks off below. */
  isExpired({ expiresAt }: Pick<SimTx, 'expiresAt'>): boolean {
    return expiresAt !== null && this.timeOf(this.height) > expiresAt;
  }

  /** True when a transaction of the till can never be mined on the present chain: it has expired or was replaced. */
  isOver(tx: SimTx | undefined): boolean {
    return tx === undefined || this.isExpired(tx) || this.#overtaken(tx);
  }

  get height(): number {
    return this.#blocks.length - 1;
  }

  block(height: number): SimBlock | undefined {
    return this.#blocks[height];
  }

  balance(address: string, currency: string): bigint {
    return this.#balances.get(`${address} ${currency}`) ?? 0n;
  }

  /** The balance of an address after a block of the present chain. */
  balanceAt(address: string, currency: string, height: number): bigint {
    let held = this.balance(address, currency);
    for (const { tx, succeeded, height: mined } of this.included.values()) {
      if (mined <= height) continue;
      if (tx.own && tx.source === address && currency === this.native) held += tx.fee;
      for (const { to, currency: paid, units } of succeeded ? tx.outputs : []) {
        if (paid !== currency) continue;
        if (to === address) held -= units;
        if (tx.own && tx.source === address) held += units;
      }
    }
    return held;
  }

  /** Every address of the present chain with its balance. */
  balances(): Iterable<readonly [string, bigint]> {
    return this.#balances;
  }

  /** Adds coins from outside, for an operator's float. */
  endow(address: string, currency: string, units: bigint): void {
    this.#move(address, currency, units);
  }

  /** The units of an unspent coin; `null` for one that is spent or never existed. */
  coin(ref: string): bigint | null {
    return this.#spent.has(ref) ? null : (this.#coins.get(ref)?.units ?? null);
  }

  /** The transaction of the present chain that spends a coin. */
  spender(ref: string): string | null {
    return this.#spent.get(ref) ?? null;
  }

  nonceOf(address: string): number {
    return this.#nonces.get(address) ?? 0;
  }

  /** Why the network would refuse a transaction now; `null` when it would not. */
  problem(tx: SimTx): string | null {
    if (this.included.has(tx.txid) || this.mempool.has(tx.txid)) return null;
    if (!tx.own) return null;
    if (this.isExpired(tx)) return 'transaction expired';
    if (this.#outgrown(tx)) return 'exceeds block gas limit';
    if (this.model === 'utxo') {
      if (tx.coins.some((ref) => this.coin(ref) === null)) return 'missing inputs';
    } else {
      if (tx.nonce !== null && tx.nonce < this.nonceOf(tx.source ?? '')) return 'nonce too low';
      if (this.#costOf(tx) > this.balance(tx.source ?? '', this.native))
        return 'insufficient funds for gas * price + value';
    }
    const rival = this.#rival(tx);
    return rival !== null && rival.fee * 110n > tx.fee * 100n ? 'replacement transaction underpriced' : null;
  }

  /** Adds a transaction to the mempool, and removes those that it replaces. */
  submit(tx: SimTx): void {
    if (this.included.has(tx.txid)) return;
    const rival = tx.own ? this.#rival(tx) : null;
    if (rival !== null) this.mempool.delete(rival.txid);
    this.mempool.set(tx.txid, tx);
  }

  /** Mines a block with all unconfirmed transactions, or a random part of them. */
  mine(random: SimRandom | null, time = this.#now() + this.skewMs): void {
    const chosen: SimTx[] = [];
    const waiting = [...this.mempool.values()].filter(() => random === null || random.chance(0.85));
    const include = (waiting: SimTx): void => {
      const tx = this.#asHere(waiting);
      this.#include(tx, this.height + 1);
      chosen.push(tx);
    };
    for (;;) {
      let found = false;
      for (const tx of waiting.splice(0)) {
        const fits = this.#fits(tx) && this.#hasTokens(tx);
        if (fits) include(tx);
        else waiting.push(tx);
        found ||= fits;
      }
      if (found) continue;
      // A payment of missing tokens is mined as well, without effect, when nothing else can be.
      const unfunded = waiting.find((tx) => this.#fits(tx));
      if (unfunded === undefined) break;
      waiting.splice(waiting.indexOf(unfunded), 1);
      include(unfunded);
    }
    this.#add(chosen, time);
    for (const tx of chosen) this.mempool.delete(tx.txid);
    for (const tx of this.mempool.values()) if (tx.own && this.#overtaken(tx)) this.mempool.delete(tx.txid);
  }

  /**
   * Removes the last blocks. Their transactions become unconfirmed again, except those that their sender or the network
   * gave up.
   *
   * @param lost - true for a transaction that is gone
   * @returns the times of the blocks, the first one first
   */
  drop(depth: number, lost: (tx: SimTx) => boolean): readonly number[] {
    this.#salt += 1;
    const times: number[] = [];
    for (let i = 0; i < depth; i++) {
      const block = this.#blocks.pop();
      assert(block !== undefined && this.#blocks.length > 0, 'no block is left');
      for (const tx of [...block.txs].reverse()) this.#exclude(tx);
      for (const tx of block.txs) if (!lost(tx)) this.mempool.set(tx.txid, tx);
      times.unshift(block.ref.time);
    }
    return times;
  }

  /** The effect of a payer's transaction in a block of any branch; `null` for a block that never contained it. */
  paidIn(hash: string, txid: string): readonly SimOutput[] | null {
    return this.#paidIn.get(`${hash} ${txid}`) ?? null;
  }

  /** Whether a transaction of the till took effect in this block, or else in the last one that contained it. */
  tookEffect(txid: string, hash: string | undefined): boolean {
    const ends = this.#ends.get(txid) ?? [];
    return (ends.find((end) => end.hash === hash) ?? ends.at(-1))?.succeeded ?? false;
  }

  /** A transaction of the present chain, other than these, that used this nonce or one of these coins. */
  conflict(
    source: string,
    nonce: number | null,
    coins: readonly string[],
    except: ReadonlySet<string>,
  ): Inclusion | null {
    if (this.model === 'utxo') {
      const txid = coins
        .map((ref) => this.#spent.get(ref))
        .find((spender) => spender !== undefined && !except.has(spender));
      return txid === undefined ? null : (this.included.get(txid) ?? null);
    }
    if (nonce === null || nonce >= this.nonceOf(source)) return null;
    for (const each of this.included.values())
      if (each.tx.own && each.tx.source === source && each.tx.nonce === nonce && !except.has(each.tx.txid)) return each;
    return null;
  }

  #rival(tx: SimTx): SimTx | null {
    for (const other of this.mempool.values()) {
      if (!other.own || other.txid === tx.txid) continue;
      if (
        this.model === 'utxo'
          ? other.coins.some((ref) => tx.coins.includes(ref))
          : tx.nonce !== null && other.source === tx.source && other.nonce === tx.nonce
      )
        return other;
    }
    return null;
  }

  #overtaken(tx: SimTx): boolean {
    return this.model === 'utxo'
      ? tx.coins.some((ref) => this.#spent.has(ref))
      : tx.nonce !== null && tx.nonce < this.nonceOf(tx.source ?? '');
  }

  #fits(tx: SimTx): boolean {
    if (!tx.own) return true;
    const source = tx.source ?? '';
    if (this.model === 'utxo') return tx.coins.every((ref) => this.coin(ref) !== null);
    if (this.isExpired(tx) || this.#outgrown(tx) || (tx.nonce !== null && tx.nonce !== this.nonceOf(source)))
      return false;
    return this.#costOf(tx) <= this.balance(source, this.native);
  }

  /** True when a receiver needs more gas than a block has. */
  #outgrown({ outputs }: SimTx): boolean {
    const native = outputs.filter(({ currency }) => currency === this.native);
    return this.model === 'account' && native.some(({ to }) => behaviourOf(to) === 'outgrows');
  }

  /** The fee and the coins of a transaction of the till on the account chain. */
  #costOf({ outputs, fee }: SimTx): bigint {
    return outputs.reduce((sum, { currency, units }) => (currency === this.native ? sum + units : sum), fee);
  }

  #hasTokens({ own, source, outputs }: SimTx): boolean {
    if (!own || this.model === 'utxo') return true;
    const needs = new Map<string, bigint>();
    for (const { currency, units } of outputs)
      if (currency !== this.native) needs.set(currency, (needs.get(currency) ?? 0n) + units);
    return [...needs].every(([currency, units]) => this.balance(source ?? '', currency) >= units);
  }

  /** A transaction in the form of the next block, whose proposer differs in each branch. */
  #asHere(tx: SimTx): SimTx {
    const outputs = this.dependent.get(tx.txid)?.[(this.#salt + this.height) % 2];
    return outputs === undefined ? tx : { ...tx, outputs };
  }

  #include(tx: SimTx, height: number): void {
    const burnt = tx.outputs.some(({ to, currency }) => currency === this.native && behaviourOf(to) === 'burns');
    const unlucky = Number.parseInt(tx.txid.slice(0, 2), 16) < this.reverting;
    const reverts = tx.own && this.model === 'account' && (burnt || unlucky);
    const succeeded = !reverts && !(tx.own && this.isFrozen(tx.source ?? '', tx.outputs)) && this.#hasTokens(tx);
    this.included.set(tx.txid, { tx, height, succeeded });
    this.#apply(tx, succeeded, 1n);
  }

  /** True when one of these payments from an address is of tokens that their contract does not move. */
  isFrozen(source: string, outputs: readonly Pick<SimOutput, 'to' | 'currency'>[]): boolean {
    const tokens = outputs.filter(({ currency }) => this.model === 'account' && currency !== this.native);
    return tokens.some(({ to }) => this.frozen.has(source) || this.frozen.has(to));
  }

  #exclude(tx: SimTx): void {
    const { succeeded } = this.included.get(tx.txid) ?? { succeeded: true };
    this.included.delete(tx.txid);
    this.#apply(tx, succeeded, -1n);
  }

  #apply(tx: SimTx, succeeded: boolean, sign: 1n | -1n): void {
    const source = tx.source ?? '';
    if (this.model === 'utxo') {
      this.#applyCoins(tx, sign);
      return;
    }
    if (tx.own) {
      if (tx.nonce !== null) this.#nonces.set(source, this.nonceOf(source) + Number(sign));
      this.#move(source, this.native, -sign * tx.fee);
    }
    for (const { to, currency, units } of succeeded ? tx.outputs : []) {
      if (tx.own) this.#move(source, currency, -sign * units);
      this.#move(to, currency, sign * units);
    }
  }

  #applyCoins(tx: SimTx, sign: 1n | -1n): void {
    const made = tx.outputs.map(({ to, units, index }) => ({ ref: `${tx.txid}:${index}`, to, units }));
    if (tx.change > 0n) made.push({ ref: `${tx.txid}:change`, to: this.hot, units: tx.change });
    for (const ref of tx.coins) {
      const coin = this.#coins.get(ref);
      if (sign > 0n) this.#spent.set(ref, tx.txid);
      else this.#spent.delete(ref);
      if (coin !== undefined) this.#move(coin.to, this.native, -sign * coin.units);
    }
    for (const { ref, to, units } of made) {
      if (sign > 0n) this.#coins.set(ref, { to, units });
      else this.#coins.delete(ref);
      this.#move(to, this.native, sign * units);
    }
  }

  #move(address: string, currency: string, units: bigint): void {
    this.#balances.set(`${address} ${currency}`, this.balance(address, currency) + units);
  }

  #add(txs: readonly SimTx[], time: number): void {
    const parent = this.#blocks.at(-1)?.ref;
    const parentHash = parent?.hash ?? '0'.repeat(64);
    const height = this.#blocks.length;
    const hash = sha(`${this.code}:${parentHash}:${this.#salt}:${txs.map(({ txid }) => txid).join()}`);
    this.#blocks.push({ ref: { height, hash, parentHash, time }, txs });
    for (const { txid, own, outputs } of txs) {
      if (!own) this.#paidIn.set(`${hash} ${txid}`, outputs);
      if (!own) continue;
      const ends = this.#ends.get(txid) ?? [];
      ends.push({ hash, succeeded: this.included.get(txid)?.succeeded ?? false });
      this.#ends.set(txid, ends);
    }
  }
}
