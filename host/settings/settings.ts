import { z } from 'zod';
import {
  CALLBACK_SCHEDULE_MS,
  DAY_MS,
  DEFAULT_APPROVALS,
  DEFAULT_APPS_PER_ACCOUNT,
  DEFAULT_COINS_ABOVE,
  DEFAULT_EPOCH_SETTINGS,
  DEFAULT_GRACE_SECONDS,
  DEFAULT_LIGHTNING_FEES,
  DEFAULT_LONGEST_INVOICE_MS,
  DEFAULT_LIMIT_PER_ACCOUNT,
  DEFAULT_ORDER_SETTINGS,
  DEFAULT_PAYOUT_SETTINGS,
  DEFAULT_SESSION_IDLE_SECONDS,
  DEFAULT_SESSIONS_PER_ACCOUNT,
  DEFAULT_STEP_UP_SECONDS,
  DEFAULT_TEMPORARY_PASSWORD_SECONDS,
  DEFAULT_USAGE_RETENTION_DAYS,
  LATE_ADDRESS_RULES,
  ORDER_COUNTS,
  SECOND_FACTOR_DEMANDS,
  isHostPattern,
  isLoopback,
} from '../../core/index.ts';
import type {
  EpochSettings,
  FieldError,
  OrderSettings,
  PayoutSettings,
  RefundSettings,
  SweepSettings,
  WithdrawalSettings,
} from '../../core/index.ts';
import { cacheSetting, gatewaysSetting } from './gateway-settings.ts';
import { rateSourceSetting, rateSourcesOf } from './rate-settings.ts';
import { suggestedSetting } from './suggested-setting.ts';
import { withdrawalLimits } from './limit-settings.ts';
import { salesSetting } from './plan-settings.ts';
import { signerSetting } from '../signer/signer-address.ts';
import { amounts, counts, section, shown, text, usd, whole, yesOrNo } from './setting-fields.ts';

const YEAR = 31_536_000;
const seconds = (ms: number): number => ms / 1000;

const orders = z
  .strictObject(
    {
      timeoutSeconds: whole('seconds', 1, YEAR).default(seconds(DEFAULT_ORDER_SETTINGS.timeoutMs)),
      /** The bounds of an order's `expires_in`. */
      minTimeoutSeconds: whole('seconds', 1, YEAR).optional(),
      maxTimeoutSeconds: whole('seconds', 1, YEAR).optional(),
      watchSeconds: whole('seconds', 0, YEAR).default(seconds(DEFAULT_ORDER_SETTINGS.watchMs)),
      /** The time after the deadline in which a payment still completes an order at the order's rate. */
      lateGraceSeconds: whole('seconds', 0, YEAR).default(seconds(DEFAULT_ORDER_SETTINGS.lateGraceMs)),
      /** The time after the deadline for which unconfirmed payments keep an order open that they could complete. */
      unconfirmedHoldSeconds: whole('seconds', 0, YEAR).default(seconds(DEFAULT_ORDER_SETTINGS.unconfirmedHoldMs)),
      min: shown(usd).default(DEFAULT_ORDER_SETTINGS.min),
      max: shown(usd).default(DEFAULT_ORDER_SETTINGS.max),
      ...counts(ORDER_COUNTS),
    },
    section,
  )
  .refine(({ min, max }) => Number(min) <= Number(max), {
    path: ['min'],
    error: 'write an amount not above orders.max',
  })
  .transform((given): OrderSettings => {
    const { timeoutSeconds, minTimeoutSeconds, maxTimeoutSeconds, watchSeconds, ...others } = given;
    const { lateGraceSeconds, unconfirmedHoldSeconds, ...rest } = others;
    const timeoutMs = timeoutSeconds * 1000;
    const { minTimeoutMs, maxTimeoutMs } = DEFAULT_ORDER_SETTINGS;
    return {
      ...DEFAULT_ORDER_SETTINGS,
      ...rest,
      timeoutMs,
      minTimeoutMs: minTimeoutSeconds === undefined ? Math.min(minTimeoutMs, timeoutMs) : minTimeoutSeconds * 1000,
      maxTimeoutMs: maxTimeoutSeconds === undefined ? Math.max(maxTimeoutMs, timeoutMs) : maxTimeoutSeconds * 1000,
      watchMs: watchSeconds * 1000,
      lateGraceMs: lateGraceSeconds * 1000,
      unconfirmedHoldMs: unconfirmedHoldSeconds * 1000,
    };
  })
  .refine(({ minTimeoutMs, maxTimeoutMs }) => minTimeoutMs <= maxTimeoutMs, {
    path: ['minTimeoutSeconds'],
    error: 'write a number not above orders.maxTimeoutSeconds',
  });

