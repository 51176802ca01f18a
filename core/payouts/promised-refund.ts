import { findFiat, invalidField, mulDiv, pow10, present, TillgateError } from '../kernel/index.ts';
import type { Asset, Decimal } from '../kernel/index.ts';
import type { RateBook } from '../ledger/index.ts';
import { allowsRefund, unitsLeft } from '../orders/index.ts';
import type { Order, OrderPayment, OrderRefunds } from '../orders/index.ts';
import { askedAmount, refundUnits, unitsOfFiat } from './refund-amount.ts';
import type { RefundAmountInput } from './refund-amount.ts';

/**
 * How much of an order a pull payment refunds. `received`: the coins that are left of what was received. `worth`: as many
 * coins as have at present the price that those had when the order was made, at most those. Otherwise as in a refund.
 */
export type RefundShare = 'received' | 'worth' | RefundAmountInput;

/** The refund of an order by a pull payment. */
export interface PromisedRefundInput {
  readonly share: RefundShare;
  /** The percentage of it that the payer does not get, 0 to 100. */
  readonly lessPercent: Decimal;
}

type Rates = Pick<RateBook, 'payoutRate'>;

/**
 * The units of the order's coin that are promised: more than 0, and at most what is left to refund. What is left is
 * checked again under the order's lock when the pull payment is stored.
 *
 * @throws TillgateError `STATE_CONFLICT` for an order without money to refund, or without a surplus that is asked for;
 *   `INVALID_FIELDS` for an amount that is not within what is left, and a percentage that leaves nothing; `NOT_READY`
 *   without a usable rate
 */
export async function promisedUnits(
  order: Order,
  asset: Asset,
  refunds: OrderRefunds,
  { share, lessPercent }: PromisedRefundInput,
  rates: Rates,
): Promise<bigint> {
  if (!allowsRefund(order.status)) throw nonRefundable(`The order is ${order.status}; there is nothing to refund.`);
  const payment = present(order.payment, `payment of order ${order.id}`);
  if (unitsLeft(order, refunds) === 0n)
    throw nonRefundable(
      refunds.units > 0n ? 'All that was received is refunded or promised already.' : 'No money of it is confirmed.',
    );
  const whole = await wholeUnits(order, payment, asset, refunds, share, rates);
  const [all, less] = [100n * pow10(lessPercent.scale), lessPercent.digits];
  if (less > all) throw invalidField('lessPercent', 'must be from 0 to 100');
  const units = mulDiv(whole, all - less, all, 'down');
  if (units === 0n) throw invalidField('lessPercent', 'leaves nothing to refund');
  return units;
}

async function wholeUnits(
  order: Order,
  payment: OrderPayment,
  asset: Asset,
  refunds: OrderRefunds,
  share: RefundShare,
  rates: Rates,
): Promise<bigint> {
  const left = unitsLeft(order, refunds);
  if (share === 'received') return left;
  if (share !== 'worth' && share.surplus === true && left <= payment.units)
    throw invalidField('surplus', 'there is none: what is left is not more than the amount due');
  if (share !== 'worth') return refundUnits(order, asset, await askedAmount(order, asset, share, rates), refunds);
  const { decimals } = present(findFiat(order.vsCurrency), `fiat ${order.vsCurrency}`);
  const minor = mulDiv(order.vsPrice, left, payment.units, 'down');
  const fiatAmount = { digits: minor, scale: decimals };
  const asked = await askedAmount(order, asset, { fiatAmount, rate: 'current' }, rates);
  const units = asked.kind === 'fiat' ? unitsOfFiat(minor, order, payment, asset, asked.fiat) : left;
  return units < left ? units : left;
}

/** The error of an order of which nothing can be refunded. */
export const nonRefundable = (message: string): TillgateError =>
  new TillgateError('STATE_CONFLICT', message, { reason: 'non-refundable' });
