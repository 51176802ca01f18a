import type { ChainAdapter, CurrencyCode, PayingAddress, SignedPayout, SpendableCoin } from '../../core/index.ts';

/**
 * What a test can cause on a chain, besides payments and blocks. Whatever a chain does not have, or its nodes cannot do, is
 * listed in {@link ChainHarness.lacks} with the reason.
 */
export interface ChainTricks {
  /** An adapter with the same settings over a node of another network. */
  otherNetwork(): Promise<ChainAdapter>;
  /** Makes one transaction that pays an address several times. Returns its id. */
  batch(address: string, units: readonly bigint[]): Promise<string>;
  /** Mines a payment without effect: reverted, out of gas. Returns its id. */
  failure(address: string, units: bigint): Promise<string>;
  /** Mines something that looks like a payment: another token of the same symbol, a log without a transfer. Returns its id. */
  counterfeit(address: string, units: bigint): Promise<string>;
  /** Makes a payment that is replaced, before it is mined, by one to another address. Returns the id of the replaced one. */
  replacement(address: string, units: bigint): Promise<string>;
  /** Replaces the latest blocks by a longer branch; their transactions are mined `again` in it, or `gone` for ever. */
  reorganisation(depth: number, outcome: 'again' | 'gone'): Promise<void>;
  /** Makes all nodes unreachable, or reachable again. */
  outage(on: boolean): void | Promise<void>;
  /** Makes every node show its chain without this many of the newest blocks; 0 ends it. */
  lag(blocks: number): void | Promise<void>;
  /** Makes every node return blocks that are not linked by their hashes, or correct ones again. */
  lies(on: boolean): void | Promise<void>;
  /**
   * Funds an address of the till with what a payment of so many units and its fee need. Returns the coins on UTXO chains,
   * nothing elsewhere. A chain without it is watch-only and has `payments: null`.
   */
  fund(source: PayingAddress, units: bigint): Promise<readonly SpendableCoin[]>;
  /** The node accepts the next broadcast and its reply is lost; or replies arrive again. */
  lostReplies(on: boolean): void | Promise<void>;
  /** The nodes drop an unconfirmed transaction. */
  forgetting(txid: string): void | Promise<void>;
  /** Mines another transaction, signed by the till's own key, with the payout's nonce or coins. Returns its id. */
  rival(payout: SignedPayout): Promise<string>;
  /** Lets time or blocks pass until no payment signed before can be mined any more. */
  expiry(): Promise<void>;
}

/** `bump`: an unconfirmed payment's fee can be raised. `sweep`: payments from a deposit address, on account chains. */
export type ChainAbility = keyof ChainTricks | 'bump' | 'sweep';

/** A chain with its own node, for one test. */
export interface ChainWorld {
  readonly chain: ChainAdapter;
  /** The asset of the test's payments. */
  readonly currency: CurrencyCode;
  /** A usual amount, well above the network's minimum; the payer has some hundred times as much. */
  readonly units: bigint;
  /** Opens another adapter for the same node and wallet, as after a restart. */
  reopen(): Promise<ChainAdapter>;
  /** A payer pays; mined in the next block at the latest. Returns the transaction's id. */
  pay(address: string, units: bigint): Promise<string>;
  /** Mines so many blocks; the first contains the unconfirmed transactions. */
  mine(blocks: number): Promise<void>;
  readonly tricks: Partial<ChainTricks>;
  /** Stops the nodes and closes every opened adapter. */
  close(): Promise<void>;
}

/** Opens a chain for the kit, and lists what it does not support. */
export interface ChainHarness {
  /** Every ability that this chain lacks, with the reason; printed in the report. */
  readonly lacks: Readonly<Partial<Record<ChainAbility, string>>>;
  open(): Promise<ChainWorld>;
}

/** A test of one requirement, and the ability that it needs; `null` for none. */
export interface ChainCase {
  readonly needs: ChainAbility | null;
  readonly title: string;
  readonly run: (world: ChainWorld) => Promise<void>;
}
