import type { CheckoutView } from '../../core/index.ts';

/** What the payer is told: a heading, a sentence, and how good the news is. */
export interface Wording {
  readonly title: string;
  readonly text: string;
  readonly tone: 'good' | 'bad' | 'soft';
}

type State = 'choose' | 'waiting' | 'short' | 'confirming' | 'rechecking' | 'paid' | 'paidLate' | 'expired' | 'partial' | 'terminated' | 'refunded';

const WORDS: Readonly<Record<State, (view: CheckoutView) => Wording>> = {
  choose: () => ({ title: 'Choose how to pay', text: 'The amounts are at the present rate; it is fixed when you choose.', tone: 'soft' }),
  waiting: () => ({ title: 'Waiting for your payment', text: 'Send exactly this amount to this address. The page follows by itself.', tone: 'soft' }),
  short: ({ received, remaining, order }) => ({
    title: 'Part of the amount has arrived',
    text: `${received} ${currencyOf(order)} arrived; ${remaining} ${currencyOf(order)} is still to pay.`,
    tone: 'soft',
  }),
  confirming: ({ confirmations, confirmationsRequired }) => ({
    title: 'Your payment was seen',
    text: `It has ${Math.min(confirmations, confirmationsRequired)} of ${confirmationsRequired} confirmations. There is nothing more to do.`,
    tone: 'soft',
  }),
  rechecking: () => ({
    title: 'Your payment is being checked again',
    text: 'The network rearranged its latest blocks. This usually settles by itself; there is nothing to do.',
    tone: 'soft',
  }),
  paid: () => ({ title: 'Paid', text: 'Your payment is complete. Thank you.', tone: 'good' }),
  paidLate: () => ({ title: 'Paid', text: 'Your payment came after the deadline and was accepted. Thank you.', tone: 'good' }),
  expired: () => ({
    title: 'The time to pay is over',
    text: 'Nothing arrived in time. Do not send anything now; ask the merchant for a new order. If you have sent it already, it will still be recorded.',
    tone: 'bad',
  }),
  partial: ({ received, remaining, order }) => ({
    title: 'Too little arrived in time',
    text: `${received} ${currencyOf(order)} arrived, ${remaining} ${currencyOf(order)} is missing. You can leave an address for a refund, or ask the merchant.`,
    tone: 'bad',
  }),
  terminated: () => ({ title: 'This order was cancelled', text: 'Do not send anything. Ask the merchant if you have questions.', tone: 'bad' }),
  refunded: () => ({ title: 'Refunded', text: 'The payment was sent back.', tone: 'good' }),
};

const FINAL: Readonly<Record<string, State>> = {
  SUCCESS: 'paid',
  RESOLVED: 'paidLate',
  OVERDUE: 'expired',
  PARTIAL: 'partial',
  TERMINATED: 'terminated',
  REFUNDED: 'refunded',
};

/** The plain words for an order as it stands. */
export function wordingOf(view: CheckoutView): Wording {
  return WORDS[stateOf(view)](view);
}

function stateOf({ order, seen, remaining }: CheckoutView): State {
  if (order.reorgedAt !== null && (order.status === 'SUCCESS' || order.status === 'RESOLVED')) return 'rechecking';
  const final = FINAL[order.status];
  if (final !== undefined) return final;
  if (order.payment === null) return 'choose';
  if (!seen) return 'waiting';
  return remaining === '0' ? 'confirming' : 'short';
}

function currencyOf(order: CheckoutView['order']): string {
  return order.payment?.currency ?? '';
}

/** `12 minutes`, `45 seconds`: how long something still takes, rounded down. */
export function formatSpan(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [count, unit] = seconds >= 7200 ? [Math.floor(seconds / 3600), 'hour'] : seconds >= 60 ? [Math.floor(seconds / 60), 'minute'] : [seconds, 'second'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

const REFUSALS: Readonly<Record<string, string>> = {
  '40001': 'That was not accepted: check what you entered.',
  '40002': 'This coin is not available any more; please choose another.',
  '40900': 'This cannot be changed any more.',
  '50300': 'That did not work just now. Please try again in a minute.',
};

/** Why a form was refused, in words; `null` when none was. */
export function refusalOf(code: string | null): string | null {
  return code === null ? null : (REFUSALS[code] ?? 'That did not work. Please try again.');
}
