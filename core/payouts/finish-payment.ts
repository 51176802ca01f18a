import { assert, LIGHTNING_ASSET } from '../kernel/index.ts';
import type { EntryId, IdGenerator, Lease, Millis, Transaction } from '../kernel/index.ts';
import { postEntry } from '../ledger/index.ts';
import { cheaperPaidEntry, releaseEntry } from './transfer-entries.ts';
import type { LightningPaymentView } from '../chain/index.ts';
import type { UnfinishedPayment } from './lightning-store.ts';
import { obtainedUnits } from './transfer.ts';
import type { Transfer } from './transfer.ts';
import type { LightningDeps } from './lightning-deps.ts';
import { isGivenUp } from './lightning-payment.ts';

type FinishDeps = Pick<LightningDeps, 'storage' | 'clock' | 'ids'>;

/** A payment that the node has made; `msat` is the amount that the receiver got, `null` where it is not reported. */
type PaidPayment = Pick<Extract<LightningPaymentView, { readonly state: 'settled' }>, 'msat' | 'feeMsat'>;

/**
 * Books a settled payment: the amount that the receiver got and the routing fee leave the balance, and the rest of the
 * reserve is released to the merchant. The till pays a routing fee above the limit, and an amount above the invoice's.
 *
 * @returns false when it was finished before
 */
export function confirmPayment(
  deps: FinishDeps,
  lease: Lease,
  { transfer: listed, payment: { paymentHash } }: UnfinishedPayment,
  { msat, feeMsat }: PaidPayment,
): Promise<boolean> {
  return finish(deps, lease, listed, (tx, transfer) =>
    bookPayment(tx, transfer, { paymentHash, msat, feeMsat }, { ids: deps.ids, now: deps.clock.now() }),
  );
}

/** Books a locked transfer as paid, in the caller's transaction. */
export async function bookPayment(
  tx: Transaction,
  transfer: Transfer,
  { paymentHash, msat, feeMsat }: PaidPayment & { readonly paymentHash: string },
  { ids, now }: { readonly ids: IdGenerator; readonly now: Millis },
): Promise<Transfer> {
  const feeUnits = feeMsat < transfer.maxFeeUnits ? feeMsat : transfer.maxFeeUnits;
  const asked = obtainedUnits(transfer);
  const units = (msat !== null && msat < asked ? msat : asked) + feeUnits;
  const changes = { units, feeUnits, reason: null, updatedAt: now, finishedAt: now };
  assert(
    await tx.transfers.move(transfer.id, transfer.status, 'CONFIRMED', changes),
    `transfer ${transfer.id} changed while locked`,
  );
  const cost = { currency: LIGHTNING_ASSET.currency, units: feeMsat };
  const entry = cheaperPaidEntry(ids.next() as EntryId, now, transfer, { units, feeUnits }, cost);
  assert(await postEntry(tx, entry), `transfer ${transfer.id} is paid twice`);
  const row = { status: 'SUCCESS', units, fee: feeUnits, txHash: paymentHash } as const;
  assert(await tx.deposits.updateTransaction(transfer.id, row), `transaction of transfer ${transfer.id}`);
  return { ...transfer, ...changes, status: 'CONFIRMED' };
}

/**
 * Releases the reserve of a payment that was never started, or that the node reports as finally failed. @returns false
 * when it was finished before
 */
export function failPayment(deps: FinishDeps, lease: Lease, listed: Transfer, reason: string): Promise<boolean> {
  return finish(deps, lease, listed, (tx, transfer) => bookFailure(deps, tx, transfer, reason));
}

/**
 * Records that the node refused a payment that it does not have. After enough refusals, over long enough and without a
 * lost answer in between, the payment fails and its reserve is released.
 *
 * @returns the result; `null` when it was finished before
 */
export async function refusePayment(
  deps: FinishDeps,
  lease: Lease,
  listed: Transfer,
  reason: string,
): Promise<'waits' | 'failed' | null> {
  let answer: 'waits' | 'failed' = 'waits';
  const isOpen = await finish(deps, lease, listed, async (tx, transfer) => {
    const now = deps.clock.now();
    const payment = await tx.lightning.refuse(transfer.id, now);
    answer = isGivenUp(payment, now) ? 'failed' : 'waits';
    if (answer === 'failed')
      await bookFailure(deps, tx, transfer, `The node refused the payment ${payment.refusals} times: ${reason}`);
  });
  return isOpen ? answer : null;
}

async function bookFailure(deps: FinishDeps, tx: Transaction, transfer: Transfer, reason: string): Promise<void> {
  const now = deps.clock.now();
  assert(
    await tx.transfers.move(transfer.id, transfer.status, 'FAILED', { reason, updatedAt: now, finishedAt: now }),
    `transfer ${transfer.id} changed while locked`,
  );
  assert(
    await postEntry(tx, releaseEntry(deps.ids.next() as EntryId, now, transfer)),
    `transfer ${transfer.id} is released twice`,
  );
  assert(
    await tx.deposits.updateTransaction(transfer.id, { status: 'FAILED' }),
    `transaction of transfer ${transfer.id}`,
  );
}

function finish(
  { storage }: FinishDeps,
  lease: Lease,
  listed: Transfer,
  book: (tx: Transaction, transfer: Transfer) => Promise<unknown>,
): Promise<boolean> {
  return storage.transaction(async (tx) => {
    await tx.leases.check(lease);
    const transfer = await tx.transfers.lock(listed.id);
    if (transfer?.status !== listed.status) return false;
    await book(tx, transfer);
    return true;
  });
}
