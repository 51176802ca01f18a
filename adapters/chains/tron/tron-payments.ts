import { TillgateError, assert, present } from '../../../core/index.ts';
import type {
  PayoutOutcome,
  ChainPayments,
  Clock,
  CurrencyCode,
  ExpectedCoins,
  Millis,
  PaymentLine,
  PriceRequest,
  PricedPayment,
  PayingAddress,
  SignRequest,
  SignedPayout,
  SignedTransaction,
} from '../../../core/index.ts';
import { tronAddress, tronKey } from './tron-address.ts';
import { ownPathOf, pathOf } from '../evm/paying-keys.ts';
import type { PayingKeys } from '../evm/paying-keys.ts';
import type { AccountReader } from './account-reader.ts';
import { fetchSolidHead } from './blocks.ts';
import { sendPayment } from './payment-broadcast.ts';
import { paymentOutcome } from './payment-outcome.ts';
import { lacks, pricePayment } from './payment-price.ts';
import { readTerms, writeTerms } from './payment-terms.ts';
import { assemble } from './transaction.ts';
import type { TransactionTerms, TronPayment } from './transaction.ts';
import { buildTronTransaction, rawDataOf } from './tron-intent.ts';
import type { TronIntent } from './tron-intent.ts';
import { TRX, TRX_ASSET } from './trx.ts';
import type { TronClient } from './tron-client.ts';
import type { TronPaymentOptions } from './tron-options.ts';
import { requireKey } from './tron-values.ts';

/** The paying side: the keys, the hot wallet's address in base58, and the clock. */
export interface TronPayer {
  readonly keys: PayingKeys;
  readonly clock: Clock;
}

/** A transaction that can be mined only for less time than this is not signed. */
const LEAST_LIFE_MS = 60_000;
/** Balances read at the same time. */
const AT_ONCE = 5;

/**
 * Payments on Tron: one transfer in each transaction, which is built here and never by a node. There are no nonces and
 * no replacements; the expiry of transactions prevents a payment from being made twice.
 */
export class TronPayments implements ChainPayments {
  readonly model = 'account';
  readonly feeAsset = TRX_ASSET;
  readonly maxLines = 1;
  readonly bumpAfterMs = null;
  readonly hotAddress: string;
  readonly #client: TronClient;
  readonly #reader: AccountReader;
  readonly #contracts: ReadonlyMap<CurrencyCode, string>;
  readonly #payer: TronPayer & TronPaymentOptions;
  #lastTimestamp: Millis = 0;

  /** @param contracts - the keys of the tokens' contracts by currency */
  constructor(
    client: TronClient,
    reader: AccountReader,
    contracts: ReadonlyMap<CurrencyCode, string>,
    payer: TronPayer & TronPaymentOptions,
  ) {
    this.#client = client;
    this.#reader = reader;
    this.#contracts = contracts;
    this.#payer = payer;
    this.hotAddress = payer.keys.hotAddress;
  }

  dust(_currency: CurrencyCode): bigint {
    return 1n;
  }

