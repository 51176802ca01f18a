import type { Asset, ChainCode, CurrencyCode } from '../kernel/asset.ts';
import type { Millis } from '../kernel/time.ts';
import type { BlockRef } from './block-ref.ts';
import type { ChainBalances } from './chain-balances.ts';
import type { ChainPayments } from './chain-payments.ts';
import { token } from './token.ts';

/** A successful transfer of a configured asset to a watched address, in a block. */
export interface ObservedTransfer {
  readonly txid: string;
  /** Distinguishes transfers of one transaction: a log index, an output number, `value`, `internal:…`. */
  readonly index: string;
  readonly block: BlockRef;
  readonly currency: CurrencyCode;
  readonly units: bigint;
  readonly from: string | null;
  /** The watch key of the receiving address. */
  readonly toKey: string;
}

/** A transfer to a watched address in the mempool. It may still be replaced, so it credits nothing. */
export interface PendingTransfer extends Omit<ObservedTransfer, 'block'> {
  /** When the node first had it; `null` where the node does not say. */
  readonly seenAt: Millis | null;
}

/** The content of the mempool. */
export interface PendingTransfers {
  readonly transfers: readonly PendingTransfer[];
  /** False when it was not read completely: absence means nothing then, and the next read continues. */
  readonly complete: boolean;
}

/** A chain's unconfirmed transactions, as its node shows them. */
export interface ChainMempool {
  /**
   * All unconfirmed transfers to watched addresses, also those reported before.
   *
   * @param watch - call it after the node's reply, so that every address used before one of these was sent is included
   * @throws any error while the node cannot answer, for example after a restart; an empty result means an empty mempool
   */
  pending(watch: () => Promise<WatchList>): Promise<PendingTransfers>;
}

/** The watched addresses, by watch key. */
export interface WatchList {
  has(key: string): boolean;
  /** Keys whose open orders expect the chain's native coin; an adapter that cannot see every coin transfer checks their balances. */
  nativeKeys(): Iterable<string>;
}

/** How a range is read. */
export interface ScanOptions {
  /**
   * For blocks that were read before and are deep now, or that an operator asks for: each block's receipts are read, not
   * an index of the node that may be incomplete. It costs more, reports the same transfers with the same `txid` and
   * `index`, and changes nothing for the ordinary scans. What only balances show is not looked for.
   */
  readonly thorough?: boolean;
  /** Reports also what the till's own hot wallet paid, which is no deposit: to look for payments that are not in the database. */
  readonly ownPayments?: boolean;
}

/** Blocks `from` to `to` in order, linked by their hashes, and their transfers to watched addresses. */
export interface ScannedRange {
  readonly blocks: readonly BlockRef[];
  readonly transfers: readonly ObservedTransfer[];
}

/** A derived deposit address. Scanning compares `key` (for EVM: 40 lower-case hexadecimal digits). */
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
  /**
   * By how much a block's time may differ from the till's clock. Two hours unless the chain's rules keep block times closer
   * to the real time.
   */
  readonly clockSkewMs?: number;
  /** A change this many blocks below the head is not followed; it stops the chain. */
  readonly finalityBlocks: number;
  readonly pollIntervalMs: number;
  /** Blocks scanned in one step. */
  readonly maxScanBlocks: number;
  /**
   * How old the head may be on a network whose blocks come regularly; an older one lags. `null`, the default, where nobody
   * mines for hours.
   */
  readonly maxLagMs?: number | null;
}

/** What a chain itself marks as settled: left out where it marks nothing and confirmations alone decide. */
export interface SettledBlocks {
  /** The highest block whose deposits may be credited; `null` while there is none. */
  readonly credit?: BlockRef | null;
  /** The highest block whose deposits may be spent; `null` while there is none. */
  readonly spend?: BlockRef | null;
}

/** What several nodes of one chain contradict each other about. */
export interface NodeDisagreement {
  /** For an operator, in words that complete a sentence: what each node says. */
  readonly text: string;
  /** The nodes that may be wrong, by their hosts. */
  readonly nodes: readonly string[];
}

/** The nodes of a chain, by their hosts. */
export interface NodesInUse {
  readonly hosts: readonly string[];
  /** How many of them have to agree; of one, whatever it says is believed. */
  readonly quorum: number;
  /** Whether the network's coins are worth money. */
  readonly mainNetwork: boolean;
  /** Those on other machines that are asked without TLS, unless the settings allow that. */
  readonly insecure: readonly string[];
}

/** What a node says of itself, beside its head. */
export interface NodeStatus {
  /** Why its head is not the network's, in words that complete "the node …"; `null` when nothing says so. */
  readonly behind: string | null;
  /** It downloads the chain from its beginning: its head may be years old. */
  readonly initialDownload: boolean;
  /** The lowest block that it has in full; 0 where it has all, or does not say. */
  readonly firstBlock: number;
  /** What its nodes contradict each other about for longer than honest nodes do; the chain's payments stop meanwhile. */
  readonly disagreement?: NodeDisagreement | null;
}

