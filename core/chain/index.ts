export type { AddressPool } from './address-pool.ts';
export { authorizationKey, secondsLeft } from './authorization.ts';
export type { Authorization } from './authorization.ts';
export { CHAINS_TOKEN } from './chain-adapter.ts';
export type {
  ChainAdapter,
  ChainPolicy,
  ChainRegistry,
  NodeStatus,
  PendingTransfer,
  PendingTransfers,
  ScannedRange,
  ScanOptions,
  SettledBlocks,
  WatchList,
} from './chain-adapter.ts';
export type { BalanceSheet, ChainBalances } from './chain-balances.ts';
export type { ChainEffects, RecordedTransfer } from './chain-effects.ts';
export type {
  ChainPayments,
  ExpectedCoins,
  MinedPayout,
  PaymentLine,
  PayoutOutcome,
  PricedPayment,
  PriceRequest,
  SignedTransaction,
  SignRequest,
  SpendableCoin,
} from './chain-payments.ts';
export { lagMs } from './chain-reports.ts';
export type { ChainReports } from './chain-reports.ts';
export type { ChainState, ChainStore, ChainTrouble, TroubleKind } from './chain-store.ts';
export type { DepositAddress } from './deposit-address.ts';
export { balanceOf, creditEntry, reversalLoss, reverseEntry, spendableEntry } from './deposit-entries.ts';
export type {
  DepositStore,
  DueHeights,
  TransactionPosition,
  TransactionSearch,
  WatchedAddress,
} from './deposit-store.ts';
export { countsForOrder, holdingRef, owedUnits, placeOf } from './deposit.ts';
export type { Deposit, DepositStatus, UnassignedReason } from './deposit.ts';
export { requirePayableAddress } from './destination.ts';
export { LIGHTNING } from './lightning.ts';
export type {
  DecodedInvoice,
  LightningNode,
  LightningPaymentView,
  LightningPayOutcome,
  SettledInvoice,
} from './lightning.ts';
export type { ObservedTransfer } from './observed-transfer.ts';
export type { OrderTraces } from './order-traces.ts';
export type { BalancesRead, PresentBalances } from './present-balances.ts';
export { requireChain } from './require-chain.ts';
export type { AuthorizationTerms, TokenAuthorizations } from './token-authorizations.ts';
export {
  assignEntry,
  keptEntry,
  unassignedCreditEntry,
  unassignedLoss,
  unassignedReverseEntry,
} from './unassigned-entries.ts';
export { compareUnconfirmedPayments, UNCONFIRMED_PAYMENT_TRANSITIONS } from './unconfirmed-payment.ts';
export type { UnconfirmedPayment, UnconfirmedPaymentEvent } from './unconfirmed-payment.ts';
export { UNREAD_ALERT_MS } from './watch-chains.ts';
