import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { TillgateError, parseUnits } from '../../core/index.ts';
import type { Asset, SigningPolicy, ChainSigning, FieldError, GuardedChain, SigningLimit } from '../../core/index.ts';
import { DEFINITIONS } from '../../plugins/definitions.ts';
import { configError } from '../settings/config.ts';
import { importPlugin, checkPlugin, problemsOf } from '../boot/plugins.ts';
import { section, text, whole, yesOrNo } from '../settings/setting-fields.ts';
import { parseSettings } from '../settings/settings.ts';

const decimal = z
  .string({ error: 'write a decimal in quotation marks, such as "0.5"' })
  .regex(/^\d{1,30}(\.\d{1,36})?$/, { error: 'write a plain decimal in quotation marks, such as "0.5"' });
const limit = z.strictObject(
  { most: decimal, perDay: decimal },
  { error: 'write {"most": "…", "perDay": "…"}: for one transaction, and for any 24 hours' },
);
const addresses = z.array(text('an address of the chain'), { error: 'write a list of addresses' });

const chain = z.strictObject(
  {
    use: text('a package or a path to a module').optional(),
    options: z.unknown().optional(),
    payments: z.record(z.string(), limit, {
      error: 'write the limits of each currency that may be paid, such as {"ETH": {"most": "1", "perDay": "5"}}',
    }),
    fees: limit,
    transactionsPerDay: whole('transactions', 1, 1_000_000).default(10_000),
    sweepTo: addresses.default([]),
    destinations: addresses.optional(),
  },
  { error: 'write {"payments": {…}, "fees": {…}}' },
);

const listen = z.union(
  [
    z.strictObject({ socket: text('the path of a socket'), group: yesOrNo.default(false) }),
    z.strictObject({
      host: text('an address, such as "10.0.0.5"'),
      port: whole('port', 0, 65535),
      caFile: text('the path of a PEM file'),
      certFile: text('the path of a PEM file'),
      keyFile: text('the path of a PEM file'),
    }),
  ],
  { error: 'write {"socket": "…"} or {"host": "…", "port": …, "caFile": "…", "certFile": "…", "keyFile": "…"}' },
);

/** The settings file of `tillgate signer`: its address, its seed, and what it may sign. Unknown keys are refused. */
export const signerSchema = z.strictObject(
  {
    listen,
    dataDir: text('the path of a folder of the signer’s own'),
    mnemonicFile: text('the path of a file with the seed words, readable by the signer alone'),
    chains: z
      .record(z.string(), chain, { error: 'write what may be signed on each chain, such as {"ETH": {…}}' })
      .refine((chains) => Object.keys(chains).length > 0, { error: 'name at least one chain' }),
  },
  section,
);

/** The settings of a signer; paths are absolute. */
export type SignerSettings = z.output<typeof signerSchema> & { readonly directory: string };
type ChainSettings = z.output<typeof chain>;

/** @throws TillgateError `CONFIG_INVALID` listing every problem */
export function readSignerSettings(file: string): SignerSettings {
  const path = resolve(file);
  let input: unknown;
  try {
    input = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw configError([{ path, message: `cannot be read: ${(error as Error).message}` }]);
  }
  const { settings, problems } = parseSettings(signerSchema, input);
  if (settings === null) throw configError(problems);
  const directory = dirname(path);
  const at = (name: string): string => resolve(directory, name);
  return {
    ...settings,
    listen: 'socket' in settings.listen ? { ...settings.listen, socket: at(settings.listen.socket) } : settings.listen,
    dataDir: at(settings.dataDir),
    mnemonicFile: at(settings.mnemonicFile),
    directory,
  };
}

/**
 * The chains that the signer signs for, each with its plugin's signing rules and the limits of the settings.
 *
 * @throws TillgateError `CONFIG_INVALID` listing every problem
 */
export async function guardedChains({ chains, directory }: SignerSettings): Promise<ReadonlyMap<string, GuardedChain>> {
  const problems: FieldError[] = [];
  const guarded = new Map<string, GuardedChain>();
  const owners = new Map<string, string>();
  for (const [code, settings] of Object.entries(chains)) {
    const path = `chains.${code}`;
    const use = settings.use ?? builtInOf(code);
    try {
      const signing = await signingOf(code, use, settings, directory);
      for (const account of Object.values(signing.accounts)) {
        const owner = owners.get(account);
        if (owner !== undefined) throw new TillgateError('CONFIG_INVALID', `has the account ${account} of ${owner}`);
        owners.set(account, code);
      }
      guarded.set(code, { chain: signing, policy: policyOf(signing, settings, path, problems) });
    } catch (error) {
      problems.push(...problemsOf(error, path, use));
    }
  }
  if (problems.length > 0) throw configError(problems);
  return guarded;
}

function builtInOf(code: string): string {
  return Object.entries(DEFINITIONS).find(([, definition]) => definition.code === code)?.[0] ?? code;
}

async function signingOf(
  code: string,
  use: string,
  { options }: ChainSettings,
  directory: string,
): Promise<ChainSigning> {
  const plugin = checkPlugin(await importPlugin(use, directory), 'production');
  if (plugin.signing === undefined)
    throw new TillgateError('CONFIG_INVALID', 'does not define how its chain is signed (Plugin.signing)');
  const signing = plugin.signing(options ?? {});
  if (signing.code !== code) throw new TillgateError('CONFIG_INVALID', `signs for ${signing.code}, not for ${code}`);
  return signing;
}

function policyOf(signing: ChainSigning, settings: ChainSettings, path: string, problems: FieldError[]): SigningPolicy {
  const assets = new Map([signing.coin, ...signing.tokens.values()].map((asset) => [asset.currency, asset]));
  const limitOf = (asset: Asset, at: string, { most, perDay }: z.output<typeof limit>): SigningLimit => {
    const units = (name: string, amount: string): bigint => {
      const parsed = parseUnits(amount, asset.decimals);
      if (parsed === null)
        problems.push({
          path: `${at}.${name}`,
          message: `has more than the ${asset.decimals} decimals of ${asset.currency}`,
        });
      return parsed ?? 0n;
    };
    return { most: units('most', most), perDay: units('perDay', perDay) };
  };
  const payments = new Map<string, SigningLimit>();
  for (const [currency, amounts] of Object.entries(settings.payments)) {
    const asset = assets.get(currency);
    const at = `${path}.payments.${currency}`;
    if (asset === undefined) problems.push({ path: at, message: `must be one of ${[...assets.keys()].join(', ')}` });
    else payments.set(currency, limitOf(asset, at, amounts));
  }
  const canonical = (name: string, list: readonly string[]): ReadonlySet<string> =>
    new Set(
      list.map((text, index) => {
        const address = signing.readAddress(text);
        if (address === null)
          problems.push({ path: `${path}.${name}.${index}`, message: 'is not an address of the chain' });
        return address ?? text;
      }),
    );
  return {
    payments,
    fees: limitOf(signing.coin, `${path}.fees`, settings.fees),
    transactionsPerDay: settings.transactionsPerDay,
    sweepTo: canonical('sweepTo', settings.sweepTo),
    destinations: settings.destinations === undefined ? null : canonical('destinations', settings.destinations),
  };
}
