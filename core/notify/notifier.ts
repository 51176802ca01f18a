import type { Millis, NoticeId } from '../kernel/index.ts';
import type { NoticeType } from './notice.ts';

/** The receivers that a notifier can reach. */
export type NoticeReach = 'accounts' | 'operators' | 'both';

/** The properties of a notifier that are needed to store notices for it. */
export interface NoticeChannel {
  /** Unique in a till; notices that wait for the notifier are stored under this name. */
  readonly name: string;
  readonly reaches: NoticeReach;
}

/** A message as a notifier sends it. */
export interface NoticeMessage {
  /** The same at every attempt, so that a message that was sent twice can be recognised. */
  readonly id: NoticeId;
  readonly type: NoticeType;
  readonly audience: 'account' | 'operators';
  /** The mail addresses of the account, or of all active admins. May be empty for operators. */
  readonly to: readonly string[];
  /** One line of at most 200 characters, without control characters. */
  readonly subject: string;
  /** Lines of plain text. They contain values of users, so escape them for any format other than plain text. */
  readonly text: string;
  /** When the notice was stored. */
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
      /** The shortest time until the next attempt in milliseconds, where the receiver named one. */
      readonly retryAfterMs?: number;
    };

/**
 * Sends messages by mail or chat. It may fail or hang; the message is retried, and other notifiers are not affected.
 */
export interface Notifier extends NoticeChannel {
  /**
   * Makes one attempt, which the signal aborts. A thrown error is a failed attempt, of which only the error's name is
   * kept. A message may be sent again after it was delivered; its id identifies it to the receiver.
   */
  send(message: NoticeMessage, signal: AbortSignal): Promise<NoticeOutcome>;
  /**
   * Checks for `doctor` whether messages would be accepted, without sending one. Returns a description. @throws Error
   * with the reason, without a secret
   */
  verify?(signal: AbortSignal): Promise<string>;
}
