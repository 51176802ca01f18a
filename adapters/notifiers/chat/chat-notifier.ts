import { TillgateError } from '../../../core/index.ts';
import type {
  AccountId,
  CallbackTransport,
  Clock,
  NoticeMessage,
  NoticeOutcome,
  Notifier,
} from '../../../core/index.ts';
import { readSecretText } from '../../plugin-options/read-secret.ts';
import { chatBody } from './chat-body.ts';
import type { ChatFormat } from './chat-body.ts';
import { chatUrlProblem } from './options.ts';
import type { ChatOptions } from './options.ts';

const TIMEOUT_MS = 10_000;
const MAX_REPLY_BYTES = 16 * 1024;
/** The account id under which connections are counted, where accounts share the connections to one address. */
const OPERATORS = 'operators' as AccountId;

interface ClosableTransport extends CallbackTransport {
  close(): Promise<void>;
}

/**
 * Posts the operators' notices to the incoming webhook of a chat. Requests are those of callbacks: addresses are checked and
 * pinned, redirects are refused, and the reply is bounded.
 */
export class ChatNotifier implements Notifier {
  readonly name = 'chat';
  readonly reaches = 'operators';
  readonly #transport: ClosableTransport;
  readonly #url: string;
  readonly #format: ChatFormat;

  private constructor(transport: ClosableTransport, url: string, format: ChatFormat) {
    this.#transport = transport;
    this.#url = url;
    this.#format = format;
  }

  /**
   * Reads the address; no connection is made.
   *
   * @param ca - certificate authorities in PEM format, instead of the system's
   * @throws TillgateError `CONFIG_INVALID` naming the field
   */
  static async open(
    { url: given, urlFile, format, allowPrivateNetworks }: ChatOptions,
    clock: Clock,
    ca?: string,
  ): Promise<ChatNotifier> {
    const url = given ?? (await readSecretText('urlFile', urlFile ?? ''));
    const problem = chatUrlProblem(url, allowPrivateNetworks);
    if (problem !== null) throw new TillgateError('CONFIG_INVALID', `The address of the chat ${problem}.`);
    const { UndiciCallbackTransport } = await import('../../callbacks/undici-callback-transport.ts');
    const limits = { timeoutMs: TIMEOUT_MS, maxReplyBytes: MAX_REPLY_BYTES, allowPrivateNetworks };
    const transport = new UndiciCallbackTransport(clock, { ...limits, ...(ca === undefined ? {} : { ca }) });
    return new ChatNotifier(transport, url, format);
  }

  /** The transport has its own deadline, which is earlier than the signal's. */
  async send({ subject, text }: NoticeMessage): Promise<NoticeOutcome> {
    const { contentType, body } = chatBody(this.#format, subject, text);
    const outcome = await this.#transport.send({
      accountId: OPERATORS,
      method: 'POST',
      url: this.#url,
      headers: { 'content-type': contentType },
      body,
    });
    if (outcome.kind === 'busy') return { kind: 'failed', reason: 'too many connections' };
    if (outcome.kind === 'failed') return { kind: 'failed', reason: outcome.reason };
    const { status, retryAfterSeconds } = outcome;
    if (status >= 200 && status <= 299) return { kind: 'sent' };
    const retryAfterMs = (retryAfterSeconds ?? 0) * 1000;
    return { kind: 'failed', reason: `HTTP status ${status}`, ...(retryAfterMs > 0 ? { retryAfterMs } : {}) };
  }

  /** Ends requests in progress; their notices are sent again later. */
  close(): Promise<void> {
    return this.#transport.close();
  }
}
