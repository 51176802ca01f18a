import { ADMISSION_MODES, APP_KEY_STATES, CALLBACK_STATUSES, formatInstant, ORDER_STATUSES } from '../../../core/index.ts';
import type { Page } from '../../../core/index.ts';
import { z } from 'zod';

/** RFC 3339 with `Z`. */
export const instant = (description: string) =>
  z.string().meta({ format: 'date-time', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$', description });
const id = (description: string) => z.string().meta({ pattern: '^\\d{18,19}$', description });
const whole = (description: string) => z.number().meta({ type: 'integer', minimum: 0, description });
const limit = z.number().nullable();

/** A time on the wire; `null` for none. */
export const time = (at: number | null): string | null => (at === null ? null : formatInstant(at));

/** A page of a list of the management API. */
export function manageListSchema<T extends z.ZodType>(name: string, item: T) {
  return z
    .object({
      page: whole('This page, from 1'),
      size: whole('Entries of a page'),
      total: whole('Entries of all pages'),
      max_page: whole('The last page; 0 for an empty list'),
      items: z.array(item).readonly(),
    })
    .meta({ id: name });
}

/** A page as it is written. */
export function listOf<T, R>({ page, size, total, maxPage, items }: Page<T>, record: (item: T) => R) {
  return { page, size, total, max_page: maxPage, items: items.map(record) };
}

const accountFields = {
  id: id('The account'),
  email: z.string(),
  role: z.enum(['admin', 'user']).meta({ id: 'AccountRole' }),
  status: z.enum(['active', 'disabled', 'archived']).meta({ id: 'AccountStatus' }),
  activated: z.boolean().meta({ description: 'Accounts need no activation of their own: true from the start' }),
  role_label: z.string(),
  status_label: z.string(),
  name: z.string().nullable(),
  avatar_url: z.string().nullable(),
  created_at: instant('Creation').nullable(),
  modified_at: instant('Last change').nullable(),
};

/** AccountBase. */
export const accountSchema = z.object(accountFields).meta({ id: 'AccountBase' });

/** AccountDetail, with what the management API sets beside it. */
export const accountDetailSchema = z
  .object({
    ...accountFields,
    app_count: whole('Apps of the account'),
    gateway_count: whole('Enabled gateways that its enabled Apps reach'),
    first_login_at: instant('First login').nullable(),
    last_login_at: instant('Last login').nullable(),
    last_login_ip: z.string().nullable(),
    last_login_user_agent: z.string().nullable(),
    verified_currencies: z.array(z.string()).readonly().meta({ description: 'Covered by business verification; * for all' }),
  })
  .meta({ id: 'AccountDetail' });

export const accountArchiveSchema = z
  .object({ total: whole('How many'), items: z.array(accountSchema).readonly() })
  .meta({ id: 'AccountArchiveResult' });

/** A gateway as an App sees it. */
export const chainSchema = z
  .object({
    code: z.string(),
    name: z.string(),
    network: z.string().nullable().meta({ description: 'null while no gateway serves the chain' }),
    protocol: z.enum(['jsonrpc', 'http', 'websocket']).nullable(),
    host: z.string().nullable(),
    enabled: z.boolean(),
  })
  .meta({ id: 'Chain' });

export const limitsSchema = z.object({ requests_per_second: limit, burst: limit, concurrency: limit }).meta({ id: 'AdmissionLimits' });
const mode = z.enum(ADMISSION_MODES).meta({ id: 'AdmissionMode' });

const appListFields = {
  id: id('The App'),
  account_id: id('Its account'),
  name: z.string(),
  enabled: z.boolean(),
  version: z.number().meta({ type: 'integer', minimum: 1, description: "Counts the record's revisions; a change wants it in If-Match" }),
  chains: z.array(chainSchema).readonly(),
  admission_mode: mode.nullable().meta({ description: "Makes a gateway's mode stricter; null for the gateway's own" }),
  limits: limitsSchema.nullable(),
  created_at: instant('Creation'),
  modified_at: instant('Last change'),
};
const appFields = { ...appListFields, provider_id: z.string().nullable() };

export const appListItemSchema = z.object(appListFields).meta({ id: 'AppListItem' });
export const appSchema = z.object(appFields).meta({ id: 'AppItem' });

export const appKeySchema = z
  .object({
    id: id('The key'),
    api_key: z.string().min(1).max(128).meta({ description: 'A secret' }),
    state: z.enum(APP_KEY_STATES).meta({ id: 'AppKeyState' }),
    expires_at: instant('The end of its grace').nullable(),
    revoked_at: instant('When it was revoked').nullable(),
    created_at: instant('Creation'),
    last_used_at: instant('Last use').nullable(),
  })
  .meta({ id: 'AppKeyItem' });

export const newAppSchema = z.object({ ...appFields, key: appKeySchema }).meta({ id: 'NewApp' });
export const appKeyListSchema = z.object({ total: whole('How many'), items: z.array(appKeySchema).readonly() }).meta({ id: 'AppKeyList' });
export const rotatedKeySchema = z.object({ key: appKeySchema, replaced: appKeySchema }).meta({ id: 'RotatedKey' });

export const admissionSchema = z
  .object({
    items: z
      .array(
        z.object({
          route: z.string().meta({ description: "The gateway's host" }),
          mode,
          verdict: z.enum(['allowed', 'refused', 'would_refuse']),
          reason: z.string().meta({ description: '`none` for what was allowed' }),
          count: whole('Since this instance started'),
        }),
      )
      .readonly(),
  })
  .meta({ id: 'AdmissionCounts' });

export const gatewaySchema = z
  .object({
    id: z.string(),
    host: z.string(),
    chain: z.string(),
    network: z.string(),
    protocol: z.enum(['jsonrpc', 'http', 'websocket']),
    upstreams: z.array(z.object({ url: z.string(), headers: z.record(z.string(), z.string()) })).readonly(),
    admission: mode,
    enabled: z.boolean(),
    methods: z.object({ allow: z.array(z.string()).readonly(), deny: z.array(z.string()).readonly() }),
    limits: limitsSchema,
    timeouts: z.object({ connect_ms: whole('Milliseconds'), first_byte_ms: whole('Milliseconds'), idle_ms: whole('Milliseconds') }),
    max_body_bytes: whole('Bytes'),
    max_batch: whole('Elements'),
    source: z.enum(['config', 'managed']).meta({ description: 'A gateway of the configuration is changed only there' }),
    created_at: instant('Creation').nullable(),
    modified_at: instant('Last change').nullable(),
  })
  .meta({ id: 'Gateway' });

const credentialFields = {
  id: id('The credential'),
  account_id: id('Its account'),
  name: z.string(),
  status: z.enum(['active', 'revoked']),
  expires_at: instant('When it ends').nullable(),
  created_at: instant('Creation'),
  revoked_at: instant('When it was revoked').nullable(),
  api_key: z.string(),
  api_token: z.string(),
};

/** A credential whose key and token are masked. */
export const credentialSchema = z.object(credentialFields).meta({ id: 'CredentialItem' });
export const revealedCredentialSchema = z
  .object({ ...credentialFields, signing_secret: z.string(), callback_key: z.string(), callback_token: z.string(), callback_secret: z.string() })
  .meta({ id: 'RevealedCredential' });

export const callbackSecretsSchema = z
  .object({ account_id: id('The account'), callback_key: z.string(), callback_token: z.string(), callback_secret: z.string(), former_until: instant('Until when the former ones sign too') })
  .meta({ id: 'CallbackSecrets' });

export const securitySchema = z
  .object({
    account_id: id('The account'),
    data_security: z.boolean().meta({ description: 'Every request of the payment API must be signed' }),
    totp_for_withdrawals: z.boolean(),
    callback_api_key: z.enum(['order', 'callback']),
    totp_enrolled: z.boolean(),
    totp_confirmed: z.boolean().meta({ description: 'A code was right once: it is demanded at each login' }),
    withdrawals_frozen: z.boolean().meta({ description: 'Until an operator lifts it, the account may not withdraw' }),
    withdrawals_frozen_reason: z.string().nullable(),
  })
  .meta({ id: 'Security' });

export const totpSchema = z.object({ secret: z.string(), uri: z.string() }).meta({ id: 'TotpEnrolment' });

const callbackFields = {
  id: id('The callback'),
  account_id: id('Its account'),
  order_id: id('Its order'),
  event: z.enum(['order.succeeded', 'order.timeout']),
  method: z.enum(['GET', 'POST']),
  url: z.string(),
  status: z.enum(CALLBACK_STATUSES),
  attempts: whole('Attempts so far'),
  next_at: instant('The next attempt').nullable(),
  created_at: instant('Creation'),
  delivered_at: instant('When it arrived').nullable(),
};

export const callbackSchema = z.object(callbackFields).meta({ id: 'CallbackItem' });
export const callbackDetailSchema = z
  .object({
    ...callbackFields,
    body: z.string().nullable(),
    log: z
      .array(
        z.object({
          at: instant('When'),
          duration_ms: whole('Milliseconds'),
          http_status: z.number().nullable().meta({ type: ['integer', 'null'] }),
          error: z.string().nullable(),
        }),
      )
      .readonly(),
  })
  .meta({ id: 'CallbackDetail' });

export const operatedOrderSchema = z
  .object({
    order_id: id('The order'),
    user_id: id('Its account'),
    status: z.string().meta({ enum: [...ORDER_STATUSES] }),
    chain: z.string(),
    currency: z.string(),
    amount: z.string(),
    vs_price: z.string(),
    vs_currency: z.string(),
    obtained: z.string().nullable(),
    create_time: z.string().meta({ format: 'date-time' }),
    update_time: z.string().meta({ format: 'date-time' }),
  })
  .meta({ id: 'OperatedOrder' });

export const orderHistorySchema = z
  .object({
    order_id: id('The order'),
    status: z.enum(ORDER_STATUSES),
    items: z
      .array(
        z.object({
          at: instant('When'),
          from: z.enum(ORDER_STATUSES).nullable(),
          to: z.enum(ORDER_STATUSES),
          rule: z.string(),
          inputs: z.record(z.string(), z.unknown()).meta({ description: 'What the rule looked at' }),
          rate: z.unknown().meta({ description: 'The rate of the order then, with its sources; null before one was fixed' }),
        }),
      )
      .readonly(),
  })
  .meta({ id: 'OrderHistory' });

export const auditSchema = z
  .object({
    id: id('The row'),
    at: instant('When'),
    actor_id: id('Who').nullable().meta({ description: 'null for the operator at the machine' }),
    action: z.string(),
    subject_type: z.string(),
    subject_id: z.string(),
    changes: z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() })),
    ip: z.string().nullable(),
    trace_id: z.string().nullable(),
  })
  .meta({ id: 'AuditRow' });

export const sessionSchema = z
  .object({
    access_token: z.string().optional().meta({ description: 'Absent for a session in a cookie' }),
    csrf_token: z.string().optional().meta({ description: 'Wanted as X-CSRF-Token on every unsafe method; only for a session in a cookie' }),
    expire: whole('Lifetime in seconds'),
    account: accountDetailSchema,
  })
  .meta({ id: 'Session' });
