import type { ChainAdapter, CurrencyCode, PayingAddress, SignedPayout, SpendableCoin } from '../../core/index.ts';

/**
 * What a test can make happen on a chain, besides paying and mining. Whatever a chain does not know, or its nodes cannot
 * be brought to do, is named in {@link ChainHarness.lacks} with the reason.
 */
export interface ChainTricks {
  /** An adapter with the same settings over a node of another network. */
  otherNetwork(): Promise<ChainAdapter>;
  /** One transaction that pays an address several times; its id. */
  batch(address: string, units: readonly bigint[]): Promise<string>;
  /** A payment that is mined, and moves nothing: reverted, out of gas; its id. */
  failure(address: string, units: bigint): Promise<string>;
  /** Something that looks like a payment and is none: another token of the same symbol, a log without a transfer; its id. */
  counterfeit(address: string, units: bigint): Promise<string>;
  /** A payment that was replaced, before it was mined, by one to somebody else; the id of the one that is gone. */
  replacement(address: string, units: bigint): Promise<string>;
  /** Replaces the top blocks by more than there were; their transactions are mined `again` in them, or `gone` for good. */
  reorganisation(depth: number, outcome: 'again' | 'gone'): Promise<void>;
  /** No node answers any more, or they do again. */
  outage(on: boolean): void | Promise<void>;
  /** Every node shows its chain without the newest blocks; 0 for all of it. */
  lag(blocks: number): void | Promise<void>;
  /** Every node answers with blocks that do not follow each other, or rightly again. */
  lies(on: boolean): void | Promise<void>;
  /**
   * Gives an address of the till's what a payment of so many units and its fee take. On UTXO chains the coins are
   * returned, elsewhere nothing is. A chain without it is watch-only, and has `payments: null`.
   */
  fund(source: PayingAddress, units: bigint): Promise<readonly SpendableCoin[]>;
  /** The node takes what it is given next, and its reply is lost; or replies arrive again. */
  lostReplies(on: boolean): void | Promise<void>;
  /** The nodes forget a transaction that waits to be mined. */
  forgetting(txid: string): void | Promise<void>;
  /** Mines another transaction, signed by the till's own key, with the payout's nonce or coins; its id. */
  rival(payout: SignedPayout): Promise<string>;
  /** Lets pass what it takes until no payment that was signed before can be mined any more. */
  expiry(): Promise<void>;
}

/** `bump`: a waiting payment's fee can be raised. `sweep`: payments from a deposit address, on account chains. */
export type ChainAbility = keyof ChainTricks | 'bump' | 'sweep';

/** A chain with a node of its own, as a test has it. */
export interface ChainWorld {
  readonly chain: ChainAdapter;
  /** What is paid here. */
  readonly currency: CurrencyCode;
  /** A usual payment, well above what the network carries at least; some hundred of them are at hand. */
  readonly units: bigint;
  /** Another adapter over the same node and the same wallet, as after a restart. */
  reopen(): Promise<ChainAdapter>;
  /** A payer pays; the next block has it at the latest. The transaction's id. */
  pay(address: string, units: bigint): Promise<string>;
  /** Mines so many blocks; the first takes up what waits. */
  mine(blocks: number): Promise<void>;
  readonly tricks: Partial<ChainTricks>;
  /** Ends the nodes and every adapter that was opened. */
  close(): Promise<void>;
}

/** How the kit gets a chain to test, and what it need not ask for. */
export interface ChainHarness {
  /** Every ability that this chain does not have, with the reason; the report lists them. */
  readonly lacks: Readonly<Partial<Record<ChainAbility, string>>>;
  open(): Promise<ChainWorld>;
}

/** One promise of a port, and the ability that it takes to see whether it is kept; `null` for none. */
export interface ChainCase {
  readonly needs: ChainAbility | null;
  readonly title: string;
  readonly run: (world: ChainWorld) => Promise<void>;
}
