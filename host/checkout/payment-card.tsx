/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { VNode } from 'preact';
import type { CheckoutView, PaymentPart } from '../../core/index.ts';
import { coinOf } from './coin-name.ts';
import { Field, Moment } from './field.tsx';
import type { Language } from './languages.ts';
import type { OrderSnapshot } from './order-snapshot.ts';
import { hasReceipt } from './order-rules.ts';
import { Rate } from './rate.tsx';
import { shownAmount } from './shown-amount.ts';

interface Shown {
  readonly view: CheckoutView;
  readonly language: Language;
}

/** The paid amount, the shortfall or excess, and the transactions; the receipt of a completed order. */
export function PaymentCard({ snapshot: { view }, language }: { snapshot: OrderSnapshot; language: Language }): VNode {
  if (!view.seen) return <></>;
  return (
    <section id="payment" class="card" aria-labelledby="payment-title">
      <h2 id="payment-title">{language.text(hasReceipt(view.order) ? 'receipt' : 'yourPayment')}</h2>
      <dl class="sums">
        <Sum view={view} language={language} label="due" amount={view.amount} />
        <Sum view={view} language={language} label="arrived" amount={view.arrived} />
        {view.remaining === '0' ? null : (
          <Sum view={view} language={language} label="missing" amount={view.remaining} kind="warn" />
        )}
        {view.surplus === '0' ? null : (
          <Sum view={view} language={language} label="surplus" amount={view.surplus} kind="warn" />
        )}
        <Rate view={view} language={language} />
      </dl>
      {view.parts.map((part) => (
        <Part key={`${part.txid} ${part.amount}`} part={part} view={view} language={language} />
      ))}
    </section>
  );
}

interface SumProps extends Shown {
  readonly label: 'due' | 'arrived' | 'missing' | 'surplus';
  readonly amount: string;
  readonly kind?: 'warn';
}

function Sum({ view, language, label, amount, kind }: SumProps): VNode {
  const { text, unit } = shownAmount(coinOf(view), amount, language);
  return (
    <div class={kind === undefined ? 'field row' : 'field row short-of'}>
      <dt>{language.text(label)}</dt>
      <dd>
        <bdi dir="ltr">
          {text} <span class="unit">{unit}</span>
        </bdi>
      </dd>
    </div>
  );
}

function Part({ part, view, language }: Shown & { readonly part: PaymentPart }): VNode {
  const { txid, amount, at, confirmations, url } = part;
  const { text, unit } = shownAmount(coinOf(view), amount, language);
  return (
    <div class="part">
      <dl>
        {view.parts.length === 1 ? null : (
          <Field language={language} label="amount" kind="row">
            <bdi dir="ltr">
              {text} {unit}
            </bdi>
          </Field>
        )}
        <Field language={language} label="transaction" kind="small" copy={{ text: txid, label: 'copyTransaction' }}>
          <code dir="ltr">{txid}</code>
        </Field>
        <Field language={language} label="paidAt" kind="row">
          <Moment language={language} at={at} />
        </Field>
        {view.confirmationsRequired === 0 ? null : (
          <Field language={language} label="confirmations" kind="row">
            {confirmations === 0
              ? language.text('unconfirmed')
              : language.text('confirmationsOf', {
                  count: Math.min(confirmations, view.confirmationsRequired),
                  needed: view.confirmationsRequired,
                })}
          </Field>
        )}
      </dl>
      {url === null ? null : (
        <a class="quiet" href={url} rel="noreferrer noopener" target="_blank">
          {language.text('lookUp')}
        </a>
      )}
    </div>
  );
}