const callbacks = z
  .strictObject(
    {
      schedule: z
        .array(whole('seconds', 0, YEAR), { error: 'write a list of seconds, such as [5, 30, 120]' })
        .max(100, { error: 'write at most 100 waiting times' })
        .default(() => CALLBACK_SCHEDULE_MS.map(seconds)),
      timeoutSeconds: whole('seconds', 1, 120).default(15),
      /**
       * The time for which bodies of delivered callbacks are kept, most of an order's space; without its body none can
       * be resent.
       */
      keepBodiesDays: whole('days', 1, 36_500).default(90),
      /** By default the sandbox allows them and production does not. */
      allowPrivateNetworks: yesOrNo.optional(),
      /** The only hosts that callbacks are sent to; without it, any public host. */
      hosts: z
        .array(
          z.string().refine(isHostPattern, {
            error: 'write a host in lower case, such as shop.example, *.shop.example or shop.example:8443',
          }),
          { error: 'write a list of hosts' },
        )
        .nullable()
        .default(null),
    },
    section,
  )
  .transform(({ schedule, timeoutSeconds, keepBodiesDays, ...rest }) => ({
    ...rest,
    keepBodiesMs: keepBodiesDays * DAY_MS,
    scheduleMs: schedule.map((each) => each * 1000),
    timeoutMs: timeoutSeconds * 1000,
  }));

/** An omitted time is the one for registered addresses. */
const refunds = z.strictObject(
  {
    addressHoldSeconds: whole('seconds', 0, YEAR).optional(),
    lateAddress: z
      .enum(LATE_ADDRESS_RULES, { error: 'write "wait" to refuse such a refund until then, or "approve" to hold it' })
      .default('wait'),
  },
  section,
);

const withdrawals = z
  .strictObject(
    {
      min: amounts.prefault({}),
      max: amounts.prefault({}),
      approveAbove: amounts.prefault({}),
      limits: withdrawalLimits.default([]),
      approvals: whole('persons', 1, 20).default(DEFAULT_APPROVALS),
      addressHoldSeconds: whole('seconds', 0, YEAR).default(86_400),
      refunds: refunds.prefault({}),
      lightningMaxFeeBps: whole('basis points', 0, 10_000).default(DEFAULT_LIGHTNING_FEES.maxFeeBps),
      lightningMinFeeSats: whole('satoshi', 0, 1_000_000).default(DEFAULT_LIGHTNING_FEES.minFeeSats),
      lightningLongestInvoiceDays: whole('days', 1, 366).default(DEFAULT_LONGEST_INVOICE_MS / DAY_MS),
    },
    section,
  )
  .transform(({ addressHoldSeconds, refunds: given, lightningLongestInvoiceDays, ...rest }) => {
    const { lightningMaxFeeBps, lightningMinFeeSats, ...bounds } = rest;
    const settings: Required<WithdrawalSettings> = { ...bounds, addressHoldMs: addressHoldSeconds * 1000 };
    const { addressHoldSeconds: refundHoldSeconds = addressHoldSeconds, lateAddress } = given;
    const ofRefunds: RefundSettings = { addressHoldMs: refundHoldSeconds * 1000, lateAddress };
    const lightningFees = { maxFeeBps: lightningMaxFeeBps, minFeeSats: lightningMinFeeSats };
    return {
      ...settings,
      refunds: ofRefunds,
      lightningFees,
      lightningLongestInvoiceMs: lightningLongestInvoiceDays * DAY_MS,
    };
  });

