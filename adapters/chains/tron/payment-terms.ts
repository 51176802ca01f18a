import { assert } from '../../../core/index.ts';

/** What a payment was priced with. */
export interface PaymentTerms {
  /** The most that may be burnt for energy, in sun; 0 for TRX. */
  readonly feeLimit: bigint;
  /** The source holds too little to try it out: good for an estimate, not to be signed. */
  readonly provisional: boolean;
}

/** As it is stored with each attempt. */
export function writeTerms({ feeLimit, provisional }: PaymentTerms): string {
  return JSON.stringify({ fee_limit: feeLimit.toString(), ...(provisional ? { provisional } : {}) });
}

/** Terms that {@link writeTerms} wrote. */
export function readTerms(text: string): PaymentTerms {
  const { fee_limit: feeLimit, provisional } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  assert(typeof feeLimit === 'string' && /^\d+$/.test(feeLimit), 'payment terms without a fee limit');
  return { feeLimit: BigInt(feeLimit), provisional: provisional === true };
}
