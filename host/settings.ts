import { z } from 'zod';
import { DEFAULT_LIGHTNING_FEES } from '../core/index.ts';
import type { FieldError } from '../core/index.ts';
import { gatewaySetting, readGateways } from './gateway-settings.ts';

const whole = (unit: string, min: number, max: number) => {
  const error = `write a whole number of ${unit} from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
};
const text = (what: string) => z.string({ error: `write ${what}` }).min(1, { error: `write ${what}` });
const section = { error: 'write an object in braces' };
const usd = z
  .string({ error: 'write a decimal in quotation marks, such as "1000000"' })
  .regex(/^\d{1,30}(\.\d{1,18})?$/, { error: 'write a plain decimal in quotation marks, such as "1000000" or "0.5"' });
const amounts = z.record(
  z.string(),
  z
    .string({ error: 'write a decimal in quotation marks, such as "0.5"' })
    .regex(/^\d{1,30}(\.\d{1,18})?$/, { error: 'write a plain decimal in quotation marks, such as "0.5"' }),
  { error: 'write amounts by currency, such as {"ETH": "0.5"}' },
);
const price = z
  .string({ error: 'write the price in US dollars in quotation marks, such as "2500"' })
  .regex(/^(?=.*[1-9])\d{1,30}(\.\d{1,30})?$/, { error: 'write a plain decimal above zero, such as "2500" or "0.0067"' });

const baseUrl = text('the address under which payers and merchants reach this server, such as "https://pay.example.com"').refine(
  (value) => {
    const url = URL.canParse(value) ? new URL(value) : null;
    return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '';
  },
  { error: 'write an absolute http or https address without query, such as "https://pay.example.com"' },
);

const database = z.discriminatedUnion(
  'client',
  [
    z.strictObject({
      client: z.literal('sqlite'),
      filename: text('the path of the database file').optional(),
    }),
    z.strictObject({
      client: z.literal('pg'),
      connection: text('a connection string, such as "postgres://user@host:5432/tillgate"').optional(),
      pool: z
        .strictObject({ min: whole('connections', 0, 1000).default(0), max: whole('connections', 1, 1000).default(10) }, section)
        .optional(),
    }),
  ],
  { error: 'write {"client": "sqlite"} or {"client": "pg", "connection": "postgres://…"}' },
);

const rateSource = z.discriminatedUnion(
  'use',
  [
    z.strictObject({ use: z.literal('coingecko'), url: text('the address of the service').optional() }),
    z.strictObject({ use: z.literal('kraken'), url: text('the address of the service').optional() }),
    z.strictObject({
      use: z.literal('static'),
      prices: z.record(z.string(), price, { error: 'write prices in US dollars, such as {"ETH": "2500", "EUR": "1.08"}' }).optional(),
    }),
  ],
  { error: 'name a source: "coingecko", "kraken" or "static"' },
);

const plugin = z.strictObject(
  {
    use: text('a built-in plugin ("ethereum", "sandbox"), a package or a path to a module'),
    options: z.unknown().optional(),
  },
  { error: 'write {"use": "ethereum", "options": {…}}' },
);

/** The settings file (decisions, section 10): times in seconds, money as decimal text. Unknown keys are refused. */
export const settingsSchema = z.strictObject(
  {
    mode: z.enum(['sandbox', 'production'], { error: 'write "sandbox" or "production"' }).default('sandbox'),
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
    apiDocs: z.boolean({ error: 'write true or false' }).default(true),
    serviceName: z
      .string({ error: 'write a name, such as "service"' })
      .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, { error: 'write a name of lower-case letters, digits and hyphens, at most 64' })
      .default('service'),
    dataDir: text('the path of a folder').default('./data'),
    database: database.optional(),
    orders: z
      .strictObject(
        {
          timeoutSeconds: whole('seconds', 1, 31_536_000).default(1800),
          watchSeconds: whole('seconds', 0, 31_536_000).default(86_400),
          toleranceBps: whole('basis points', 0, 500).default(0),
          min: usd.default('0'),
          max: usd.default('1000000'),
        },
        section,
      )
      .prefault({}),
    callbacks: z
      .strictObject(
        {
          schedule: z
            .array(whole('seconds', 0, 31_536_000), { error: 'write a list of seconds, such as [5, 30, 120]' })
            .max(100, { error: 'write at most 100 waiting times' })
            .default([5, 30, 120, 600, 1800, 3600, 10_800, 21_600, 43_200, 86_400]),
          timeoutSeconds: whole('seconds', 1, 120).default(15),
          allowPrivateNetworks: z.boolean({ error: 'write true or false' }).optional(),
        },
        section,
      )
      .prefault({}),
    limits: z
      .strictObject(
        {
          requestsPerMinute: whole('requests', 1, 1_000_000_000).default(60_000),
          loginsPerMinute: whole('logins', 1, 1_000_000_000).default(20),
        },
        section,
      )
      .prefault({}),
    auth: z
      .strictObject(
        {
          clockSkewSeconds: whole('seconds', 1, 3600).default(300),
          tokenTtlSeconds: whole('seconds', 1, 31_536_000).default(3600),
        },
        section,
      )
      .prefault({}),
    withdrawals: z
      .strictObject(
        {
          min: amounts.default({}),
          max: amounts.default({}),
          approveAbove: amounts.default({}),
          addressHoldSeconds: whole('seconds', 0, 31_536_000).default(86_400),
          lightningMaxFeeBps: whole('basis points', 0, 10_000).default(DEFAULT_LIGHTNING_FEES.maxFeeBps),
          lightningMinFeeSats: whole('satoshi', 0, 1_000_000).default(DEFAULT_LIGHTNING_FEES.minFeeSats),
        },
        section,
      )
      .prefault({}),
    sweeps: z
      .strictObject(
        {
          maxFeeBps: whole('basis points', 1, 5_000).default(100),
          cold: z
            .record(
              z.string(),
              z.strictObject({ address: text('an address of the chain'), above: amounts }, { error: 'write {"address": "…", "above": {"ETH": "10"}}' }),
              { error: 'write a cold address for each chain, such as {"ETH": {"address": "0x…", "above": {"ETH": "10"}}}' },
            )
            .default({}),
        },
        section,
      )
      .prefault({}),
    rates: z
      .strictObject(
        {
          sources: z
            .array(rateSource, { error: 'write a list, such as [{"use": "kraken"}]' })
            .min(1, { error: 'name at least one source, such as [{"use": "kraken"}]' })
            .optional(),
        },
        section,
      )
      .prefault({}),
    keys: z.strictObject({ graceSeconds: whole('seconds', 0, 604_800).default(86_400) }, section).prefault({}),
    gateway: z.strictObject({ fastPath: z.boolean({ error: 'write true or false' }).default(true) }, section).prefault({}),
    gateways: z.array(gatewaySetting, { error: 'write a list of gateways' }).default([]),
    plugins: z.array(plugin, { error: 'write a list, such as [{"use": "ethereum", "options": {…}}]' }).optional(),
  },
  { error: 'write an object in braces' },
);

/** What a settings file may hold. */
export type SettingsInput = z.input<typeof settingsSchema>;
/** Settings after their defaults. */
export type Settings = z.output<typeof settingsSchema>;
/** One entry of `rates.sources`. */
export type RateSourceSetting = z.output<typeof rateSource>;
/** One entry of `plugins`. */
export type PluginSetting = z.output<typeof plugin>;

/** Gives a `tillgate.config.ts` its types; it changes nothing. */
export function defineConfig(settings: SettingsInput): SettingsInput {
  return settings;
}

/** Reads settings; every problem is listed with its path and what to write there. */
export function parseSettings(input: unknown): { settings: Settings | null; problems: readonly FieldError[] } {
  const parsed = settingsSchema.safeParse(input);
  if (parsed.success) return { settings: parsed.data, problems: crossChecks(parsed.data) };
  return { settings: null, problems: parsed.error.issues.flatMap(problemsOf) };
}

function problemsOf(issue: z.core.$ZodIssue): FieldError[] {
  const at = (key?: string): string => [...issue.path, ...(key === undefined ? [] : [key])].join('.') || 'settings';
  if (issue.code !== 'unrecognized_keys') return [{ path: at(), message: issue.message }];
  return issue.keys.map((key) => ({ path: at(key), message: 'unknown setting: correct its spelling or remove it' }));
}

function crossChecks({ orders, database, gateways }: Settings): FieldError[] {
  const problems: FieldError[] = [...readGateways(gateways).problems];
  if (Number(orders.min) > Number(orders.max)) problems.push({ path: 'orders.min', message: 'write an amount not above orders.max' });
  if (database?.client === 'pg' && database.pool !== undefined && database.pool.min > database.pool.max) {
    problems.push({ path: 'database.pool.min', message: 'write a number not above database.pool.max' });
  }
  return problems;
}
