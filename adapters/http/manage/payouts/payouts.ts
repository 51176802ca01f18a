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
import { code, decimalText, optionalCode, optionalText, text } from '../../fields.ts';
import { CODE_DIGITS, MAX_INVOICE } from '../../operations/withdrawal-record.ts';
import { WITHDRAWAL_ERRORS } from '../../payout-errors.ts';
import { accountExample } from '../access/accounts.ts';
import { accountFilter, idParams, inputOf, ownerField, word } from '../fields.ts';
import { apiOperation, manageList, manageOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { amount, id, instant, pageRecord, time } from '../reply-fields.ts';
import { securityRecord, securitySchema } from '../access/security.ts';
import { payoutAddressExample } from './payout-addresses.ts';

const MAX_REASON = 255;

const integer = () => z.number().meta({ type: 'integer' });
const nullableInteger = () =>
  z
    .number()
    .nullable()
    .meta({ type: ['integer', 'null'] });

const payoutFields = {
  id: id('ID of the payout; for a withdrawal or refund also the ID of its transaction'),
  kind: z.enum(TRANSFER_KINDS).meta({
    description:
      'sweep, gas and cold move funds between addresses of the till; return pays back an unassigned deposit; charge executes the authorization of an x402 payer',
  }),
  status: z.enum(TRANSFER_STATUSES).meta({ description: 'HELD: waits for approval' }),
  account: id('ID of the account whose balance pays').nullable(),
  order: id('ID of the order that is refunded, or that the x402 charge pays').nullable(),
  requested_by: id(
    'ID of the account that requested it here; null for requests of the payment API and for payouts of the till',
  ).nullable(),
  deposit: id('ID of the unassigned deposit that is returned').nullable(),
  chain: z.string(),
  coin: z.string(),
  amount: amount('Amount taken from the balance'),
  fee: amount('Fee in the same coin; an estimate until the payment is signed'),
  max_fee: amount('Maximum fee; the payout waits while the network demands more'),
  received: amount('Amount that the recipient receives'),
  from_address: z.string(),
  to_address: z.string(),
  reason: z.string().nullable().meta({ description: 'Reason why it failed or waits' }),
  created_at: instant('Time of creation'),
  updated_at: instant('Time of the last change'),
  finished_at: instant('Time at which it was paid or failed').nullable(),
};
export const payoutSchema = z.object(payoutFields).meta({ id: 'Payout' });

export const listedPayoutSchema = z
  .object({
    ...payoutFields,
    tx_hash: z
      .string()
      .nullable()
      .meta({ description: 'null until there is one. For payouts of the till it is in `chain_transaction`.' }),
  })
  .meta({ id: 'ListedPayout' });

/** An attempt of a transaction. Its signed bytes are never shown. */
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
  account: id('ID of the admin who approved it; null for an operator at the command line').nullable(),
  at: instant('Time of the approval'),
  counts: z.boolean().meta({ description: 'False if the approval was given before the payout was held again' }),
});
export const payoutDetailSchema = z
  .object({
    ...payoutFields,
    approvals: z.array(approvalSchema).readonly(),
    approvals_needed: integer().meta({
      description: 'Number of different people who must approve it while it is HELD',
    }),
    chain_transaction: z
      .object({
        id: id('ID of the transaction, which may pay several payouts'),
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
  .meta({ id: 'PayoutDetail' });

type PayoutRecord = z.input<typeof payoutSchema>;
type Decimals = Pick<AssetCatalogue, 'find'>;

export function payoutRecord(transfer: Transfer, assets: Decimals): PayoutRecord {
  // The amount of a currency whose plugin was removed is shown in its smallest unit, so that operators still see the
  // transfer.
  const decimals = assets.find(transfer.currency)?.decimals ?? 0;
  return {
    id: transfer.id,
    kind: transfer.kind,
    status: transfer.status,
    account: transfer.accountId,
    order: transfer.orderId,
    requested_by: transfer.requestedBy ?? null,
    deposit: transfer.depositId ?? null,
    chain: transfer.chain,
    coin: transfer.currency,
    amount: formatUnits(transfer.units, decimals),
    fee: formatUnits(transfer.feeUnits, decimals),
    max_fee: formatUnits(transfer.maxFeeUnits, decimals),
    received: formatUnits(obtainedUnits(transfer), decimals),
    from_address: transfer.sourceAddress,
    to_address: transfer.toAddress,
    reason: transfer.reason,
    created_at: formatInstant(transfer.createdAt),
    updated_at: formatInstant(transfer.updatedAt),
    finished_at: time(transfer.finishedAt),
  };
}

const paymentRecord = (payment: LightningPayment): z.input<typeof payoutDetailSchema>['lightning'] => ({
  payment_hash: payment.paymentHash,
  expires_at: formatInstant(payment.expiresAt),
  given_at: time(payment.givenAt),
  refusals: payment.refusals,
  refused_since: time(payment.refusedSince),
  cancel_reason: payment.cancelReason,
});

export function payoutDetailRecord(
  { transfer, payout: view, payment, approvals, approvalsNeeded }: TransferDetail,
  assets: Decimals,
): z.input<typeof payoutDetailSchema> {
  const record = {
    ...payoutRecord(transfer, assets),
    approvals: approvals.map(({ approverId, at, heldAt }) => ({
      account: approverId,
      at: formatInstant(at),
      counts: transfer.status === 'HELD' && heldAt === transfer.updatedAt,
    })),
    approvals_needed: approvalsNeeded,
    lightning: payment === null ? null : paymentRecord(payment),
  };
  if (view === null) return { ...record, chain_transaction: null };
  const { payout, attempts } = view;
  return {
    ...record,
    chain_transaction: {
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

export const payoutExample = {
  id: '1530219844911046656',
  kind: 'withdrawal',
  status: 'HELD',
  account: accountExample.id,
  order: null,
  requested_by: null,
  deposit: null,
  chain: 'ETH',
  coin: 'USDT-ERC20',
  amount: '25000',
  fee: '0.42',
  max_fee: '4.2',
  received: '24999.58',
  from_address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  to_address: payoutAddressExample.address,
  reason: null,
  created_at: accountExample.created_at,
  updated_at: accountExample.updated_at,
  finished_at: null,
} as const satisfies PayoutRecord;
const approvalExample = { account: accountExample.id, at: accountExample.updated_at, counts: true };
const detailExample = {
  ...payoutExample,
  approvals: [],
  approvals_needed: 1,
  chain_transaction: null,
  lightning: null,
};
const rejectReason = 'The receiver is not known.';
const cancelReason = 'No node takes it.';
const cancelledExample = {
  id: '1530219844911046700',
  status: 'LIVE',
  nonce: 41,
  tx_hash: null,
  height: null,
  cancel_reason: cancelReason,
  sent_at: accountExample.updated_at,
  attempts: [],
} as const;

export const payoutBody = z.object({
  account: ownerField,
  amount: decimalText('Amount to take from the balance'),
  chain: code('Chain code, such as ETH, BTC or TRX'),
  coin: code('Currency code of the coin, such as ETH or USDT-ERC20'),
  invoice: optionalText(MAX_INVOICE, 'Lightning invoice to pay; required on BLN (Lightning)'),
  verify_code: optionalCode(
    CODE_DIGITS,
    'Code of the second factor; required on BLN (Lightning), and if the account demands one for payouts',
  ),
});
const params = idParams<TransferId>('ID of the payout');

/** The operations of payouts: accounts see their own; admins see and decide about all. */
export const payoutOperations: readonly ManageOperation[] = [
  manageList({
    offer: { name: 'payouts.list', scope: 'read' },
    id: 'listTransfers',
    path: '/payouts',
    summary: 'List payouts',
    description:
      "Returns the account's withdrawals and refunds, newest first. Admins see those of all accounts and the till's own payouts. Use `status=HELD` for those that wait for approval; `reason` says why.",
    errors: ['NOT_FOUND'],
    filter: {
      status: word(TRANSFER_STATUSES, 'Only records with this status').optional(),
      ...accountFilter,
    },
    name: 'PayoutList',
    item: listedPayoutSchema,
    example: { ...payoutExample, tx_hash: null },
    handler: async ({ actor, query }, { manage, assets }) =>
      pageRecord(await manage.withdrawals.list(actor, inputOf(query)), (transfer) => ({
        ...payoutRecord(transfer, assets),
        tx_hash: transfer.txHash,
      })),
  }),
  apiOperation({
    offer: { name: 'payouts.create', scope: 'move' },
    id: 'withdrawByHand',
    method: 'POST',
    path: '/payouts',
    status: 201,
    idempotent: true,
    summary: 'Create a payout',
    description:
      'Pays from the balance to the registered address of the chain, or, on BLN (Lightning), to the invoice. The network fee is deducted from the amount. A session needs a step-up.',
    errors: ['NOT_FOUND', ...WITHDRAWAL_ERRORS],
    body: payoutBody,
    data: payoutSchema,
    examples: {
      body: { amount: '25000', chain: 'ETH', coin: 'USDT-ERC20' },
      data: { ...payoutExample, requested_by: payoutExample.account },
    },
    handler: async ({ actor, body, idempotency }, { manage, assets }) =>
      payoutRecord(await manage.wallets.withdraw(actor, inputOf(body), idempotency), assets),
  }),
  apiOperation({
    offer: { name: 'payouts.get', scope: 'read' },
    id: 'getTransfer',
    method: 'GET',
    path: '/payouts/{id}',
    summary: 'Retrieve a payout',
    description:
      'Returns a payout with every transaction that was signed for it. Users see their own withdrawals and refunds, without the names of those who approve.',
    errors: ['NOT_FOUND'],
    params,
    data: payoutDetailSchema,
    examples: { data: { ...detailExample, approvals: [approvalExample], approvals_needed: 2 } },
    handler: async ({ actor, params: { id } }, { manage, assets }) =>
      payoutDetailRecord(await manage.withdrawals.show(actor, id), assets),
  }),
  manageOperation({
    id: 'approveWithdrawal',
    method: 'POST',
    path: '/payouts/{id}/approve',
    summary: 'Approve a held payout',
    description:
      'Approves a payout, which stays HELD until as many different admins have approved it as `withdrawals.approvals` demands. Admins only; you cannot approve your own payouts or those that you requested.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    data: payoutDetailSchema,
    examples: { data: { ...detailExample, status: 'REQUESTED', approvals: [{ ...approvalExample, counts: false }] } },
    owner: async ({ actor, params: { id } }, { manage }) =>
      (await manage.withdrawals.find(actor, id)).transfer.accountId,
    handler: async ({ actor, params: { id } }, { manage, assets }) =>
      payoutDetailRecord(await manage.withdrawals.approve(actor, id), assets),
  }),
  manageOperation({
    id: 'rejectWithdrawal',
    method: 'POST',
    path: '/payouts/{id}/reject',
    summary: 'Reject a payout',
    description: 'Rejects a payout for which nothing was signed, and returns the amount to the balance. Admins only.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    body: z.object({ reason: text(MAX_REASON, 'Reason, shown with the payout') }),
    data: payoutSchema,
    examples: {
      body: { reason: rejectReason },
      data: { ...payoutExample, status: 'FAILED', reason: rejectReason, finished_at: payoutExample.updated_at },
    },
    handler: async ({ actor, params: { id }, body }, { manage, assets }) =>
      payoutRecord(await manage.withdrawals.reject(actor, id, body.reason), assets),
  }),
  manageOperation({
    id: 'cancelTransfer',
    method: 'POST',
    path: '/payouts/{id}/cancel',
    summary: 'Cancel a signed payout',
    description:
      'Replaces its transaction with one to the till itself. Once that transaction is final, the payout has failed and the amount is returned to the balance; if the payment is mined first, it is paid. Payouts of the same transaction are cancelled together. On BLN (Lightning), only a payment that the node reports it never had can be cancelled; the node is asked now, and again before the payout fails. Admins only.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT', 'NOT_READY', 'NODE_FAILED'],
    params,
    bodyOptional: true,
    body: z.object({ reason: text(MAX_REASON, 'Reason, shown with the payout').optional() }),
    data: payoutDetailSchema,
    examples: {
      body: { reason: cancelReason },
      data: { ...detailExample, status: 'BROADCAST', chain_transaction: cancelledExample },
    },
    handler: async ({ actor, params: { id }, body }, { manage, assets }) =>
      payoutDetailRecord(await manage.withdrawals.cancel(actor, id, body.reason ?? CANCELLED_BY_OPERATOR), assets),
  }),
  manageOperation({
    id: 'freezeWithdrawals',
    method: 'POST',
    path: '/accounts/{id}/freeze',
    summary: 'Freeze payouts of an account',
    description:
      'No further payout is accepted or signed for the account. Payouts that are already signed continue. Admins only.',
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
    summary: 'Unfreeze payouts of an account',
    description:
      'Allows payouts again, for example after they were frozen because a reorganisation removed funds that had been withdrawn. Admins only.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: idParams<AccountId>('ID of the account'),
    data: securitySchema,
    handler: async ({ actor, params: { id } }, { manage }) => {
      await manage.withdrawals.unfreeze(actor, id);
      return securityRecord(await manage.security.find(actor, id));
    },
  }),
];
