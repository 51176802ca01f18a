import type { Asset, BlockRef, ChainCode, CurrencyCode, Millis } from '../kernel/index.ts';
import type { ChainBalances } from './chain-balances.ts';
import type { ChainEffects } from './chain-effects.ts';
import type { ChainPayments } from './chain-payments.ts';
import type { ObservedTransfer } from './observed-transfer.ts';
import type { PresentBalances } from './present-balances.ts';
import { token } from '../kernel/index.ts';

/** A transfer to a watched address in the mempool. It may still be replaced, so it credits nothing. */
export interface PendingTransfer extends Omit<ObservedTransfer, 'block'> {
  /** When the node first saw it; `null` when the node does not report this. */
  readonly seenAt: Millis | null;
}

/** The content of the mempool. */
export interface PendingTransfers {
  readonly transfers: readonly PendingTransfer[];
  /** False when the mempool was read in part: a missing transfer proves nothing then, and the next read continues. */
  readonly complete: boolean;
}

/** A chain's unconfirmed transactions, as its node shows them. */
export interface ChainMempool {
  /**
   * All unconfirmed transfers to watched addresses, including those reported before.
   *
   * @param watch - call it after the node's reply, so that it includes every address that was in use before any of
   *   these payments was sent
   * @throws any error while the node cannot answer, for example after a restart; an empty result means an empty mempool
   */
  pending(watch: () => Promise<WatchList>): Promise<PendingTransfers>;
}

/** The watched addresses, by watch key. */
export interface WatchList {
  has(key: string): boolean;
  /**
   * Keys of open orders and of orders that expect the native coin; an adapter that cannot see every coin transfer
   * checks their balances.
   */
  nativeKeys(): Iterable<string>;
}

/** Options of a scan. */
export interface ScanOptions {
  /**
   * For deep blocks that are read a second time, or that an operator names: reads each block's receipts instead of a
   * node's index, which may be incomplete. It costs more, reports the same transfers with the same `txid` and `index`,
   * and does not affect ordinary scans. It does not look for transfers that only balances show.
   */
  readonly thorough?: boolean;
  /** Also reports payments of the till's own hot wallet, to find payments that the database lacks. */
  readonly ownPayments?: boolean;
}

/** Blocks `from` to `to` in order, linked by their hashes, and their transfers to watched addresses. */
export interface ScannedRange {
  readonly blocks: readonly BlockRef[];
  readonly transfers: readonly ObservedTransfer[];
  /** True without state of these blocks: transfers that only balances show may be missing. Since interface 1.11.0. */
  readonly unseen?: boolean;
}

/** A derived deposit address. Scanning compares `key` (for EVM: 40 lower-case hexadecimal digits). */
export interface DerivedAddress {
  readonly index: number;
  readonly address: string;
  readonly key: string;
}

/** When a deposit of a chain counts. */
export interface ChainPolicy {
  /** Confirmations required for a credit; the block that holds the transaction is the first. */
  confirmations(currency: CurrencyCode, units: bigint): number;
  /** Confirmations required before the merchant may spend the deposit. */
  readonly spendableConfirmations: number;
  /**
   * The largest difference between a block's time and the till's clock, in milliseconds; two hours by default. Set it
   * lower for chains whose rules keep block times closer to real time.
   */
  readonly clockSkewMs?: number;
  /** A reorganisation at least this many blocks deep is not followed; it stops the chain. */
  readonly finalityBlocks: number;
  readonly pollIntervalMs: number;
  /** The most blocks that one step scans. */
  readonly maxScanBlocks: number;
  /**
   * The age in milliseconds from which the head counts as lagging, for networks with regular blocks. `null`, the
   * default, for networks that may have no block for hours.
   */
  readonly maxLagMs?: number | null;
}

/** The blocks that a chain itself marks as settled; absent where it marks none and confirmations alone decide. */
export interface SettledBlocks {
  /** The highest block whose deposits may be credited; `null` while there is none. */
  readonly credit?: BlockRef | null;
  /** The highest block whose deposits may be spent; `null` while there is none. */
  readonly spend?: BlockRef | null;
  /**
   * The block at the requested height on the branch of the node that gave these marks; `null` where it has none.
   * Without it, a mark above that height settles nothing.
   */
  readonly shown?: BlockRef | null;
}

/** A contradiction between several nodes of one chain. */
export interface NodeDisagreement {
  /** For an operator: each node's answer, worded to complete a sentence. */
  readonly text: string;
  /** The hosts of the nodes that may be wrong. */
  readonly nodes: readonly string[];
}

/** The nodes of a chain. */
export interface NodesInUse {
  readonly hosts: readonly string[];
  /** How many nodes have to agree. With a quorum of one, the answer of any node is accepted. */
  readonly quorum: number;
  /** Whether the network's coins are worth money. */
  readonly mainNetwork: boolean;
  /** Hosts on other machines that are reached without TLS, except where the settings allow it. */
  readonly insecure: readonly string[];
}

/** A node's report about itself, besides its head. */
export interface NodeStatus {
  /** Why the node's head is not the network's, worded to complete "the node …"; `null` when nothing indicates that. */
  readonly behind: string | null;
  /** True while the node downloads the chain from its beginning; its head may be years old. */
  readonly initialDownload: boolean;
  /** The lowest block that the node has in full; 0 when it has all blocks or does not report it. */
  readonly firstBlock: number;
  /** A contradiction between nodes that lasts longer than honest nodes differ; it stops the chain's payments. */
  readonly disagreement?: NodeDisagreement | null;
}

