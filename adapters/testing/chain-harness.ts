import type { ChainAdapter, CurrencyCode, PayingAddress, SignedPayout, SpendableCoin } from '../../core/index.ts';

/**
 * Events that a test can cause on a chain, besides payments and blocks. {@link ChainHarness.lacks} lists, with the
 * reason, those that the chain or its nodes do not support.
 */
export interface ChainTricks {
  /** An adapter with the same settings over a node of another network. */
  otherNetwork(): Promise<ChainAdapter>;
  /** Makes one transaction that pays an address several times. Returns its id. */
  batch(address: string, units: readonly bigint[]): Promise<string>;
  /** Mines a failed payment (reverted, out of gas). Returns its id. */
  failure(address: string, units: bigint): Promise<string>;
  /**
   * Mines a transaction that only resembles a payment: another token of the same symbol, a log without a transfer.
   * Returns its id.
   */
  counterfeit(address: string, units: bigint): Promise<string>;
  /**
   * Makes a payment that is replaced, before it is mined, by one to another address. Returns the id of the replaced
   * payment.
   */
  replacement(address: string, units: bigint): Promise<string>;
  /**
   * Makes a payment whose effect depends on its block, as a contract's may: it pays this amount now, and another amount
   * above zero when a reorganisation mines it again (`again`). Chains whose transaction ids commit to what is paid lack
   * it. Returns its id.
   */
  blockDependent(address: string, units: bigint): Promise<string>;
  /**
   * Makes a contract send the chain's own coin, as smart wallets and exchanges do, so that neither a transaction nor a log
   * names the receiver. Returns the currency of that coin.
   */
  byContract(address: string, units: bigint): Promise<CurrencyCode>;
  /**
   * Replaces the latest blocks by a longer branch, which contains their transactions again (`again`) or never (`gone`).
   */
  reorganisation(depth: number, outcome: 'again' | 'gone'): Promise<void>;
  /** Makes all nodes unreachable, or reachable again. */
  outage(on: boolean): void | Promise<void>;
  /** Makes every node hide this many of its newest blocks; 0 ends it. */
  lag(blocks: number): void | Promise<void>;
  /** Makes every node return blocks that are not linked by their hashes, or correct blocks again. */
  lies(on: boolean): void | Promise<void>;
  /**
   * Funds an address of the till with the units of a payment and its fee. Returns the coins on UTXO chains, nothing
   * elsewhere. A chain without it is watch-only and has `payments: null`.
   */
  fund(source: PayingAddress, units: bigint): Promise<readonly SpendableCoin[]>;
  /** Makes the node accept the next broadcast but lose its reply, or ends that. */
  lostReplies(on: boolean): void | Promise<void>;
  /** Makes the nodes drop an unconfirmed transaction. */
  forgetting(txid: string): void | Promise<void>;
  /**
   * Mines another transaction, signed with the till's own key, that uses the payout's nonce or coins. Returns its id.
   */
  rival(payout: SignedPayout): Promise<string>;
  /** Lets time or blocks pass until no payment signed before can be mined any more. */
  expiry(): Promise<void>;
}

/** `bump`: an unconfirmed payment's fee can be raised. `sweep`: payments from a deposit address, on account chains. */
export type ChainAbility = keyof ChainTricks | 'bump' | 'sweep';

/** A chain with its own node, for one test. */
export interface ChainWorld {
  readonly chain: ChainAdapter;
  /** The currency of the test's payments. */
  readonly currency: CurrencyCode;
  /** A usual amount, well above the network's minimum; the payer has some hundred times as much. */
  readonly units: bigint;
  /** Opens another adapter for the same node and wallet, as after a restart. */
  reopen(): Promise<ChainAdapter>;
  /** Makes a payment of the payer, which the next block contains at the latest. Returns its id. */
  pay(address: string, units: bigint): Promise<string>;
  /** Mines this many blocks; the first contains the unconfirmed transactions. */
  mine(blocks: number): Promise<void>;
  readonly tricks: Partial<ChainTricks>;
  /** Stops the nodes and closes every opened adapter. */
  close(): Promise<void>;
}

/** Opens a chain for the kit, and lists what it does not support. */
export interface ChainHarness {
  /** The abilities that this chain lacks, with the reasons; the report prints them. */
  readonly lacks: Readonly<Partial<Record<ChainAbility, string>>>;
  open(): Promise<ChainWorld>;
}

/** A test of one requirement, with the ability it needs; `null` for none. */
export interface ChainCase {
  readonly needs: ChainAbility | null;
  readonly title: string;
  readonly run: (world: ChainWorld) => Promise<void>;
}
