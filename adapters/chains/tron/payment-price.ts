import { contractRefusal, TillgateError } from '../../../core/index.ts';
import { tronAddress } from './tron-address.ts';
import type { AccountReader } from './account-reader.ts';
import { fetchPrices } from './chain-prices.ts';
import type { ChainPrices } from './chain-prices.ts';
import { callConstant, estimateEnergy } from './constant-call.ts';
import type { ConstantCall, ConstantOutcome } from './constant-call.ts';
import type { PaymentTerms } from './payment-terms.ts';
import { transferCall } from './trc20.ts';
import { encodeRawData, signedSize } from './transaction.ts';
import type { TronPayment } from './transaction.ts';
import type { TronClient } from './tron-client.ts';
import { SUN_PER_TRX, asObject, asUnits, toHexAddress } from './tron-values.ts';

/** The maximum cost of a priced payment, in sun. */
export interface TronPrice extends PaymentTerms {
  readonly feeUnits: bigint;
}

/** Facts besides the payment itself. */
export interface PriceContext {
  readonly client: TronClient;
  readonly reader: AccountReader;
  /** The token's currency, `TRX` for the native coin. */
  readonly currency: string;
  /** The maximum amount that may be burnt for energy, in sun. */
  readonly feeLimitSun: bigint;
  /** Whether the address makes one payment at a time, so that its free bandwidth is available. */
  readonly pays: 'alone' | 'often';
}

/**
 * The path through a contract may change between the simulation and the block, and its energy factor at each
 * maintenance.
 */
const MARGIN_PERCENT = 120n;
/**
 * The energy assumed for a token transfer that cannot be simulated: that of the most expensive common token, to an
 * existing and to a new holder.
 */
const USUAL_ENERGY = { holder: 65_000n, newHolder: 131_000n } as const;
/** The result that the network reserves in each transaction, in bytes. */
const RESULT_BYTES = 64;
/** The last time, in 2109, whose encoding has as many bytes as that of the current time. */
const SAMPLE_TIME = 2 ** 42 - 1;
/** A placeholder for values that have the same length in every transaction. */
const SAMPLE = { reference: { hash: 'ff'.repeat(32) }, expiresAt: SAMPLE_TIME, timestamp: SAMPLE_TIME };

/**
 * The maximum cost of a payment: energy as if all of it were burnt, bandwidth unless it is free, and the creation of
 * the account that receives TRX.
 *
 * @throws TillgateError `STATE_CONFLICT` when the contract refuses it or it would cost more than the fee limit
 */
export async function pricePayment(payment: TronPayment, context: PriceContext): Promise<TronPrice> {
  const prices = await fetchPrices(context.client);
  if (payment.contractKey === null) return priceCoin(payment, prices, context);
  const { energy, provisional } = await energyOf(payment, payment.contractKey, context);
  const feeLimit = withMargin(energy) * prices.energy;
  const bound = context.feeLimitSun < prices.maxFeeLimit ? context.feeLimitSun : prices.maxFeeLimit;
  if (feeLimit > bound) {
    throw new TillgateError(
      'STATE_CONFLICT',
      `The payment would burn up to ${inTrx(feeLimit)} TRX for energy, more than the limit of ${inTrx(bound)} TRX.`,
    );
  }
  return { feeUnits: feeLimit + (await bandwidthFee(payment, feeLimit, prices, context)), feeLimit, provisional };
}

async function priceCoin(payment: TronPayment, prices: ChainPrices, context: PriceContext): Promise<TronPrice> {
  const [source, receiver] = await Promise.all([
    context.reader.account(payment.fromKey),
    context.reader.account(payment.toKey),
  ]);
  const provisional = source.sun < payment.units;
  // A transaction that creates an account pays for that and not for bandwidth.
  const feeUnits = receiver.exists
    ? await bandwidthFee(payment, 0n, prices, context)
    : prices.newAccount + prices.newAccountBandwidth;
  return { feeUnits, feeLimit: 0n, provisional };
}

async function energyOf(
  payment: TronPayment,
  contractKey: string,
  context: PriceContext,
): Promise<{ readonly energy: bigint; readonly provisional: boolean }> {
  const { reader, client, currency } = context;
  const { fromKey, toKey, units } = payment;
  if ((await reader.units(fromKey, currency)) < units) {
    const held = await reader.units(toKey, currency);
    return { energy: held > 0n ? USUAL_ENERGY.holder : USUAL_ENERGY.newHolder, provisional: true };
  }
  const call: ConstantCall = { callerKey: fromKey, contractKey, ...transferCall(toKey, units) };
  const outcome = await callConstant(client, call);
  checkOutcome(outcome, payment);
  const estimate = await estimateEnergy(client, call);
  return { energy: estimate !== null && estimate > outcome.energy ? estimate : outcome.energy, provisional: false };
}

/**
 * The return value of a transfer proves nothing on Tron: the most used token returns `false` when it has paid. The log
 * proves it.
 */
function checkOutcome({ refused, output, transfers }: ConstantOutcome, payment: TronPayment): void {
  if (refused !== null) throw contractRefusal(`The network would revert the payment: ${refused}.`);
  const logged = transfers.some(
    ({ contractKey, fromKey, toKey }) =>
      contractKey === payment.contractKey && fromKey === payment.fromKey && toKey === payment.toKey,
  );
  if (logged) return;
  const saysTrue = output.length === 64 && BigInt(`0x${output}`) === 1n;
  // Old nodes return no logs of a simulation.
  if (transfers.length > 0 || !saysTrue)
    throw contractRefusal('The token refuses the payment: its contract would move nothing.');
}

/** Free or staked bandwidth pays for a whole transaction or not at all. */
async function bandwidthFee(
  payment: TronPayment,
  feeLimit: bigint,
  prices: ChainPrices,
  { client, pays }: PriceContext,
): Promise<bigint> {
  const size = signedSize(encodeRawData(payment, { ...SAMPLE, feeLimit })) + RESULT_BYTES;
  const fee = BigInt(size) * prices.bandwidth;
  if (pays === 'often') return fee;
  const resource = asObject(
    await client.askExactly('/wallet/getaccountresource', { address: toHexAddress(payment.fromKey) }),
    'the resources of an account',
  );
  const left = (limit: string, used: string): bigint => asUnits(resource[limit], limit) - asUnits(resource[used], used);
  const free = left('freeNetLimit', 'freeNetUsed') >= size || left('NetLimit', 'NetUsed') >= size;
  return free ? 0n : fee;
}

/** Rounded up. */
function withMargin(energy: bigint): bigint {
  return (energy * MARGIN_PERCENT + 99n) / 100n;
}

/** For messages: rounded up to a whole TRX. */
function inTrx(sun: bigint): bigint {
  return (sun + SUN_PER_TRX - 1n) / SUN_PER_TRX;
}

/** Names the waiting payment and the reason. */
export function lacks(payment: TronPayment, currency: string): TillgateError {
  return new TillgateError('NOT_READY', `${tronAddress(payment.fromKey)} holds too little ${currency} to pay it.`);
}
