import type { NoticeId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { NoticeType } from '../notices/notice.ts';

/** Whom a notifier can reach. */
export type NoticeReach = 'accounts' | 'operators' | 'both';

/** What has to be known of a notifier to write down what it is to send. */
export interface NoticeChannel {
  /** Unique in a till; what waits for it is stored under this name. */
  readonly name: string;
  readonly reaches: NoticeReach;
}

/** A message as a notifier sends it. */
export interface NoticeMessage {
  /** The same at every attempt, so that a message that came twice can be recognised. */
  readonly id: NoticeId;
  readonly type: NoticeType;
  readonly audience: 'account' | 'operators';
  /** The mail addresses of the account, or of all active admins. May be empty for operators. */
  readonly to: readonly string[];
  /** One line of at most 200 characters, without control characters. */
  readonly subject: string;
  /** Lines of plain text; values of users are in it, so it must be escaped for whatever shows more than plain text. */
  readonly text: string;
  /** When the notice was written. */
  readonly at: Millis;
}

/** The outcome of an attempt. `reason`: a few words without an address, a URL or a secret. */
export type NoticeOutcome =
  | { readonly kind: 'sent' }
  | {
      readonly kind: 'failed';
      readonly reason: string;
      /** True where no later attempt can succeed. */
      readonly final?: boolean;
      /** The least time until the next attempt, where the receiver named one. */
      readonly retryAfterMs?: number;
    };

/** Sends messages to persons: by mail, to a chat. It may fail or hang; it is tried again, and others do not wait for it. */
export interface Notifier extends NoticeChannel {
  /**
   * One attempt, to be ended by the signal. An error that it throws is a failed attempt, of which only the error's name is kept.
   * A message may come again after it was sent: its receiver recognises it by its id.
   */
  send(message: NoticeMessage, signal: AbortSignal): Promise<NoticeOutcome>;
  /** Looks whether messages would be taken, without sending one, for `doctor`; says so in words. @throws Error that says what is wrong, without a secret */
  verify?(signal: AbortSignal): Promise<string>;
}
