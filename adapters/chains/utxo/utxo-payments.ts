import { TillgateError, isTillgateError } from '../../../core/index.ts';
import type {
  Asset,
  PayoutOutcome,
  CancelRequest,
  ChainPayments,
  CurrencyCode,
  ExpectedCoins,
  Logger,
  PriceRequest,
  PricedPayment,
  SignRequest,
  SignedPayout,
  SignedTransaction,
  SpendableCoin,
} from '../../../core/index.ts';
import { broadcastAnswer, broadcastReason } from '../broadcast-answers.ts';
import { UTXO_BROADCAST_ANSWERS } from './broadcast-answers.ts';
import { PayoutOutcomes } from './payout-outcome.ts';
import { FeeRates } from './fee-rates.ts';
import { inconsistent } from './node-values.ts';
import { MAX_INPUTS, Pricing } from './price-payment.ts';
import { Signing } from './sign-payment.ts';
import type { UnspentScans } from './unspent-scans.ts';
import type { UtxoAddresses } from './utxo-addresses.ts';
import { UtxoKeys } from './utxo-keys.ts';
import type { UtxoNode } from './utxo-node.ts';
import type { UtxoChainOptions } from './utxo-options.ts';

/** Dependencies that a chain shares with its paying side. */
export interface UtxoPaymentsDeps {
  readonly options: UtxoChainOptions;
  readonly node: UtxoNode;
  readonly scans: UnspentScans;
  readonly addresses: UtxoAddresses;
  readonly logger: Logger;
}

/**
 * With the most coins (see {@link MAX_INPUTS}) and the largest outputs some 35,000 virtual bytes, of which a node relays
 * up to 100,000.
 */
const MAX_LINES = 500;

/** Spends deposits and change directly, with several payments in one transaction. */
export class UtxoPayments implements ChainPayments {
  readonly model = 'utxo';
  readonly feeAsset: Asset;
  readonly hotAddress: string;
  readonly maxLines = MAX_LINES;
  readonly maxCoins = MAX_INPUTS;
  readonly bumpAfterMs: number | null;
  readonly #deps: UtxoPaymentsDeps;
  readonly #pricing: Pricing;
  readonly #signing: Signing;
  readonly #outcomes: PayoutOutcomes;

  constructor(deps: UtxoPaymentsDeps, { hotXpub, signer }: NonNullable<UtxoChainOptions['spending']>) {
    const { options, node, addresses, logger } = deps;
    const { coin, network, feeRates, feeTargetBlocks } = options;
    const keys = new UtxoKeys(coin.networks[network], hotXpub, options.xpub);
    this.#deps = deps;
    this.feeAsset = options.asset;
    this.hotAddress = keys.hot.address;
    this.bumpAfterMs = options.bumpAfterMs;
    const rates = new FeeRates(node, feeRates, feeTargetBlocks);
    const { ownDust } = coin;
    this.#pricing = new Pricing({ node, rates, addresses, logger, ownDust, ownScriptBytes: keys.hot.script.length });
    const { addresses: prefixes } = coin.networks[network];
    this.#signing = new Signing({ chain: coin.code, network: prefixes, signer, keys, addresses, ownDust });
    this.#outcomes = new PayoutOutcomes(node, keys);
  }

  dust(): bigint {
    return this.#deps.options.coin.dust;
  }

  price(request: PriceRequest): Promise<PricedPayment> {
    return this.#pricing.price(request);
  }

  sign(request: SignRequest): Promise<SignedTransaction> {
    return this.#signing.sign(request);
  }

  /** Returns all coins of the payout to the hot wallet, less the fee. */
  async cancel({ source, coins, replaces }: CancelRequest): Promise<SignedTransaction> {
    const priced = await this.#pricing.cancel({ source, coins }, replaces);
    return this.#signing.sign({ source, lines: [], priced, nonce: null });
  }

  async broadcast({ txid, raw }: { readonly txid: string; readonly raw: string }): Promise<void> {
    try {
      const accepted = await this.#deps.node.call('sendrawtransaction', raw);
      if (accepted !== txid) throw inconsistent(`the node returned another id for the transaction ${txid}`);
    } catch (error) {
      if (!isTillgateError(error, 'NODE_FAILED') || error.details['rpcCode'] === undefined) throw error;
      const { rpcCode } = error.details;
      const answer = broadcastAnswer(UTXO_BROADCAST_ANSWERS, { code: rpcCode, message: error.message });
      if (answer?.means === 'known') return;
      const reason = `The node did not accept ${txid} (sendrawtransaction): ${broadcastReason(answer)}.`;
      throw new TillgateError('NODE_FAILED', reason, { rpcCode });
    }
  }

  outcome(payout: SignedPayout): Promise<PayoutOutcome> {
    return this.#outcomes.of(payout);
  }

  async custody(expected: readonly ExpectedCoins[]): Promise<ReadonlyMap<CurrencyCode, bigint>> {
    const sums = new Map(expected.map(({ currency }) => [currency, 0n]));
    const outputs = await this.#deps.node.unspent(
      expected.map(({ ref }) => ref),
      false,
    );
    for (const [at, { currency, address }] of expected.entries()) {
      const output = outputs[at];
      const isOurs =
        output !== null && output !== undefined && output.script === this.#deps.addresses.read(address)?.key;
      if (isOurs) sums.set(currency, (sums.get(currency) ?? 0n) + output.units);
    }
    return sums;
  }

  async balance(address: string): Promise<bigint> {
    if (this.#deps.addresses.read(address) === null) {
      throw new TillgateError('STATE_CONFLICT', `The address ${address} ${this.#deps.addresses.problem(address)}.`);
    }
    return this.#deps.scans.sum([`addr(${address})`]);
  }

  async unspent(address: string): Promise<readonly SpendableCoin[]> {
    const outputs = await this.#deps.scans.list([`addr(${address})`]);
    return outputs.map((output) => ({ ...output, address, index: null }));
  }

  async nextNonce(): Promise<null> {
    return null;
  }
}
