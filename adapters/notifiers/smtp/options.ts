import { z } from 'zod';
import { isLoopback } from '../../../core/index.ts';
import { count } from '../../plugin-options/option-fields.ts';
import { invalidOptions, parseOptions } from '../../plugin-options/parse-options.ts';
import { readMailAddress } from './address.ts';

/** The protection of the connection; no protection is allowed only on this machine. */
const SECURITY = ['tls', 'starttls', 'none-loopback-only'] as const;
const PORTS: Readonly<Record<(typeof SECURITY)[number], number>> = {
  tls: 465,
  starttls: 587,
  'none-loopback-only': 25,
};
const MOST_OPERATORS = 50;

const address = z
  .string()
  .refine(
    (text) => readMailAddress(text) !== null,
    'must be an address such as shop@example.com or Shop <shop@example.com>',
  );

const schema = z.strictObject({
  host: z.string().regex(/^[^\s/:@[\]]{1,253}$|^[0-9a-fA-F:]{2,39}$/, 'must be the name or address of the mail server'),
  port: count(1, 65_535).optional(),
  security: z.enum(SECURITY).default('tls'),
  user: z.string().min(1).max(255).optional(),
  password: z.string().min(1).max(1_024).optional(),
  passwordFile: z.string().min(1, 'must name a file').optional(),
  caFile: z.string().min(1, 'must name a file').optional(),
  from: address,
  operators: z.array(address).min(1, 'must name an address, or be left out').max(MOST_OPERATORS).optional(),
});

/**
 * The options of the plugin, as the settings file has them.
 *
 * @interface
 */
export type SmtpInput = z.input<typeof schema>;

/** The parsed options of the plugin `smtp`, with defaults. */
export interface SmtpOptions {
  readonly host: string;
  /** Defaults to 465 for `tls` and 587 for `starttls`. */
  readonly port: number;
  readonly security: (typeof SECURITY)[number];
  readonly user?: string | undefined;
  /** The password of {@link user}, or the file that contains it. */
  readonly password?: string | undefined;
  readonly passwordFile?: string | undefined;
  /** PEM certificates that are trusted in place of the system's. */
  readonly caFile?: string | undefined;
  readonly from: string;
  /** The addresses that get notices for operators; all active admins by default. */
  readonly operators?: readonly string[] | undefined;
}

/** @throws TillgateError `CONFIG_INVALID` naming the field */
export function parseSmtpOptions(input: unknown): SmtpOptions {
  const given = parseOptions(schema, input);
  const { host, security, user, password, passwordFile } = given;
  if (security === 'none-loopback-only' && !isLoopback(host))
    throw invalidOptions([{ path: 'security', message: 'must be tls or starttls for a server on another machine' }]);
  if (password !== undefined && passwordFile !== undefined)
    throw invalidOptions([{ path: 'passwordFile', message: 'is given together with password: keep one of them' }]);
  if ((user === undefined) !== (password === undefined && passwordFile === undefined))
    throw invalidOptions([{ path: 'user', message: 'goes together with password or passwordFile' }]);
  return { ...given, port: given.port ?? PORTS[security] };
}