  /** If the source holds too little, it returns a usual price as an estimate, whose terms {@link sign} refuses. */
  async price({ source, lines, replaces }: PriceRequest): Promise<PricedPayment> {
    if (replaces !== null && (replaces.expiresAt ?? Infinity) >= this.#payer.clock.now()) {
      throw new TillgateError(
        'STATE_CONFLICT',
        'A transaction on Tron cannot be replaced; it is signed again once it has expired.',
      );
    }
    const line = onlyLine(lines);
    const { feeUnits, ...terms } = await pricePayment(this.#paymentOf(source.address, line), {
      client: this.#client,
      reader: this.#reader,
      currency: line.currency,
      feeLimitSun: this.#payer.feeLimitSun,
      pays: source.index === null ? 'often' : 'alone',
    });
    return { feeUnits, coins: [], terms: writeTerms(terms) };
  }

  async sign({ source, lines, priced, nonce }: SignRequest): Promise<SignedTransaction> {
    const line = onlyLine(lines);
    assert(nonce === null && line.units > 0n, `a payment of ${line.units} units with nonce ${String(nonce)}`);
    const payment = this.#paymentOf(source.address, line);
    const { feeLimit, provisional } = readTerms(priced.terms);
    if (provisional) throw lacks(payment, line.currency);
    const terms = await this.#terms(feeLimit);
    const intent = this.#intentOf(source, line, terms);
    const [signature] = await this.#payer.keys.signer.sign(intent, buildTronTransaction);
    const rawData = rawDataOf(intent);
    const signed = await assemble(rawData, present(signature, 'a signature'), payment.fromKey);
    return { ...signed, feeUnits: priced.feeUnits, terms: priced.terms, change: null, expiresAt: terms.expiresAt };
  }

  async broadcast(transaction: { readonly txid: string; readonly raw: string }): Promise<void> {
    await sendPayment(this.#client, transaction);
  }

  async outcome(payout: SignedPayout): Promise<PayoutOutcome> {
    return paymentOutcome(this.#client, this.#payer.clock.now(), payout);
  }

  async custody(expected: readonly ExpectedCoins[]): Promise<ReadonlyMap<CurrencyCode, bigint>> {
    const questions = [
      ...new Map(expected.map(({ address, currency }) => [`${address} ${currency}`, { address, currency }])).values(),
    ];
    const sums = new Map<CurrencyCode, bigint>();
    for (let first = 0; first < questions.length; first += AT_ONCE) {
      const part = questions.slice(first, first + AT_ONCE);
      const units = await Promise.all(part.map(({ address, currency }) => this.balance(address, currency)));
      part.forEach(({ currency }, at) => sums.set(currency, (sums.get(currency) ?? 0n) + (units[at] ?? 0n)));
    }
    return sums;
  }

  async balance(address: string, currency: CurrencyCode): Promise<bigint> {
    return this.#reader.units(requireKey(address), currency);
  }

  async nextNonce(_address: string): Promise<null> {
    return null;
  }

  /** The reference block is solidified, so that no reorganisation makes the transaction invalid. */
  async #terms(feeLimit: bigint): Promise<TransactionTerms> {
    const { clock, expirationMs } = this.#payer;
    const reference = await fetchSolidHead(this.#client);
    const expiresAt = reference.time + expirationMs;
    if (expiresAt < clock.now() + LEAST_LIFE_MS) {
      throw new TillgateError(
        'NODE_FAILED',
        `The node at ${this.#client.host} has solidified nothing since ${new Date(reference.time).toISOString()}.`,
      );
    }
    // Two payments that are otherwise equal must not become the same transaction.
    this.#lastTimestamp = Math.max(clock.now(), this.#lastTimestamp + 1);
    return { reference, expiresAt, timestamp: this.#lastTimestamp, feeLimit };
  }

  #intentOf(
    source: PayingAddress,
    line: PaymentLine,
    { reference, expiresAt, timestamp, feeLimit }: TransactionTerms,
  ): TronIntent {
    const { keys } = this.#payer;
    const { toKey, units, contractKey } = this.#paymentOf(source.address, line);
    return {
      ...{ family: 'tron', chain: TRX_ASSET.chain, from: pathOf(keys.accounts, source.index) },
      ...{ fromAddress: source.address, to: tronAddress(toKey), toPath: ownPathOf(keys, source, line) },
      ...{ units: units.toString(), contract: contractKey === null ? null : tronAddress(contractKey) },
      ...{ referenceBlock: reference.hash, expiresAt, timestamp, feeLimit: feeLimit.toString() },
    };
  }

  #paymentOf(source: string, { to, currency, units }: PaymentLine): TronPayment {
    const contractKey = currency === TRX ? null : this.#contracts.get(currency);
    if (contractKey === undefined)
      throw new TillgateError('UNSUPPORTED', `The pair ${TRX_ASSET.chain}/${currency} is not configured.`);
    const toKey = tronKey(to);
    if (toKey === null) throw new TillgateError('STATE_CONFLICT', 'The receiver is not an address of Tron.');
    return { fromKey: requireKey(source), toKey, units, contractKey };
  }
}

function onlyLine(lines: readonly PaymentLine[]): PaymentLine {
  const [line] = lines;
  assert(line !== undefined && lines.length === 1, `a transaction with ${lines.length} payments`);
  return line;
}
