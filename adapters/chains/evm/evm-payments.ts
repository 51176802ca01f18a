import { TillgateError, assert, present } from '../../../core/index.ts';
import type {
  Asset,
  PayoutOutcome,
  ChainCode,
  ChainPayments,
  CurrencyCode,
  ExpectedCoins,
  PayingAddress,
  PaymentLine,
  PriceRequest,
  PricedPayment,
  SignRequest,
  SignedPayout,
  SignedTransaction,
} from '../../../core/index.ts';
import type { JsonRpcClient } from '../json-rpc.ts';
import type { AccountBalances } from './account-balances.ts';
import { boundedPrice, fetchGasPrice } from './gas-price.ts';
import { pathOf } from './paying-keys.ts';
import type { PayingKeys } from './paying-keys.ts';
import { sendPayment } from './payment-broadcast.ts';
import { paymentOutcome } from './payment-outcome.ts';
import { nativeGas, tokenGas } from './payment-gas.ts';
import type { GasNeed } from './payment-gas.ts';
import { readTerms, writeTerms } from './payment-terms.ts';
import { assemble, digestOf, paymentTransaction } from './payment-transaction.ts';
import { asCount } from './rpc-values.ts';

/** What {@link EvmPayments} is made of. */
export interface EvmPaymentsOptions {
  readonly code: ChainCode;
  readonly chainId: number;
  readonly coin: Asset;
  /** Token contracts by currency, checksummed. */
  readonly contracts: ReadonlyMap<CurrencyCode, string>;
  readonly keys: PayingKeys;
  /** In wei: above it payments wait. */
  readonly maxGasPrice: bigint;
  readonly bumpAfterMs: number;
}

/** Payments on an EVM chain: one transfer a transaction, in order of its nonces (EIP-155, EIP-1559). */
export class EvmPayments implements ChainPayments {
  readonly model = 'account';
  readonly maxLines = 1;
  readonly feeAsset: Asset;
  readonly hotAddress: string;
  readonly bumpAfterMs: number;
  readonly #client: JsonRpcClient;
  readonly #balances: AccountBalances;
  readonly #options: EvmPaymentsOptions;

  constructor(client: JsonRpcClient, balances: AccountBalances, options: EvmPaymentsOptions) {
    this.#client = client;
    this.#balances = balances;
    this.#options = options;
    this.feeAsset = options.coin;
    this.hotAddress = options.keys.hotAddress;
    this.bumpAfterMs = options.bumpAfterMs;
  }

  dust(_currency: CurrencyCode): bigint {
    return 1n;
  }

  /** A hot wallet that lacks the tokens is given a usual price, for an estimate; {@link sign} refuses its terms. */
  async price({ source, lines, replaces }: PriceRequest): Promise<PricedPayment> {
    const line = onlyLine(lines);
    const replaced = replaces === null ? null : readTerms(replaces.terms);
    const price = boundedPrice(await fetchGasPrice(this.#client), replaced?.price ?? null, this.#options.maxGasPrice);
    const need = await this.#gas(source, line);
    // A node may try it out as if the waiting one were mined, and a receiver that has tokens already takes less gas.
    const gas = replaced !== null && replaced.gas > need.gas ? replaced.gas : need.gas;
    return { feeUnits: gas * price.price, coins: [], terms: writeTerms({ ...price, ...need, gas }) };
  }

  async sign({ source, lines, priced, nonce }: SignRequest): Promise<SignedTransaction> {
    const line = onlyLine(lines);
    assert(nonce !== null && line.units > 0n, `a payment of ${line.units} units with nonce ${String(nonce)}`);
    const terms = readTerms(priced.terms);
    if (terms.provisional)
      throw new TillgateError('NOT_READY', `${source.address} holds too little ${line.currency} to pay it.`);
    const { code, chainId, keys } = this.#options;
    const transaction = paymentTransaction(chainId, nonce, this.#contractOf(line.currency), line, terms);
    const signature = await keys.signer.sign(pathOf(keys.accounts, source.index), digestOf(transaction), {
      chain: code,
      payments: [{ to: line.to, currency: line.currency, units: line.units.toString() }],
    });
    const signed = await assemble(transaction, signature, source.address);
    return { ...signed, feeUnits: terms.gas * terms.price, terms: priced.terms, change: null, expiresAt: null };
  }

  async broadcast(transaction: { readonly txid: string; readonly raw: string }): Promise<void> {
    await sendPayment(this.#client, transaction);
  }

  async outcome(payout: SignedPayout): Promise<PayoutOutcome> {
    return paymentOutcome(this.#client, this.#options.chainId, payout);
  }

  async custody(expected: readonly ExpectedCoins[]): Promise<ReadonlyMap<CurrencyCode, bigint>> {
    return this.#balances.sum(expected);
  }

  async balance(address: string, currency: CurrencyCode): Promise<bigint> {
    this.#contractOf(currency);
    const [units] = await this.#balances.read([{ address, currency }]);
    return present(units, `the balance of ${currency}`);
  }

  async nextNonce(address: string): Promise<number> {
    const counts = await this.#client.batchResults(
      ['latest', 'pending'].map((block) => ({ method: 'eth_getTransactionCount', params: [address, block] })),
    );
    return Math.max(...counts.map((count) => asCount(count, 'a nonce')));
  }

  async #gas(source: PayingAddress, line: PaymentLine): Promise<GasNeed> {
    const contract = this.#contractOf(line.currency);
    if (contract === '') return nativeGas(this.#client, source, line);
    return tokenGas(this.#client, source, contract, line, await this.balance(source.address, line.currency));
  }

  /** Empty for the chain's own coin. */
  #contractOf(currency: CurrencyCode): string {
    if (currency === this.#options.coin.currency) return '';
    const contract = this.#options.contracts.get(currency);
    if (contract === undefined)
      throw new TillgateError('UNSUPPORTED', `The pair ${this.#options.code}/${currency} is not configured.`);
    return contract;
  }
}

function onlyLine(lines: readonly PaymentLine[]): PaymentLine {
  const [line] = lines;
  assert(line !== undefined && lines.length === 1, `a transaction with ${lines.length} payments`);
  return line;
}
