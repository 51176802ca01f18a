import { formatTimestamp, formatUnits } from '../../../core/index.ts';
import type { Asset, TransactionView } from '../../../core/index.ts';
import { z } from 'zod';
import type { HttpSettings } from '../deps.ts';
import { pageQuery } from '../fields.ts';
import { dataOperation, merchant } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { decimal, id, pageSchema, presentPage, timestamp } from '../record-fields.ts';
import { detailExample, orderExample } from './order-record.ts';

/** A row of the transaction list. */
export const transactionSchema = z
  .object({
    user_id: id('ID of the account'),
    tx_id: z.string(),
    tx_type: z.enum(['ORDER', 'INVOICE', 'WITHDRAW', 'SWAP', 'REFUND', 'PAYOUT']),
    status: z.enum(['PENDING', 'SUCCESS', 'FAILED']),
    chain: z.string(),
    currency: z.string(),
    amount: decimal('Amount credited to or taken from the balance'),
    obtained: decimal('Amount received by the recipient'),
    fee: decimal('Fee'),
    from_addr: z.string(),
    to_addr: z.string(),
    tx_hash: z.string().nullable(),
    event_time: timestamp('Time of the transaction'),
  })
  .meta({ id: 'Transaction' });

/** Writes a row of the transaction list. */
export function presentTransaction({
  transaction,
  asset: { decimals },
}: {
  readonly transaction: Omit<TransactionView['transaction'], 'number'>;
  readonly asset: Pick<Asset, 'decimals'>;
}): z.input<typeof transactionSchema> {
  return {
    user_id: transaction.accountId,
    tx_id: transaction.id,
    tx_type: transaction.type,
    status: transaction.status,
    chain: transaction.chain,
    currency: transaction.currency,
    amount: formatUnits(transaction.units, decimals),
    obtained: formatUnits(transaction.obtained, decimals),
    fee: formatUnits(transaction.fee, decimals),
    from_addr: transaction.fromAddress ?? '',
    to_addr: transaction.toAddress,
    tx_hash: transaction.txHash,
    event_time: formatTimestamp(transaction.at),
  };
}

const transactionExample = {
  user_id: orderExample.user_id,
  tx_id: detailExample.tx_id,
  tx_type: 'ORDER',
  status: 'SUCCESS',
  chain: 'ETH',
  currency: 'USDT-ERC20',
  amount: '25',
  obtained: '25',
  fee: '0',
  from_addr: detailExample.from_addr,
  to_addr: detailExample.to_addr,
  tx_hash: detailExample.tx_hash,
  event_time: '2026-05-04T12:03:10',
} satisfies z.output<typeof transactionSchema>;

/** The list of a merchant's transactions. */
export function transactionOperation({ pageMax }: HttpSettings): Operation {
  return dataOperation({
    id: 'listTransactions',
    method: 'GET',
    path: '/api/v2/tx',
    tag: 'Transactions',
    summary: 'List transactions',
    description: "Returns the account's transactions, newest first.",
    auth: merchant('read'),
    query: pageQuery(pageMax),
    data: pageSchema('TransactionPage', transactionSchema),
    examples: { data: { page: 1, size: 10, total: 1, max_page: 1, data: [transactionExample] } },
    handler: async ({ principal, query }, { orderQueries }) =>
      presentPage(await orderQueries.transactions(principal.accountId, query), presentTransaction),
  });
}
