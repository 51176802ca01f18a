import type { BookedPayment, ChainCode, TransferId } from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import { text } from '../../rows/values.ts';

/**
 * Attempts have an index of their transaction. The merchants' list has none and is read as a whole, which is acceptable
 * since operators rarely search.
 */
export async function bookedPayments(
  { read, tables, dialect }: Database,
  chain: ChainCode,
  txids: readonly string[],
): Promise<readonly BookedPayment[]> {
  if (txids.length === 0) return [];
  const sql = `
    SELECT a.txid AS txid, t.id AS id, t.to_address AS to_address FROM ${tables.payoutAttempts} a
      JOIN ${tables.transfers} t ON t.payout_id = a.payout_id WHERE a.chain = ? AND ${dialect.anyOf('a.txid')}
    UNION
    SELECT tx_hash AS txid, id, to_address FROM ${tables.transactions}
      WHERE chain = ? AND type IN ('WITHDRAW', 'REFUND') AND ${dialect.anyOf('tx_hash')}
    ORDER BY txid, id`;
  const wanted = dialect.list(txids);
  return (await read(sql, [chain, wanted, chain, wanted])).map((row) => ({
    txid: text(row, 'txid'),
    transferId: text(row, 'id') as TransferId,
    toAddress: text(row, 'to_address'),
  }));
}
