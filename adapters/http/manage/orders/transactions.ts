import { formatInstant, formatUnits, TRANSACTION_STATUSES, TRANSACTION_TYPES } from '../../../../core/index.ts';
import type { AccountId, AssetCatalogue, TransactionRow } from '../../../../core/index.ts';
import { z } from 'zod';
import { code, text } from '../../fields.ts';
import { manageExport } from '../export.ts';
import { filterOf, instantField, recordId, word } from '../fields.ts';
import { manageList } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { amount, id, instant, pageRecord } from '../reply-fields.ts';

const MAX_SEARCHED = 2_048;

export const transactionSchema = z
  .object({
    id: id('ID of the transaction; for a withdrawal or refund also the ID of the payout'),
    account: id('ID of the account'),
    type: z.enum(TRANSACTION_TYPES),
    status: z.enum(TRANSACTION_STATUSES),
    order: id('ID of the order that was paid or refunded').nullable(),
    chain: z.string(),
    coin: z.string(),
    amount: amount('Amount credited to or taken from the balance'),
    received: amount('Amount received by the recipient'),
    fee: amount('Fee'),
    from_address: z.string().nullable().meta({ description: 'null if the sender is unknown or there are several' }),
    to_address: z.string(),
    tx_hash: z.string().nullable().meta({ description: 'null until there is one' }),
    created_at: instant('Time of the transaction'),
  })
  .meta({ id: 'ManagedTransaction' });

export function transactionRecord(
  row: Omit<TransactionRow, 'number'>,
  { assets }: { readonly assets: Pick<AssetCatalogue, 'find'> },
): z.input<typeof transactionSchema> {
  // The amount of a currency whose plugin was removed is shown in its smallest unit.
  const decimals = assets.find(row.currency)?.decimals ?? 0;
  return {
    id: row.id,
    account: row.accountId,
    type: row.type,
    status: row.status,
    order: row.orderId,
    chain: row.chain,
    coin: row.currency,
    amount: formatUnits(row.units, decimals),
    received: formatUnits(row.obtained, decimals),
    fee: formatUnits(row.fee, decimals),
    from_address: row.fromAddress,
    to_address: row.toAddress,
    tx_hash: row.txHash,
    created_at: formatInstant(row.at),
  };
}

const filter = {
  type: word(TRANSACTION_TYPES, 'Only transactions of this type').optional(),
  status: word(TRANSACTION_STATUSES, 'Only records with this status').optional(),
  chain: code('Only transactions on this chain').optional(),
  coin: code('Only transactions in this coin').optional(),
  from: instantField('Only transactions at or after this time').optional(),
  to: instantField('Only transactions before this time').optional(),
  q: text(
    MAX_SEARCHED,
    'Full transaction ID or hash, order ID, merchant reference, deposit address, or recipient address',
  ).optional(),
  account: recordId<AccountId>('Only this account; admins see all accounts by default').optional(),
};

/** The operations of transactions. */
export const transactionOperations: readonly ManageOperation[] = [
  manageList({
    offer: { name: 'transactions.list', scope: 'read' },
    id: 'searchTransactions',
    path: '/transactions',
    summary: 'List transactions',
    description: 'Returns credited payments, withdrawals and refunds, newest first.',
    errors: ['NOT_FOUND'],
    filter,
    name: 'ManagedTransactionList',
    item: transactionSchema,
    handler: async ({ actor, query }, deps) =>
      pageRecord(await deps.manage.transactions.list(actor, filterOf(query)), (row) => transactionRecord(row, deps)),
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
