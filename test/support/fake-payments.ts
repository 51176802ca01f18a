import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { TillgateError } from '../../core/index.ts';
import type {
  Asset,
  BlockRef,
  PayoutOutcome,
  ChainPayments,
  CurrencyCode,
  ExpectedCoins,
  PaymentLine,
  CancelRequest,
  PricedPayment,
  PriceRequest,
  RivalPayment,
  SignedPayout,
  SignedTransaction,
  SignRequest,
  SpendableCoin,
  TokenAuthorizations,
} from '../../core/index.ts';
import type { FakeChain, FakePayment } from './fake-chain.ts';

/** One payment of a transaction; `charge` sends a payer's authorization, whose tokens go to `to`. */
interface Line {
  readonly to: string;
  readonly currency: string;
  readonly units: string;
  readonly charge?: {
    readonly from: string;
    readonly currency: string;
    readonly units: string;
    readonly nonce: string;
  };
}

/** The decoded content of a transaction. */
interface Content {
  readonly source: string;
  readonly nonce: number | null;
  readonly coins: readonly string[];
  readonly lines: readonly Line[];
  readonly fee: string;
  readonly change: string;
}

interface Sent {
  readonly txid: string;
  readonly content: Content;
  /** `null` while it is unconfirmed, and again when its block was reorganised away. */
  block: BlockRef | null;
  succeeded: boolean;
}

/** A failure of one call to the node. */
export type Trouble = 'refuses' | 'reply-lost';

const HOT = 'hot';
const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The paying side of a {@link FakeChain}: a mempool, nonces or coins, and blocks that the test mines. */
export class FakePayments implements ChainPayments {
  readonly model: 'account' | 'utxo';
  readonly feeAsset: Asset;
  readonly hotAddress: string;
  readonly maxLines: number;
  readonly maxCoins?: number;
  bumpAfterMs: number | null = 60_000;
  /** The network's fee of one transaction. */
  fee = 1_000n;
  /** When set, `price` refuses with it. */
  refusal: string | null = null;
  /** The failures of the next broadcasts, in order. */
  readonly troubles: Trouble[] = [];
  /** While true, no broadcast is accepted. */
  broken = false;
  /** The fee of a cancel; `null` for the replaced fee plus one more fee. */
  cancelFee: bigint | null = null;
  /** When set, the answer of `outcome`. */
  lie: PayoutOutcome | null = null;
  /** Payouts whose outcome the node cannot determine. */
  unreadable: (payout: SignedPayout) => boolean = () => false;
  /** Transactions that no block can contain; later nonces of the same address wait behind them. */
  unminable: (content: Content) => boolean = () => false;
  /** The network's objection to one payment. */
  objection: (line: PaymentLine) => TillgateError | null = () => null;
  /** Called while a transaction is being signed: after the reads, before the commit. */
  beforeSign: () => void | Promise<void> = () => undefined;
  /** Transactions that are mined without effect, by their payments. */
  reverts: (line: Content['lines'][number]) => boolean = () => false;
  /** Nonces of authorizations that somebody else has sent, or their payer has cancelled. */
  readonly usedNonces = new Set<string>();
  /** Every token accepts authorizations; a signature of zeros is invalid. */
  readonly authorizations: TokenAuthorizations = {
    terms: async (currency) => ({ network: 'eip155:1', asset: currency, name: currency, version: '2' }),
    isSigned: async ({ signature }) => !/^0x0+$/.test(signature),
  };
  readonly sent = new Map<string, Sent>();
  readonly #chain: FakeChain;
  readonly #funds = new Map<string, bigint>();

  constructor(chain: FakeChain, model: 'account' | 'utxo') {
    this.#chain = chain;
    this.model = model;
    this.maxLines = model === 'utxo' ? 5 : 1;
    this.hotAddress = `${chain.code.toLowerCase()}-${HOT}`;
    const [native] = chain.assets;
    assert(native !== undefined);
    this.feeAsset = native;
    chain.ownPayments = (block) => this.#paidIn(block, ({ charge }) => charge === undefined);
    chain.authorizedPayments = (block) => this.#paidIn(block, ({ charge }) => charge !== undefined);
  }

  /** Adds the operator's own coins. */
  fund(address: string, currency: CurrencyCode, units: bigint): void {
    this.#funds.set(`${address} ${currency}`, (this.#funds.get(`${address} ${currency}`) ?? 0n) + units);
  }