const sweeps = z
  .strictObject(
    {
      maxFeeBps: whole('basis points', 1, 5_000).default(100),
      coinsAbove: whole('coins', 2, 10_000).default(DEFAULT_COINS_ABOVE),
      cold: z
        .record(
          z.string(),
          z.strictObject(
            { address: text('an address of the chain'), above: amounts },
            { error: 'write {"address": "…", "above": {"ETH": "10"}}' },
          ),
          { error: 'write a cold address for each chain, such as {"ETH": {"address": "0x…", "above": {"ETH": "10"}}}' },
        )
        .default({}),
      feeBudget: amounts.prefault({}),
    },
    section,
  )
  .transform(({ cold, ...rest }): SweepSettings => ({ ...rest, cold: new Map(Object.entries(cold)) }));

const restore = z
  .strictObject(
    { suspectAfterSeconds: whole('seconds', 60, YEAR).default(seconds(DEFAULT_EPOCH_SETTINGS.suspectAfterMs)) },
    section,
  )
  .transform(({ suspectAfterSeconds }): EpochSettings => ({ suspectAfterMs: suspectAfterSeconds * 1000 }));

const payouts = z
  .strictObject(
    {
      cancelAfterSeconds: whole('seconds', 1, YEAR).default(seconds(DEFAULT_PAYOUT_SETTINGS.cancelAfterMs)),
      giveUpAfterSeconds: whole('seconds', 1, YEAR).default(seconds(DEFAULT_PAYOUT_SETTINGS.giveUpAfterMs)),
    },
    section,
  )
  .transform(({ cancelAfterSeconds, giveUpAfterSeconds }): PayoutSettings => ({
    cancelAfterMs: cancelAfterSeconds * 1000,
    giveUpAfterMs: giveUpAfterSeconds * 1000,
  }));

/** The public service of the range protocol; it needs no key. */
const PWNED_PASSWORDS = 'https://api.pwnedpasswords.com/range';

const serviceUrl = text('the address of a service').refine(
  (value) => {
    const url = URL.canParse(value) ? new URL(value) : null;
    return url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)));
  },
  { error: 'write an https address, such as "https://api.pwnedpasswords.com/range", or null' },
);

const auth = z
  .strictObject(
    {
      clockSkewSeconds: whole('seconds', 1, 3600).default(300),
      tokenTtlSeconds: whole('seconds', 1, YEAR).default(3600),
      sessionIdleSeconds: whole('seconds', 60, YEAR).default(DEFAULT_SESSION_IDLE_SECONDS),
      sessionsPerAccount: whole('sessions', 1, 1000).default(DEFAULT_SESSIONS_PER_ACCOUNT),
      temporaryPasswordSeconds: whole('seconds', 60, YEAR).default(DEFAULT_TEMPORARY_PASSWORD_SECONDS),
      stepUpSeconds: whole('seconds', 1, 3600).default(DEFAULT_STEP_UP_SECONDS),
      /** The accounts that need a second factor: by default admins in production, nobody in the sandbox. */
      secondFactor: shown(
        z.enum(SECOND_FACTOR_DEMANDS, { error: 'write "everybody", "admins" or "nobody"' }),
      ).optional(),
      /** The service for checking breached passwords: by default the public one in production, none in the sandbox. */
      breachedPasswords: serviceUrl.nullable().optional(),
    },
    section,
  )
  .transform(({ clockSkewSeconds, ...rest }) => ({ ...rest, clockSkewMs: clockSkewSeconds * 1000 }));

/** @param enabled - the default */
const greenfieldSetting = (enabled: boolean) =>
  z.strictObject({ enabled: yesOrNo.default(enabled) }, section).prefault({});

const DEFAULT_SERVICE_NAME = 'service';

/** The name that people read, such as in an authenticator: the product's where the service has no name of its own. */
export function displayName({ serviceName }: { readonly serviceName: string }): string {
  return serviceName === DEFAULT_SERVICE_NAME ? 'Tillgate' : serviceName;
}

