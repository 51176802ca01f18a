/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { VNode } from 'preact';
import type { Language } from './languages.ts';
import type { MessageName } from './messages/en.ts';
import type { OrderSnapshot } from './order-snapshot.ts';
import { paymentLink } from './payment-link.ts';
import { QrCode } from './qr-code.tsx';

interface Shown {
  readonly snapshot: OrderSnapshot;
  readonly language: Language;
}

/** What the payer sends, and where: the amount and address to copy, the code to scan, the link that opens a wallet. */
export function HowToPay({ snapshot: { view }, language }: Shown): VNode {
  const { order, remaining, contractAddr, paymentUri, seen, chainName } = view;
  const { payment } = order;
  if (payment === null) return <></>;
  const { href, qr, lightning } = paymentLink(payment.chain, paymentUri);
  const { currency, address } = payment;
  const amount = seen ? remaining : view.amount;
  return (
    <section id="pay" class="card" aria-labelledby="pay-title">
      <h2 id="pay-title">{language.text('payWith', { coin: currency })}</h2>
      <div class="pay">
        <QrCode text={qr} label={language.text('qrCode', { amount, coin: currency })} />
        <dl>
          <Field
            language={language}
            label={seen ? 'stillToPay' : 'amount'}
            value={amount}
            unit={currency}
            copy="copyAmount"
            kind="sum-due"
          />
          <Field
            language={language}
            label={lightning ? 'paymentRequest' : 'address'}
            value={address}
            copy={lightning ? 'copyRequest' : 'copyAddress'}
            kind={lightning ? 'small' : null}
          />
          <div class="field">
            <dt>{language.text('network')}</dt>
            <dd>{chainName}</dd>
          </div>
          {contractAddr === '' ? null : (
            <Field language={language} label="tokenContract" value={contractAddr} copy="copyContract" kind="small" />
          )}
        </dl>
      </div>
      {href === null ? null : (
        <a class="button main" href={href}>
          {language.text('openWallet')}
        </a>
      )}
      {lightning ? null : <p class="soft note">{language.text('onlyThis', { coin: currency, chain: chainName })}</p>}
    </section>
  );
}

interface FieldProps {
  readonly language: Language;
  readonly label: MessageName;
  readonly value: string;
  readonly unit?: string;
  readonly copy: MessageName;
  readonly kind?: 'sum-due' | 'small' | null;
}

/** A value and the button that copies it, which only a page with script shows. */
function Field({ language, label, value, unit, copy, kind = null }: FieldProps): VNode {
  return (
    <div class={kind === null ? 'field' : `field ${kind}`}>
      <dt>{language.text(label)}</dt>
      <dd>
        <span class="value">
          <bdi dir="ltr">
            <code>{value}</code>
            {unit === undefined ? null : <span class="unit"> {unit}</span>}
          </bdi>
        </span>
        <button
          class="copy"
          type="button"
          data-copy={value}
          data-copied={language.text('copied')}
          aria-label={language.text(copy)}
        >
          {language.text('copy')}
        </button>
      </dd>
    </div>
  );
}
