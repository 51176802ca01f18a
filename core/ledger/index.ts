export { coinPrice } from './coin-price.ts';
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
export { spreadFactor, WHOLE_BPS } from './quote.ts';
export type { RateBook } from './rate-book.ts';
export { ownAccountNames, ownAccounts, solvencyOf } from './solvency.ts';
export { TRANSACTION_STATUSES, TRANSACTION_TYPES } from './transaction.ts';
export type { TransactionRow, TransactionStatus, TransactionType, TransactionView } from './transaction.ts';