/** The settings that a till has in every kind of process; each section configures one part. */
export const tillSchema = z.strictObject(
  {
    mode: shown(z.enum(['sandbox', 'production'], { error: 'write "sandbox" or "production"' })).default('sandbox'),
    serviceName: z
      .string({ error: 'write a name, such as "service"' })
      .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, {
        error: 'write a name of lower-case letters, digits and hyphens, at most 64',
      })
      .default(DEFAULT_SERVICE_NAME),
    /** Records spans with the OpenTelemetry API. */
    tracing: yesOrNo.default(false),
    orders: orders.prefault({}),
    callbacks: callbacks.prefault({}),
    limits: z
      .strictObject(
        {
          requestsPerMinute: whole('requests', 1, 1_000_000_000).default(60_000),
          loginsPerMinute: whole('logins', 1, 1_000_000_000).default(20),
          payerWritesPerMinute: whole('changes', 1, 1_000_000_000).default(600),
          appsPerAccount: whole('Apps', 1, 1_000_000).default(DEFAULT_APPS_PER_ACCOUNT),
          perAccount: whole('times the limits of an App', 1, 1_000_000).default(DEFAULT_LIMIT_PER_ACCOUNT),
        },
        section,
      )
      .prefault({}),
    auth: auth.prefault({}),
    withdrawals: withdrawals.prefault({}),
    sweeps: sweeps.prefault({}),
    restore: restore.prefault({}),
    payouts: payouts.prefault({}),
    rates: z
      .strictObject(
        {
          sources: z
            .array(rateSourceSetting, { error: 'write a list, such as [{"use": "kraken"}]' })
            .min(1, { error: 'name at least one source, such as [{"use": "kraken"}]' })
            .optional(),
        },
        section,
      )
      .prefault({}),
    keys: z
      .strictObject({ graceSeconds: whole('seconds', 0, 604_800).default(DEFAULT_GRACE_SECONDS) }, section)
      .prefault({}),
    gateway: z
      .strictObject(
        {
          fastPath: yesOrNo.default(true),
          /** False: App keys are accepted only in the header. */
          keysInPath: yesOrNo.default(true),
          /** Whether gateways of the management API may lead to private networks; by default only in the sandbox. */
          allowPrivateUpstreams: yesOrNo.optional(),
          usageRetentionDays: whole('days', 62, 36_500).default(DEFAULT_USAGE_RETENTION_DAYS),
          cache: cacheSetting,
          sales: salesSetting,
        },
        section,
      )
      .transform(({ usageRetentionDays, ...rest }) => ({ ...rest, usageRetentionMs: usageRetentionDays * DAY_MS }))
      .prefault({}),
    gateways: gatewaysSetting.prefault([]),
    /** The API under `/api/v1` that plugins of shop systems speak. */
    greenfield: greenfieldSetting(true),
  },
  section,
);

const baseUrl = text(
  'the address under which payers and merchants reach this server, such as "https://pay.example.com"',
).refine(
  (value) => {
    const url = URL.canParse(value) ? new URL(value) : null;
    return (
      url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === ''
    );
  },
  { error: 'write an absolute http or https address without query, such as "https://pay.example.com"' },
);

/** The settings of a till that an application embeds. */
export const embeddedSchema = tillSchema.extend({
  mode: tillSchema.shape.mode.unwrap().default('production'),
  // The paths below `/api/v1` may be the application's own.
  greenfield: greenfieldSetting(false),
  baseUrl,
});

const pool = z
  .strictObject(
    { min: whole('connections', 0, 1000).default(0), max: whole('connections', 1, 1000).default(10) },
    section,
  )
  .refine(({ min, max }) => min <= max, { path: ['min'], error: 'write a number not above database.pool.max' });

const database = z.discriminatedUnion(
  'client',
  [
    z.strictObject({ client: shown(z.literal('sqlite')), filename: text('the path of the database file').optional() }),
    z.strictObject({
      client: shown(z.literal('pg')),
      connection: text('a connection string, such as "postgres://user@host:5432/tillgate"').optional(),
      pool: pool.optional(),
      /** True allows a production database on another machine without TLS. */
      insecure: yesOrNo.default(false),
    }),
  ],
  { error: 'write {"client": "sqlite"} or {"client": "pg", "connection": "postgres://…"}' },
);

const plugin = z.strictObject(
  {
    use: text('a built-in plugin ("ethereum", "sandbox"), a package or a path to a module'),
    options: z.unknown().optional(),
  },
  { error: 'write {"use": "ethereum", "options": {…}}' },
);

const several = { error: 'write a number of processes from 1 to 256, or "auto"' };
const processes = z.union([z.literal('auto'), z.int(several).min(1, several).max(256, several)], several);

