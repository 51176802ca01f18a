import { useTranslate } from 'react-admin';
import { useState } from 'react';
import type { Values } from '../../components/field.ts';
import { useCoinName, useMoney } from '../../components/money.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { PayoutEstimate } from '../../components/payout-estimate.tsx';
import type { OrderFile } from '../../records.ts';
import { newIdempotencyKeys, useApi } from '../../till.ts';

const KEY = 'resources.orders';
const FIELD = `${KEY}.fields`;

/** How much a refund takes: all that is left by default, or one of the other fields of the request. */
type Part = 'all' | 'amount' | 'fiat_amount' | 'surplus';

const asksFor =
  (part: Part) =>
  ({ part: chosen }: Values): boolean =>
    chosen === part;

/** The part of a refund's request that says how much. */
function amountOf({ part, amount = '', fiat_amount = '', rate = '' }: Values): Partial<RefundAmount> {
  if (part === 'amount') return { amount };
  if (part === 'fiat_amount') return { fiat_amount, rate };
  return part === 'surplus' ? { surplus: true } : {};
}

interface RefundAmount {
  readonly amount: string;
  readonly fiat_amount: string;
  readonly rate: string;
  readonly surplus: true;
}

/** The request of an estimate; `null` while the amount is missing. */
function quoteOf(refund: Values, values: Values): Values | null {
  const { surplus, ...amount } = amountOf(values);
  if (Object.values(amount).includes('')) return null;
  return { ...refund, ...amount, ...(surplus === undefined ? {} : { surplus: String(surplus) }) };
}

/** Requests a refund of all that is left of an order, or of a part of it. */
export function RefundButton({ order, to }: { readonly order: OrderFile; readonly to: 'payer' | 'sender' }) {
  const translate = useTranslate();
  const api = useApi();
  const [keys] = useState(newIdempotencyKeys);
  const money = useMoney();
  const coinName = useCoinName();
  const coin = order.payment?.coin ?? '';
  const { currency, refundable_amount: left } = order;
  const parts: Readonly<Record<Part, string>> = {
    all: translate(`${KEY}.refundAll`, { amount: money(left, coin) }),
    amount: translate(`${KEY}.refundCoin`, { coin: coinName(coin) }),
    fiat_amount: translate(`${KEY}.refundFiat`, { currency }),
    surplus: translate(`${KEY}.refundSurplus`),
  };
  const rates = { order: translate(`${KEY}.rateOrder`), current: translate(`${KEY}.rateCurrent`) };
  return (
    <FormDialog
      label={to === 'sender' ? `${KEY}.refundSender` : `${KEY}.refund`}
      success={`${KEY}.refundAsked`}
      text
      preview={(values) => <PayoutEstimate path="refund-quotes" query={quoteOf({ order: order.id, to }, values)} />}
      fields={[
        { name: 'part', label: `${FIELD}.refund_part`, initial: 'all', choices: choicesOf(parts) },
        { name: 'amount', label: `${FIELD}.amount`, type: 'decimal', most: () => left, shown: asksFor('amount') },
        { name: 'fiat_amount', label: `${FIELD}.amount`, type: 'decimal', shown: asksFor('fiat_amount') },
        {
          name: 'rate',
          label: `${FIELD}.refund_rate`,
          initial: 'order',
          choices: choicesOf(rates),
          shown: asksFor('fiat_amount'),
        },
      ]}
      submit={(values) => {
        const request = { order: order.id, to, ...amountOf(values) };
        // A repeated request must be the same request, until its refund is one of the order's.
        const idempotencyKey = keys.of(`${order.refunds.length} ${JSON.stringify(request)}`);
        return api.post('refunds', request, { idempotencyKey });
      }}
    />
  );
}

const choicesOf = (texts: Readonly<Record<string, string>>): { readonly id: string; readonly label: string }[] =>
  Object.entries(texts).map(([id, label]) => ({ id, label }));
