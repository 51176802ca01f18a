import { TillgateError, assert, present } from '../../../core/index.ts';
import type {
  Asset,
  Authorization,
  BlockRef,
  PayoutOutcome,
  CancelRequest,
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
import { readBlockRef } from './blocks.ts';
import { EvmAuthorizations } from './evm-authorizations.ts';
import { destinationProblem } from './destination-problem.ts';
import { buildEvmTransaction } from './evm-intent.ts';
import type { EvmIntent } from './evm-intent.ts';
import { boundedPrice, fetchGasPrice, replacingPrice } from './gas-price.ts';
import type { LayerOneFee, SettlementTag } from './evm-options.ts';
import { opStackFee } from './layer-one-fee.ts';
import { ownPathOf, pathOf } from './paying-keys.ts';
import type { PayingKeys } from './paying-keys.ts';
import { sendPayment } from './payment-broadcast.ts';
import { paymentOutcome } from './payment-outcome.ts';
import { nativeGas, chargeGas, tokenGas } from './payment-gas.ts';
import type { GasNeed } from './payment-gas.ts';
import { feeOfTerms, readTerms, writeTerms } from './payment-terms.ts';
import type { PaymentTerms } from './payment-terms.ts';
import { assemble, paymentTransaction } from './payment-transaction.ts';
import { asCount } from './rpc-values.ts';
import { fetchTransferFee } from './token-fee.ts';

/** Dependencies and options of {@link EvmPayments}. */
export interface EvmPaymentsOptions {
  readonly code: ChainCode;
  readonly chainId: number;
  readonly coin: Asset;
  /** Token contracts by currency, checksummed. */
  readonly contracts: ReadonlyMap<CurrencyCode, string>;
  readonly keys: PayingKeys;
  /** In wei; payments wait while the network demands more. */
  readonly maxGasPrice: bigint;
  readonly bumpAfterMs: number;
  /** The highest gas limit of a payment; receivers that need more are not paid. */
  readonly maxGas: bigint;
  readonly layerOneFee: LayerOneFee | null;
  /** A payment is not final until this tag has reached its block. */
  readonly finalTag: SettlementTag;
}

const LONG_NONCE = 0xffff_ffff;

interface Unsigned {
  readonly source: PayingAddress;
  readonly line: PaymentLine;
  readonly nonce: number | null;
  readonly terms: PaymentTerms;
}

/** Payments on an EVM chain: one transfer in each transaction, in the order of nonces (EIP-155, EIP-1559). */
export class EvmPayments implements ChainPayments {
  readonly model = 'account';
  readonly maxLines = 1;
  readonly feeAsset: Asset;
  readonly hotAddress: string;
  readonly bumpAfterMs: number;
  readonly authorizations: EvmAuthorizations;
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
    this.authorizations = new EvmAuthorizations(client, options.chainId, options.contracts);
  }

  dust(_currency: CurrencyCode): bigint {
    return 1n;
  }

  /** If the hot wallet lacks the tokens, it returns a usual price as an estimate, whose terms {@link sign} refuses. */
  async price({ source, lines, replaces }: PriceRequest): Promise<PricedPayment> {
    const line = onlyLine(lines);
    this.#requirePayable(line);
    const replaced = replaces === null ? null : readTerms(replaces.terms);
    const network = await fetchGasPrice(this.#client);
    const price = boundedPrice(network, replaced?.price ?? null, this.#options.maxGasPrice);
    const cap = smaller(this.#options.maxGas, network.blockGasLimit ?? this.#options.maxGas);
    const need = await this.#gas(source, line, cap);
    // A node may simulate it as if the waiting one were mined, and a receiver that already has tokens needs less gas.
    const gas = replaced !== null && replaced.gas > need.gas ? smaller(replaced.gas, cap) : need.gas;
    const terms = { ...price, ...need, gas, beside: await this.#beside(line, { ...price, gas }) };
    return { feeUnits: feeOfTerms(terms), coins: [], terms: writeTerms(terms) };
  }

  async sign({ source, lines, priced, nonce }: SignRequest): Promise<SignedTransaction> {
    const line = onlyLine(lines);
    assert(line.units > 0n || line.charge !== undefined, `a payment of ${line.units} units`);
    const terms = readTerms(priced.terms);
    if (terms.provisional)
      throw new TillgateError('NOT_READY', `${source.address} holds too little ${line.currency} to pay it.`);
    return this.#signed({ source, line, nonce, terms });
  }

  async #signed({ source, line, nonce, terms }: Unsigned): Promise<SignedTransaction> {
    assert(nonce !== null, 'a payment without a nonce');
    const { code, chainId, keys } = this.#options;
    const { type, gas, price } = terms;
    const { charge } = line;
    const contract = this.#contractOf(charge?.currency ?? line.currency);
    const intent: EvmIntent = {
      ...{ family: 'evm', chain: code, chainId, from: pathOf(keys.accounts, source.index), nonce },
      ...{ type, gas: gas.toString(), price: price.toString() },
      ...{ to: line.to, toPath: ownPathOf(keys, source, line), units: line.units.toString() },
      contract: contract === '' ? null : contract,
      ...(charge === undefined ? {} : { charge: intentCharge(charge) }),
    };
    const [signature] = await keys.signer.sign(intent, buildEvmTransaction);
    const transaction = paymentTransaction(chainId, nonce, contract, line, terms);
    const signed = await assemble(transaction, present(signature, 'a signature'), source.address);
    return { ...signed, feeUnits: feeOfTerms(terms), terms: writeTerms(terms), change: null, expiresAt: null };
  }

  /** Uses the nonce for a payment of 0 to the address itself; a plain payment needs the least gas. */
  async cancel({ source, nonce, replaces }: CancelRequest): Promise<SignedTransaction> {
    const network = await fetchGasPrice(this.#client);
    const price = replacingPrice(network, readTerms(replaces.terms).price, this.#options.maxGasPrice);
    const line = { to: source.address, currency: this.#options.coin.currency, units: 0n };
    const { gas } = await nativeGas(this.#client, source, line, this.#options.maxGas);
    const terms = { ...price, gas, beside: await this.#beside(line, { ...price, gas }), provisional: false };
    return this.#signed({ source, line, nonce, terms });
  }

  async broadcast(transaction: { readonly txid: string; readonly raw: string }): Promise<void> {
    await sendPayment(this.#client, transaction);
  }

  async outcome(payout: SignedPayout): Promise<PayoutOutcome> {
    const outcome = await paymentOutcome(this.#client, this.#options, payout);
    if (outcome.kind !== 'mined' || this.#options.finalTag === 'latest') return outcome;
    return (await this.#isMarked(outcome.block)) ? outcome : { ...outcome, confirmations: 1 };
  }

  async custody(expected: readonly ExpectedCoins[]): Promise<ReadonlyMap<CurrencyCode, bigint>> {
    return this.#balances.sum(expected);
  }

  async balance(address: string, currency: CurrencyCode): Promise<bigint> {
    this.#contractOf(currency);
    const [units] = await this.#balances.read([{ address, currency }]);
    return present(units, `the balance of ${currency}`);
  }

  async transferFee(currency: CurrencyCode): Promise<bigint | null> {
    const contract = this.#contractOf(currency);
    const units = contract === '' ? 0n : await this.balance(this.hotAddress, currency);
    return units === 0n ? null : fetchTransferFee(this.#client, { contract, from: this.hotAddress, units });
  }

  async nextNonce(address: string): Promise<number> {
    const counts = await this.#client.batchResults(
      ['latest', 'pending'].map((block) => ({ method: 'eth_getTransactionCount', params: [address, block] })),
    );
    return Math.max(...counts.map((count) => asCount(count, 'a nonce')));
  }

  /** The fee beside the gas. Any nonce serves, since the result is an upper bound. */
  async #beside(line: PaymentLine, terms: Pick<PaymentTerms, 'type' | 'gas' | 'price'>): Promise<bigint> {
    const { layerOneFee, chainId } = this.#options;
    if (layerOneFee === null) return 0n;
    const contract = this.#contractOf(line.charge?.currency ?? line.currency);
    const transaction = paymentTransaction(chainId, LONG_NONCE, contract, line, terms);
    return opStackFee(this.#client, transaction, terms.gas);
  }

  async #isMarked(block: BlockRef): Promise<boolean> {
    const mark = await this.#client.call('eth_getBlockByNumber', [this.#options.finalTag, false]);
    return mark !== null && readBlockRef(mark).height >= block.height;
  }

  async #gas(source: PayingAddress, line: PaymentLine, cap: bigint): Promise<GasNeed> {
    const contract = this.#contractOf(line.charge?.currency ?? line.currency);
    if (line.charge !== undefined)
      return chargeGas(this.#client, source, contract, { to: line.to, charge: line.charge, cap });
    if (contract === '') return nativeGas(this.#client, source, line, cap);
    const held = await this.balance(source.address, line.currency);
    return tokenGas(this.#client, source, contract, line, { held, cap });
  }

  #requirePayable({ to }: PaymentLine): void {
    const keyOf = (address: string): string => address.slice(2).toLowerCase();
    const problem = destinationProblem(keyOf(to), [...this.#options.contracts.values()].map(keyOf));
    if (problem !== null) throw new TillgateError('DESTINATION_UNPAYABLE', `The address ${to} ${problem}.`);
  }

  /** Empty for the native coin. */
  #contractOf(currency: CurrencyCode): string {
    if (currency === this.#options.coin.currency) return '';
    const contract = this.#options.contracts.get(currency);
    if (contract === undefined)
      throw new TillgateError('UNSUPPORTED', `The pair ${this.#options.code}/${currency} is not configured.`);
    return contract;
  }
}

function intentCharge({ units, validAfter, validBefore, ...rest }: Authorization): NonNullable<EvmIntent['charge']> {
  return {
    ...rest,
    units: units.toString(),
    validAfter: validAfter.toString(),
    validBefore: validBefore.toString(),
  };
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function onlyLine(lines: readonly PaymentLine[]): PaymentLine {
  const [line] = lines;
  assert(line !== undefined && lines.length === 1, `a transaction with ${lines.length} payments`);
  return line;
}
