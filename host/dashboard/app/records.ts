import type { z } from 'zod';
import type { appKeySchema } from '../../../adapters/http/manage/gateway/app-keys.ts';
import type { usageSchema } from '../../../adapters/http/manage/gateway/app-usage.ts';
import type { appSchema, newAppSchema } from '../../../adapters/http/manage/gateway/apps.ts';
import type { brandingSchema } from '../../../adapters/http/manage/orders/branding.ts';
import type { callbackDetailSchema, callbackSchema } from '../../../adapters/http/manage/notify/callbacks.ts';
import type {
  callbackSecretsSchema,
  createdSchema,
  credentialSchema,
} from '../../../adapters/http/manage/access/credentials.ts';
import type { postingSchema } from '../../../adapters/http/manage/ledger/ledger.ts';
import type { managedOrderSchema, orderFileSchema } from '../../../adapters/http/manage/orders/order-record.ts';
import type { historySchema } from '../../../adapters/http/manage/orders/orders.ts';
import type { preferencesSchema } from '../../../adapters/http/manage/notify/notices.ts';
import type { linkSchema, pairingSchema } from '../../../adapters/http/manage/orders/links.ts';
import type { overviewSchema } from '../../../adapters/http/manage/orders/overview.ts';
import type { passkeyListSchema } from '../../../adapters/http/manage/access/passkeys.ts';
import type { securitySchema } from '../../../adapters/http/manage/access/security.ts';
import type { foundSchema } from '../../../adapters/http/manage/search.ts';
import type { waitingSchema } from '../../../adapters/http/manage/waiting.ts';
import type { serviceSchema } from '../../../adapters/http/manage/service.ts';
import type { sessionItem } from '../../../adapters/http/manage/access/sessions.ts';
import type { transactionSchema } from '../../../adapters/http/manage/orders/transactions.ts';
import type {
  revealedSchema as revealedWebhookSchema,
  webhookSchema,
} from '../../../adapters/http/manage/notify/webhooks.ts';
import type { claimSchema } from '../../../adapters/http/manage/payouts/claims.ts';
import type { pullPaymentSchema } from '../../../adapters/http/manage/payouts/pull-payments.ts';
import type { payoutAddressSchema } from '../../../adapters/http/manage/payouts/payout-addresses.ts';
import type { quoteSchema } from '../../../adapters/http/manage/payouts/payout-quotes.ts';
import type {
  listedPayoutSchema,
  payoutBody,
  payoutDetailSchema,
} from '../../../adapters/http/manage/payouts/payouts.ts';
import type { payeeSchema } from '../../../adapters/http/manage/payouts/payees.ts';
import type {
  payoutBatchDetailSchema,
  payoutBatchRowSchema,
  payoutBatchSchema,
} from '../../../adapters/http/manage/payouts/payout-batches.ts';
import type { rateSchema } from '../../../adapters/http/manage/orders/rates.ts';
import type { walletSchema } from '../../../adapters/http/manage/payouts/wallets.ts';

/** A record with the id under which the application knows it. */
type Named<T> = T & { readonly id: string };

export type ServiceRecord = z.output<typeof serviceSchema>;
export type OrderRecord = Named<z.output<typeof managedOrderSchema>>;
export type OrderFile = Named<z.output<typeof orderFileSchema>>;
export type OrderHistory = z.output<typeof historySchema>;
export type TransactionRecord = Named<z.output<typeof transactionSchema>>;
export type PostingRecord = Named<z.output<typeof postingSchema>>;
export type FoundRecord = z.output<typeof foundSchema>;
export type WaitingRecord = z.output<typeof waitingSchema>;
export type OverviewRecord = z.output<typeof overviewSchema>;
export type WalletRecord = Named<z.output<typeof walletSchema>>;
export type PayoutQuote = z.output<typeof quoteSchema>;
export type RateRecord = z.output<typeof rateSchema>;
export type TransferRecord = z.output<typeof listedPayoutSchema>;
/** The body that requests a withdrawal. */
export type WithdrawalRequest = z.input<typeof payoutBody>;
export type TransferDetail = z.output<typeof payoutDetailSchema>;
export type WithdrawalAddress = Named<z.output<typeof payoutAddressSchema>>;
export type PayoutBatchRecord = z.output<typeof payoutBatchSchema>;
export type PayoutBatchDetail = z.output<typeof payoutBatchDetailSchema>;
export type PayoutBatchRow = z.output<typeof payoutBatchRowSchema>;
export type PayeeRecord = z.output<typeof payeeSchema>;
export type CredentialRecord = z.output<typeof credentialSchema>;
export type CreatedCredential = z.output<typeof createdSchema>;
export type CallbackSecrets = z.output<typeof callbackSecretsSchema>;
export type CallbackRecord = z.output<typeof callbackSchema>;
export type CallbackDetail = z.output<typeof callbackDetailSchema>;
/** A payment link or a point of sale. */
export type LinkRecord = z.output<typeof linkSchema>;
export type PullPaymentRecord = z.output<typeof pullPaymentSchema>;
export type ClaimRecord = z.output<typeof claimSchema>;
export type LinkPairing = z.output<typeof pairingSchema>;
export type WebhookRecord = z.output<typeof webhookSchema>;
export type RevealedWebhook = z.output<typeof revealedWebhookSchema>;
export type AppRecord = z.output<typeof appSchema>;
export type NewApp = z.output<typeof newAppSchema>;
export type AppKey = z.output<typeof appKeySchema>;
export type AppUsage = z.output<typeof usageSchema>;
export type NotificationsRecord = z.output<typeof preferencesSchema>;
export type BrandingRecord = z.output<typeof brandingSchema>;
export type SecurityRecord = z.output<typeof securitySchema>;
export type PasskeyList = z.output<typeof passkeyListSchema>;
export type SessionRecord = z.output<typeof sessionItem>;
