import { assert } from '../../../core/index.ts';
import type { GasPrice } from './gas-price.ts';

/** What a payment was priced with. */
export interface PaymentTerms extends GasPrice {
  /** The limit; all of it is used by a plain payment. */
  readonly gas: bigint;
  /** The hot wallet holds too little to try it out: good for an estimate, not to be signed. */
  readonly provisional: boolean;
  /** What is charged at most beside the gas, in wei: for the chain's first layer. */
  readonly beside: bigint;
}

/** The most that a payment costs on these terms, in wei. */
export function feeOfTerms({ gas, price, beside }: Pick<PaymentTerms, 'gas' | 'price' | 'beside'>): bigint {
  return gas * price + beside;
}

/** As it is stored with each attempt. */
export function writeTerms({ type, gas, price, provisional, beside }: PaymentTerms): string {
  return JSON.stringify({
    type,
    gas: gas.toString(),
    price: price.toString(),
    ...(provisional ? { provisional } : {}),
    ...(beside > 0n ? { beside: beside.toString() } : {}),
  });
}

/** Terms that {@link writeTerms} wrote. */
export function readTerms(text: string): PaymentTerms {
  const { type, gas, price, provisional, beside = '0' } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  assert(type === 'eip1559' || type === 'legacy', `payment terms of the type ${String(type)}`);
  assert(typeof gas === 'string' && typeof price === 'string', 'payment terms without gas or price');
  assert(typeof beside === 'string', 'payment terms with another cost than a number');
  return { type, gas: BigInt(gas), price: BigInt(price), provisional: provisional === true, beside: BigInt(beside) };
}
