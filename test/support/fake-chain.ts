import { createHash } from 'node:crypto';
import { TillgateError } from '../../core/index.ts';
import type {
  Asset,
  BlockRef,
  ChainAdapter,
  ChainBalances,
  ChainMempool,
  ChainPayments,
  ChainPolicy,
  DerivedAddress,
  NodeStatus,
  ObservedTransfer,
  PendingTransfers,
  PaymentTarget,
  ScannedRange,
  ScanOptions,
  SettledBlocks,
  WatchList,
} from '../../core/index.ts';

/** What a block is to hold: a payment to an address. */
export interface FakePayment {
  readonly to: string;
  readonly currency: string;
  readonly units: bigint;
  readonly txid: string;
  readonly index?: string;
  readonly from?: string | null;
  /** When the node first had it, where it can tell. */
  readonly seenAt?: number;
}

interface FakeBlock {
  readonly ref: BlockRef;
  readonly payments: readonly FakePayment[];
}

/** How a {@link FakeChain} differs from the usual one. */
export interface FakeChainOptions {
  readonly code?: string;
  readonly confirmations?: number | ((units: bigint) => number);
  readonly spendableConfirmations?: number;
  readonly finalityBlocks?: number;
  readonly maxScanBlocks?: number;
  readonly startHeight?: number | null;
  readonly maxLagMs?: number | null;
  /** It shows what waits to be mined. */
  readonly mempool?: boolean;
}

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A chain that does as a test says: mines, reorganises, lags, lies and fails. */
export class FakeChain implements ChainAdapter {
  readonly code: string;
  readonly name: string;
  readonly assets: readonly Asset[];
  readonly policy: ChainPolicy;
  readonly walletId: string;
  readonly startHeight: number | null;
  payments: ChainPayments | null = null;
  balances: ChainBalances | null = null;
  readonly simulator = null;
  identity: string;
  /** When set, every call to the node fails with it. */
  failure: Error | null = null;
  /** When set, the node shows no block above it. */
  lagsAt: number | null = null;
  /** What the node says of itself. */
  said: NodeStatus = { behind: null, initialDownload: false, firstBlock: 0 };
  /** When set, thorough scans fail. */
  refusesDeep = false;
  /** Transactions that an ordinary scan does not show. */
  readonly omitted = new Set<string>();
  /** Called before each scan: the place to let something happen meanwhile. */
  beforeScan: () => void | Promise<void> = () => undefined;
  /** Called before it is told what waits. */
  beforePending: () => void | Promise<void> = () => undefined;
  /** What the till itself has paid in a block. */
  ownPayments: (block: BlockRef) => readonly FakePayment[] = () => [];
  /** What payers have authorized, and the till has sent in a block. */
  authorizedPayments: (block: BlockRef) => readonly FakePayment[] = () => [];
  /** What waits to be mined. */
  waiting: FakePayment[] = [];
  /** How many looks at what waits see a part of it only. */
  partialLooks = 0;
  mempool?: ChainMempool;
  /** Set by a test whose chain marks blocks. */
  settled?: () => Promise<SettledBlocks>;
  derived = 0;
  #blocks: FakeBlock[];
  #now: () => number;
  #salt = 0;

