import { formatInstant, formatUnits, TRANSACTION_STATUSES, TRANSACTION_TYPES } from '../../../../core/index.ts';
import type { AccountId, TransactionRow } from '../../../../core/index.ts';
import { z } from 'zod';
import { code, text } from '../../fields.ts';
import type { ManageDeps } from '../deps.ts';
import { manageExport } from '../export.ts';
import { cursorFields, inputOf, instantField, recordId, word } from '../fields.ts';
import { manageOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { amount, cursorPage, id, instant } from '../reply-fields.ts';

const MAX_SEARCHED = 2_048;

export const transactionSchema = z
  .object({
    user_id: id('ID of the account'),
    tx_id: id('ID of the transaction; for a withdrawal or refund also the ID of the transfer'),
    tx_type: z.enum(TRANSACTION_TYPES),
    status: z.enum(TRANSACTION_STATUSES),
    order_id: id('ID of the order that was paid or refunded').nullable(),
    chain: z.string(),
    currency: z.string(),
    amount: amount('Amount credited to or taken from the balance'),
    obtained: amount('Amount received by the recipient'),
    fee: amount('Fee'),
    from_addr: z.string().nullable().meta({ description: 'null if the sender is unknown or there are several' }),
    to_addr: z.string(),
    tx_hash: z.string().nullable().meta({ description: 'null until there is one' }),
    event_time: instant('Time of the transaction'),
  })
  .meta({ id: 'ManagedTransaction' });

function transactionRecord(
  row: TransactionRow,
  { assets }: Pick<ManageDeps, 'assets'>,
): z.input<typeof transactionSchema> {
  // The amount of a currency whose plugin was removed is shown in its smallest unit.
  const decimals = assets.find(row.currency)?.decimals ?? 0;
  return {
    user_id: row.accountId,
    tx_id: row.id,
    tx_type: row.type,
    status: row.status,
    order_id: row.orderId,
    chain: row.chain,
    currency: row.currency,
    amount: formatUnits(row.units, decimals),
    obtained: formatUnits(row.obtained, decimals),
    fee: formatUnits(row.fee, decimals),
    from_addr: row.fromAddress,
    to_addr: row.toAddress,
    tx_hash: row.txHash,
    event_time: formatInstant(row.at),
  };
}

const filter = {
  tx_type: word(TRANSACTION_TYPES, 'Only transactions of this type').optional(),
  status: word(TRANSACTION_STATUSES, 'Only records with this status').optional(),
  chain: code('Only transactions on this chain').optional(),
  currency: code('Only transactions in this currency').optional(),
  from: instantField('Only transactions at or after this time').optional(),
  to: instantField('Only transactions before this time').optional(),
  q: text(
    MAX_SEARCHED,
    'Full transaction ID or hash, order ID, merchant reference, deposit address, or recipient address',
  ).optional(),
  user_id: recordId<AccountId>('Only this account; admins see all accounts by default').optional(),
};

/** Reads the filter of a list. */
function filterOf<Query extends { readonly tx_type?: TransactionRow['type'] | undefined }>({
  tx_type,
  ...query
}: Query) {
  return { ...inputOf(query), ...(tx_type === undefined ? {} : { type: tx_type }) };
}

/** The operations of transactions. */
export const transactionOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'searchTransactions',
    method: 'GET',
    path: '/transactions',
    summary: 'List transactions',
    description:
      'Returns credited payments, withdrawals and refunds, newest first. To read the next page, send `next_cursor` with the same filters.',
    errors: ['NOT_FOUND'],
    query: z.object({ ...filter, ...cursorFields }),
    data: cursorPage('ManagedTransactionList', transactionSchema),
    handler: async ({ actor, query: { limit, ...query } }, deps) => {
      const { items, nextCursor } = await deps.manage.transactions.list(actor, { ...filterOf(query), limit });
      return { items: items.map((row) => transactionRecord(row, deps)), next_cursor: nextCursor };
    },
  }),
  manageExport({
    id: 'exportTransactions',
    path: '/transactions',
    summary: 'Export transactions as CSV',
    description:
      'Returns all transactions that match the filters, newest first, each once. The change of the balance is the sum of the credited payments less the withdrawals and refunds that have not failed.',
    errors: ['NOT_FOUND'],
    query: z.object(filter),
    schema: transactionSchema,
    record: transactionRecord,
    pages: ({ actor, query }, { manage }) => manage.transactions.export(actor, filterOf(query)),
  }),
];
