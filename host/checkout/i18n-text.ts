import type { CheckoutView } from '../../core/index.ts';
import { coinOf } from './coin-name.ts';
import type { Language } from './languages.ts';
import type { MessageName } from './messages/en.ts';
import { isPastDeadline } from './order-snapshot.ts';
import type { OrderSnapshot } from './order-snapshot.ts';
import { shownAmount } from './shown-amount.ts';

/** The state of an order as its payer sees it. */
export type PayerState =
  | 'choose'
  | 'waiting'
  | 'waitingLightning'
  | 'closing'
  | 'short'
  | 'vanished'
  | 'seen'
  | 'confirming'
  | 'rechecking'
  | 'paid'
  | 'overpaid'
  | 'paidLate'
  | 'expired'
  | 'lost'
  | 'late'
  | 'partial'
  | 'refunding'
  | 'cancelled'
  | 'refunded';

export type Tone = 'calm' | 'busy' | 'good' | 'warn' | 'bad';

/** The message for the payer: a heading and a sentence. */
export interface Wording {
  readonly state: PayerState;
  readonly title: string;
  readonly text: string;
  readonly tone: Tone;
}

const WORDS: Readonly<Record<PayerState, readonly [title: MessageName, text: MessageName, tone: Tone]>> = {
  choose: ['chooseTitle', 'chooseText', 'calm'],
  waiting: ['waitingTitle', 'waitingText', 'busy'],
  waitingLightning: ['waitingTitle', 'waitingLightningText', 'busy'],
  closing: ['closingTitle', 'closingText', 'warn'],
  short: ['shortTitle', 'shortText', 'warn'],
  vanished: ['vanishedTitle', 'vanishedText', 'warn'],
  seen: ['seenTitle', 'seenText', 'busy'],
  confirming: ['seenTitle', 'confirmingText', 'busy'],
  rechecking: ['recheckingTitle', 'recheckingText', 'warn'],
  paid: ['paidTitle', 'paidText', 'good'],
  overpaid: ['paidTitle', 'overpaidText', 'good'],
  paidLate: ['paidTitle', 'paidLateText', 'good'],
  expired: ['expiredTitle', 'expiredText', 'bad'],
  lost: ['lostTitle', 'lostText', 'bad'],
  late: ['lateTitle', 'lateText', 'warn'],
  partial: ['partialTitle', 'partialText', 'warn'],
  refunding: ['refundingTitle', 'refundingText', 'busy'],
  cancelled: ['cancelledTitle', 'cancelledText', 'bad'],
  refunded: ['refundedTitle', 'refundedText', 'good'],
};

export function wordingOf(snapshot: OrderSnapshot, language: Language, state = stateOf(snapshot)): Wording {
  const { view } = snapshot;
  const [title, text, tone] = WORDS[state];
  const coin = coinOf(view);
  const shown = (decimal: string): string => shownAmount(coin, decimal, language).text;
  const words = {
    received: shown(view.arrived),
    remaining: shown(view.remaining),
    surplus: shown(view.surplus),
    coin: shownAmount(coin, '0', language).unit,
  };
  return { state, tone, title: language.text(title), text: language.text(text, words) };
}

/** The payer's state of the order in a snapshot. */
export function stateOf({ view, refund, at }: OrderSnapshot): PayerState {
  const { order, seen } = view;
  if (order.status === 'REFUNDED' || refund?.sent === true) return 'refunded';
  if (refund !== null) return 'refunding';
  if (order.reorgedAt !== null && (order.status === 'SUCCESS' || order.status === 'RESOLVED')) return 'rechecking';
  switch (order.status) {
    case 'PENDING':
      return pendingState(view, at);
    case 'SUCCESS':
      return view.surplus === '0' || view.surplus === '' ? 'paid' : 'overpaid';
    case 'RESOLVED':
      return 'paidLate';
    case 'OVERDUE':
      return seen ? 'late' : view.vanished ? 'lost' : 'expired';
    case 'PARTIAL':
      return view.remaining === '0' ? 'late' : 'partial';
    case 'TERMINATED':
      return 'cancelled';
  }
}

function pendingState(view: CheckoutView, at: number): PayerState {
  const { payment } = view.order;
  if (view.seen) {
    if (view.remaining !== '0') return isPastDeadline(view, at) ? 'partial' : 'short';
    return view.confirmationsRequired > 0 ? 'confirming' : 'seen';
  }
  if (isPastDeadline(view, at)) return 'closing';
  if (payment === null) return 'choose';
  if (view.vanished) return 'vanished';
  return payment.chain === 'BLN' ? 'waitingLightning' : 'waiting';
}

const REFUSALS: Readonly<Record<string, MessageName>> = {
  '40001': 'refusedAddress',
  '40002': 'refusedCoin',
  '40900': 'refusedState',
  '50300': 'refusedNow',
};

/** The text that explains why a form was refused; `null` when none was. */
export function refusalOf(code: string | null): MessageName | null {
  return code === null ? null : (REFUSALS[code] ?? 'refusedOther');
}