  constructor(assets: readonly Asset[], now: () => number, options: FakeChainOptions = {}) {
    const { confirmations = 3 } = options;
    this.code = options.code ?? assets[0]?.chain ?? 'ETH';
    this.name = `Fake ${this.code}`;
    this.identity = `fake:${this.code}`;
    this.assets = assets;
    this.walletId = `wallet-${this.code}`;
    this.startHeight = options.startHeight ?? null;
    this.#now = now;
    this.policy = {
      confirmations: (_currency, units) => (typeof confirmations === 'number' ? confirmations : confirmations(units)),
      spendableConfirmations: options.spendableConfirmations ?? 6,
      finalityBlocks: options.finalityBlocks ?? 20,
      pollIntervalMs: 10,
      maxScanBlocks: options.maxScanBlocks ?? 5,
      maxLagMs: options.maxLagMs ?? null,
    };
    this.#blocks = [this.#block(null, [])];
    if (options.mempool === true) this.mempool = { pending: (watch) => this.#pending(watch) };
  }

  get height(): number {
    return this.#blocks.length - 1;
  }

  /** Mines a block with these payments, which wait no longer. */
  mine(...payments: FakePayment[]): void {
    this.waiting = this.waiting.filter(({ txid }) => payments.every((mined) => mined.txid !== txid));
    this.#blocks = [...this.#blocks, this.#block(this.#blocks.at(-1)?.ref ?? null, payments)];
  }

  mineEmpty(count: number): void {
    for (let i = 0; i < count; i++) this.mine();
  }

  /** True while the block is in the present chain. */
  has({ height, hash }: BlockRef): boolean {
    return this.#at(height)?.hash === hash;
  }

  /** Every payment of the present chain. */
  get paid(): readonly FakePayment[] {
    return this.#blocks.flatMap(({ payments }) => payments);
  }

  /** The last block of the present chain. */
  get top(): BlockRef {
    return this.#at(this.height) as BlockRef;
  }

  /** Takes the last `depth` blocks away; what is mined next differs from them. */
  drop(depth: number): void {
    this.#salt += 1;
    this.#blocks = this.#blocks.slice(0, this.#blocks.length - depth);
  }

  /** Keeps the present chain; the function brings it back. */
  keep(): () => void {
    const blocks = this.#blocks;
    return () => {
      this.#blocks = blocks;
    };
  }

  async identify(): Promise<string> {
    this.#mayFail();
    return this.identity;
  }

  async head(): Promise<BlockRef> {
    this.#mayFail();
    return this.#at(Math.min(this.height, this.lagsAt ?? this.height)) as BlockRef;
  }

  async status(): Promise<NodeStatus> {
    return this.said;
  }

  async blockAt(height: number): Promise<BlockRef | null> {
    this.#mayFail();
    return this.lagsAt !== null && height > this.lagsAt ? null : this.#at(height);
  }

  async scan(
    from: number,
    to: number,
    watch: WatchList,
    { thorough = false, ownPayments = false }: ScanOptions = {},
  ): Promise<ScannedRange> {
    await this.beforeScan();
    this.#mayFail();
    if (thorough && this.refusesDeep) throw new TillgateError('NODE_FAILED', 'no such receipts');
    const blocks = this.#blocks.slice(from, to + 1);
    const transfers = blocks.flatMap(({ ref, payments }) =>
      [...payments, ...this.authorizedPayments(ref), ...(ownPayments ? this.ownPayments(ref) : [])]
        .filter(({ to, txid }) => watch.has(to) && (thorough || !this.omitted.has(txid)))
        .map((payment) => transferOf(payment, ref)),
    );
    return { blocks: blocks.map(({ ref }) => ref), transfers };
  }

  async heightOf(txid: string): Promise<number | null> {
    this.#mayFail();
    const block = this.#blocks.find(({ payments }) => payments.some((payment) => payment.txid === txid));
    return block?.ref.height ?? null;
  }

  async deriveAddresses(first: number, count: number): Promise<readonly DerivedAddress[]> {
    this.derived += count;
    return Array.from({ length: count }, (_, i) => {
      const address = `${this.code.toLowerCase()}${first + i}`;
      return { index: first + i, address, key: address };
    });
  }

  normaliseAddress(text: string): string | null {
    return text.startsWith(this.code.toLowerCase()) ? text : null;
  }

  keyOf(address: string): string {
    return address;
  }

  contractAddress(currency: string): string {
    return this.assets.find((asset) => asset.currency === currency)?.kind === 'token' ? `contract-of-${currency}` : '';
  }

  paymentUri({ address, units }: PaymentTarget): string {
    return `fake:${address}?amount=${units}`;
  }

  async close(): Promise<void> {
    this.failure = new TillgateError('NODE_FAILED', 'closed');
  }

  async #pending(watch: () => Promise<WatchList>): Promise<PendingTransfers> {
    await this.beforePending();
    this.#mayFail();
    const waiting = [...this.waiting];
    const watched = await watch();
    const ours = waiting.filter(({ to }) => watched.has(to));
    this.partialLooks -= 1;
    return {
      transfers: ours.map((payment) => ({ ...pendingOf(payment), seenAt: payment.seenAt ?? null })),
      complete: this.partialLooks < 0,
    };
  }

  #mayFail(): void {
    if (this.failure !== null) throw this.failure;
  }

  #at(height: number): BlockRef | null {
    return this.#blocks[height]?.ref ?? null;
  }

  #block(parent: BlockRef | null, payments: readonly FakePayment[]): FakeBlock {
    const height = parent === null ? 0 : parent.height + 1;
    const parentHash = parent?.hash ?? '0'.repeat(64);
    const content = JSON.stringify(payments, (_key, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    );
    const hash = sha(`${this.code}:${parentHash}:${this.#salt}:${content}`);
    return { ref: { height, hash, parentHash, time: this.#now() }, payments };
  }
}

function transferOf(payment: FakePayment, block: BlockRef): ObservedTransfer {
  return { ...pendingOf(payment), block };
}

function pendingOf(payment: FakePayment): Omit<ObservedTransfer, 'block'> {
  return {
    txid: payment.txid,
    index: payment.index ?? '0',
    currency: payment.currency,
    units: payment.units,
    from: payment.from === undefined ? 'payer' : payment.from,
    toKey: payment.to,
  };
}
