import { formatInstant, formatUnits, TRANSACTION_STATUSES, TRANSACTION_TYPES } from '../../../core/index.ts';
import type { AccountId, TransactionRow } from '../../../core/index.ts';
import { z } from 'zod';
import { code, text } from '../fields.ts';
import type { ManageDeps } from './deps.ts';
import { manageExport } from './export.ts';
import { cursorFields, inputOf, instantField, recordId, word } from './fields.ts';
import { manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { amount, cursorPage, id, instant } from './reply-fields.ts';

const MAX_SEARCHED = 2_048;

export const transactionSchema = z
  .object({
    user_id: id('The owner'),
    tx_id: id('The transaction; of a withdrawal or refund also the transfer'),
    tx_type: z.enum(TRANSACTION_TYPES),
    status: z.enum(TRANSACTION_STATUSES),
    order_id: id('The order that was paid or refunded').nullable(),
    chain: z.string(),
    currency: z.string(),
    amount: amount('What moved: what was credited, or what left the balance'),
    obtained: amount('What arrived'),
    fee: amount('The fee'),
    from_addr: z.string().nullable().meta({ description: 'null where the sender is not known, or is several' }),
    to_addr: z.string(),
    tx_hash: z.string().nullable().meta({ description: 'null before there is one' }),
    event_time: instant('When it happened'),
  })
  .meta({ id: 'ManagedTransaction' });

function transactionRecord(
  row: TransactionRow,
  { assets }: Pick<ManageDeps, 'assets'>,
): z.input<typeof transactionSchema> {
  // A currency whose plugin was removed is shown in units.
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
  tx_type: word(TRANSACTION_TYPES, 'Only these').optional(),
  status: word(TRANSACTION_STATUSES, 'Only these').optional(),
  chain: code('Only those on this chain').optional(),
  currency: code('Only those in this coin').optional(),
  from: instantField('Only those that happened then or later').optional(),
  to: instantField('Only those that happened before').optional(),
  q: text(
    MAX_SEARCHED,
    'A transaction id or hash, an order id, a merchant reference, a deposit address, or the address that was paid; the whole of it',
  ).optional(),
  user_id: recordId<AccountId>("Only this account's; an admin sees all by default").optional(),
};

/** The input of a list: the filter by its names in core. */
function filterOf<Query extends { readonly tx_type?: TransactionRow['type'] | undefined }>({
  tx_type,
  ...query
}: Query) {
  return { ...inputOf(query), ...(tx_type === undefined ? {} : { type: tx_type }) };
}

/** Transactions (decisions, section 14). */
export const transactionOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'searchTransactions',
    method: 'GET',
    path: '/transactions',
    summary: 'Transactions',
    description:
      'Credited payments, withdrawals and refunds, newest first. `next_cursor` asks for the next page of the same list, with the same filters.',
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
    summary: 'Transactions as CSV',
    description:
      'All transactions of the list with these filters, newest first, each once. What was credited, less withdrawals and refunds that have not failed, is what the balance was changed by.',
    errors: ['NOT_FOUND'],
    query: z.object(filter),
    schema: transactionSchema,
    record: transactionRecord,
    pages: ({ actor, query }, { manage }) => manage.transactions.export(actor, filterOf(query)),
  }),
];
