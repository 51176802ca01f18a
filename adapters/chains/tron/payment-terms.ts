import { assert } from '../../../core/index.ts';

/** The limits with which a payment is signed. */
export interface PaymentTerms {
  /** The maximum amount burnt for energy, in sun; 0 for TRX. */
  readonly feeLimit: bigint;
  /** The source holds too little to simulate it: an estimate that must not be signed. */
  readonly provisional: boolean;
}

/** Terms as they are stored with each attempt. */
export function writeTerms({ feeLimit, provisional }: PaymentTerms): string {
  return JSON.stringify({ fee_limit: feeLimit.toString(), ...(provisional ? { provisional } : {}) });
}

/** Reads terms that {@link writeTerms} wrote. */
export function readTerms(text: string): PaymentTerms {
  const { fee_limit: feeLimit, provisional } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  assert(typeof feeLimit === 'string' && /^\d+$/.test(feeLimit), 'payment terms without a fee limit');
  return { feeLimit: BigInt(feeLimit), provisional: provisional === true };
}