/** Makes payments on request, for the sandbox chain. */
export interface ChainSimulator {
  /** Makes a payment and returns the transaction's id. */
  pay(address: string, currency: CurrencyCode, units: bigint): Promise<string>;
  mine(count: number): Promise<void>;
  /** Calls the listener whenever this instance has added blocks, until the returned function is called. Since interface 1.10.0. */
  watch?(listener: () => void): () => void;
}

/** A payment request for a payer. */
export interface PaymentTarget {
  readonly address: string;
  readonly currency: CurrencyCode;
  readonly units: bigint;
}

/**
 * Access to one chain. Every method may fail with any error; a failure affects only this chain, and the step is retried
 * from the stored state.
 */
export interface ChainAdapter {
  readonly code: ChainCode;
  readonly name: string;
  readonly assets: readonly Asset[];
  readonly policy: ChainPolicy;
  /** Identifies the wallet: a fingerprint of the extended key, which gives each key an address counter of its own. */
  readonly walletId: string;
  /**
   * Reads the chain's identity from the node.
   * @returns the identity (`eip155:1/0x<genesis>`), which is stored at the first start and compared at each later one
   * @throws TillgateError `CHAIN_HALTED` when it is not the configured chain
   */
  identify(): Promise<string>;
  /**
   * Compares a currency's settings with the chain, for example a token's decimals with its contract. Reads the node
   * once; later calls resolve at once.
   * @throws TillgateError `CHAIN_HALTED` when they differ; `NOT_READY` while no node answers
   */
  verifyAsset?(currency: CurrencyCode): Promise<void>;
  head(): Promise<BlockRef>;
  /** The nodes that the adapter reads; absent where it has none. */
  readonly nodes?: NodesInUse;
  /**
   * Whether the node is at the network's head. Called when every block is read, and when a block cannot be read.
   * Without it, the head's age decides (`maxLagMs`).
   *
   * With a quorum of nodes, `head` is the highest block that enough of them have, and `status` reports `behind` while
   * fewer have reached it.
   */
  status?(): Promise<NodeStatus>;
  /**
   * The chain's own marks of settlement, read only while deposits wait. A deposit needs both these marks and the
   * confirmations of the policy. The node that gives the marks must show the same block at the cursor as was read
   * there. Since interface 1.9.0.
   *
   * @param cursor - the last block that was read
   */
  settled?(cursor: BlockRef): Promise<SettledBlocks>;
  /** The block at a height of the node's current chain; `null` above its head. */
  blockAt(height: number): Promise<BlockRef | null>;
  /** The height of the block that holds a transaction; `null` when none does. Absent where a node cannot tell. */
  heightOf?(txid: string): Promise<number | null>;
  /** The first height to read when nothing is stored; `null` for the head. */
  readonly startHeight: number | null;
  scan(from: number, to: number, watch: WatchList, options?: ScanOptions): Promise<ScannedRange>;
  /**
   * Reads what transactions did in a block once more, before their deposits are credited and before they may be spent.
   * `null` where a transaction's id commits to its effects (the outputs of UTXO chains). Without it, the block is scanned
   * again. Since interface 1.11.0.
   */
  readonly effects?: ChainEffects | null;
  /**
   * Unconfirmed transactions, so that a payment counts from when it was first seen. Without it, payments count from their
   * block's time.
   */
  readonly mempool?: ChainMempool;
  /** Derives deposit addresses; pure arithmetic on the extended key. */
  deriveAddresses(first: number, count: number): Promise<readonly DerivedAddress[]>;
  /** The address in the chain's usual form; `null` when it is not an address of this chain and network. */
  normaliseAddress(text: string): string | null;
  /** Why an address is refused, worded to complete "the address …"; `null` when it is accepted. */
  addressProblem?(text: string): string | null;
  /**
   * Why a payment to this address (in its usual form) would certainly be lost, worded to complete "the address …": the
   * zero address, a built-in contract, a token's contract. `null` when no reason is known. Pure: no node is called.
   */
  destinationProblem?(address: string): string | null;
  /** The watch key of an address in its usual form. */
  keyOf(address: string): string;
  /** The contract of a token; an empty string for the native coin. */
  contractAddress(currency: CurrencyCode): string;
  /** A URI that wallets open (BIP-21, EIP-681), or the plain address. */
  paymentUri(target: PaymentTarget): string;
  /** Makes payouts; `null` for a watch-only chain, which only receives payments. */
  readonly payments: ChainPayments | null;
  /**
   * Reads the present balances of the till's own addresses. Every account chain has it; absent where blocks show
   * everything that an address receives (outputs of UTXO chains). Since interface 1.11.0.
   */
  readonly present?: PresentBalances;
  /** Reads self-custody balances; `null` where the node cannot provide them. */
  readonly balances: ChainBalances | null;
  readonly simulator: ChainSimulator | null;
  close(): Promise<void>;
}

/** The chains of this installation by code. */
export type ChainRegistry = ReadonlyMap<ChainCode, ChainAdapter>;

export const CHAINS_TOKEN = token<ChainRegistry>('Chains');
