import { raiseAlert } from '../notify/index.ts';
import type { AlertChannels } from '../notify/index.ts';
import type { ChainCode, Storage } from '../kernel/index.ts';
import type { ChainAdapter } from '../chain/index.ts';
import { requirePayments } from './fee-estimator.ts';

/**
 * Stops the payouts of a chain until an operator has checked, and raises an alert. An earlier stop is kept, and its
 * reason appended to this one, so that the operator who resumes payouts reads both.
 */
export async function stopPayouts(
  deps: AlertChannels & { readonly storage: Pick<Storage, 'transfers'> },
  code: ChainCode,
  reason: string,
): Promise<void> {
  const { transfers } = deps.storage;
  for (;;) {
    const former = await transfers.payoutStop(code);
    if (await transfers.replacePayoutStop(code, former, former === null ? reason : `${reason} ${former}`)) break;
  }
  raiseAlert(deps, 'payouts-stopped', `chain ${code}`, reason);
}

/**
 * Resumes the payouts of a chain after an operator's check. The hot wallet's nonce is read from the chain, and the
 * ledger is reconciled before anything is paid.
 *
 * @param seen - the reason that the operator has seen; the present one by default
 * @returns false when payouts were not stopped, or are now stopped for another reason, which stays
 * @throws TillgateError `NOT_READY` on a watch-only chain, `NODE_FAILED`
 */
export async function resumePayouts(
  chain: ChainAdapter,
  storage: Pick<Storage, 'transfers' | 'transaction'>,
  seen?: string,
): Promise<boolean> {
  const payments = requirePayments(chain);
  const { hotAddress } = payments;
  const stop = await storage.transfers.payoutStop(chain.code);
  if (stop === null || stop !== (seen ?? stop)) return false;
  const onChain = await payments.nextNonce(hotAddress);
  const stored = await storage.transfers.nonce(chain.code, hotAddress);
  if (onChain !== null && stored !== null && onChain > stored) {
    await storage.transaction((tx) => tx.transfers.setNonce(chain.code, hotAddress, onChain));
  }
  return storage.transfers.replacePayoutStop(chain.code, stop, null);
}
