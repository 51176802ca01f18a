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
}

/** A transaction: of a payer (`own` false, its funds not followed) or of the till. */
export interface SimTx {
  readonly txid: string;
  readonly own: boolean;
  /** Who pays; of the till's its address. */
  readonly source: string | null;
  readonly nonce: number | null;
  /** Refs of the coins it spends, on the coin chain. */
  readonly coins: readonly string[];
  readonly outputs: readonly SimOutput[];
  readonly fee: bigint;
  /** What comes back to the hot wallet, on the coin chain. */
  readonly change: bigint;
  /** The last time of a block after which it can be mined; `null` for ever. */
  readonly expiresAt: number | null;
}

interface SimBlock {
  readonly ref: BlockRef;
  readonly txs: readonly SimTx[];
}

/** Where a transaction of the present chain stands. */
export interface Inclusion {
  readonly tx: SimTx;
  readonly height: number;
  readonly succeeded: boolean;
}

/** On a chain whose transactions expire, blocks with so many others on top stay. */
export const SOLID = 5;

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The id of a transaction with this content. */
export function txidOf(content: string): string {
  return sha(content);
}

/** What a chain truly is, whatever its node says: blocks, balances, coins, nonces, and what waits to be mined. */
export class SimChain {
  readonly code: string;
  readonly model: 'account' | 'utxo';
  readonly native: string;
  readonly hot: string;
  readonly mempool = new Map<string, SimTx>();
  readonly included = new Map<string, Inclusion>();
  /** Of 256, how many of the till's transactions are mined without effect; account chain only. */
  reverting = 0;
  /**
   * For how long a transaction of the till's can be mined, on a chain as Tron is: no nonces, a fee that nobody raises, and
   * no reorganisation below {@link SOLID}. `null` on all others.
   */
  expiryMs: number | null = null;
  /** By how much the clocks of its miners differ from the world's. */
  skewMs = 0;
  readonly #balances = new Map<string, bigint>();
  readonly #nonces = new Map<string, number>();
  readonly #coins = new Map<string, { readonly to: string; readonly units: bigint }>();
  readonly #spent = new Map<string, string>();
  /** In which blocks the till's transactions ever were, branches left behind too, and whether they took effect there. */
  readonly #ends = new Map<string, { readonly hash: string; readonly succeeded: boolean }[]>();
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

  /** True when the next block cannot take it. Another branch still may, if it forks off below. */
  isExpired({ expiresAt }: Pick<SimTx, 'expiresAt'>): boolean {
    return expiresAt !== null && this.timeOf(this.height) > expiresAt;
  }

  /** True when a transaction of the till's can never be mined on the present chain: it has expired, or another took its place. */
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

  /** Every address of the present chain with what it holds. */
  balances(): Iterable<readonly [string, bigint]> {
    return this.#balances;
  }

  /** Coins that come from outside, for an operator's float. */
  endow(address: string, currency: string, units: bigint): void {
    this.#move(address, currency, units);
  }

  /** The units of an unspent coin; `null` for one that is spent or was never made. */
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

  /** Why the network would not take a transaction now; `null` when it would. */
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

  /** Puts a transaction where miners find it, in place of what it replaces. */
  submit(tx: SimTx): void {
    if (this.included.has(tx.txid)) return;
    const rival = tx.own ? this.#rival(tx) : null;
    if (rival !== null) this.mempool.delete(rival.txid);
    this.mempool.set(tx.txid, tx);
  }

  /** Mines a block of what waits: all of it, or what luck lets in. */
  mine(random: SimRandom | null, time = this.#now() + this.skewMs): void {
    const chosen: SimTx[] = [];
    const waiting = [...this.mempool.values()].filter(() => random === null || random.chance(0.85));
    const include = (tx: SimTx): void => {
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
      // A payment of tokens that are not there is mined as well, without effect, when nothing else can be.
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
   * Takes the last blocks away. What was in them waits again, but for what its sender or the network gave up.
   *
   * @param lost - true for a transaction that is not there any more
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

  /** Whether a transaction of the till's took effect in this block, of whatever branch, or else in the last one that held it. */
  tookEffect(txid: string, hash: string | undefined): boolean {
    const ends = this.#ends.get(txid) ?? [];
    return (ends.find((end) => end.hash === hash) ?? ends.at(-1))?.succeeded ?? false;
  }

  /** A transaction of the present chain, other than these, that took this nonce or one of these coins. */
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

  /** True when a receiver needs more than a block has. */
  #outgrown({ outputs }: SimTx): boolean {
    const native = outputs.filter(({ currency }) => currency === this.native);
    return this.model === 'account' && native.some(({ to }) => behaviourOf(to) === 'outgrows');
  }

  /** The fee and the coins of a transaction of the till's on the account chain. */
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

  #include(tx: SimTx, height: number): void {
    const burnt = tx.outputs.some(({ to, currency }) => currency === this.native && behaviourOf(to) === 'burns');
    const unlucky = Number.parseInt(tx.txid.slice(0, 2), 16) < this.reverting;
    const reverts = tx.own && this.model === 'account' && (burnt || unlucky);
    const succeeded = !reverts && this.#hasTokens(tx);
    this.included.set(tx.txid, { tx, height, succeeded });
    this.#apply(tx, succeeded, 1n);
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
    for (const { txid, own } of txs) {
      if (!own) continue;
      const ends = this.#ends.get(txid) ?? [];
      ends.push({ hash, succeeded: this.included.get(txid)?.succeeded ?? false });
      this.#ends.set(txid, ends);
    }
  }
}