/** A chain that makes payments on request: the sandbox's. */
export interface ChainSimulator {
  /** Pays and returns the transaction's id. */
  pay(address: string, currency: CurrencyCode, units: bigint): Promise<string>;
  mine(count: number): Promise<void>;
  /** Calls the listener whenever this instance has added blocks, until the returned function is called. Since interface 1.10.0. */
  watch?(listener: () => void): () => void;
}

/** A payment request to a payer, in the chain's own terms. */
export interface PaymentTarget {
  readonly address: string;
  readonly currency: CurrencyCode;
  readonly units: bigint;
}

/**
 * Access to one chain. Every method may fail with any error; a failure affects only this chain, and the step is retried from
 * what is stored.
 */
export interface ChainAdapter {
  readonly code: ChainCode;
  readonly name: string;
  readonly assets: readonly Asset[];
  readonly policy: ChainPolicy;
  /** Identifies the wallet: a fingerprint of the extended key, so that two keys never share an address counter. */
  readonly walletId: string;
  /**
   * Asks the node for its chain.
   * @returns the chain's identity (`eip155:1/0x<genesis>`), stored at the first start and compared at each later one
   * @throws TillgateError `CHAIN_HALTED` when it is not the configured chain
   */
  identify(): Promise<string>;
  /**
   * Compares what the settings say of a currency with the chain: a token's decimals with its contract. Asks the node once,
   * and resolves at once after that.
   * @throws TillgateError `CHAIN_HALTED` when they differ; `NOT_READY` while no node answers
   */
  verifyAsset?(currency: CurrencyCode): Promise<void>;
  head(): Promise<BlockRef>;
  /** The nodes that it reads from; left out where it has none. */
  readonly nodes?: NodesInUse;
  /**
   * Whether its node is at the network's head: asked when every block is read, and when a block cannot be read. Without it,
   * the head's age decides (`maxLagMs`).
   *
   * With a quorum of nodes, `head` is the highest block that enough of them have, and `status` says `behind` while fewer are at
   * it.
   */
  status?(): Promise<NodeStatus>;
  /**
   * The chain's own marks of settlement, asked only while deposits wait. They count beside the confirmations of the policy:
   * a deposit needs both. Since interface 1.9.0.
   */
  settled?(): Promise<SettledBlocks>;
  /** The block at a height of the node's current chain; `null` above its head. */
  blockAt(height: number): Promise<BlockRef | null>;
  /**
   * The height of the block that holds a transaction; `null` for one that is in no block. Absent where a node cannot be asked.
   */
  heightOf?(txid: string): Promise<number | null>;
  /** Where to start when nothing is stored: `null` for the head. */
  readonly startHeight: number | null;
  scan(from: number, to: number, watch: WatchList, options?: ScanOptions): Promise<ScannedRange>;
  /**
   * Unconfirmed transactions, so that a payment counts from when it was first seen. Without it, payments count from their
   * block's time.
   */
  readonly mempool?: ChainMempool;
  /** Derives deposit addresses; pure arithmetic on the extended key. */
  deriveAddresses(first: number, count: number): Promise<readonly DerivedAddress[]>;
  /** The address in the chain's usual form, or `null` when it is not an address of this chain and network. */
  normaliseAddress(text: string): string | null;
  /** Why an address is refused, in words that complete "the address …"; `null` for an accepted one. */
  addressProblem?(text: string): string | null;
  /**
   * Why what is paid to an address (in its usual form) is lost for certain: the zero address, a built-in contract, a token's
   * contract. In words that complete "the address …"; `null` when nothing is known against it. Pure: no node is asked.
   */
  destinationProblem?(address: string): string | null;
  /** The watch key of an address in its usual form; without it, foreign and own deposit addresses cannot be distinguished. */
  keyOf?(address: string): string;
  /** A token's contract; an empty string for the native coin. */
  contractAddress(currency: CurrencyCode): string;
  /** A URI that wallets open (BIP-21, EIP-681), or the plain address. */
  paymentUri(target: PaymentTarget): string;
  /** Payouts; `null` for a watch-only chain, which only takes orders. */
  readonly payments: ChainPayments | null;
  /** Self-custody balances; `null` where the node cannot provide them. */
  readonly balances: ChainBalances | null;
  readonly simulator: ChainSimulator | null;
  close(): Promise<void>;
}

/** The chains of this installation by code. */
export type ChainRegistry = ReadonlyMap<ChainCode, ChainAdapter>;

export const CHAINS_TOKEN = token<ChainRegistry>('Chains');
