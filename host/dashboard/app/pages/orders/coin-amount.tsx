import { Amount } from '../../components/values.tsx';
import type { OrderRecord } from '../../records.ts';

/** The amount due in the coin; nothing until the payer has chosen one. */
export function CoinAmount({ payment }: Pick<OrderRecord, 'payment'>) {
  return payment === null ? null : <Amount value={payment.amount} currency={payment.coin} />;
}
