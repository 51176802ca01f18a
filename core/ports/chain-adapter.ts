import type { Asset, ChainCode, CurrencyCode } from '../kernel/asset.ts';
import type { Millis } from '../kernel/time.ts';
import type { BlockRef } from './block-ref.ts';
import type { ChainBalances } from './chain-balances.ts';
import type { ChainPayments } from './chain-payments.ts';
import { token } from './token.ts';

/** A transfer that truly arrived: successful, of a configured asset, to a watched address. */
export interface ObservedTransfer {
  readonly txid: string;
  /** What tells several transfers of one transaction apart: a log index, an output number, `value`, `internal:…`. */
  readonly index: string;
  readonly block: BlockRef;
  readonly currency: CurrencyCode;
  readonly units: bigint;
  readonly from: string | null;
  /** The watch key of the receiving address. */
  readonly toKey: string;
}

/** A transfer to a watched address that waits to be mined. Anybody may still replace it: it pays nothing. */
export interface PendingTransfer extends Omit<ObservedTransfer, 'block'> {
  /** When the node first had it; `null` where it cannot tell. */
  readonly seenAt: Millis | null;
}

/** What waits to be mined. */
export interface PendingTransfers {
  readonly transfers: readonly PendingTransfer[];
  /** False when there was more than one look takes: nothing follows from what is not in it, and the next look goes on. */
  readonly complete: boolean;
}

/** What a chain's node shows of transactions before they are mined. */
export interface ChainMempool {
  /**
   * All transfers to watched addresses that wait now, known from an earlier look or not.
   *
   * @param watch - to be called once the node has said what waits: an address that was handed out before any of it was
   * sent is in the answer
   * @throws any error while the node cannot tell, after a restart for one; an empty answer means that nothing waits
   */
  pending(watch: () => Promise<WatchList>): Promise<PendingTransfers>;
}

/** The addresses that matter now, by watch key. */
export interface WatchList {
  has(key: string): boolean;
  /** Keys whose open orders want the chain's native coin: an adapter that cannot see every coin transfer checks their balances. */
  nativeKeys(): Iterable<string>;
}

/** Blocks `from` to `to` in order, linked by their hashes, and what they brought to watched addresses. */
export interface ScannedRange {
  readonly blocks: readonly BlockRef[];
  readonly transfers: readonly ObservedTransfer[];
}

/** A derived deposit address. `key` is what scanning compares (for EVM: 40 lower-case hexadecimal digits). */
export interface DerivedAddress {
  readonly index: number;
  readonly address: string;
  readonly key: string;
}

/** When a deposit counts. */
export interface ChainPolicy {
  /** Confirmations for a credit; the block that holds the transaction is the first. */
  confirmations(currency: CurrencyCode, units: bigint): number;
  /** Confirmations until the merchant may spend it. */
  readonly spendableConfirmations: number;
  /** No change this many blocks below the head is believed. */
  readonly finalityBlocks: number;
  readonly pollIntervalMs: number;
  /** Blocks scanned in one step. */
  readonly maxScanBlocks: number;
}

/** A chain that can be told to act: the sandbox's. */
export interface ChainSimulator {
  /** Pays and returns the transaction's id. */
  pay(address: string, currency: CurrencyCode, units: bigint): Promise<string>;
  mine(count: number): Promise<void>;
}

/** What a payer needs to pay: the order's payment, in the chain's own terms. */
export interface PaymentTarget {
  readonly address: string;
  readonly currency: CurrencyCode;
  readonly units: bigint;
}

/**
 * A chain as the till sees it. Every method may fail with any error; a failure stops only this chain, and the step is
 * tried again from what is stored.
 */
export interface ChainAdapter {
  readonly code: ChainCode;
  readonly name: string;
  readonly assets: readonly Asset[];
  readonly policy: ChainPolicy;
  /** Which wallet's addresses it derives: a fingerprint of the extended key, so that two keys never share a counter. */
  readonly walletId: string;
  /**
   * Asks the node what chain it is on.
   * @returns the chain's identity (`eip155:1/0x<genesis>`), stored at the first start and compared at each later one
   * @throws TillgateError `CHAIN_HALTED` when it is not the configured chain
   */
  identify(): Promise<string>;
  head(): Promise<BlockRef>;
  /** The block at a height on the node's present chain; `null` above its head. */
  blockAt(height: number): Promise<BlockRef | null>;
  /** Where to start when nothing is stored: `null` for the head. */
  readonly startHeight: number | null;
  scan(from: number, to: number, watch: WatchList): Promise<ScannedRange>;
  /**
   * Shows what waits to be mined, so that a payment counts from when it was first seen. Without it, payments count from
   * their block's time.
   */
  readonly mempool?: ChainMempool;
  /** Derives deposit addresses; pure arithmetic on the extended key. */
  deriveAddresses(first: number, count: number): Promise<readonly DerivedAddress[]>;
  /** The address in the chain's usual written form, or `null` when it is no address of this chain and network. */
  normaliseAddress(text: string): string | null;
  /** Why an address is refused, in words that complete "the address …"; `null` for one that is taken. */
  addressProblem?(text: string): string | null;
  /** The watch key of an address in its usual written form; without it, foreign and own deposit addresses look the same. */
  keyOf?(address: string): string;
  /** A token's contract; an empty string for the native coin. */
  contractAddress(currency: CurrencyCode): string;
  /** A URI that wallets open (BIP-21, EIP-681), or the plain address. */
  paymentUri(target: PaymentTarget): string;
  /** The paying side; `null` for a watch-only chain: orders work, money out does not. */
  readonly payments: ChainPayments | null;
  /** Self-custody balances; `null` where the node cannot tell them. */
  readonly balances: ChainBalances | null;
  readonly simulator: ChainSimulator | null;
  close(): Promise<void>;
}

/** The chains of this installation by code. */
export type ChainRegistry = ReadonlyMap<ChainCode, ChainAdapter>;

export const CHAINS_TOKEN = token<ChainRegistry>('Chains');
