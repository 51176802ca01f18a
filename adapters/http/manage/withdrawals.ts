import {
  CANCELLED_BY_OPERATOR,
  formatInstant,
  formatUnits,
  obtainedUnits,
  TRANSFER_KINDS,
  TRANSFER_STATUSES,
} from '../../../core/index.ts';
import type { AccountId, AssetCatalogue, Transfer, TransferDetail, TransferId } from '../../../core/index.ts';
import { z } from 'zod';
import { text } from '../fields.ts';
import { withdrawBody } from '../operations/wallets.ts';
import { accountExample } from './accounts.ts';
import { accountFilter, idParams, inputOf, word } from './fields.ts';
import { manageList, manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { amount, id, instant, pageRecord, time } from './reply-fields.ts';
import { securityRecord, securitySchema } from './security.ts';
import { withdrawalAddressExample } from './withdrawal-addresses.ts';

const MAX_REASON = 255;

const integer = () => z.number().meta({ type: 'integer' });
const nullableInteger = () =>
  z
    .number()
    .nullable()
    .meta({ type: ['integer', 'null'] });

const transferFields = {
  id: id('The transfer; of a withdrawal or refund also its tx_id'),
  kind: z.enum(TRANSFER_KINDS).meta({
    description:
      'sweep, gas and cold are moves between addresses of the till; return pays an unassigned deposit back, pull sends what a payer authorized (x402)',
  }),
  status: z.enum(TRANSFER_STATUSES).meta({ description: 'HELD waits for an approval' }),
  account_id: id('Whose balance pays').nullable(),
  order_id: id('The order that is paid back, or that a pull pays').nullable(),
  requested_by: id('Who asked for it here; null for a request of the payment API, and a move of the till').nullable(),
  deposit_id: id('The unassigned deposit that is paid back').nullable(),
  chain: z.string(),
  currency: z.string(),
  amount: amount('What leaves the balance'),
  fee: amount('The fee, in the same currency; an estimate until it is signed'),
  max_fee: amount('While the network asks for more, it waits'),
  obtained: amount('What the receiver gets'),
  from_addr: z.string(),
  to_addr: z.string(),
  reason: z.string().nullable().meta({ description: 'Why it failed, or what it waits for' }),
  created_at: instant('Creation'),
  modified_at: instant('Last change'),
  finished_at: instant('When it was paid or failed').nullable(),
};
export const transferSchema = z.object(transferFields).meta({ id: 'Transfer' });

export const listedTransferSchema = z
  .object({
    ...transferFields,
    tx_hash: z
      .string()
      .nullable()
      .meta({ description: "null before there is one, and for the till's own moves: those have it in their bundle" }),
  })
  .meta({ id: 'ListedTransfer' });

/** Signed bytes are never shown. */
const attemptSchema = z.object({
  number: integer(),
  cancels: z.literal(true).optional().meta({
    description: 'It pays the till itself, so that the payments cannot be mined any more; only of such an attempt',
  }),
  tx_hash: z.string(),
  fee_units: z.string().meta({ description: "In units of the chain's own coin" }),
  created_at: instant('When'),
});
const approvalSchema = z.object({
  account_id: id('The admin who approved it; null for the operator at the command line').nullable(),
  at: instant('When'),
  counts: z.boolean().meta({ description: 'False for one of an earlier time that it was held' }),
});
export const transferDetailSchema = z
  .object({
    ...transferFields,
    approvals: z.array(approvalSchema).readonly(),
    approvals_needed: integer().meta({ description: 'How many different persons have to approve it while it is HELD' }),
    bundle: z
      .object({
        id: id('What one transaction on the chain pays'),
        status: z.enum(['LIVE', 'DONE', 'VOID']),
        nonce: nullableInteger(),
        tx_hash: z.string().nullable().meta({ description: 'The attempt that was mined' }),
        height: nullableInteger(),
        cancel_reason: z.string().optional().meta({ description: 'Why it is being cancelled; only where it is' }),
        sent_at: instant('When it was last given to a node').nullable(),
        attempts: z.array(attemptSchema).readonly(),
      })
      .nullable()
      .meta({ description: 'null while nothing is signed' }),
  })
  .meta({ id: 'TransferDetail' });

type TransferRecord = z.input<typeof transferSchema>;
type Decimals = Pick<AssetCatalogue, 'find'>;

export function transferRecord(transfer: Transfer, assets: Decimals): TransferRecord {
  // A currency whose plugin was removed is shown in units: an operator must see the transfer all the same.
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

export function transferDetailRecord(
  { transfer, payout: view, approvals, approvalsNeeded }: TransferDetail,
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
  };
  if (view === null) return { ...record, bundle: null };
  const { payout, attempts } = view;
  return {
    ...record,
    bundle: {
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
const detailExample = { ...transferExample, approvals: [], approvals_needed: 1, bundle: null };
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

const params = idParams<TransferId>('The transfer');

/** Payouts: an account's own, and all of them for admins, who decide about them. */
export const withdrawalOperations: readonly ManageOperation[] = [
  manageList({
    id: 'listTransfers',
    path: '/withdrawals',
    summary: 'Money on its way out',
    description:
      'Newest first: the account’s withdrawals and refunds; for an admin those of all, and the till’s own moves. `status=HELD` are those that wait for an approval; `reason` says why.',
    errors: ['NOT_FOUND'],
    filter: {
      status: word(TRANSFER_STATUSES, 'Only these').optional(),
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
    summary: 'Withdraw',
    description:
      'From your own balance, as the payment API does: to the address that is registered for the chain, on BLN to the invoice. Beside the raised session it wants `verify_code` wherever the payment API does.',
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
    summary: 'A transfer',
    description:
      'With every transaction that was signed for it. A user sees its own withdrawals and refunds, without who approves them.',
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
      'It is paid once as many different admins as `withdrawals.approvals` says have approved it; until then it stays HELD. Admins only, and nobody its own, nor what it asked for itself.',
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
    description: 'One for which nothing was signed: the amount is the account’s again. Admins only.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    body: z.object({ reason: text(MAX_REASON, 'The reason; stored, and shown with the transfer') }),
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
      'A transaction of the till to itself takes its place; once that one is final the transfer has failed and the amount is the account’s again. When the payment is mined first, it is paid. Transfers that share its transaction are cancelled with it. Admins only.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    bodyOptional: true,
    body: z.object({ reason: text(MAX_REASON, 'The reason; stored, and shown with the transfer').optional() }),
    data: transferDetailSchema,
    examples: {
      body: { reason: cancelReason },
      data: { ...detailExample, status: 'BROADCAST', bundle: cancelledExample },
    },
    handler: async ({ actor, params: { id }, body }, { manage, assets }) =>
      transferDetailRecord(await manage.withdrawals.cancel(actor, id, body.reason ?? CANCELLED_BY_OPERATOR), assets),
  }),
  manageOperation({
    id: 'freezeWithdrawals',
    method: 'POST',
    path: '/accounts/{id}/freeze',
    summary: 'Keep an account from withdrawing',
    description: 'Nothing more is requested or signed for it; what is signed goes on. Admins only.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: idParams<AccountId>('The account'),
    body: z.object({ reason: text(MAX_REASON, 'The reason; stored, and shown to the account') }),
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
    summary: 'Let an account withdraw again',
    description:
      'Its withdrawals were frozen, for instance since a reorganisation took back what had been withdrawn. Admins only.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: idParams<AccountId>('The account'),
    data: securitySchema,
    handler: async ({ actor, params: { id } }, { manage }) => {
      await manage.withdrawals.unfreeze(actor, id);
      return securityRecord(await manage.security.find(actor, id));
    },
  }),
];
