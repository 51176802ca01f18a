import { assert, TillgateError } from '../kernel/index.ts';
import type {
  AccountId,
  EntryId,
  IdempotencyClaim,
  IdGenerator,
  Storage,
  Transaction,
  TransferId,
} from '../kernel/index.ts';
import { balanced, merchantAccount } from '../ledger/index.ts';
import type { TransactionType } from '../ledger/index.ts';
import { reservedFrom, reserveEntry } from './transfer-entries.ts';
import type { Reservation } from './transfer-store.ts';
import { obtainedUnits } from './transfer.ts';
import type { Transfer, TransferKind } from './transfer.ts';

/** A transfer paid from a merchant's balance. */
export type MerchantTransfer = Transfer & { readonly accountId: AccountId };

/** The types of merchants' transfers in their lists of transactions. */
const ROW_TYPES: Readonly<Partial<Record<TransferKind, TransactionType>>> = { refund: 'REFUND', payout: 'PAYOUT' };

/** The rows that reserving a merchant's transfer writes. */
export function reservationOf(
  transfer: MerchantTransfer,
  ids: IdGenerator,
  idempotency: IdempotencyClaim | null,
): Reservation {
  const { id, accountId, orderId, chain, currency, units, feeUnits, sourceAddress, toAddress, createdAt } = transfer;
  return {
    transfer,
    entry: balanced(reserveEntry(ids.next() as EntryId, createdAt, transfer)),
    row: {
      id,
      accountId,
      type: ROW_TYPES[transfer.kind] ?? 'WITHDRAW',
      status: 'PENDING',
      orderId,
      chain,
      currency,
      units,
      obtained: obtainedUnits(transfer),
      fee: feeUnits,
      fromAddress: sourceAddress,
      toAddress,
      txHash: null,
      at: createdAt,
    },
    idempotency,
  };
}

/** The error while an account's withdrawals are frozen. */
export function frozen(reason: string): TillgateError {
  return new TillgateError('STATE_CONFLICT', `Withdrawals of this account are frozen: ${reason}`);
}

/**
 * Stores a merchant's transfer with its reserve and its transaction row, in the caller's transaction.
 *
 * @param lacking - creates the error for an insufficient balance
 * @returns the remaining balance; `null` when another live transfer excludes it
 * @throws TillgateError `STATE_CONFLICT` while the account's withdrawals are frozen; the error of `lacking`
 */
export async function reserveTransfer(
  tx: Transaction,
  transfer: MerchantTransfer,
  ids: IdGenerator,
  lacking: () => TillgateError,
): Promise<bigint | null> {
  const from = reservedFrom(transfer);
  // Freezing an account locks this balance row too, so no reservation can pass a freeze.
  const available = await tx.ledger.lockBalance(merchantAccount(transfer.accountId, 'available'), transfer.currency);
  const balance =
    from === 'available'
      ? available
      : await tx.ledger.lockBalance(merchantAccount(transfer.accountId, from), transfer.currency);
  const freeze = await tx.transfers.findFreeze(transfer.accountId);
  if (freeze !== null) throw frozen(freeze.reason);
  // Frozen coins are part of the available balance, and cannot pay.
  const immovable = from === 'available' ? await tx.transfers.frozenUnits(transfer.accountId, transfer.currency) : 0n;
  if (balance - immovable < transfer.units) throw lacking();
  const { entry, row } = reservationOf(transfer, ids, null);
  if (!(await tx.transfers.add(transfer))) return null;
  assert(await tx.ledger.append(entry), `transfer ${transfer.id} is reserved twice`);
  await tx.deposits.addTransaction(row);
  return balance - transfer.units;
}

/**
 * The transfer that an idempotency key created earlier; `null` for a new key.
 *
 * @throws TillgateError `IDEMPOTENCY_MISMATCH` when the key was used with another body
 */
export async function formerTransfer(
  { transfers }: Pick<Storage, 'transfers'>,
  accountId: AccountId,
  claim: IdempotencyClaim | null,
): Promise<TransferId | null> {
  const former = claim === null ? null : await transfers.claimed(accountId, claim);
  return former === null ? null : matching(former, claim);
}

/**
 * Claims the key in the transaction that creates the transfer. @returns the transfer that claimed it earlier; `null`
 * when this one has claimed it
 */
export async function claimTransfer(
  tx: Transaction,
  transfer: MerchantTransfer,
  claim: IdempotencyClaim | null,
): Promise<TransferId | null> {
  const former = claim === null ? null : await tx.transfers.claim(transfer.accountId, claim, transfer.id);
  return former === null ? null : matching(former, claim);
}

/** The transfer of a repeated key. @throws TillgateError `IDEMPOTENCY_MISMATCH` when it was used with another body */
export function matching(
  former: { readonly transferId: TransferId; readonly bodyHash: string },
  claim: IdempotencyClaim | null,
): TransferId {
  if (former.bodyHash === claim?.bodyHash) return former.transferId;
  throw new TillgateError(
    'IDEMPOTENCY_MISMATCH',
    'This Idempotency-Key was used before with another body; send a new key with a new request.',
  );
}
