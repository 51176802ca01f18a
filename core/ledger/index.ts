export { coinPrice, convertUnits, spreadFactor, unitsAtRate, WHOLE_BPS } from './conversion.ts';
export {
  coldAccount,
  custodyAccount,
  FEES_ACCOUNT,
  gasAccount,
  LOSS_ACCOUNT,
  MERCHANT_BALANCES,
  merchantAccount,
  operatorAccount,
  unassignedAccount,
} from './entry.ts';
export type { LedgerBalance, LedgerEntry, MerchantBalance, Posting } from './entry.ts';
export type { PriceEvidence, RateEvidence } from './evidence.ts';
export { ManageLedger } from './manage-ledger.ts';
export { balanced, postEntry } from './post-entry.ts';
export { ListRates } from './list-rates.ts';
export type { RateBook } from './rate-book.ts';
export { ownAccountNames, ownAccounts, solvencyOf } from './own-accounts.ts';
export { TRANSACTION_STATUSES, TRANSACTION_TYPES } from './transaction.ts';
export type { TransactionRow, TransactionStatus, TransactionType, TransactionView } from './transaction.ts';
