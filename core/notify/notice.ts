import type { AccountId, CurrencyCode, Millis, NoticeId } from '../kernel/index.ts';

/** The types of notices. `notices.held_back` reports how many of one type were not sent for being too many. */
export const NOTICE_TYPES = [
  'security.changed',
  'security.pending',
  'withdrawal.held',
  'claim.requested',
  'payment.undecided',
  'alert.raised',
  'summary.daily',
  'notices.held_back',
] as const;
export type NoticeType = (typeof NOTICE_TYPES)[number];

/** PENDING: due, or waiting for its next attempt. DEAD: given up. HELD_BACK: one of too many in an hour, and not sent. */
export const NOTICE_STATUSES = ['PENDING', 'SENT', 'DEAD', 'HELD_BACK'] as const;
export type NoticeStatus = (typeof NOTICE_STATUSES)[number];

/** Every transition of a notice, by event. */
export const NOTICE_TRANSITIONS = {
  send: { from: ['PENDING'], to: 'SENT' },
  retry: { from: ['PENDING'], to: 'PENDING' },
  giveUp: { from: ['PENDING'], to: 'DEAD' },
  holdBack: { from: ['PENDING'], to: 'HELD_BACK' },
} as const satisfies Record<string, { from: readonly NoticeStatus[]; to: NoticeStatus }>;

/** A message to a person, stored in the transaction of the change that it reports. */
export interface Notice {
  readonly id: NoticeId;
  /** The name of the notifier that sends it. */
  readonly notifier: string;
  /** The receiver; `null` for the operators. */
  readonly accountId: AccountId | null;
  readonly type: NoticeType;
  /** One line. */
  readonly subject: string;
  /** Plain text; contains no secret. */
  readonly text: string;
  readonly status: NoticeStatus;
  readonly attempts: number;
  readonly nextAt: Millis;
  readonly createdAt: Millis;
  readonly sentAt: Millis | null;
  /** Why the last attempt failed, in a few words without a secret; `null` when no attempt failed. */
  readonly lastError: string | null;
  /** The day of a summary; `null` for other types. There is one for each day, notifier and receiver. */
  readonly day: Millis | null;
}

/** The notices that an account has chosen. Changes of its security are always reported. */
export interface NoticePreferences {
  readonly accountId: AccountId;
  /** Notices of the account's held withdrawals and refunds, and of claims that wait for its approval. */
  readonly withdrawals: boolean;
  /** A summary of each day with activity. */
  readonly summary: boolean;
}

/** The preferences of an account that has chosen none. */
export const DEFAULT_NOTICE_PREFERENCES: Omit<NoticePreferences, 'accountId'> = { withdrawals: true, summary: false };

/** A notice before its receivers are known. */
export interface NoticeDraft {
  readonly type: NoticeType;
  /** The account that it is about; `null` for none. */
  readonly accountId: AccountId | null;
  /** The message to the account; absent when only operators get one. */
  readonly toAccount?: NoticeWords;
  /** The message to operators; absent when only the account gets one. */
  readonly toOperators?: NoticeWords;
}

/** Subject and text of a message. */
export type NoticeWords = Pick<Notice, 'subject' | 'text'>;

/** A new notice, due at once. */
export function newNotice(
  given: Pick<Notice, 'id' | 'notifier' | 'accountId' | 'type' | 'day'>,
  { subject, text }: NoticeWords,
  at: Millis,
): Notice {
  const untried = { status: 'PENDING', attempts: 0, sentAt: null, lastError: null } as const;
  return { ...given, subject, text, ...untried, nextAt: at, createdAt: at };
}

/** Units as text for persons: `1.5 ETH`. */
export type AmountWords = (currency: CurrencyCode, units: bigint) => string;
