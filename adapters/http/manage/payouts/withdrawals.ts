import {
  CANCELLED_BY_OPERATOR,
  formatInstant,
  formatUnits,
  obtainedUnits,
  TRANSFER_KINDS,
  TRANSFER_STATUSES,
} from '../../../../core/index.ts';
import type {
  AccountId,
  AssetCatalogue,
  LightningPayment,
  Transfer,
  TransferDetail,
  TransferId,
} from '../../../../core/index.ts';
import { z } from 'zod';
import { text } from '../../fields.ts';
import { withdrawBody } from '../../operations/wallets.ts';
import { accountExample } from '../access/accounts.ts';
import { accountFilter, idParams, inputOf, word } from '../fields.ts';
import { manageList, manageOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { amount, id, instant, pageRecord, time } from '../reply-fields.ts';
import { securityRecord, securitySchema } from '../access/security.ts';
import { withdrawalAddressExample } from './withdrawal-addresses.ts';

const MAX_REASON = 255;

const integer = () => z.number().meta({ type: 'integer' });
const nullableInteger = () =>
  z
    .number()
    .nullable()
    .meta({ type: ['integer', 'null'] });

const transferFields = {
  id: id('ID of the transfer; for a withdrawal or refund also its tx_id'),
  kind: z.enum(TRANSFER_KINDS).meta({
    description:
      'sweep, gas and cold move funds between addresses of the till; return pays back an unassigned deposit; charge executes the authorization of an x402 payer',
  }),
  status: z.enum(TRANSFER_STATUSES).meta({ description: 'HELD: waits for approval' }),
  account_id: id('ID of the account whose balance pays').nullable(),
  order_id: id('ID of the order that is refunded, or that the x402 charge pays').nullable(),
  requested_by: id(
    'ID of the account that requested it here; null for requests of the payment API and for transfers of the till',
  ).nullable(),
  deposit_id: id('ID of the unassigned deposit that is returned').nullable(),
  chain: z.string(),
  currency: z.string(),
  amount: amount('Amount taken from the balance'),
  fee: amount('Fee in the same currency; an estimate until the payment is signed'),
  max_fee: amount('Maximum fee; the transfer waits while the network demands more'),
  obtained: amount('Amount that the recipient receives'),
  from_addr: z.string(),
  to_addr: z.string(),
  reason: z.string().nullable().meta({ description: 'Reason why it failed or waits' }),
  created_at: instant('Time of creation'),
  modified_at: instant('Time of the last change'),
  finished_at: instant('Time at which it was paid or failed').nullable(),
};
export const transferSchema = z.object(transferFields).meta({ id: 'Transfer' });

export const listedTransferSchema = z
  .object({
    ...transferFields,
    tx_hash: z
      .string()
      .nullable()
      .meta({ description: 'null until there is one. For transfers of the till it is in the bundle.' }),
  })
  .meta({ id: 'ListedTransfer' });

/** An attempt of a payout. Its signed bytes are never shown. */
const attemptSchema = z.object({
  number: integer(),
  cancels: z.literal(true).optional().meta({
    description:
      'Only for a cancelling attempt, which pays the till itself so that the payments can no longer be mined',
  }),
  tx_hash: z.string(),
  fee_units: z.string().meta({ description: "Fee in the smallest unit of the chain's native coin" }),
  created_at: instant('Time of creation'),
});
const approvalSchema = z.object({
  account_id: id('ID of the admin who approved it; null for an operator at the command line').nullable(),
  at: instant('Time of the approval'),
  counts: z.boolean().meta({ description: 'False if the approval was given before the transfer was held again' }),
});
export const transferDetailSchema = z
  .object({
    ...transferFields,
    approvals: z.array(approvalSchema).readonly(),
    approvals_needed: integer().meta({
      description: 'Number of different people who must approve it while it is HELD',
    }),
    payout: z
      .object({
        id: id('ID of the payout, which is one transaction on the chain'),
        status: z.enum(['LIVE', 'DONE', 'VOID']),
        nonce: nullableInteger(),
        tx_hash: z.string().nullable().meta({ description: 'Hash of the attempt that was mined' }),
        height: nullableInteger(),
        cancel_reason: z
          .string()
          .optional()
          .meta({ description: 'Reason for cancelling; omitted unless it is being cancelled' }),
        sent_at: instant('Time at which it was last sent to a node').nullable(),
        attempts: z.array(attemptSchema).readonly(),
      })
      .nullable()
      .meta({ description: 'null until it is signed' }),
    lightning: z
      .object({
        payment_hash: z.string(),
        expires_at: instant('Time at which the invoice expires'),
        given_at: instant('Time at which the payment was last given to the node').nullable(),
        refusals: integer().meta({
          description: 'Number of consecutive refusals by a node that never had the payment',
        }),
        refused_since: instant('Time of the first of these refusals').nullable(),
        cancel_reason: z
          .string()
          .nullable()
          .meta({ description: 'Reason why it is being given up; null while it is to be paid' }),
      })
      .nullable()
      .meta({ description: 'null on every other chain' }),
  })
  .meta({ id: 'TransferDetail' });

type TransferRecord = z.input<typeof transferSchema>;
type Decimals = Pick<AssetCatalogue, 'find'>;

export function transferRecord(transfer: Transfer, assets: Decimals): TransferRecord {
  // The amount of a currency whose plugin was removed is shown in its smallest unit, so that operators still see the
  // transfer.
  const decimals = assets.find(transfer.currency)?.decimals ?? 0;
  return {
    id: transfer.id,
    kind: transfer.kind,
    status: transfer.status,
    account_id: transfer.accountId,
    order_id: transfer.orderId,
    requested_by: transfer.requestedBy ?? null,
    deposit_id: transfer.depositId ?? null,
    chain: transfer.chain,
    currency: transfer.currency,
    amount: formatUnits(transfer.units, decimals),
    fee: formatUnits(transfer.feeUnits, decimals),
    max_fee: formatUnits(transfer.maxFeeUnits, decimals),
    obtained: formatUnits(obtainedUnits(transfer), decimals),
    from_addr: transfer.sourceAddress,
    to_addr: transfer.toAddress,
    reason: transfer.reason,
    created_at: formatInstant(transfer.createdAt),
    modified_at: formatInstant(transfer.updatedAt),
    finished_at: time(transfer.finishedAt),
  };
}

const paymentRecord = (payment: LightningPayment): z.input<typeof transferDetailSchema>['lightning'] => ({
  payment_hash: payment.paymentHash,
  expires_at: formatInstant(payment.expiresAt),
  given_at: time(payment.givenAt),
  refusals: payment.refusals,
  refused_since: time(payment.refusedSince),
  cancel_reason: payment.cancelReason,
});

export function transferDetailRecord(
  { transfer, payout: view, payment, approvals, approvalsNeeded }: TransferDetail,
  assets: Decimals,
): z.input<typeof transferDetailSchema> {
  const record = {
    ...transferRecord(transfer, assets),
    approvals: approvals.map(({ approverId, at, heldAt }) => ({
      account_id: approverId,
      at: formatInstant(at),
      counts: transfer.status === 'HELD' && heldAt === transfer.updatedAt,
    })),
    approvals_needed: approvalsNeeded,
    lightning: payment === null ? null : paymentRecord(payment),
  };
  if (view === null) return { ...record, payout: null };
  const { payout, attempts } = view;
  return {
    ...record,
    payout: {
      id: payout.id,
      status: payout.status,
      nonce: payout.nonce,
      tx_hash: payout.minedTxid,
      height: payout.minedHeight,
      ...(payout.cancelReason === null ? {} : { cancel_reason: payout.cancelReason }),
      sent_at: time(payout.sentAt),
      attempts: attempts.map(({ number, kind, txid, feeUnits, createdAt }) => ({
        number,
        ...(kind === 'cancel' ? { cancels: true as const } : {}),
        tx_hash: txid,
        fee_units: feeUnits.toString(),
        created_at: formatInstant(createdAt),
      })),
    },
  };
}

export const transferExample = {
  id: '1530219844911046656',
  kind: 'withdrawal',
  status: 'HELD',
  account_id: accountExample.id,
  order_id: null,
  requested_by: null,
  deposit_id: null,
  chain: 'ETH',
  currency: 'USDT-ERC20',
  amount: '25000',
  fee: '0.42',
  max_fee: '4.2',
  obtained: '24999.58',
  from_addr: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  to_addr: withdrawalAddressExample.address,
  reason: null,
  created_at: accountExample.created_at,
  modified_at: accountExample.modified_at,
  finished_at: null,
} as const satisfies TransferRecord;
const approvalExample = { account_id: accountExample.id, at: accountExample.modified_at, counts: true };
const detailExample = { ...transferExample, approvals: [], approvals_needed: 1, payout: null, lightning: null };
const rejectReason = 'The receiver is not known.';
const cancelReason = 'No node takes it.';
const cancelledExample = {
  id: '1530219844911046700',
  status: 'LIVE',
  nonce: 41,
  tx_hash: null,
  height: null,
  cancel_reason: cancelReason,
  sent_at: accountExample.modified_at,
  attempts: [],
} as const;

const params = idParams<TransferId>('ID of the transfer');

/** The operations of payouts: accounts see their own; admins see and decide about all. */
export const withdrawalOperations: readonly ManageOperation[] = [
  manageList({
    id: 'listTransfers',
    path: '/withdrawals',
    summary: 'List payouts',
    description:
      "Returns the account's withdrawals and refunds, newest first. Admins see those of all accounts and the till's own transfers. Use `status=HELD` for those that wait for approval; `reason` says why.",
    errors: ['NOT_FOUND'],
    filter: {
      status: word(TRANSFER_STATUSES, 'Only records with this status').optional(),
      ...accountFilter,
    },
    name: 'TransferList',
    item: listedTransferSchema,
    example: { ...transferExample, tx_hash: null },
    handler: async ({ actor, query: { status, account_id: accountId, ...page } }, { manage, assets }) =>
      pageRecord(await manage.withdrawals.list(actor, status ?? null, page, accountId), (transfer) => ({
        ...transferRecord(transfer, assets),
        tx_hash: transfer.txHash,
      })),
  }),
  manageOperation({
    id: 'withdrawByHand',
    method: 'POST',
    path: '/withdrawals',
    status: 201,
    idempotent: true,
    summary: 'Create a withdrawal',
    description:
      'Withdraws from your own balance, as in the payment API: to the registered address of the chain, or, on BLN (Lightning), to the invoice. Requires a step-up, and `verify_code` wherever the payment API requires it.',
    errors: [
      'UNSUPPORTED',
      'AMOUNT_OUT_OF_RANGE',
      'VERIFICATION_REQUIRED',
      'NO_WITHDRAWAL_ADDRESS',
      'DESTINATION_UNPAYABLE',
      'VERIFY_CODE_INVALID',
      'INVOICE_INVALID',
      'STATE_CONFLICT',
      'IDEMPOTENCY_MISMATCH',
      'IDEMPOTENCY_RUNNING',
      'INSUFFICIENT_BALANCE',
      'NODE_FAILED',
      'NOT_READY',
    ],
    body: withdrawBody,
    data: transferSchema,
    examples: {
      body: { amount: '25000', chain: 'ETH', currency: 'USDT-ERC20' },
      data: { ...transferExample, requested_by: transferExample.account_id },
    },
    handler: async ({ actor, body, idempotency }, { manage, assets }) =>
      transferRecord(await manage.wallets.withdraw(actor, inputOf(body), idempotency), assets),
  }),
  manageOperation({
    id: 'getTransfer',
    method: 'GET',
    path: '/withdrawals/{id}',
    summary: 'Retrieve a transfer',
    description:
      'Returns a transfer with every transaction that was signed for it. Users see their own withdrawals and refunds, without the names of those who approve.',
    errors: ['NOT_FOUND'],
    params,
    data: transferDetailSchema,
    examples: { data: { ...detailExample, approvals: [approvalExample], approvals_needed: 2 } },
    handler: async ({ actor, params: { id } }, { manage, assets }) =>
      transferDetailRecord(await manage.withdrawals.show(actor, id), assets),
  }),
  manageOperation({
    id: 'approveWithdrawal',
    method: 'POST',
    path: '/withdrawals/{id}/approve',
    summary: 'Approve a held withdrawal',
    description:
      'Approves a withdrawal, which stays HELD until as many different admins have approved it as `withdrawals.approvals` demands. Admins only; you cannot approve your own withdrawals or those that you requested.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    data: transferDetailSchema,
    examples: { data: { ...detailExample, status: 'REQUESTED', approvals: [{ ...approvalExample, counts: false }] } },
    owner: async ({ actor, params: { id } }, { manage }) =>
      (await manage.withdrawals.find(actor, id)).transfer.accountId,
    handler: async ({ actor, params: { id } }, { manage, assets }) =>
      transferDetailRecord(await manage.withdrawals.approve(actor, id), assets),
  }),
  manageOperation({
    id: 'rejectWithdrawal',
    method: 'POST',
    path: '/withdrawals/{id}/reject',
    summary: 'Reject a withdrawal',
    description:
      'Rejects a withdrawal for which nothing was signed, and returns the amount to the balance. Admins only.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    body: z.object({ reason: text(MAX_REASON, 'Reason, shown with the transfer') }),
    data: transferSchema,
    examples: {
      body: { reason: rejectReason },
      data: { ...transferExample, status: 'FAILED', reason: rejectReason, finished_at: transferExample.modified_at },
    },
    handler: async ({ actor, params: { id }, body }, { manage, assets }) =>
      transferRecord(await manage.withdrawals.reject(actor, id, body.reason), assets),
  }),
  manageOperation({
    id: 'cancelTransfer',
    method: 'POST',
    path: '/transfers/{id}/cancel',
    summary: 'Cancel a signed transfer',
    description:
      'Replaces the payout with a transaction to the till itself. Once that transaction is final, the transfer has failed and the amount is returned to the balance; if the payment is mined first, it is paid. Transfers of the same transaction are cancelled together. On BLN (Lightning), only a payment that the node reports it never had can be cancelled; the node is asked now, and again before the transfer fails. Admins only.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT', 'NOT_READY', 'NODE_FAILED'],
    params,
    bodyOptional: true,
    body: z.object({ reason: text(MAX_REASON, 'Reason, shown with the transfer').optional() }),
    data: transferDetailSchema,
    examples: {
      body: { reason: cancelReason },
      data: { ...detailExample, status: 'BROADCAST', payout: cancelledExample },
    },
    handler: async ({ actor, params: { id }, body }, { manage, assets }) =>
      transferDetailRecord(await manage.withdrawals.cancel(actor, id, body.reason ?? CANCELLED_BY_OPERATOR), assets),
  }),
  manageOperation({
    id: 'freezeWithdrawals',
    method: 'POST',
    path: '/accounts/{id}/freeze',
    summary: 'Freeze withdrawals of an account',
    description:
      'No further withdrawal is accepted or signed for the account. Transfers that are already signed continue. Admins only.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: idParams<AccountId>('ID of the account'),
    body: z.object({ reason: text(MAX_REASON, 'Reason, shown to the account') }),
    data: securitySchema,
    examples: { body: { reason: 'A session was stolen.' } },
    handler: async ({ actor, params: { id }, body }, { manage }) => {
      await manage.withdrawals.freeze(actor, id, body.reason);
      return securityRecord(await manage.security.find(actor, id));
    },
  }),
  manageOperation({
    id: 'unfreezeWithdrawals',
    method: 'POST',
    path: '/accounts/{id}/unfreeze',
    summary: 'Unfreeze withdrawals of an account',
    description:
      'Allows withdrawals again, for example after they were frozen because a reorganisation removed funds that had been withdrawn. Admins only.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: idParams<AccountId>('ID of the account'),
    data: securitySchema,
    handler: async ({ actor, params: { id } }, { manage }) => {
      await manage.withdrawals.unfreeze(actor, id);
      return securityRecord(await manage.security.find(actor, id));
    },
  }),
];
