import { z } from 'zod';
import { isLoopback } from '../../../core/index.ts';
import { invalidOptions, parseOptions } from '../../plugin-options/parse-options.ts';
import { CHAT_FORMATS } from './chat-body.ts';
import type { ChatFormat } from './chat-body.ts';

const schema = z.strictObject({
  url: z.string().optional(),
  urlFile: z.string().min(1, 'must name a file').optional(),
  format: z.enum(CHAT_FORMATS).default('plain'),
  allowPrivateNetworks: z.boolean().default(false),
});

/**
 * The options of the plugin, as the settings file has them.
 *
 * @interface
 */
export type ChatInput = z.input<typeof schema>;

/** The parsed options of the plugin `chat`: one of `url` and `urlFile`. */
export interface ChatOptions {
  /** The address of an incoming webhook; it is a secret. */
  readonly url?: string | undefined;
  /** The file with the address. */
  readonly urlFile?: string | undefined;
  readonly format: ChatFormat;
  /** True: the address may be in a private network. */
  readonly allowPrivateNetworks: boolean;
}

/** @throws TillgateError `CONFIG_INVALID` naming the field; no value is repeated */
export function parseChatOptions(input: unknown): ChatOptions {
  const given = parseOptions(schema, input);
  if ((given.url === undefined) === (given.urlFile === undefined))
    throw invalidOptions([{ path: 'url', message: 'or urlFile is needed, and one of them only' }]);
  const problem = given.url === undefined ? null : chatUrlProblem(given.url, given.allowPrivateNetworks);
  if (problem !== null) throw invalidOptions([{ path: 'url', message: problem }]);
  return given;
}

/** The reason why an address cannot be used, without the address itself; `null` when it can. */
export function chatUrlProblem(text: string, allowPrivateNetworks: boolean): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.username !== '' || url.password !== '') return 'must be an https URL without a user';
  if (url.protocol === 'https:') return null;
  // The address is a secret: it goes over the network only in TLS.
  if (url.protocol === 'http:' && allowPrivateNetworks && isLoopback(url.hostname)) return null;
  return 'must be an https URL; http only on this machine, with allowPrivateNetworks';
}
