import type { Alert, AmountWords, NoticeAccount, NoticeWords } from '../notify/index.ts';
import type { Order, OrderHistoryEntry, UndecidedRule } from '../orders/index.ts';
import type { Claim, Transfer } from '../payouts/index.ts';
import { noticeWords, readableTime } from '../notify/index.ts';

/** The message to the account and to the operators about a held payment. */
export function heldWords(
  { id, kind, chain, currency, units, toAddress, reason, updatedAt }: Transfer,
  account: NoticeAccount | null,
  amount: AmountWords,
): { readonly toAccount: NoticeWords; readonly toOperators: NoticeWords } {
  const what = kind === 'return' ? 'The return of a deposit' : `A ${kind}`;
  const subject = `${what} of ${amount(currency, units)} is on hold`;
  const facts = [
    ['Amount', amount(currency, units)],
    ['Chain', chain],
    ['To', toAddress],
    ['Since', readableTime(updatedAt)],
    ['ID', id],
  ] as const;
  return {
    toAccount: noticeWords(subject, [
      `${subject} until an operator reviews it. It is not paid while it is on hold.`,
      '',
      ...facts,
      '',
      'If you did not request it, contact the operator of this service, change your password and replace your API credentials.',
    ]),
    toOperators: noticeWords(subject, [
      `${subject}. Approve or reject it in the dashboard.`,
      '',
      ...facts,
      ['Account', account === null ? null : `${account.name ?? account.email} (${account.accountId})`],
      ['Reason', reason],
    ]),
  };
}

/** The message to an account about a claim that waits for its approval. */
export function claimWords({ id, chain, toAddress, createdAt }: Claim, amount: string): NoticeWords {
  return noticeWords(`A claim of ${amount} waits for your approval`, [
    `A payee claims ${amount} of one of your pull payments. It is not paid until you approve it. Check the address with the payee first.`,
    '',
    ['Amount', amount],
    ['Chain', chain],
    ['To', toAddress],
    ['Time', readableTime(createdAt)],
    ['ID', id],
  ]);
}

const UNDECIDED: Readonly<Record<UndecidedRule, string>> = {
  'late-payment-short':
    'It arrived after the deadline and does not cover the price at the exchange rate when it was first seen.',
  'payment-beside-refund': 'It arrived while a refund of the order was in progress or complete.',
  'payment-after-end': 'It arrived after the order was closed.',
};

/** The message to a merchant about a payment that did not pay its order. */
export function undecidedWords({ rule, inputs }: OrderHistoryEntry, order: Order, amount: string): NoticeWords {
  const fact = (name: string): string | null => {
    const value = inputs[name] ?? null;
    return value === null ? null : `${value} ${order.vsCurrency}`;
  };
  return noticeWords(`Action required: payment of ${amount}`, [
    `A payment of ${amount} was credited to your balance, but did not complete its order. ${UNDECIDED[rule as UndecidedRule]}`,
    'Accept the order, if its status allows it, or refund the payment.',
    '',
    ['Order', order.id],
    ['Status', order.status],
    ['Reference', order.merchantReference],
    ["Value at the order's exchange rate", fact('worthAgreed')],
    ['Value when it was first seen', fact('worthSeen')],
  ]);
}

/** The message to operators about an alert that was opened. */
export function alertWords({ id, kind, subject, reason, firstAt }: Alert): NoticeWords {
  return noticeWords(`Alert: ${kind}, ${subject}`, [
    'An operator needs to look at this. You get one message for each open alert; the dashboard counts how often it was raised.',
    '',
    ['Kind', kind],
    ['Subject', subject],
    ['Reason', reason],
    ['Time', readableTime(firstAt)],
    ['ID', id],
  ]);
}
