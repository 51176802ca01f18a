import { present, TillgateError } from '../../../core/index.ts';
import type {
  Asset,
  CancelRequest,
  ChainAdapter,
  ChainPayments,
  CurrencyCode,
  ExpectedCoins,
  PayoutOutcome,
  PriceRequest,
  PricedPayment,
  SignRequest,
  SignedPayout,
  SignedTransaction,
  SpendableCoin,
} from '../../../core/index.ts';
import { valuesOf } from './node-group.ts';
import type { NodeGroup } from './node-group.ts';

/** Chooses one price of several, which are in the order of the settings; `null` when they are too far apart. */
export type AgreePrice = (prices: readonly PricedPayment[]) => PricedPayment | null;

/** Estimates made at the same time differ by at most this factor. */
const MOST_FEE_RATIO = 10n;

/** The lowest fee, so that an invented higher one costs nothing. */
export function lowestFee<T extends { readonly feeUnits: bigint }>(prices: readonly T[]): T | null {
  const [low, ...others] = [...prices].sort((a, b) => (a.feeUnits < b.feeUnits ? -1 : 1));
  if (low === undefined) return null;
  return others.every(({ feeUnits }) => feeUnits <= low.feeUnits * MOST_FEE_RATIO) ? low : null;
}

/** Makes payments by the answers of enough nodes; a transaction is sent to all of them. */
export class QuorumPayments implements ChainPayments {
  readonly model: 'account' | 'utxo';
  readonly feeAsset: Asset;
  readonly hotAddress: string;
  readonly maxLines: number;
  readonly maxCoins?: number;
  readonly bumpAfterMs: number | null;
  readonly cancel?: (request: CancelRequest) => Promise<SignedTransaction>;
  readonly transferFee?: (currency: CurrencyCode) => Promise<bigint | null>;
  readonly unspent?: (address: string) => Promise<readonly SpendableCoin[]>;
  readonly #own: ChainPayments;
  readonly #group: NodeGroup;
  readonly #agreePrice: AgreePrice;

  /** @param own - the paying side of one node, for work that needs no node */
  constructor(own: ChainPayments, group: NodeGroup, agreePrice: AgreePrice) {
    this.model = own.model;
    this.feeAsset = own.feeAsset;
    this.hotAddress = own.hotAddress;
    this.maxLines = own.maxLines;
    if (own.maxCoins !== undefined) this.maxCoins = own.maxCoins;
    this.bumpAfterMs = own.bumpAfterMs;
    if (own.cancel !== undefined) this.cancel = (request) => this.#cancel(request);
    if (own.unspent !== undefined) this.unspent = (address) => this.#unspent(address);
    if (own.transferFee !== undefined)
      this.transferFee = (currency) =>
        group.first(async (chain) => (await paying(chain).transferFee?.(currency)) ?? null);
    this.#own = own;
    this.#group = group;
    this.#agreePrice = agreePrice;
  }

  dust(currency: CurrencyCode): bigint {
    return this.#own.dust(currency);
  }

  async price(request: PriceRequest): Promise<PricedPayment> {
    return this.#priced((payments) => payments.price(request), this.#agreePrice);
  }

  sign(request: SignRequest): Promise<SignedTransaction> {
    return this.#group.first((chain) => paying(chain).sign(request));
  }

