import {
  DEPOSIT_ASSIGNMENTS,
  DEPOSIT_STATUSES,
  formatInstant,
  formatUnits,
  invalidField,
  UNASSIGNED_REASONS,
} from '../../../../core/index.ts';
import type { AssetCatalogue, Deposit, DepositId, OrderId, Rescan, RescanInput } from '../../../../core/index.ts';
import { z } from 'zod';
import { code, text } from '../../fields.ts';
import { accountExample } from '../access/accounts.ts';
import { idParams, plainNumber, recordId, word } from '../fields.ts';
import { manageList, manageOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { amount, id, instant, pageRecord, whole } from '../reply-fields.ts';
import { payoutExample, payoutRecord, payoutSchema } from '../payouts/payouts.ts';

const MAX_ADDRESS = 128;
const MAX_TXID = 128;

export const depositSchema = z
  .object({
    id: id('ID of the deposit'),
    order: id('ID of the order; for an unassigned deposit, the order to which the address was given'),
    account: id('ID of the account of that order'),
    chain: z.string(),
    coin: z.string(),
    amount: amount('Amount received'),
    return_cost: amount('Cost of failed attempts to return the deposit; only the rest can be assigned or returned'),
    status: z
      .enum(DEPOSIT_STATUSES)
      .meta({ description: 'A deposit can be assigned once it is CREDITED, and returned once it is SPENDABLE' }),
    assignment: z.enum(DEPOSIT_ASSIGNMENTS),
    unassigned_reason: z.enum(UNASSIGNED_REASONS).nullable().meta({
      description:
        "late: received after the order's watch window; before-address: older than the order; unexplained: found by comparing the balance of the address, so it may be older than the order",
    }),
    tx_hash: z.string(),
    block_height: whole('Height of the block that contains it'),
    from_address: z.string().nullable().meta({ description: 'null if the sender is unknown or there are several' }),
    to_address: z.string(),
    seen_at: instant('Time at which it was first seen'),
    paid_at: instant('Time of the payment'),
  })
  .meta({ id: 'Deposit' });

type DepositRecord = z.input<typeof depositSchema>;

export const rescanSchema = z
  .object({
    chain: z.string(),
    from: whole('First block that was read'),
    to: whole('Last block that was read'),
    found: z.array(depositSchema).readonly().meta({ description: 'Deposits that were not known before' }),
  })
  .meta({ id: 'Rescan' });

export function depositRecord(deposit: Deposit, assets: Pick<AssetCatalogue, 'find'>): DepositRecord {
  // The amount of a currency whose plugin was removed is shown in its smallest unit, so that operators still see the
  // deposit.
  const decimals = assets.find(deposit.currency)?.decimals ?? 0;
  return {
    id: deposit.id,
    order: deposit.orderId,
    account: deposit.accountId,
    chain: deposit.chain,
    coin: deposit.currency,
    amount: formatUnits(deposit.units, decimals),
    return_cost: formatUnits(deposit.returnCostUnits, decimals),
    status: deposit.status,
    assignment: deposit.assignment,
    unassigned_reason: deposit.unassignedReason,
    tx_hash: deposit.txid,
    block_height: deposit.blockHeight,
    from_address: deposit.fromAddress,
    to_address: deposit.toAddress,
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
 * Reads the blocks or the transaction to read again.
 *
 * @throws TillgateError `INVALID_FIELDS` unless it is both ends of a range, or one of the other fields alone
 */
export function rescanInput(asked: {
  readonly txid?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly address?: string | undefined;
  readonly order?: string | undefined;
  readonly balances?: boolean | undefined;
}): RescanInput {
  const { txid, from, to, address, order, balances } = asked;
  const named = [txid, from ?? to, address, order, balances === true ? true : undefined].filter(
    (one) => one !== undefined,
  );
  if (named.length > 1 && txid === undefined)
    throw invalidField('balances', 'must stand alone: name blocks, an address, an order, or balances');
  if (address !== undefined && txid === undefined) return { address };
  if (order !== undefined && txid === undefined) return { orderId: order };
  if (balances === true && txid === undefined) return { balances };
  if (txid !== undefined) {
    if (named.length > 1) throw invalidField('txid', 'must stand alone, without from and to');
    return { txid };
  }
  if (from === undefined) throw invalidField('from', 'is required, with to; or a transaction');
  if (to === undefined) throw invalidField('to', 'is required, with from');
  return { from, to };
}

const depositExample = {
  id: '1530219844911046700',
  order: '1530218000000000000',
  account: accountExample.id,
  chain: 'ETH',
  coin: 'ETH',
  amount: '0.25',
  return_cost: '0',
  status: 'SPENDABLE',
  assignment: 'UNASSIGNED',
  unassigned_reason: 'late',
  tx_hash: '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060',
  block_height: 21_000_000,
  from_address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  to_address: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  seen_at: accountExample.created_at,
  paid_at: accountExample.created_at,
} as const satisfies DepositRecord;

const params = idParams<DepositId>('ID of the deposit');

/** The operations of deposits that belong to no order, for admins. */
export const depositOperations: readonly ManageOperation[] = [
  manageList({
    offer: { name: 'deposits.list', scope: null },
    id: 'listDeposits',
    path: '/deposits',
    summary: 'List unassigned deposits',
    description:
      'Returns deposits that belong to no order, newest first. They wait until an operator assigns or returns them. Admins only.',
    filter: { status: word(['unassigned'], 'Always `unassigned`: other deposits cannot be listed') },
    name: 'DepositList',
    item: depositSchema,
    example: depositExample,
    handler: async ({ actor, query: { limit, cursor } }, { manage, assets }) =>
      pageRecord(await manage.deposits.unassigned(actor, { limit, cursor }), (deposit) =>
        depositRecord(deposit, assets),
      ),
  }),
  manageOperation({
    id: 'rescanDeposits',
    method: 'POST',
    path: '/deposits/rescan',
    summary: 'Rescan for deposits',
    description:
      "Reads up to 1,000 blocks or the block of one transaction again, and records unknown payments to any address that was ever given out. Alternatively compares the current balance of an address, of an order's address or of all addresses with the ledger, and records the excess, for coins that arrived without a visible transaction. Can be repeated. Admins only.",
    errors: ['UNSUPPORTED', 'STATE_CONFLICT', 'NODE_FAILED', 'NOT_READY'],
    body: z.object({
      chain: code('Chain code, such as ETH, BTC or TRX'),
      tx_hash: text(MAX_TXID, 'Transaction hash, instead of from and to').optional(),
      from: plainNumber('First block', true).optional(),
      to: plainNumber('Last block', true).optional(),
      address: text(MAX_TXID, 'Deposit address whose balance is compared with the ledger').optional(),
      order: text(MAX_TXID, 'Order whose deposit address is compared with the ledger').optional(),
      balances: z.boolean().optional().meta({ description: 'Compare every deposit address of the chain' }),
    }),
    data: rescanSchema,
    examples: {
      body: { chain: 'ETH', tx_hash: depositExample.tx_hash },
      data: { chain: 'ETH', from: 21_000_000, to: 21_000_000, found: [depositExample] },
    },
    handler: async ({ actor, body: { chain, tx_hash: txid, ...asked } }, { manage, assets }) =>
      rescanRecord(chain, await manage.deposits.rescan(actor, chain, rescanInput({ txid, ...asked })), assets),
  }),
  manageOperation({
    id: 'assignDeposit',
    method: 'POST',
    path: '/deposits/{id}/assign',
    summary: 'Assign a deposit to an order',
    description:
      'Credits the deposit to the merchant and settles the order as if the payment had arrived in time. The order must be paid on the chain of the deposit. Admins only.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    body: z.object({ order: recordId<OrderId>('ID of the order') }),
    data: depositSchema,
    examples: {
      body: { order: depositExample.order },
      data: { ...depositExample, assignment: 'ORDER' },
    },
    handler: async ({ actor, params: { id }, body }, { manage, assets }) =>
      depositRecord(await manage.deposits.assign(actor, id, body.order), assets),
  }),
  manageOperation({
    id: 'refundDeposit',
    method: 'POST',
    path: '/deposits/{id}/refund',
    summary: 'Return a deposit',
    description:
      'Pays the deposit, less the network fee, to an address that the payer named. If the payment fails, the deposit is unassigned again, reduced by the cost of the failed payment. Answers 40900 if the deposit does not cover the fee. Admins only.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT', 'DESTINATION_UNPAYABLE', 'NODE_FAILED', 'NOT_READY'],
    params,
    body: z.object({ address: text(MAX_ADDRESS, "Address on the deposit's chain") }),
    data: payoutSchema,
    examples: {
      body: { address: depositExample.from_address },
      data: {
        ...payoutExample,
        kind: 'return',
        status: 'REQUESTED',
        account: null,
        deposit: depositExample.id,
        to_address: depositExample.from_address,
      },
    },
    handler: async ({ actor, params: { id }, body }, { manage, assets }) =>
      payoutRecord(await manage.deposits.refund(actor, id, body.address), assets),
  }),
];
