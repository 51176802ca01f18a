import { contractRefusal, contradiction, TillgateError } from '../../../core/index.ts';
import type {
  Asset,
  BlockRef,
  CancelRequest,
  PayoutOutcome,
  ChainAdapter,
  ChainEffects,
  ChainPayments,
  ChainPolicy,
  CurrencyCode,
  DerivedAddress,
  ExpectedCoins,
  ObservedTransfer,
  PresentBalances,
  PricedPayment,
  RivalPayment,
  PriceRequest,
  ScannedRange,
  ScanOptions,
  SignedPayout,
  SignedTransaction,
  SettledBlocks,
  SignRequest,
  SpendableCoin,
  WatchList,
} from '../../../core/index.ts';
import { SOLID, txidOf } from './chain.ts';
import type { SimChain, SimTx } from './chain.ts';
import { behaviourOf } from './payees.ts';
import { SimPresentBalances } from './present.ts';
import { HONEST } from './trouble.ts';
import type { NodeTrouble } from './trouble.ts';

/** The parameters of the network. */
export interface Network {
  fee: bigint;
}

/** `mark` distinguishes two equal payments, where no nonce does. */
type Signed = Omit<SimTx, 'txid' | 'own'> & { readonly mark?: number };

const write = (content: Signed): string =>
  JSON.stringify(content, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
const read = (raw: string): Signed =>
  JSON.parse(raw, (_key, value: unknown) =>
    typeof value === 'string' && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  ) as Signed;

/** A chain as its node shows it, with every fault that a node can have. */
export class SimNode implements ChainAdapter {
  readonly code: string;
  readonly name: string;
  readonly assets: readonly Asset[];
  readonly policy: ChainPolicy;
  readonly walletId: string;
  readonly startHeight = null;
  readonly balances = null;
  readonly simulator = null;
  readonly payments: SimPayments;
  readonly present?: PresentBalances;
  readonly trouble: NodeTrouble = { ...HONEST };
  /** Another node of the same chain, whose answers are true: before a payment is made again, both must answer. */
  readonly witness: Pick<NodeTrouble, 'down' | 'lag'> = { down: false, lag: 0 };
  readonly chain: SimChain;
  /** Account chains mark final blocks: here each block that the node shows. */
  readonly settled?: (cursor: BlockRef) => Promise<SettledBlocks>;
  /** `txid:index` of payments that it omitted from an answer. */
  readonly omitted = new Set<string>();
  /** `txid:index` of payments that it reported wrongly. */
  readonly misread = new Set<string>();
  readonly effects: ChainEffects | null;

  constructor(chain: SimChain, assets: readonly Asset[], policy: ChainPolicy, network: Network) {
    this.chain = chain;
    this.code = chain.code;
    this.name = `Simulated ${chain.code}`;
    this.assets = assets;
    this.policy = policy;
    this.walletId = `wallet-${chain.code}`;
    if (chain.model === 'account') this.present = new SimPresentBalances(this);
    this.payments = new SimPayments(this, assets[0] as Asset, network);
    this.effects =
      chain.model === 'account' ? { dependsOnBlock: () => true, read: (block) => this.#effects(block) } : null;
    if (chain.model === 'account') this.settled = (cursor) => this.#settled(cursor);
  }

  /** The height of the last block that it shows. */
  get shown(): number {
    return Math.max(this.chain.height - this.trouble.lag, 0);
  }

  get troubled(): boolean {
    const { down, lag, forgetful, forkedAt, omits, misreads, boast, keeps, contradicts, deadMarks } = this.trouble;
    return (
      down ||
      lag > 0 ||
      forgetful ||
      forkedAt !== null ||
      omits ||
      misreads ||
      boast > 0n ||
      keeps !== null ||
      contradicts ||
      deadMarks ||
      this.witness.down ||
      this.witness.lag > 0
    );
  }

  heal(): void {
    Object.assign(this.trouble, HONEST);
    Object.assign(this.witness, { down: false, lag: 0 });
  }

  async identify(): Promise<string> {
    this.answer();
    return `sim:${this.code}`;
  }

  async head(): Promise<BlockRef> {
    this.answer();
    return this.#ref(this.shown) as BlockRef;
  }

  async blockAt(height: number): Promise<BlockRef | null> {
    this.answer();
    return height > this.shown ? null : this.#ref(height);
  }

  async scan(
    from: number,
    to: number,
    watch: WatchList,
    { thorough = false }: ScanOptions = {},
  ): Promise<ScannedRange> {
    this.answer();
    if (this.trouble.contradicts)
      throw contradiction('The node contradicts itself: a balance was reported in two ways.');
    const blocks: BlockRef[] = [];
    const transfers: ObservedTransfer[] = [];
    for (let height = from; height <= Math.min(to, this.shown); height++) {
      const ref = this.#ref(height) as BlockRef;
      blocks.push(ref);
      for (const tx of this.#forked(height) ? [] : (this.chain.block(height)?.txs ?? []))
        for (const transfer of transfersOf(tx, ref, watch, this.chain)) {
          const isLogged = this.chain.model === 'account' && transfer.currency !== this.chain.native;
          if (this.trouble.omits && isLogged && !thorough) this.omitted.add(`${transfer.txid}:${transfer.index}`);
          else transfers.push(this.trouble.misreads && isLogged && !thorough ? this.#misread(transfer) : transfer);
        }
    }
    if (blocks.at(-1)?.height !== to) throw new TillgateError('NODE_FAILED', 'The node has no such block any more.');
    const unseen = this.trouble.keeps !== null && from - 1 <= this.shown - this.trouble.keeps && !thorough;
    return { blocks, transfers, ...(unseen ? { unseen } : {}) };
  }

  async deriveAddresses(first: number, count: number): Promise<readonly DerivedAddress[]> {
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

  paymentUri({ address, units }: { readonly address: string; readonly units: bigint }): string {
    return `sim:${address}?amount=${units}`;
  }

  async close(): Promise<void> {
    this.trouble.down = true;
  }

  /** @throws TillgateError `NODE_FAILED` while it is down */
  answer(): void {
    if (this.trouble.down) throw new TillgateError('NODE_FAILED', 'The node does not answer.');
  }

  #misread(transfer: ObservedTransfer): ObservedTransfer {
    this.misread.add(`${transfer.txid}:${transfer.index}`);
    return { ...transfer, units: transfer.units * 2n };
  }

  async #effects({ height, hash }: Pick<BlockRef, 'height' | 'hash'>): Promise<readonly ObservedTransfer[] | null> {
    this.answer();
    const ref = height > this.shown ? null : this.#ref(height);
    if (ref?.hash !== hash) return null;
    const everyone = { has: () => true, nativeKeys: () => [] };
    const txs = this.#forked(height) ? [] : (this.chain.block(height)?.txs ?? []);
    return txs.flatMap((tx) => [...transfersOf(tx, ref, everyone, this.chain)]);
  }

  async #settled(cursor: BlockRef): Promise<SettledBlocks> {
    this.answer();
    if (!this.trouble.deadMarks) {
      const mark = this.#ref(this.shown);
      return { credit: mark, spend: mark, shown: cursor.height > this.shown ? null : this.#ref(cursor.height) };
    }
    const dead = (height: number): BlockRef => ({
      ...cursor,
      height,
      hash: txidOf(`${this.code} dead ${height}`),
      parentHash: txidOf(`${this.code} dead ${height - 1}`),
    });
    const mark = dead(cursor.height + 5);
    return { credit: mark, spend: mark, shown: dead(cursor.height) };
  }

  #forked(height: number): boolean {
    return this.trouble.forkedAt !== null && height >= this.trouble.forkedAt;
  }

  #ref(height: number): BlockRef | null {
    const block = this.chain.block(height);
    if (block === undefined || !this.#forked(height)) return block?.ref ?? null;
    // A block's hash depends on everything below it.
    const trunk = this.chain.block((this.trouble.forkedAt ?? 0) - 1)?.ref.hash;
    const hash = (at: number): string => txidOf(`${this.code} fork of ${trunk} ${at}`);
    return {
      ...block.ref,
      hash: hash(height),
      parentHash: this.#forked(height - 1) ? hash(height - 1) : block.ref.parentHash,
    };
  }
}

function* transfersOf(tx: SimTx, block: BlockRef, watch: WatchList, chain: SimChain): Iterable<ObservedTransfer> {
  // A transaction without effect pays nobody.
  if (chain.included.get(tx.txid)?.succeeded === false) return;
  for (const { to, currency, units, index, hidden } of tx.outputs) {
    if (hidden === true) continue;
    // The gas that the till sends ahead to its own deposit addresses is no payment of an order.
    if (watch.has(to) && !tx.own) yield { txid: tx.txid, index, block, currency, units, from: tx.source, toKey: to };
  }
}

/** Compares a rival transaction's payments with the payout's own. */
function rivalOf(rival: SimTx, attempts: SignedPayout['attempts']): { rival?: RivalPayment } {
  const own = read(attempts[0]?.raw ?? '{}');
  const lines = (outputs: SimTx['outputs'] = []): string =>
    outputs
      .map(({ to, currency, units }) => `${to} ${currency} ${units}`)
      .sort()
      .join();
  const { txid, own: _own, ...content } = rival;
  if (lines(own.outputs) === lines(rival.outputs))
    return { rival: { pays: 'same', attempt: { raw: write(content), feeUnits: rival.fee, terms: txid } } };
  const receivers = new Set(own.outputs.map(({ to }) => to));
  return rival.outputs.some(({ to }) => receivers.has(to)) ? { rival: { pays: 'receiver' } } : {};
}

/** The paying side of a {@link SimNode}. */
export class SimPayments implements ChainPayments {
  readonly model: 'account' | 'utxo';
  readonly feeAsset: Asset;
  readonly hotAddress: string;
  readonly maxLines: number;
  /** Called with each transaction that a node receives, before it accepts it. */
  onBroadcast: (tx: SimTx) => void = () => undefined;
  readonly #node: SimNode;
  readonly chain: SimChain;
  /** A transaction of the till to itself. */
  cancel?: (request: CancelRequest) => Promise<SignedTransaction> = (request) => this.#signCancel(request);
  readonly #network: Network;
  #marks = 0;

  constructor(node: SimNode, feeAsset: Asset, network: Network) {
    this.#node = node;
    this.chain = node.chain;
    this.#network = network;
    this.model = node.chain.model;
    this.feeAsset = feeAsset;
    this.hotAddress = node.chain.hot;
    this.maxLines = this.model === 'utxo' ? 4 : 1;
  }

  /** Sets the time in which a transaction can be mined, on a chain without nonces, where none replaces another. */
  expireAfter(ms: number): void {
    this.chain.expiryMs = ms;
    delete this.cancel;
  }

  get bumpAfterMs(): number | null {
    return this.chain.expiryMs === null ? 90_000 : null;
  }

  dust(): bigint {
    return 10n;
  }

  async price({ source, lines, coins, required = [], replaces }: PriceRequest): Promise<PricedPayment> {
    this.#node.answer();
    if (this.chain.isFrozen(source.address, lines))
      throw contractRefusal('The network would revert the payment: frozen.');
    const refusing = this.model === 'account' && lines.some(({ to }) => behaviourOf(to) === 'refuses');
    if (refusing) throw new TillgateError('DESTINATION_UNPAYABLE', 'The receiver refuses the coins.');
    const { fee } = this.#network;
    const bumped = replaces === null ? 0n : (replaces.feeUnits * 113n) / 100n + 1n;
    const feeUnits = bumped > fee ? bumped : fee;
    if (this.model === 'account') return { feeUnits, coins: [], terms: 'account' };
    const wanted = lines.reduce((sum, { units }) => sum + units, 0n) + (replaces === null ? 0n : feeUnits);
    const chosen = [...required];
    let sum = required.reduce((all, { units }) => all + units, 0n);
    for (const coin of replaces === null ? coins : []) {
      if (sum >= wanted) break;
      chosen.push(coin);
      sum += coin.units;
    }
    if (replaces !== null) {
      chosen.push(...coins);
      sum = coins.reduce((all, { units }) => all + units, 0n);
    }
    if (sum < wanted) throw new TillgateError('INSUFFICIENT_BALANCE', 'The coins do not suffice.');
    return { feeUnits, coins: chosen, terms: 'utxo' };
  }

  async sign({ source, lines, priced, nonce }: SignRequest): Promise<SignedTransaction> {
    const whole = priced.coins.reduce((sum, { units }) => sum + units, 0n);
    const change =
      this.model === 'utxo' ? whole - lines.reduce((sum, { units }) => sum + units, 0n) - priced.feeUnits : 0n;
    if (change < 0n) throw new Error('a transaction that spends more than its coins');
    const outputs = lines.map(({ to, currency, units }, index) => ({ to, currency, units, index: String(index) }));
    const { expiryMs, time } = this.chain;
    const expiresAt = expiryMs === null ? null : time + expiryMs;
    const mark = expiresAt === null ? {} : { mark: (this.#marks += 1) };
    const content: Signed = {
      source: source.address,
      nonce,
      coins: priced.coins.map(({ ref }) => ref),
      outputs,
      fee: priced.feeUnits,
      change,
      expiresAt,
      ...mark,
    };
    const raw = write(content);
    const txid = txidOf(raw);
    return { txid, raw, feeUnits: priced.feeUnits, terms: priced.terms, change: this.#change(txid, change), expiresAt };
  }

  async #signCancel({ source, coins, nonce, replaces }: CancelRequest): Promise<SignedTransaction> {
    this.#node.answer();
    const feeUnits = (replaces.feeUnits * 113n) / 100n + 1n;
    // The debit of an account is recorded too, but is no input of its transaction.
    const inputs = this.model === 'utxo' ? coins : [];
    return this.sign({ source, lines: [], priced: { feeUnits, coins: inputs, terms: this.model }, nonce });
  }

  async broadcast({ txid, raw }: { readonly txid: string; readonly raw: string }): Promise<void> {
    this.#node.answer();
    const tx: SimTx = { ...read(raw), txid, own: true };
    this.onBroadcast(tx);
    const problem = this.chain.problem(tx);
    if (problem !== null) throw new TillgateError('NODE_FAILED', `The node refused: ${problem}.`);
    this.chain.submit(tx);
  }

  async outcome({ source, nonce, coins, attempts }: SignedPayout): Promise<PayoutOutcome> {
    this.#node.answer();
    const { shown, trouble } = this.#node;
    for (const { txid } of attempts) {
      const mined = this.chain.included.get(txid);
      const block = mined === undefined ? undefined : this.chain.block(mined.height)?.ref;
      if (mined === undefined || block === undefined || mined.height > shown || trouble.forkedAt !== null) continue;
      const { succeeded, tx } = mined;
      return {
        kind: 'mined',
        txid,
        block,
        confirmations: shown - mined.height + 1,
        succeeded,
        feeUnits: tx.fee,
        change: this.#change(txid, tx.change),
      };
    }
    const own = new Set(attempts.map(({ txid }) => txid));
    const rival = this.chain.conflict(source.address, nonce, coins, own);
    if (rival !== null && rival.height <= shown)
      return {
        kind: 'conflicted',
        txid: rival.tx.txid,
        confirmations: shown - rival.height + 1,
        ...rivalOf(rival.tx, attempts),
      };
    if (this.chain.expiryMs !== null) return { kind: this.#unmined(attempts) };
    const waits =
      !trouble.forgetful && attempts.some(({ txid }) => this.chain.mempool.has(txid) || this.chain.included.has(txid));
    return { kind: waits ? 'pending' : 'missing' };
  }

  /** Without nonces, only the time of final blocks at every node shows that a transaction can never be mined. */
  #unmined(attempts: SignedPayout['attempts']): 'pending' | 'missing' | 'expired' {
    const { shown, trouble, witness } = this.#node;
    if (!trouble.forgetful && trouble.forkedAt === null && this.#knows(attempts, this.chain.height)) return 'pending';
    const last = Math.max(...attempts.map(({ expiresAt }) => expiresAt ?? Infinity));
    if (this.solidTime(shown) <= last) return 'missing';
    if (witness.down) throw new TillgateError('NODE_FAILED', 'One of the nodes does not answer.');
    const seen = this.chain.height - witness.lag;
    if (this.witnessKnows(attempts, seen)) return 'pending';
    return this.solidTime(seen) <= last ? 'missing' : 'expired';
  }

  /** The time of the last block that no reorganisation can remove while a node shows this height. */
  solidTime(height: number): number {
    return this.chain.timeOf(height - SOLID);
  }

  /** Whether the second node knows one of the attempts. */
  witnessKnows(attempts: SignedPayout['attempts'], height: number): boolean {
    return this.#knows(attempts, height);
  }

  /** True when one of them is in a block up to this height, or is unconfirmed. */
  #knows(attempts: SignedPayout['attempts'], height: number): boolean {
    return attempts.some(({ txid }) => {
      const waiting = this.chain.mempool.get(txid);
      return (
        (waiting !== undefined && !this.chain.isExpired(waiting)) ||
        (this.chain.included.get(txid)?.height ?? Infinity) <= height
      );
    });
  }

  async custody(expected: readonly ExpectedCoins[]): Promise<ReadonlyMap<CurrencyCode, bigint>> {
    this.#node.answer();
    const sums = new Map<CurrencyCode, bigint>();
    for (const { ref, address, currency } of expected) {
      const units = this.model === 'utxo' ? (this.chain.coin(ref) ?? 0n) : this.#shown(address, currency);
      sums.set(currency, (sums.get(currency) ?? 0n) + units);
    }
    return sums;
  }

  async balance(address: string, currency: CurrencyCode): Promise<bigint> {
    this.#node.answer();
    return this.#shown(address, currency);
  }

  #shown(address: string, currency: CurrencyCode): bigint {
    const isHot = address === this.hotAddress && currency === this.chain.native;
    return this.chain.balance(address, currency) + (isHot ? this.#node.trouble.boast : 0n);
  }

  async nextNonce(address: string): Promise<number | null> {
    this.#node.answer();
    if (this.model === 'utxo' || this.chain.expiryMs !== null) return null;
    let next = this.chain.nonceOf(address);
    // A node that forgot its mempool counts only mined transactions.
    if (this.#node.trouble.forgetful) return next;
    for (const tx of this.chain.mempool.values())
      if (tx.own && tx.source === address && tx.nonce !== null && tx.nonce >= next) next = tx.nonce + 1;
    return next;
  }

  #change(txid: string, units: bigint): SpendableCoin | null {
    return units === 0n ? null : { ref: `${txid}:change`, address: this.hotAddress, index: null, units };
  }
}
