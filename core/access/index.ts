export { nameProblem } from './account-fields.ts';
export type { Account, AccountRole, AccountStatus, CallbackSecrets, Credential, CredentialSecrets } from './account.ts';
export { ActionGuard } from './action-guard.ts';
export type { SecondFactorDemand } from './action-guard.ts';
export {
  accountNotFound,
  listScope,
  merchantActor,
  OPERATOR,
  recordNotFound,
  requireAccess,
  requireAdmin,
  requireOwnSecret,
  seesSecrets,
  targetAccount,
} from './actor.ts';
export type { Actor } from './actor.ts';
export { AdminReads } from './admin-reads.ts';
export { decidesFrom } from './admin-since.ts';
export type { AppReach } from './app-reach.ts';
export type { AuditChanges, AuditRow } from './audit-row.ts';
export { AUDIT_ACTIONS } from './audit-actions.ts';
export type { AuditAction } from './audit-actions.ts';
export { addAuditRow, auditRow, changesOf, createdWith, ReadAudit } from './audit.ts';
export type { AuditDeps, AuditEntry } from './audit.ts';
export { decodeBase64Of32, encodeBase64 } from './base64.ts';
export type { CreateAccount } from './create-account.ts';
export { callbackContext, credentialContext, ensureCallbackCredential } from './credential-record.ts';
export { isDemanded } from './demand.ts';
export { base62, BASE62_DIGITS, CALLBACK_SECRET_PREFIX, SECRET_PREFIXES } from './key-text.ts';
export { EXPORT_PART, listPage, newestPage } from './list-cursor.ts';
export type { AccountListInput, CursorPage, CursorRequest, ListDeps } from './list-cursor.ts';
export { lockLive } from './lock-live.ts';
export { ManageAccounts } from './manage-accounts.ts';
export { ManageCredentials } from './manage-credentials.ts';
export { ManagePasskeys } from './manage-passkeys.ts';
export { ManageSecurity } from './manage-security.ts';
export { OpenedSecrets } from './opened-secrets.ts';
export type { PasskeyVerifier } from './passkey-verifier.ts';
export { Passkeys } from './passkeys.ts';
export { Passwords } from './passwords.ts';
export type { Principal } from './principal.ts';
export type { RefusedAttempts } from './refused-attempts.ts';
export { CALLBACK_OVERLAP_MS } from './rotate-callback-credential.ts';
export type { SecondFactor } from './second-factor.ts';
export { securityNotice } from './security-notice.ts';
export type { SecurityNotice } from './security-notice.ts';
export { DEFAULT_SESSION_IDLE_SECONDS, DEFAULT_SESSIONS_PER_ACCOUNT } from './session-life.ts';
export type { SessionLife } from './session-life.ts';
export { Sessions } from './sessions.ts';
export { signRequest } from './signature.ts';
export { DEFAULT_STEP_UP_SECONDS, StepUp } from './step-up.ts';
export { DEFAULT_TEMPORARY_PASSWORD_SECONDS } from './password-rules.ts';
