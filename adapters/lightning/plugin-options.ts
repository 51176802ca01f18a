import { z } from 'zod';
import { isLoopback } from '../../core/index.ts';
import { parseOptions } from '../plugin-options/parse-options.ts';

const NETWORKS = {
  main: 'mainnet',
  test: 'testnet',
  testnet4: 'testnet4',
  signet: 'signet',
  regtest: 'regtest',
  simnet: 'simnet',
} as const;

/** https, or http on this machine, because each request carries a secret. */
const secureUrl = z.string().refine((text) => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.username !== '' || url.password !== '' || url.search !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}, 'must be an https URL, or an http URL of this machine, without a user or a query');
const file = z.string().min(1, 'must name a file');

const lnd = z.strictObject({
  restUrl: secureUrl,
  macaroonFile: file,
  tlsCertFile: file.optional(),
  privateChannels: z.boolean().optional(),
});
const cln = z.strictObject({ restUrl: secureUrl, runeFile: file, tlsCertFile: file.optional() });
const phoenixd = z.strictObject({ url: secureUrl, passwordFile: file, tlsCertFile: file.optional() });
const schema = z
  .strictObject({
    lnd: lnd.optional(),
    cln: cln.optional(),
    phoenixd: phoenixd.optional(),
    network: z.enum(Object.keys(NETWORKS) as (keyof typeof NETWORKS)[]).optional(),
  })
  .refine(
    (given) => [given.lnd, given.cln, given.phoenixd].filter((one) => one !== undefined).length === 1,
    'name exactly one node: lnd, cln or phoenixd',
  );

/**
 * The options of the plugin, as the settings file has them.
 *
 * @interface
 */
export type LightningPluginInput = z.input<typeof schema>;

/** PEM certificate of the node or its authority: nothing else is trusted then. */
export interface PinnedCertificate {
  readonly tlsCertFile?: string | undefined;
}

/** Options of the Lightning plugin: exactly one node, and its network. */
export interface LightningPluginOptions {
  readonly lnd?:
    | (PinnedCertificate & {
        readonly restUrl: string;
        readonly macaroonFile: string;
        readonly privateChannels?: boolean | undefined;
      })
    | undefined;
  readonly cln?: (PinnedCertificate & { readonly restUrl: string; readonly runeFile: string }) | undefined;
  readonly phoenixd?: (PinnedCertificate & { readonly url: string; readonly passwordFile: string }) | undefined;
  /** Any network when left out. */
  readonly network?: 'main' | 'test' | 'testnet4' | 'signet' | 'regtest' | 'simnet' | undefined;
}

/** @throws TillgateError `CONFIG_INVALID` naming the field */
export function parseLightningOptions(input: unknown): LightningPluginOptions {
  return parseOptions(schema, input);
}

/** The network, by the nodes' name for it. */
export function networkOf({ network }: LightningPluginOptions): string | null {
  return network === undefined ? null : NETWORKS[network];
}
