import { createHash } from 'node:crypto';
import { TillgateError } from '../../core/index.ts';
import type {
  Asset,
  BlockRef,
  ChainAdapter,
  ChainBalances,
  ChainEffects,
  ChainMempool,
  ChainPayments,
  ChainPolicy,
  DerivedAddress,
  NodeStatus,
  ObservedTransfer,
  PendingTransfers,
  PaymentTarget,
  PresentBalances,
  ScannedRange,
  ScanOptions,
  SettledBlocks,
  WatchList,
} from '../../core/index.ts';

/** A payment to an address in a block. */
export interface FakePayment {
  readonly to: string;
  readonly currency: string;
  readonly units: bigint;
  readonly txid: string;
  readonly index?: string;
  readonly from?: string | null;
  /** When the node first saw it, if it reports that. */
  readonly seenAt?: number;
  /** The confirmations that newly mined coins need before they can be spent. */
  readonly leastConfirmations?: number;
  /** A contract sent it, so no scan shows it. */
  readonly hidden?: boolean;
}

/** The ways in which payments are read from a node. */
type Reading = 'scan' | 'thorough' | 'effects';

interface FakeBlock {
  readonly ref: BlockRef;
  readonly payments: readonly FakePayment[];
}

/** Options of a {@link FakeChain}. */
export interface FakeChainOptions {
  readonly code?: string;
  readonly confirmations?: number | ((units: bigint) => number);
  readonly spendableConfirmations?: number;
  readonly finalityBlocks?: number;
  readonly maxScanBlocks?: number;
  readonly startHeight?: number | null;
  readonly maxLagMs?: number | null;
  /** Whether it shows unconfirmed payments. */
  readonly mempool?: boolean;
}

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A chain scripted by a test: it mines, reorganises, lags, lies and fails. */
export class FakeChain implements ChainAdapter {
  readonly code: string;
  readonly name: string;
  readonly assets: readonly Asset[];
  readonly policy: ChainPolicy;
  readonly walletId: string;
  readonly startHeight: number | null;
  payments: ChainPayments | null = null;
  balances: ChainBalances | null = null;
  /** Set by a test of an account-based chain. */
  present?: PresentBalances;
  /** The node keeps no state of blocks up to this height. */
  forgotten = -1;
  readonly simulator = null;
  identity: string;
  /** When set, every call to the node fails with it. */
  failure: Error | null = null;
  /** When set, the node shows no block above it. */
  lagsAt: number | null = null;
  /** The node's reported status. */
  said: NodeStatus = { behind: null, initialDownload: false, firstBlock: 0 };
  /** When set, thorough scans fail. */
  refusesDeep = false;
  /** Transactions that an ordinary scan does not show. */
  readonly omitted = new Set<string>();
  /** The node's answer about a payment in each kind of read; the truth by default. */
  readonly says: Record<Reading, (payment: FakePayment) => FakePayment | null> = {
    scan: (payment) => payment,
    thorough: (payment) => payment,
    effects: (payment) => payment,
  };
  /** The heights of blocks that were read again before a credit. */
  readonly readAgain: number[] = [];
  /** Called before each scan, to let something happen meanwhile. */
  beforeScan: () => void | Promise<void> = () => undefined;
  /** Called before each read of unconfirmed payments. */
  beforePending: () => void | Promise<void> = () => undefined;
  /** The till's own payments in a block. */
  ownPayments: (block: BlockRef) => readonly FakePayment[] = () => [];
  /** The payments of authorizations that the till sent, in a block. */
  authorizedPayments: (block: BlockRef) => readonly FakePayment[] = () => [];
  /** The unconfirmed payments. */
  waiting: FakePayment[] = [];
  /** The number of next reads of unconfirmed payments that are incomplete. */
  partialLooks = 0;
  mempool?: ChainMempool;
  effects?: ChainEffects | null = {
    dependsOnBlock: () => true,
    read: (block) => this.#effects(block),
  };
  /** Set by a test whose chain marks blocks as safe or final. */
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

  /** Mines a block with these payments and removes them from the unconfirmed ones. */
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

  /** The total paid to an address in a currency up to a height, including the till's own payments. */
  paidTo(address: string, currency: string, height: number): bigint {
    return this.#blocks
      .slice(0, height + 1)
      .flatMap(({ ref, payments }) => [...payments, ...this.ownPayments(ref)])
      .reduce((sum, { to, currency: paid, units }) => (to === address && paid === currency ? sum + units : sum), 0n);
  }

  /** Every payment of the present chain. */
  get paid(): readonly FakePayment[] {
    return this.#blocks.flatMap(({ payments }) => payments);
  }

  /** The last block of the present chain. */
  get top(): BlockRef {
    return this.#at(this.height) as BlockRef;
  }

  /** Removes the last `depth` blocks; blocks mined afterwards differ from them. */
  drop(depth: number): void {
    this.#salt += 1;
    this.#blocks = this.#blocks.slice(0, this.#blocks.length - depth);
  }

  /** Saves the present chain; the returned function restores it. */
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
        .filter(({ to, txid, hidden }) => hidden !== true && watch.has(to) && (thorough || !this.omitted.has(txid)))
        .flatMap((payment) => this.#shown(payment, thorough ? 'thorough' : 'scan'))
        .map((payment) => transferOf(payment, ref)),
    );
    const unseen = !thorough && this.present !== undefined && from <= this.forgotten;
    return { blocks: blocks.map(({ ref }) => ref), transfers, ...(unseen ? { unseen } : {}) };
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

  #shown(payment: FakePayment, reading: Reading): readonly FakePayment[] {
    const shown = this.says[reading](payment);
    return shown === null ? [] : [shown];
  }

  async #effects({ height, hash }: Pick<BlockRef, 'height' | 'hash'>): Promise<readonly ObservedTransfer[] | null> {
    this.#mayFail();
    this.readAgain.push(height);
    const block = this.#blocks[height];
    if (block?.ref.hash !== hash) return null;
    return [...block.payments, ...this.authorizedPayments(block.ref)]
      .flatMap((payment) => this.#shown(payment, 'effects'))
      .map((payment) => transferOf(payment, block.ref));
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
  const { leastConfirmations } = payment;
  return { ...pendingOf(payment), block, ...(leastConfirmations === undefined ? {} : { leastConfirmations }) };
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