/** The settings file: times in seconds, money as decimal text. Unknown keys are refused. */
export const settingsSchema = tillSchema.extend({
  listen: z
    .strictObject(
      {
        host: text('the address to listen on, such as "0.0.0.0"').optional(),
        port: whole('port', 0, 65535).default(8080),
        trustedHops: whole('proxies of your own in front', 0, 16).default(0),
      },
      section,
    )
    .prefault({}),
  baseUrl: baseUrl.optional(),
  /** The number of processes that share the port and the work; `auto` for one for each core. */
  processes: processes.default(1),
  /** Without it the seed is in this process. */
  signer: signerSetting.optional(),
  /** The least important lines that the server logs. */
  logLevel: shown(
    z.enum(['debug', 'info', 'warn', 'error'], { error: 'write "debug", "info", "warn" or "error"' }),
  ).default('info'),
  /** How they are written: `text` for a person, `json` for a program; `auto` is text at a terminal. */
  logFormat: shown(z.enum(['auto', 'text', 'json'], { error: 'write "auto", "text" or "json"' })).default('auto'),
  apiDocs: yesOrNo.default(true),
  dashboard: z.strictObject({ enabled: yesOrNo.default(true) }, section).prefault({}),
  dataDir: text('the path of a folder').default('./data'),
  /** The file with the master key, used when the environment has none; only its owner may be able to read it. */
  masterKeyFile: text('the path of the file with the master key').optional(),
  database: database.optional(),
  plugins: z.array(plugin, { error: 'write a list, such as [{"use": "ethereum", "options": {…}}]' }).optional(),
});

/** The content of a settings file. */
export type SettingsInput = z.input<typeof settingsSchema>;
/** Settings after their defaults. */
export type Settings = z.output<typeof settingsSchema>;
/** The part of {@link Settings} that every till has. */
export type TillSettings = z.output<typeof tillSchema>;
/** One entry of `plugins`. */
export type PluginSetting = z.output<typeof plugin>;
export type { RateSourceSetting } from './rate-settings.ts';

/** Types the settings of a `tillgate.config.ts`; returns them unchanged. */
export function defineConfig(settings: SettingsInput): SettingsInput {
  return settings;
}

/** Parses settings; each problem is listed with its path and the value expected there. */
export function parseSettings<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): { settings: z.output<Schema> | null; problems: readonly FieldError[] } {
  const parsed = schema.safeParse(input);
  return parsed.success
    ? { settings: parsed.data, problems: [] }
    : { settings: null, problems: parsed.error.issues.flatMap((issue) => problemsOf(schema, issue)) };
}

function problemsOf(schema: z.ZodType, issue: z.core.$ZodIssue): FieldError[] {
  const at = (key?: string): string => [...issue.path, ...(key === undefined ? [] : [key])].join('.') || 'settings';
  if (issue.code !== 'unrecognized_keys') return [{ path: at(), message: issue.message }];
  return issue.keys.map((key) => ({
    path: at(key),
    message: `unknown setting: correct its spelling or remove it.${suggestedSetting(schema, issue.path, key)}`.replace(
      /\.$/,
      '',
    ),
  }));
}

/** The settings with the defaults that depend on the mode. */
export function withModeDefaults({
  callbacks: { allowPrivateNetworks, ...delivery },
  auth: { secondFactor, breachedPasswords, ...auth },
  gateway: { allowPrivateUpstreams, ...gateway },
  rates,
  ...settings
}: TillSettings) {
  const production = settings.mode === 'production';
  return {
    ...settings,
    auth: {
      ...auth,
      secondFactor: secondFactor ?? (production ? 'admins' : 'nobody'),
      breachedPasswords: breachedPasswords === undefined && production ? PWNED_PASSWORDS : (breachedPasswords ?? null),
    },
    callbacks: { ...delivery, allowPrivateNetworks: allowPrivateNetworks ?? !production },
    gateway: { ...gateway, allowPrivateUpstreams: allowPrivateUpstreams ?? !production },
    rateSources: rateSourcesOf(rates.sources, settings.mode),
  };
}

/** The settings of a till with their final values. */
export type TillConfig = Readonly<ReturnType<typeof withModeDefaults>>;