  /** Mines a block with all transactions that can be mined. */
  mine(): void {
    this.#chain.mine();
    const block = this.#chain.top;
    for (const sent of this.sent.values()) {
      if (this.#mined(sent) !== null || this.#excluded(sent) || this.#waits(sent)) continue;
      sent.block = block;
      sent.succeeded = !sent.content.lines.some((line) => this.reverts(line) || this.#isUsed(line));
      for (const { charge } of sent.succeeded ? sent.content.lines : []) if (charge) this.usedNonces.add(charge.nonce);
    }
  }

  /** Mines until the waiting transactions are final. */
  bury(blocks = 30): void {
    for (let i = 0; i < blocks; i++) this.mine();
  }

  /** Drops unconfirmed transactions, as a restarted node does. */
  dropMempool(): void {
    for (const [txid, sent] of this.sent) if (this.#mined(sent) === null) this.sent.delete(txid);
  }

  /** Mines another transaction signed with one of the till's keys. */
  steal(nonce: number, source = this.hotAddress): void {
    const content: Content = {
      source,
      nonce,
      coins: [],
      lines: [{ to: 'elsewhere', currency: this.feeAsset.currency, units: '1' }],
      fee: '1',
      change: '0',
    };
    const raw = JSON.stringify(content);
    this.sent.set(sha(raw), { txid: sha(raw), content, block: null, succeeded: true });
  }

  /** The same payment with a higher fee, by a till with newer data than this database; or one with another amount. */
  bumpElsewhere(txid: string, more = 0n): string {
    const former = this.sent.get(txid)?.content;
    assert(former !== undefined, `${txid} was never sent`);
    const lines = former.lines.map((line) => ({ ...line, units: String(BigInt(line.units) + more) }));
    const change = this.model === 'utxo' ? BigInt(former.change) - this.fee - more : 0n;
    const fee = BigInt(former.fee) + this.fee;
    const raw = JSON.stringify({ ...former, lines, fee: fee.toString(), change: change.toString() });
    this.sent.delete(txid);
    this.sent.set(sha(raw), { txid: sha(raw), content: JSON.parse(raw) as Content, block: null, succeeded: true });
    return sha(raw);
  }

  /** The amounts that mined transactions of the present chain paid to an address. */
  paidTo(address: string, currency: CurrencyCode): readonly bigint[] {
    return this.#effective().flatMap(({ content }) =>
      content.lines
        .map((line) => moved(line, content.source))
        .filter((line) => line.to === address && line.currency === currency)
        .map(({ units }) => BigInt(units)),
    );
  }

  dust(): bigint {
    return 10n;
  }

  async price({ lines, coins, required = [], replaces }: PriceRequest): Promise<PricedPayment> {
    if (this.refusal !== null) throw new TillgateError('STATE_CONFLICT', this.refusal);
    for (const line of lines) {
      const objection = this.objection(line);
      if (objection !== null) throw objection;
    }
    const feeUnits = replaces === null ? this.fee : replaces.feeUnits + this.fee;
    if (this.model === 'account') return { feeUnits, coins: [], terms: 'account' };
    const wanted = lines.reduce((sum, { units }) => sum + units, 0n);
    const chosen = [...required];
    let sum = required.reduce((all, { units }) => all + units, 0n);
    for (const coin of coins) {
      if (sum >= wanted) break;
      chosen.push(coin);
      sum += coin.units;
    }
    if (sum < wanted) throw new TillgateError('INSUFFICIENT_BALANCE', 'The coins do not suffice.');
    return { feeUnits, coins: chosen, terms: 'utxo' };
  }

  async sign({ source, lines, priced, nonce }: SignRequest): Promise<SignedTransaction> {
    await this.beforeSign();
    const whole = priced.coins.reduce((sum, { units }) => sum + units, 0n);
    const changeUnits = this.model === 'utxo' ? whole - sumOf(lines) - priced.feeUnits : 0n;
    assert(changeUnits >= 0n, 'a transaction that spends more than its coins');
    const content: Content = {
      source: source.address,
      nonce,
      coins: priced.coins.map(({ ref }) => ref),
      lines: lines.map(contentOf),
      fee: priced.feeUnits.toString(),
      change: changeUnits.toString(),
    };
    const raw = JSON.stringify(content);
    const txid = sha(raw);
    return {
      txid,
      raw,
      feeUnits: priced.feeUnits,
      terms: priced.terms,
      change: this.#change(txid, changeUnits),
      expiresAt: null,
    };
  }

  async cancel({ source, coins, nonce, replaces }: CancelRequest): Promise<SignedTransaction> {
    const feeUnits = this.cancelFee ?? replaces.feeUnits + this.fee;
    const line = { to: source.address, currency: this.feeAsset.currency, units: 0n };
    const priced = { feeUnits, coins, terms: this.model };
    return this.sign({ source, lines: this.model === 'utxo' ? [] : [line], priced, nonce });
  }

  async broadcast({ txid, raw }: { readonly txid: string; readonly raw: string }): Promise<void> {
    const trouble = this.troubles.shift();
    if (trouble === 'refuses' || this.broken) throw new TillgateError('NODE_FAILED', 'The node refused.');
    assert.equal(sha(raw), txid);
    if (!this.sent.has(txid))
      this.sent.set(txid, { txid, content: JSON.parse(raw) as Content, block: null, succeeded: true });
    if (trouble === 'reply-lost') throw new TillgateError('NODE_FAILED', 'The reply was lost.');
  }

  async outcome(payout: SignedPayout): Promise<PayoutOutcome> {
    const { source, nonce, coins, attempts } = payout;
    if (this.unreadable(payout)) throw new TillgateError('NODE_FAILED', 'The node cannot tell.');
    if (this.lie !== null) return this.lie;
    for (const { txid } of attempts) {
      const sent = this.sent.get(txid);
      const block = sent === undefined ? null : this.#mined(sent);
      if (sent === undefined || block === null) continue;
      const confirmations = this.#chain.height - block.height + 1;
      const feeUnits = BigInt(sent.content.fee);
      return {
        kind: 'mined',
        txid,
        block,
        confirmations,
        succeeded: sent.succeeded,
        feeUnits,
        change: this.#change(txid, BigInt(sent.content.change)),
      };
    }
    const rival = [...this.sent.values()].find(
      (sent) => this.#mined(sent) !== null && collides(sent.content, source.address, nonce, coins),
    );
    if (rival !== undefined) {
      return {
        kind: 'conflicted',
        txid: rival.txid,
        confirmations: this.#chain.height - (this.#mined(rival)?.height ?? 0) + 1,
        ...rivalOf(rival.content, attempts[0]?.raw ?? '', this.model),
      };
    }
    return { kind: attempts.some(({ txid }) => this.sent.has(txid)) ? 'pending' : 'missing' };
  }

  async custody(expected: readonly ExpectedCoins[]): Promise<ReadonlyMap<CurrencyCode, bigint>> {
    const sums = new Map<CurrencyCode, bigint>();
    for (const { ref, address, currency } of expected) {
      const units = this.model === 'utxo' ? this.#coin(ref) : await this.balance(address, currency);
      sums.set(currency, (sums.get(currency) ?? 0n) + units);
    }
    return sums;
  }

  async balance(address: string, currency: CurrencyCode): Promise<bigint> {
    const deposits = this.#chain.paid
      .filter(({ to, currency: paid }) => to === address && paid === currency)
      .reduce((sum, { units }) => sum + units, 0n);
    let units = deposits + (this.#funds.get(`${address} ${currency}`) ?? 0n);
    for (const { content, succeeded } of this.#minedAll()) {
      if (content.source === address && currency === this.feeAsset.currency) units -= BigInt(content.fee);
      for (const line of succeeded ? content.lines.map((each) => moved(each, content.source)) : []) {
        if (line.currency !== currency) continue;
        if (line.from === address) units -= BigInt(line.units);
        if (line.to === address) units += BigInt(line.units);
      }
    }
    return units;
  }

  async unspent(address: string): Promise<readonly SpendableCoin[]> {
    const spent = new Set(this.#minedAll().flatMap(({ content }) => content.coins));
    const changes = this.#minedAll().flatMap(({ txid, content }) => this.#change(txid, BigInt(content.change)) ?? []);
    const received = this.#chain.paid
      .filter(({ to }) => to === address)
      .map(({ txid, index = '0', units }) => ({ ref: `${txid}:${index}`, address, index: null, units }));
    return [...received, ...changes].filter((coin) => coin.address === address && !spent.has(coin.ref));
  }

  async nextNonce(address: string): Promise<number | null> {
    if (this.model === 'utxo') return null;
    return Math.max(
      0,
      ...[...this.sent.values()]
        .filter(({ content }) => content.source === address)
        .map(({ content }) => (content.nonce ?? -1) + 1),
    );
  }

  #paidIn({ hash }: BlockRef, shows: (line: Line) => boolean): readonly FakePayment[] {
    return this.#effective()
      .filter(({ block }) => block?.hash === hash)
      .flatMap(({ txid, content: { source, lines } }) =>
        lines.filter(shows).map((line, at) => {
          const { to, currency, units, from } = moved(line, source);
          return {
            ...{ to, currency, txid, index: String(at), units: BigInt(units) },
            from: this.model === 'utxo' ? null : from,
          };
        }),
      );
  }

  #isUsed({ charge }: Line): boolean {
    return charge !== undefined && this.usedNonces.has(charge.nonce);
  }

  #change(txid: string, units: bigint): SpendableCoin | null {
    return units === 0n ? null : { ref: `${txid}:change`, address: this.hotAddress, index: null, units };
  }

  #coin(ref: string): bigint {
    if (this.#minedAll().some(({ content }) => content.coins.includes(ref))) return 0n;
    const deposit = this.#chain.paid.find(({ txid, index }) => `${txid}:${index ?? '0'}` === ref);
    if (deposit !== undefined) return deposit.units;
    const maker = this.#minedAll().find(({ txid }) => `${txid}:change` === ref);
    return maker === undefined ? 0n : BigInt(maker.content.change);
  }

  #mined({ block }: Sent): BlockRef | null {
    return block !== null && this.#chain.has(block) ? block : null;
  }

