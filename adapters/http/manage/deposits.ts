import {
  DEPOSIT_ASSIGNMENTS,
  DEPOSIT_STATUSES,
  formatInstant,
  formatUnits,
  invalidField,
  UNASSIGNED_REASONS,
} from '../../../core/index.ts';
import type { AssetCatalogue, Deposit, DepositId, OrderId, Rescan, RescanInput } from '../../../core/index.ts';
import { z } from 'zod';
import { code, text } from '../fields.ts';
import { accountExample } from './accounts.ts';
import { idParams, plainNumber, recordId, word } from './fields.ts';
import { manageList, manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { amount, id, instant, pageRecord, whole } from './reply-fields.ts';
import { transferExample, transferRecord, transferSchema } from './withdrawals.ts';

const MAX_ADDRESS = 128;
const MAX_TXID = 128;

export const depositSchema = z
  .object({
    id: id('The deposit'),
    order_id: id('Its order; while it belongs to none, the order that the address was given to'),
    account_id: id('The account of that order'),
    chain: z.string(),
    currency: z.string(),
    amount: amount('What arrived'),
    return_cost: amount('What payments of it back that failed have cost; only the rest is assigned or paid back'),
    status: z.enum(DEPOSIT_STATUSES).meta({ description: 'It can be assigned once CREDITED, refunded once SPENDABLE' }),
    assignment: z.enum(DEPOSIT_ASSIGNMENTS),
    unassigned_reason: z.enum(UNASSIGNED_REASONS).nullable().meta({
      description: 'late: after the watch window of the order; before-address: older than the order',
    }),
    tx_hash: z.string(),
    block_height: whole('The block that holds it'),
    from_addr: z.string().nullable().meta({ description: 'null where the sender is not known, or is several' }),
    to_addr: z.string(),
    seen_at: instant('When it was first seen'),
    paid_at: instant('The time of the payment'),
  })
  .meta({ id: 'Deposit' });

type DepositRecord = z.input<typeof depositSchema>;

export const rescanSchema = z
  .object({
    chain: z.string(),
    from: whole('The first block that was read'),
    to: whole('The last one'),
    found: z.array(depositSchema).readonly().meta({ description: 'Deposits that were not known before' }),
  })
  .meta({ id: 'Rescan' });

export function depositRecord(deposit: Deposit, assets: Pick<AssetCatalogue, 'find'>): DepositRecord {
  // A currency whose plugin was removed is shown in units: an operator must see the deposit all the same.
  const decimals = assets.find(deposit.currency)?.decimals ?? 0;
  return {
    id: deposit.id,
    order_id: deposit.orderId,
    account_id: deposit.accountId,
    chain: deposit.chain,
    currency: deposit.currency,
    amount: formatUnits(deposit.units, decimals),
    return_cost: formatUnits(deposit.returnCostUnits, decimals),
    status: deposit.status,
    assignment: deposit.assignment,
    unassigned_reason: deposit.unassignedReason,
    tx_hash: deposit.txid,
    block_height: deposit.blockHeight,
    from_addr: deposit.fromAddress,
    to_addr: deposit.toAddress,
    seen_at: formatInstant(deposit.seenAt),
    paid_at: formatInstant(deposit.paidAt),
  };
}

export function rescanRecord(
  chain: string,
  { from, to, found }: Rescan,
  assets: Pick<AssetCatalogue, 'find'>,
): z.input<typeof rescanSchema> {
  return { chain, from, to, found: found.map((deposit) => depositRecord(deposit, assets)) };
}

/**
 * What to read again.
 *
 * @throws TillgateError `INVALID_FIELDS` unless it is a transaction alone, or both ends of a range
 */
export function rescanInput(asked: {
  readonly tx?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}): RescanInput {
  const { tx, from, to } = asked;
  if (tx !== undefined) {
    if (from !== undefined || to !== undefined) throw invalidField('tx', 'must stand alone, without from and to');
    return { txid: tx };
  }
  if (from === undefined) throw invalidField('from', 'is required, with to; or tx');
  if (to === undefined) throw invalidField('to', 'is required, with from');
  return { from, to };
}

const depositExample = {
  id: '1530219844911046700',
  order_id: '1530218000000000000',
  account_id: accountExample.id,
  chain: 'ETH',
  currency: 'ETH',
  amount: '0.25',
  return_cost: '0',
  status: 'SPENDABLE',
  assignment: 'UNASSIGNED',
  unassigned_reason: 'late',
  tx_hash: '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060',
  block_height: 21_000_000,
  from_addr: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  to_addr: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  seen_at: accountExample.created_at,
  paid_at: accountExample.created_at,
} as const satisfies DepositRecord;

const params = idParams<DepositId>('The deposit');

/** Deposits that belong to no order, for admins (decisions, section 12). */
export const depositOperations: readonly ManageOperation[] = [
  manageList({
    id: 'listDeposits',
    path: '/deposits',
    summary: 'Deposits that belong to no order',
    description: 'Newest first. They wait until an operator assigns or refunds them. Admins only.',
    filter: { status: word(['unassigned'], 'Only these can be listed') },
    name: 'DepositList',
    item: depositSchema,
    example: depositExample,
    handler: async ({ actor, query: { page, size } }, { manage, assets }) =>
      pageRecord(await manage.deposits.unassigned(actor, { page, size }), (deposit) => depositRecord(deposit, assets)),
  }),
  manageOperation({
    id: 'rescanDeposits',
    method: 'POST',
    path: '/deposits/rescan',
    summary: 'Read blocks again',
    description:
      'A range of at most 1,000 blocks, or the block of a transaction: payments to any address that was ever given out are recorded unless they are known. It may be repeated. Admins only.',
    errors: ['UNSUPPORTED', 'STATE_CONFLICT', 'NODE_FAILED', 'NOT_READY'],
    body: z.object({
      chain: code('Chain code'),
      tx: text(MAX_TXID, 'A transaction; in place of from and to').optional(),
      from: plainNumber('The first block', true).optional(),
      to: plainNumber('The last block', true).optional(),
    }),
    data: rescanSchema,
    examples: {
      body: { chain: 'ETH', tx: depositExample.tx_hash },
      data: { chain: 'ETH', from: 21_000_000, to: 21_000_000, found: [depositExample] },
    },
    handler: async ({ actor, body: { chain, ...asked } }, { manage, assets }) =>
      rescanRecord(chain, await manage.deposits.rescan(actor, chain, rescanInput(asked)), assets),
  }),
  manageOperation({
    id: 'assignDeposit',
    method: 'POST',
    path: '/deposits/{id}/assign',
    summary: 'Give a deposit to an order',
    description:
      'The money becomes the merchant’s, and the order’s rules decide as if it had come in time. The order must be paid on the deposit’s chain. Admins only.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    body: z.object({ order_id: recordId<OrderId>('The order') }),
    data: depositSchema,
    examples: {
      body: { order_id: depositExample.order_id },
      data: { ...depositExample, assignment: 'ORDER' },
    },
    handler: async ({ actor, params: { id }, body }, { manage, assets }) =>
      depositRecord(await manage.deposits.assign(actor, id, body.order_id), assets),
  }),
  manageOperation({
    id: 'refundDeposit',
    method: 'POST',
    path: '/deposits/{id}/refund',
    summary: 'Pay a deposit back',
    description:
      'To an address that the payer named, less the network’s fee. When that payment fails, the deposit is unassigned again, and what that has cost is taken from it. A deposit that does not cover the fee is 40900. Admins only.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT', 'DESTINATION_UNPAYABLE', 'NODE_FAILED', 'NOT_READY'],
    params,
    body: z.object({ address: text(MAX_ADDRESS, 'An address on the deposit’s chain') }),
    data: transferSchema,
    examples: {
      body: { address: depositExample.from_addr },
      data: {
        ...transferExample,
        kind: 'return',
        status: 'REQUESTED',
        account_id: null,
        deposit_id: depositExample.id,
        to_addr: depositExample.from_addr,
      },
    },
    handler: async ({ actor, params: { id }, body }, { manage, assets }) =>
      transferRecord(await manage.deposits.refund(actor, id, body.address), assets),
  }),
];
