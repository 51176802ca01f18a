import { formatInstant } from '../../../core/index.ts';
import type {
  AccountDetail,
  AccountEntry,
  AdmissionLimits,
  App,
  AuditRow,
  Callback,
  CallbackDetail,
  Credential,
  IssuedKey,
  MaskedCredential,
  Order,
  OrderDetailRecord,
  OrderHistoryEntry,
  RevealedCredential,
  RotatedCallbackSecrets,
  RouteRecord,
  SecurityRecord,
} from '../../../core/index.ts';
import type { z } from 'zod';
import { time } from './records.ts';
import type { chainSchema } from './records.ts';

const ROLE_LABELS = { admin: 'Administrator', user: 'User' } as const;
const STATUS_LABELS = { active: 'Active', disabled: 'Disabled', archived: 'Archived' } as const;

export function accountRecord({ account, avatarUrl }: AccountEntry) {
  const { id, email, name, role, status, createdAt, modifiedAt } = account;
  return {
    id,
    email,
    role,
    status,
    activated: true,
    role_label: ROLE_LABELS[role],
    status_label: STATUS_LABELS[status],
    name,
    avatar_url: avatarUrl,
    created_at: time(createdAt),
    modified_at: time(modifiedAt),
  };
}

export function accountDetailRecord(detail: AccountDetail) {
  const { account, appCount, gatewayCount, firstLoginAt, lastLogin } = detail;
  return {
    ...accountRecord(detail),
    app_count: appCount,
    gateway_count: gatewayCount,
    first_login_at: time(firstLoginAt),
    last_login_at: time(lastLogin?.at ?? null),
    last_login_ip: lastLogin?.ip ?? null,
    last_login_user_agent: lastLogin?.userAgent ?? null,
    verified_currencies: account.verifiedCurrencies,
  };
}

export function limitsRecord({ requestsPerSecond, burst, concurrency }: AdmissionLimits) {
  return { requests_per_second: requestsPerSecond, burst, concurrency };
}

/** A gateway as an App sees it. */
type ChainRecord = z.input<typeof chainSchema>;

/** The gateways of an App's chains; a chain that none serves stands there too, without one. */
export function chainRecords(codes: readonly string[], routes: readonly RouteRecord[], nameOf: (code: string) => string): ChainRecord[] {
  return codes.flatMap((code): ChainRecord[] => {
    const served = routes.filter(({ route }) => route.chain === code);
    const name = nameOf(code);
    if (served.length === 0) return [{ code, name, network: null, protocol: null, host: null, enabled: false }];
    return served.map(({ route: { network, protocol, host, enabled } }) => ({ code, name, network, protocol, host, enabled }));
  });
}

export function appListRecord(app: App, chains: readonly ChainRecord[]) {
  const { id, accountId, name, enabled, version, admissionMode, limits, createdAt, modifiedAt } = app;
  return {
    id,
    account_id: accountId,
    name,
    enabled,
    version,
    chains,
    admission_mode: admissionMode,
    limits: limits === null ? null : limitsRecord(limits),
    created_at: formatInstant(createdAt),
    modified_at: formatInstant(modifiedAt),
  };
}

export function appRecord(app: App, chains: readonly ChainRecord[]) {
  return { ...appListRecord(app, chains), provider_id: app.providerId };
}

export function appKeyRecord({ key, text, state }: IssuedKey) {
  const { id, expiresAt, revokedAt, createdAt, lastUsedAt } = key;
  return {
    id,
    api_key: text,
    state,
    expires_at: time(expiresAt),
    revoked_at: time(revokedAt),
    created_at: formatInstant(createdAt),
    last_used_at: time(lastUsedAt),
  };
}

