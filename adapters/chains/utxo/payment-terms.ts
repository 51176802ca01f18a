import { z } from 'zod';
import { TillgateError } from '../../../core/index.ts';
import type { SpendableCoin } from '../../../core/index.ts';

/** The terms from pricing to signing: the chain's height, which becomes the lock time. */
export interface PricedTerms {
  readonly height: number;
}

/** The terms of a signed transaction that its follower needs and that are not in its bytes. */
export interface SignedTerms extends PricedTerms {
  readonly feeUnits: bigint;
  readonly coins: readonly SpendableCoin[];
  /** The index of the change output; `null` for none. */
  readonly changeNumber: number | null;
}

const units = z
  .string()
  .regex(/^\d{1,20}$/)
  .transform(BigInt);
const height = z.int().min(0);
const pricedSchema = z.object({ height });
const signedSchema = z.object({
  height,
  feeUnits: units,
  coins: z.array(z.object({ ref: z.string(), units, address: z.string(), index: z.int().nullable() })).min(1),
  changeNumber: z.int().nullable(),
});

/** Amounts are stored as digits. */
export function writeTerms(terms: PricedTerms | SignedTerms): string {
  return JSON.stringify(terms, (_name, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}

export function readPricedTerms(text: string): PricedTerms {
  return read(pricedSchema, text);
}

export function readSignedTerms(text: string): SignedTerms {
  return read(signedSchema, text);
}

function read<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new TillgateError('INTERNAL', 'The stored terms of a transaction cannot be read.', {}, error);
  }
}