  #minedAll(): readonly Sent[] {
    return [...this.sent.values()].filter((sent) => this.#mined(sent) !== null);
  }

  #effective(): readonly Sent[] {
    return this.#minedAll().filter(({ succeeded }) => succeeded);
  }

  #waits({ content }: Sent): boolean {
    const { source, nonce } = content;
    const isAhead = (other: Sent): boolean =>
      other.content.source === source &&
      nonce !== null &&
      (other.content.nonce ?? nonce) < nonce &&
      this.unminable(other.content) &&
      !this.#excluded(other);
    return this.unminable(content) || [...this.sent.values()].some(isAhead);
  }

  /** True when a transaction with the same nonce or one of the same coins is mined. */
  #excluded({ txid, content }: Sent): boolean {
    return this.#minedAll().some(
      (other) => other.txid !== txid && collides(other.content, content.source, content.nonce, content.coins),
    );
  }
}

function contentOf({ to, currency, units, charge }: PaymentLine): Line {
  const line = { to, currency, units: units.toString() };
  if (charge === undefined) return line;
  const { from, nonce } = charge;
  return { ...line, charge: { from, nonce, currency: charge.currency, units: charge.units.toString() } };
}

/** The movements of balances. */
function moved(
  { to, currency, units, charge }: Line,
  source: string,
): Pick<Line, 'to' | 'currency' | 'units'> & { readonly from: string } {
  const { from, ...authorized } = charge ?? { from: source, currency, units };
  return { to, from, currency: authorized.currency, units: authorized.units };
}

function collides(content: Content, source: string, nonce: number | null, coins: readonly string[]): boolean {
  if (nonce !== null) return content.source === source && content.nonce === nonce;
  return content.coins.some((ref) => coins.includes(ref));
}

function rivalOf(rival: Content, own: string, terms: string): { readonly rival?: RivalPayment } {
  const { lines } = JSON.parse(own) as Content;
  if (!rival.lines.some(({ to }) => lines.some((line) => line.to === to))) return {};
  if (JSON.stringify(rival.lines) !== JSON.stringify(lines)) return { rival: { pays: 'receiver' } };
  return { rival: { pays: 'same', attempt: { raw: JSON.stringify(rival), feeUnits: BigInt(rival.fee), terms } } };
}

function sumOf(lines: readonly PaymentLine[]): bigint {
  return lines.reduce((sum, { units }) => sum + units, 0n);
}
