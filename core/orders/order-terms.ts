import { invalidField } from '../kernel/index.ts';
import { checkMerchantData } from './merchant-data.ts';
import type { NewOrderInput } from './order.ts';
import type { OrderSettings } from './order-settings.ts';

/** The payment deadline of an order, and its tolerance. */
export interface OrderTerms {
  readonly timeoutMs: number;
  readonly toleranceBps: number;
}

/**
 * Checks what an order requests, by the rules of the core and within the operator's limits.
 *
 * @returns its terms; those of the settings where it requests none
 * @throws TillgateError `INVALID_FIELDS`
 */
export function acceptedTerms(input: NewOrderInput, settings: OrderSettings): OrderTerms {
  checkMerchantData(input);
  const { expiresInMs, toleranceBps } = input;
  const { minTimeoutMs, maxTimeoutMs, maxToleranceBps } = settings;
  if (expiresInMs !== undefined && !isWithin(expiresInMs, minTimeoutMs, maxTimeoutMs))
    throw invalidField('expiresInMs', `must be from ${minTimeoutMs / 1000} to ${maxTimeoutMs / 1000} seconds`);
  if (toleranceBps !== undefined && !isWithin(toleranceBps, 0, maxToleranceBps))
    throw invalidField('toleranceBps', `must be from 0 to ${maxToleranceBps} basis points`);
  return { timeoutMs: expiresInMs ?? settings.timeoutMs, toleranceBps: toleranceBps ?? settings.toleranceBps };
}

const isWithin = (value: number, min: number, max: number): boolean =>
  Number.isSafeInteger(value) && value >= min && value <= max;
