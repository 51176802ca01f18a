import type { Alert } from '../alerts/alert.ts';
import type { CurrencyCode } from '../kernel/asset.ts';
import type { NoticeAccount } from '../ports/notice-store.ts';
import type { Transfer } from '../transfers/transfer.ts';
import type { NoticeWords } from './notice.ts';
import { noticeWords, readableTime } from './words.ts';

/** Units as persons read them: `1.5 ETH`. */
export type AmountWords = (currency: CurrencyCode, units: bigint) => string;

/** What the account, and what operators, are told of a payment that is held. */
export function heldWords(
  { id, kind, chain, currency, units, toAddress, reason, updatedAt }: Transfer,
  account: NoticeAccount | null,
  amount: AmountWords,
): { readonly toAccount: NoticeWords; readonly toOperators: NoticeWords } {
  const what = kind === 'return' ? 'The return of a deposit' : `A ${kind}`;
  const subject = `${what} of ${amount(currency, units)} is held`;
  const facts = [
    ['Amount', amount(currency, units)],
    ['Chain', chain],
    ['To', toAddress],
    ['Since', readableTime(updatedAt)],
    ['Id', id],
  ] as const;
  return {
    toAccount: noticeWords(subject, [
      `${subject} until an operator has decided about it. Nothing of it was paid since then.`,
      '',
      ...facts,
      '',
      'If you did not ask for it, tell the operators of this service, and change the password and the credentials.',
    ]),
    toOperators: noticeWords(subject, [
      `${subject} until an operator has decided about it.`,
      '',
      ...facts,
      ['Account', account === null ? null : `${account.name ?? account.email} (${account.accountId})`],
      ['Reason', reason],
    ]),
  };
}

/** What operators are told of an alert that was opened. */
export function alertWords({ id, kind, subject, reason, firstAt }: Alert): NoticeWords {
  return noticeWords(`Alert: ${kind}, ${subject}`, [
    'Something needs an operator. It is told once; while it is open, repetitions are counted in the list of alerts.',
    '',
    ['Kind', kind],
    ['Subject', subject],
    ['Reason', reason],
    ['When', readableTime(firstAt)],
    ['Id', id],
  ]);
}
