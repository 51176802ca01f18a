import { z } from 'zod';

/** A whole number in bounds. */
export const count = (minimum: number, maximum: number): z.ZodNumber => z.int().min(minimum).max(maximum);

/** Where a node is asked. */
export const nodeUrl = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'must be an http or https URL');
export const nodeUrls = z.array(nodeUrl).min(1, 'at least one node URL is needed').max(16);

/** What every chain's plugin takes (decisions, section 10). */
export const chainFields = {
  confirmations: count(1, 10_000).optional(),
  spendableConfirmations: count(1, 10_000).optional(),
  finalityBlocks: count(1, 10_000).optional(),
  pollIntervalMs: count(100, 600_000).optional(),
  startBlock: count(0, Number.MAX_SAFE_INTEGER).optional(),
  xpub: z.string().min(1).optional(),
} as const;

/** How many confirmations a deposit needs to be credited, and to be spendable. */
export interface Depths {
  readonly confirmations: number;
  readonly spendableConfirmations: number;
}

/** A configured `confirmations` without the other sets both (decisions, section 4). */
export function depthsOf(given: { readonly [Depth in keyof Depths]?: number | undefined }, usual: Depths): Depths {
  const confirmations = given.confirmations ?? usual.confirmations;
  return {
    confirmations,
    spendableConfirmations:
      given.spendableConfirmations ??
      (given.confirmations === undefined ? usual.spendableConfirmations : confirmations),
  };
}

/** The problem of depths that contradict each other. */
export function depthProblems({
  confirmations,
  spendableConfirmations,
}: Depths): { readonly path: string; readonly message: string }[] {
  return spendableConfirmations < confirmations
    ? [{ path: 'spendableConfirmations', message: 'must not be less than confirmations' }]
    : [];
}