export function gatewayRecord({ route, source, createdAt, modifiedAt }: RouteRecord) {
  const { timeouts, limits, maxBodyBytes, maxBatch, upstreams, ...rest } = route;
  return {
    ...rest,
    upstreams: upstreams.map(({ url, headers }) => ({ url, headers: { ...headers } })),
    limits: limitsRecord(limits),
    timeouts: { connect_ms: timeouts.connectMs, first_byte_ms: timeouts.firstByteMs, idle_ms: timeouts.idleMs },
    max_body_bytes: maxBodyBytes,
    max_batch: maxBatch,
    source,
    created_at: time(createdAt),
    modified_at: time(modifiedAt),
  };
}

function credentialFields({ id, accountId, name, status, expiresAt, createdAt, revokedAt }: Credential) {
  return {
    id,
    account_id: accountId,
    name,
    status,
    expires_at: time(expiresAt),
    created_at: formatInstant(createdAt),
    revoked_at: time(revokedAt),
  };
}

export function credentialRecord({ credential, apiKey, apiToken }: MaskedCredential) {
  return { ...credentialFields(credential), api_key: apiKey, api_token: apiToken };
}

export function revealedRecord(revealed: RevealedCredential) {
  return {
    ...credentialRecord(revealed),
    signing_secret: revealed.signingSecret,
    callback_key: revealed.callbackKey,
    callback_token: revealed.callbackToken,
    callback_secret: revealed.callbackSecret,
  };
}

export function callbackSecretsRecord({ accountId, callbackKey, callbackToken, callbackSecret, formerUntil }: RotatedCallbackSecrets) {
  return { account_id: accountId, callback_key: callbackKey, callback_token: callbackToken, callback_secret: callbackSecret, former_until: formatInstant(formerUntil) };
}

export function securityRecord(record: SecurityRecord) {
  return {
    account_id: record.accountId,
    data_security: record.dataSecurity,
    totp_for_withdrawals: record.totpForWithdrawals,
    callback_api_key: record.callbackApiKey,
    totp_enrolled: record.totpEnrolled,
    totp_confirmed: record.totpConfirmed,
    withdrawals_frozen: record.withdrawalsFrozen !== null,
    withdrawals_frozen_reason: record.withdrawalsFrozen,
  };
}

export function callbackRecord({ id, accountId, orderId, event, method, url, status, attempts, nextAt, createdAt, deliveredAt }: Callback) {
  return {
    id,
    account_id: accountId,
    order_id: orderId,
    event,
    method,
    url,
    status,
    attempts,
    next_at: status === 'PENDING' ? formatInstant(nextAt) : null,
    created_at: formatInstant(createdAt),
    delivered_at: time(deliveredAt),
  };
}

export function callbackDetailRecord({ callback, attempts }: CallbackDetail) {
  const log = attempts.map(({ at, durationMs, httpStatus, error }) => ({
    at: formatInstant(at),
    duration_ms: Math.round(durationMs),
    http_status: httpStatus,
    error,
  }));
  return { ...callbackRecord(callback), body: callback.body, log };
}

/** The payment API's record with the times of this one: RFC 3339. */
export function operatedOrderRecord(record: OrderDetailRecord) {
  const { order_id, user_id, status, chain, currency, amount, vs_price, vs_currency, obtained, create_time, update_time } = record;
  return {
    order_id,
    user_id,
    status,
    chain,
    currency,
    amount,
    vs_price,
    vs_currency,
    obtained,
    create_time: `${create_time}Z`,
    update_time: `${update_time}Z`,
  };
}

export function orderHistoryRecord({ order, entries }: { readonly order: Order; readonly entries: readonly OrderHistoryEntry[] }) {
  return {
    order_id: order.id,
    status: order.status,
    items: entries.map(({ at, from, to, rule, inputs, rate }) => ({ at: formatInstant(at), from, to, rule, inputs: { ...inputs }, rate })),
  };
}

export function auditRecord({ id, at, actorId, action, subjectType, subjectId, changes, ip, traceId }: AuditRow) {
  return {
    id,
    at: formatInstant(at),
    actor_id: actorId,
    action,
    subject_type: subjectType,
    subject_id: subjectId,
    changes: { ...changes },
    ip,
    trace_id: traceId,
  };
}
