import type { PayoutOutcome } from '../chain/index.ts';
import type { Storage } from '../kernel/index.ts';
import type { PayingChain } from './payout-deps.ts';
import type { PayoutView } from './transfer.ts';

/** The outcome of a signed payout by the chain's nodes. @throws TillgateError `NODE_FAILED` */
export async function payoutOutcome(
  { payments }: Pick<PayingChain, 'payments'>,
  { transfers }: Pick<Storage, 'transfers'>,
  { payout, attempts }: PayoutView,
): Promise<PayoutOutcome> {
  const coins = payments.model === 'utxo' ? (await transfers.coinsOf(payout.id)).map(({ ref }) => ref) : [];
  return payments.outcome({
    source: { address: payout.sourceAddress, index: payout.sourceIndex },
    nonce: payout.nonce,
    coins,
    attempts,
  });
}
