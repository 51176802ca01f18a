import { useTranslate } from 'react-admin';
import { TRANSACTION_TYPES } from '../../../../../core/ledger/transaction.ts';
import type { TransactionType as Type } from '../../../../../core/ledger/transaction.ts';

/** The types in use; nothing creates a swap. */
export const TYPES = TRANSACTION_TYPES.filter((type) => type !== 'SWAP');

export function TransactionType({ type }: { readonly type: Type }) {
  const translate = useTranslate();
  return <>{translate(`resources.transactions.types.${type}`, { _: type })}</>;
}
