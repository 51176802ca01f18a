import type { AccountId, NoticeId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';

/** What persons are told of. `notices.held_back` says how many of one type were not sent, because there were too many. */
export const NOTICE_TYPES = [
  'security.changed',
  'security.pending',
  'withdrawal.held',
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

/** A message to a person, written in the transaction of the change that it is about. */
export interface Notice {
  readonly id: NoticeId;
  /** The name of the notifier that sends it. */
  readonly notifier: string;
  /** Who is told; `null` for the operators. */
  readonly accountId: AccountId | null;
  readonly type: NoticeType;
  /** One line. */
  readonly subject: string;
  /** Plain text; holds no secret. */
  readonly text: string;
  readonly status: NoticeStatus;
  readonly attempts: number;
  readonly nextAt: Millis;
  readonly createdAt: Millis;
  readonly sentAt: Millis | null;
  /** Why the last attempt failed, in a few words without a secret; `null` when none did. */
  readonly lastError: string | null;
  /** The day of a summary; `null` for other types. There is one for each day, notifier and addressee. */
  readonly day: Millis | null;
}

/** What an account chose to be told of. Changes of its security are always told. */
export interface NoticePreferences {
  readonly accountId: AccountId;
  /** Its withdrawals and refunds that are held. */
  readonly withdrawals: boolean;
  /** A summary of each day on which something happened. */
  readonly summary: boolean;
}

/** What an account is told of that chose nothing. */
export const DEFAULT_NOTICE_PREFERENCES: Omit<NoticePreferences, 'accountId'> = { withdrawals: true, summary: false };

/** Something that is to be told, before it is known by whom. */
export interface NoticeDraft {
  readonly type: NoticeType;
  /** The account that it is about; `null` for nobody's. */
  readonly accountId: AccountId | null;
  /** What the account is told; left out where only operators are. */
  readonly toAccount?: NoticeWords;
  /** What operators are told; left out where only the account is. */
  readonly toOperators?: NoticeWords;
}

/** Subject and text of a message. */
export type NoticeWords = Pick<Notice, 'subject' | 'text'>;

/** A notice as it is written: due at once, and not tried yet. */
export function newNotice(
  given: Pick<Notice, 'id' | 'notifier' | 'accountId' | 'type' | 'day'>,
  { subject, text }: NoticeWords,
  at: Millis,
): Notice {
  const untried = { status: 'PENDING', attempts: 0, sentAt: null, lastError: null } as const;
  return { ...given, subject, text, ...untried, nextAt: at, createdAt: at };
}
