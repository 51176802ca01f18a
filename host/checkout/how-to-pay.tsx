/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { VNode } from 'preact';
import { Address } from './address.tsx';
import { CoinMark } from './coin-mark.tsx';
import { coinName, coinOf } from './coin-name.ts';
import { CopyButton, Field, Moment } from './field.tsx';
import type { Language } from './languages.ts';
import type { OrderSnapshot } from './order-snapshot.ts';
import { paymentLink } from './payment-link.ts';
import { QrCode } from './qr-code.tsx';
import { Rate } from './rate.tsx';
import { shownAmount } from './shown-amount.ts';
import { WalletButtons } from './wallet-buttons.tsx';

interface Shown {
  readonly snapshot: OrderSnapshot;
  readonly language: Language;
}

/** A deadline further ahead is shown with its date. */
const SAME_DAY_MS = 12 * 3_600_000;

/** The payment: the amount and address to copy, the code to scan, the link that opens a wallet. */
export function HowToPay({ snapshot, language }: Shown): VNode {
  const { view } = snapshot;
  const { order, remaining, paymentUri, seen, chainName } = view;
  const { payment } = order;
  if (payment === null) return <></>;
  const { href, qr, lightning } = paymentLink(payment.chain, paymentUri);
  const { address } = payment;
  const coin = coinOf(view);
  const { plain, text, unit } = shownAmount(coin, seen ? remaining : view.amount, language);
  return (
    <section id="pay" class="card" aria-labelledby="pay-title">
      <h2 id="pay-title" class="coin-title">
        <CoinMark coin={coin} />
        <bdi>{language.text('payWith', { coin: coinName(coin, chainName) })}</bdi>
      </h2>
      <div class="pay">
        <QrCode text={qr} label={language.text('qrCode', { amount: text, coin: unit })} />
        <dl>
          <Field
            language={language}
            label={seen ? 'stillToPay' : 'amount'}
            kind="sum-due"
            copy={{ text: plain, label: 'copyAmount' }}
          >
            <bdi dir="ltr">
              <code>{text}</code>
              <span class="unit"> {unit}</span>
            </bdi>
          </Field>
          {lightning ? (
            <RequestField language={language} request={address} />
          ) : (
            <Field language={language} label="address" copy={{ text: address, label: 'copyAddress' }}>
              <Address text={address} />
            </Field>
          )}
        </dl>
      </div>
      {lightning ? null : (
        <ul class="notes">
          {href === null ? <li>{language.text('addressOnly', { amount: text, coin: unit })}</li> : null}
          <li>{language.text('onlyThis', { coin: unit, chain: chainName })}</li>
          <li>{language.text('exchangeHint', { amount: text, coin: unit })}</li>
        </ul>
      )}
      {href === null ? null : (
        <div class="actions">
          <a class="button main" href={href}>
            {language.text('openWallet')}
          </a>
          <CopyButton language={language} text={href} label="copyUri" wide>
            {language.text('copyUri')}
          </CopyButton>
        </div>
      )}
      <WalletButtons chain={payment.chain} chainName={chainName} uri={paymentUri} language={language} />
      <Terms snapshot={snapshot} language={language} />
      {view.addressUrl === null ? null : (
        <a class="quiet" href={view.addressUrl} rel="noreferrer noopener" target="_blank">
          {language.text('lookUpAddress')}
        </a>
      )}
      {view.invoice === null ? null : <LightningWay invoice={view.invoice} language={language} />}
    </section>
  );
}

/** The rate, how long it is valid, and the token's contract. */
function Terms({ snapshot: { view, at }, language }: Shown): VNode {
  const { order, contractAddr } = view;
  return (
    <dl class="terms">
      <Rate view={view} language={language} />
      <Field language={language} label="validUntil" kind="row">
        <Moment language={language} at={order.expiresAt} short={order.expiresAt - at < SAME_DAY_MS} />
      </Field>
      {contractAddr === '' ? null : (
        <Field
          language={language}
          label="tokenContract"
          kind="small"
          copy={{ text: contractAddr, label: 'copyContract' }}
        >
          <Address text={contractAddr} />
        </Field>
      )}
    </dl>
  );
}

/** The invoice of a Bitcoin order, for wallets that do not read it from the code. */
function LightningWay({ invoice, language }: { readonly invoice: string; readonly language: Language }): VNode {
  const { href, qr } = paymentLink('BLN', invoice);
  return (
    <details id="lightning">
      <summary>{language.text('payLightning')}</summary>
      <div class="pay">
        <QrCode text={qr} label={language.text('paymentRequest')} />
        <dl>
          <RequestField language={language} request={invoice} />
        </dl>
      </div>
      {href === null ? null : (
        <div class="actions">
          <a class="button" href={href}>
            {language.text('openWallet')}
          </a>
        </div>
      )}
    </details>
  );
}

function RequestField({ language, request }: { readonly language: Language; readonly request: string }): VNode {
  return (
    <Field language={language} label="paymentRequest" kind="small" copy={{ text: request, label: 'copyRequest' }}>
      <code class="request" dir="ltr">
        {request}
      </code>
    </Field>
  );
}
