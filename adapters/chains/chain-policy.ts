import type { ChainPolicy } from '../../core/index.ts';

/** The options of a chain that say when its deposits count. */
interface PolicyOptions extends Pick<
  ChainPolicy,
  'spendableConfirmations' | 'finalityBlocks' | 'pollIntervalMs' | 'maxLagMs'
> {
  readonly confirmations: number;
  readonly maxScanBlocks?: number;
}

/** The policy of a chain whose deposits all need the same confirmations. */
export function policyOf(options: PolicyOptions, defaultScanBlocks: number): ChainPolicy {
  const { confirmations, spendableConfirmations, finalityBlocks, pollIntervalMs, maxLagMs = null } = options;
  return {
    confirmations: () => confirmations,
    spendableConfirmations,
    finalityBlocks,
    pollIntervalMs,
    maxScanBlocks: options.maxScanBlocks ?? defaultScanBlocks,
    maxLagMs,
  };
}