  async broadcast(transaction: { readonly txid: string; readonly raw: string }): Promise<void> {
    const { answers, failures } = await this.#group.replies(
      (chain) => paying(chain).broadcast(transaction),
      this.#group.nodes,
    );
    if (answers.some((answer) => 'value' in answer)) return;
    valuesOf(answers);
    throw new TillgateError('NODE_FAILED', `No node has accepted the transaction: ${failures.join('; ')}`);
  }

  /** The outcomes mined, excluded and expired are accepted when enough nodes agree; otherwise the payment waits. */
  async outcome(payout: SignedPayout): Promise<PayoutOutcome> {
    const txid = payout.attempts[0]?.txid ?? '';
    const { value, values } = await this.#group.agreed<PayoutOutcome>({
      subject: `outcome ${txid}`,
      about: `the payment ${txid}`,
      ask: (chain) => paying(chain).outcome(payout),
      textOf: outcomeText,
    });
    if (values.some(({ kind }) => kind === 'missing')) return { kind: 'missing' };
    const confirmations = Math.min(...values.map(depthOf));
    if (value.kind === 'unclear')
      return value.mined === undefined ? value : { ...value, mined: { ...value.mined, confirmations } };
    return 'confirmations' in value ? { ...value, confirmations } : value;
  }

  async custody(expected: readonly ExpectedCoins[]): Promise<ReadonlyMap<CurrencyCode, bigint>> {
    return this.#least('the coins of the till', (payments) => payments.custody(expected));
  }

  async balance(address: string, currency: CurrencyCode): Promise<bigint> {
    const read = async (payments: ChainPayments) => new Map([[currency, await payments.balance(address, currency)]]);
    return present((await this.#least(`the balance of ${address}`, read)).get(currency), 'the balance');
  }

  async nextNonce(address: string): Promise<number | null> {
    return this.#group.agree<number | null>({
      subject: 'nonce',
      about: `the next nonce of ${address}`,
      ask: (chain) => paying(chain).nextNonce(address),
      textOf: String,
    });
  }

  async #cancel(request: CancelRequest): Promise<SignedTransaction> {
    return this.#priced(
      async (payments) => present(await payments.cancel?.(request), 'a transaction that cancels'),
      lowestFee,
    );
  }

  /** The coins that enough nodes return. */
  async #unspent(address: string): Promise<readonly SpendableCoin[]> {
    const question = { subject: 'unspent', about: `the unspent outputs of ${address}`, textOf: coinsText };
    const answers = await this.#group.ask(
      async (chain) => present(await paying(chain).unspent?.(address), 'a search for outputs'),
      question.subject,
    );
    const counts = new Map<string, { readonly coin: SpendableCoin; nodes: number }>();
    for (const coins of valuesOf(answers)) {
      for (const coin of coins) {
        const key = coinsText([coin]);
        const known = counts.get(key);
        if (known === undefined) counts.set(key, { coin, nodes: 1 });
        else known.nodes += 1;
      }
    }
    if ([...counts.values()].every(({ nodes }) => nodes === answers.length)) this.#group.disagreements.end('unspent');
    else this.#group.note(question, answers);
    return [...counts.values()].filter(({ nodes }) => nodes >= this.#group.quorum).map(({ coin }) => coin);
  }

  /** The lowest balance that the nodes return: a node can hide coins, which stops payments, but not invent them. */
  async #least(
    about: string,
    read: (payments: ChainPayments) => Promise<ReadonlyMap<CurrencyCode, bigint>>,
  ): Promise<ReadonlyMap<CurrencyCode, bigint>> {
    const question = { subject: about, about, textOf: sumsText };
    const answers = await this.#group.ask((chain) => read(paying(chain)), about);
    const least = new Map<CurrencyCode, bigint>();
    const sums = valuesOf(answers);
    for (const sum of sums) {
      for (const [currency, units] of sum) {
        const known = least.get(currency);
        if (known === undefined || units < known) least.set(currency, units);
      }
    }
    if (new Set(sums.map(sumsText)).size === 1) this.#group.disagreements.end(about);
    else this.#group.note(question, answers);
    return least;
  }

  /** While nodes disagree about anything, no price is given, so that nothing is paid. */
  async #priced<T extends { readonly feeUnits: bigint }>(
    price: (payments: ChainPayments) => Promise<T>,
    agree: (prices: readonly T[]) => T | null,
  ): Promise<T> {
    const { lasting } = this.#group.disagreements;
    if (lasting !== null) throw new TillgateError('NODE_FAILED', `Nothing is paid: ${lasting.text}.`);
    const question = { subject: 'fees', about: 'the fee of a payment', textOf: ({ feeUnits }: T) => String(feeUnits) };
    const answers = await this.#group.ask((chain) => price(paying(chain)), question.subject);
    const refused = answers.filter((answer) => 'error' in answer);
    const [refusal] = refused;
    if (refusal !== undefined && refused.length === answers.length) throw refusal.error;
    const prices = answers.flatMap((answer) => ('value' in answer ? [answer.value] : []));
    const agreed = refusal === undefined ? agree(prices) : null;
    if (agreed === null) {
      this.#group.note(question, answers);
      throw this.#group.contradiction(question, answers);
    }
    this.#group.disagreements.end('fees');
    return agreed;
  }
}

function paying({ payments, code }: ChainAdapter): ChainPayments {
  return present(payments, `the paying side of ${code}`);
}

/** The confirmations of a mined payment; infinite for any other, so that it does not count for the least. */
function depthOf(outcome: PayoutOutcome): number {
  const mined = outcome.kind === 'unclear' ? outcome.mined : outcome;
  return mined !== undefined && 'confirmations' in mined ? mined.confirmations : Infinity;
}

/** A node that does not have a payment yet does not contradict one that has it. */
function outcomeText(outcome: PayoutOutcome): string {
  const { kind } = outcome;
  if (kind === 'mined') {
    const { txid, block, succeeded, feeUnits } = outcome;
    return `${txid} is mined in block ${block.hash} ${succeeded ? 'with' : 'without'} effect for ${feeUnits}`;
  }
  if (kind === 'unclear' && outcome.mined !== undefined) {
    const { txid, block, feeUnits } = outcome.mined;
    return `${txid} is mined in block ${block.hash} with another effect for ${feeUnits}`;
  }
  if (kind === 'conflicted') return `${outcome.txid} replaced it and pays ${outcome.rival?.pays ?? 'nobody'}`;
  return kind === 'pending' || kind === 'missing' ? 'it is not mined' : `it is ${kind}`;
}

function coinsText(coins: readonly SpendableCoin[]): string {
  return coins
    .map(({ ref, units }) => `${ref} ${units}`)
    .sort()
    .join(' ');
}

function sumsText(sums: ReadonlyMap<CurrencyCode, bigint>): string {
  return [...sums].map(([currency, units]) => `${units} ${currency}`).join(' ');
}
