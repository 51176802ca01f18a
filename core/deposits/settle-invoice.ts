import { LIGHTNING_ASSET, present } from '../kernel/index.ts';
import { bookCredits, bookSpendable } from './credit-deposit.ts';
import type { BookDeps } from './credit-deposit.ts';
import { recordTransfers } from './record-transfer.ts';
import type { LatePayments, OrderHistoryEntry, OrderMove } from '../orders/index.ts';
import type { SettledInvoice, WatchedAddress } from '../chain/index.ts';
import type { Transaction } from '../kernel/index.ts';

/** A settlement of an order's invoice. */
export interface OwnSettlement {
  readonly settled: SettledInvoice;
  readonly owner: WatchedAddress;
  readonly history: readonly OrderHistoryEntry[];
}

/** The transfer index of an invoice's single payment, distinct from any output index. */
const INDEX = 'invoice';

/**
 * Credits a settled invoice, once for its payment hash: deposit, postings, the merchant's row, the order's status and
 * its callback, in the caller's transaction. A settled payment is irreversible, so it is spendable at once.
 *
 * @returns the order's moves, to publish after the commit; `null` when it was credited before
 */
export async function settleInvoice(
  tx: Transaction,
  { settled, owner, history }: OwnSettlement,
  height: number,
  deps: BookDeps & { readonly latePayments: LatePayments },
): Promise<readonly OrderMove[] | null> {
  const { chain, currency } = LIGHTNING_ASSET;
  const { paymentHash, msat, settledAt } = settled;
  const block = { height, hash: paymentHash, parentHash: '', time: settledAt };
  const transfer = { txid: paymentHash, index: INDEX, block, currency, units: msat, from: null, toKey: paymentHash };
  await recordTransfers(tx, [{ transfer, owner, history }], {
    chain,
    now: deps.clock.now(),
    ids: deps.ids,
    mempool: false,
    policy: null,
    latePayments: deps.latePayments,
  });
  const [found] = await tx.deposits.lockByTransactions(chain, [paymentHash]);
  const deposit = present(found, `deposit of invoice ${paymentHash}`);
  if (deposit.status !== 'SEEN') return null;
  const order = present(await tx.orders.lock(owner.orderId), `order ${owner.orderId}`);
  const moves = await bookCredits(tx, deps, order, [deposit]);
  await bookSpendable(tx, deps, { ...deposit, status: 'CREDITED', credits: deposit.credits + 1 });
  return moves;
}
