export { amountInWords } from './amount.ts';
export type { Amount } from './amount.ts';
export { isDust, LIGHTNING_ASSET } from './asset.ts';
export type { Asset, AssetCatalogue, ChainCode, CurrencyCode } from './asset.ts';
export type { BlockRef } from './block-ref.ts';
export { BREACHED_PASSWORDS } from './breached-passwords.ts';
export type { BreachedPasswords } from './breached-passwords.ts';
export { CLOCK } from './clock.ts';
export type { Clock } from './clock.ts';
export { Counts } from './counts.ts';
export { DEADLINE } from './deadline.ts';
export type { Deadline } from './deadline.ts';
export {
  compareDecimals,
  formatUnits,
  isDecimal,
  mulDiv,
  parseUnits,
  pow10,
  readDecimal,
  roundUnits,
  toUnits,
} from './decimal.ts';
export type { Decimal, Rounding } from './decimal.ts';
export { DIGEST } from './digest.ts';
export type { Digest, SignatureAlgorithm } from './digest.ts';
export { eachPage, partOf } from './each-page.ts';
export type { ListPart, NewestQuery } from './each-page.ts';
export { invalidField, isTillgateError, stateConflict, TillgateError } from './errors.ts';
export type { ErrorCode, ErrorDetails, FieldError, SigningText } from './errors.ts';
export { EVENT_BUS } from './events.ts';
export type { DomainEvents, EventBus } from './events.ts';
export { FIATS, findFiat, requireFiat } from './fiat.ts';
export type { Fiat } from './fiat.ts';
export { assert, present } from './guard.ts';
export { hex } from './hex.ts';
export { ID_GENERATOR } from './id-generator.ts';
export type { IdGenerator } from './id-generator.ts';
export { CLAIM_KEPT_MS } from './idempotency.ts';
export type { IdempotencyClaim } from './idempotency.ts';
export { isId } from './ids.ts';
export { isInNetwork, readIpAddress, readIpNetwork, readIpv4, readIpv6 } from './ip-network.ts';
export type { IpNetwork } from './ip-network.ts';
export type {
  AccountId,
  AlertId,
  AppId,
  AppKeyId,
  AuditId,
  CallbackId,
  ClaimId,
  CordonId,
  CredentialId,
  DepositId,
  EntryId,
  LinkDeviceId,
  LinkId,
  NoticeId,
  OrderId,
  PasskeyId,
  PayeeId,
  PayoutBatchId,
  PayoutId,
  PullPaymentId,
  RouteId,
  TransferId,
  UpstreamId,
  WatchAddressId,
  WebhookId,
} from './ids.ts';
export type { Lease } from './lease-store.ts';
export { LOGGER } from './logger.ts';
export type { Logger } from './logger.ts';
export { masked } from './masked.ts';
export { METRICS } from './metrics.ts';
export type { Metrics } from './metrics.ts';
export { networkOf } from './network.ts';
export { checkPage, PAGE_MAX, pageOf } from './page.ts';
export type { Page, PageRequest } from './page.ts';
export { PASSWORD_HASHER } from './password-hasher.ts';
export type { PasswordHasher } from './password-hasher.ts';
export { RANDOM } from './random.ts';
export type { Random } from './random.ts';
export { RATE_SOURCES } from './rate-source.ts';
export type { PriceTick, RateSource } from './rate-source.ts';
export type { LookupPurpose, SealContext, SealedDocument, SealedRecordKind } from './seal-context.ts';
export { STORAGE } from './storage.ts';
export type {
  AlsoRecord,
  DocumentStore,
  DocumentWrites,
  RecordedEvent,
  RecordedEvents,
  Recorder,
  Storage,
  Transaction,
} from './storage.ts';
export {
  DAY_MS,
  formatInstant,
  formatSignedDate,
  formatTimestamp,
  HOUR_MS,
  parseInstant,
  parseSignedDate,
  startOfDay,
  startOfHour,
  startOfMonth,
  startOfNextMonth,
} from './time.ts';
export type { Millis } from './time.ts';
export { TOKEN_ISSUER } from './token-issuer.ts';
export type { TokenIssuer } from './token-issuer.ts';
export { token } from './token.ts';
export type { Token } from './token.ts';
export { Turns } from './turns.ts';
export { VAULT } from './vault.ts';
export type { Vault } from './vault.ts';
