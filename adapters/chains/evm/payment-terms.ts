import { assert } from '../../../core/index.ts';
import type { GasPrice } from './gas-price.ts';

/** The price and limits with which a payment is signed. */
export interface PaymentTerms extends GasPrice {
  /** The gas limit, which a plain payment uses completely. */
  readonly gas: bigint;
  /** The hot wallet holds too little to simulate it: an estimate that must not be signed. */
  readonly provisional: boolean;
  /** The maximum fee beside the gas, in wei, for the chain's first layer. */
  readonly beside: bigint;
}

/** The maximum fee on these terms, in wei. */
export function feeOfTerms({ gas, price, beside }: Pick<PaymentTerms, 'gas' | 'price' | 'beside'>): bigint {
  return gas * price + beside;
}

/** Terms as they are stored with each attempt. */
export function writeTerms({ type, gas, price, provisional, beside }: PaymentTerms): string {
  return JSON.stringify({
    type,
    gas: gas.toString(),
    price: price.toString(),
    ...(provisional ? { provisional } : {}),
    ...(beside > 0n ? { beside: beside.toString() } : {}),
  });
}

/** Reads terms that {@link writeTerms} wrote. */
export function readTerms(text: string): PaymentTerms {
  const { type, gas, price, provisional, beside = '0' } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  assert(type === 'eip1559' || type === 'legacy', `payment terms of the type ${String(type)}`);
  assert(typeof gas === 'string' && typeof price === 'string', 'payment terms without gas or price');
  assert(typeof beside === 'string', 'payment terms with another cost than a number');
  return { type, gas: BigInt(gas), price: BigInt(price), provisional: provisional === true, beside: BigInt(beside) };
}
