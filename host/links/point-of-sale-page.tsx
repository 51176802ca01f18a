/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { CheckoutView, LinkView, Order, OrderStatus } from '../../core/index.ts';
import type { Brand } from '../checkout/brands.ts';
import { coinName, coinOf, isLightning } from '../checkout/coin-name.ts';
import type { Language } from '../checkout/languages.ts';
import { QrCode } from '../checkout/qr-code.tsx';
import { shownAmount } from '../checkout/shown-amount.ts';
import { moneyOf } from '../checkout/fiat-amount.ts';
import { Bought, CartFields } from './cart-fields.tsx';
import type { ShownChoice } from './cart-form.ts';
import { AmountField, Head } from './link-page.tsx';
import { linkText } from './link-text.ts';
import type { LinkPage } from './link-writer.ts';
import type { LinkMessageName } from './messages/en.ts';

/** The data of a point of sale on a paired device. */
export interface ShownPointOfSale {
  readonly view: LinkView;
  readonly brand: Brand;
  readonly language: Language;
  readonly form: string;
  readonly refusal: string | null;
  readonly amount: string;
  /** The prices and tips that the page shows, which its form names. */
  readonly offer: string;
  readonly choice: ShownChoice;
  /** Orders of today, newest first. */
  readonly sales: readonly Order[];
  /** The offset of the device's clock from UTC, in minutes. */
  readonly zoneMinutes: number;
  /** The sale that is being paid. */
  readonly sale: ShownSale | null;
}

/** A sale that is being paid. */
export interface ShownSale {
  readonly order: Order;
  /** `null` when nothing is to be paid. */
  readonly scan: ScanCode | null;
  /** The part of the payment that was seen. */
  readonly seen: 'nothing' | 'part' | 'all';
}

/** The QR code for the payer. */
export interface ScanCode {
  readonly text: string;
  /** The payment that the code contains; `null` if it contains the URL of the payer's page. */
  readonly payment: CheckoutView | null;
}

const PAD = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '.', '0'] as const;
const REFRESH_SECONDS = 5;
const MINUTE_MS = 60_000;

/** The amount pad with the day's list, or the sale that is being paid. */
export function pointOfSalePage(shown: ShownPointOfSale): LinkPage {
  const { view, brand, sale } = shown;
  const { link } = view;
  const waiting = sale !== null && sale.order.status === 'PENDING';
  return {
    status: 200,
    title: link.title,
    html: renderToString(<Main {...shown} />),
    refresh: waiting ? `${REFRESH_SECONDS};url=${link.token}?sale=${sale.order.id}` : null,
    // The pad is for the cashier, who needs no address of the merchant's support.
    brand: sale === null ? { ...brand, support: null } : brand,
  };
}

/** The page of an unpaired device: it shows nothing of the point of sale. */
export function unpairedPage(token: string, language: Language, refusal: string | null): LinkPage {
  const title = linkText(language, 'unpairedTitle');
  const html = renderToString(
    <main id="link">
      <section class="card">
        <h1 id="title">{title}</h1>
        <p id="words" data-read={linkText(language, 'codeRead')}>
          {linkText(language, 'unpairedText')}
        </p>
        <form class="sell" method="post" action={`${token}/pair`}>
          <label for="code">{linkText(language, 'pairingCode')}</label>
          <input id="code" name="code" type="text" autoComplete="off" dir="ltr" maxLength={64} required />
          <button class="button main" type="submit">
            {linkText(language, 'pairButton')}
          </button>
        </form>
      </section>
      <Refusal refusal={refusal} />
    </main>,
  );
  return { status: 200, title, html, refresh: null };
}

function Refusal({ refusal }: Pick<ShownPointOfSale, 'refusal'>): VNode | null {
  return refusal === null ? null : (
    <p id="refusal" class="card refusal" role="alert">
      {refusal}
    </p>
  );
}

function Main(shown: ShownPointOfSale): VNode {
  const { sale, view, language, refusal } = shown;
  return (
    <main id="link" data-point-of-sale="">
      {sale === null ? <Pad {...shown} /> : <Sale view={view} language={language} form={shown.form} {...sale} />}
      <div id="connection" class="card refusal connection" role="alert" hidden>
        <p>{linkText(language, 'resending')}</p>
        <button class="button" type="button" data-stop>
          {linkText(language, 'stopSending')}
        </button>
      </div>
      <Refusal refusal={refusal} />
      {sale === null ? <Today {...shown} /> : null}
    </main>
  );
}

function Pad({ view, language, form, amount, offer, choice }: ShownPointOfSale): VNode {
  const { link } = view;
  return (
    <section class="card">
      <Head view={view} />
      <form id="charge" class="sell" method="post" action={link.token}>
        <input type="hidden" name="form" value={form} />
        <AmountField link={link} language={language} amount={amount} />
        {link.price === null && link.items.length === 0 ? (
          <div class="pad" dir="ltr">
            {PAD.map((key) => (
              <button key={key} type="button" data-key={key}>
                {key}
              </button>
            ))}
            <button type="button" data-key="delete" aria-label={linkText(language, 'deleteDigit')}>
              ⌫
            </button>
          </div>
        ) : null}
        <CartFields link={link} language={language} offer={offer} choice={choice} />
        <button class="button main" type="submit">
          {linkText(language, 'charge')}
        </button>
      </form>
    </section>
  );
}

type State = 'waiting' | 'paid' | 'over';
const STATES: Readonly<Record<OrderStatus, State>> = {
  PENDING: 'waiting',
  SUCCESS: 'paid',
  RESOLVED: 'paid',
  REFUNDED: 'over',
  OVERDUE: 'over',
  PARTIAL: 'over',
  TERMINATED: 'over',
};

function Sale({
  view: { link },
  language,
  order,
  form,
  scan,
  seen,
}: ShownSale & Pick<ShownPointOfSale, 'view' | 'language' | 'form'>): VNode {
  const state = STATES[order.status];
  const confirming = state === 'waiting' && seen !== 'nothing';
  return (
    <section
      id="sale"
      class={`card sale ${confirming ? 'seen' : state}`}
      data-order={order.checkoutToken}
      data-state={state}
      data-paid={language.text('paidTitle')}
      data-seen={linkText(language, 'seen')}
      data-part={linkText(language, 'partly')}
      data-over={linkText(language, 'notPaid')}
    >
      <p class="soft merchant">
        <bdi>{link.title}</bdi>
      </p>
      <h1 id="title" class="sum-fixed">
        {moneyOf(order.vsPrice, order.vsCurrency, language)}
      </h1>
      {order.cart === null ? null : <Bought cart={order.cart} vsCurrency={order.vsCurrency} language={language} />}
      <p id="words" class="words" role="status">
        {confirming ? linkText(language, seen === 'part' ? 'partly' : 'seen') : wordOf(order.status, language)}
      </p>
      {scan === null ? null : <Scan scan={scan} language={language} />}
      <a id="next" class="button main" href={link.token}>
        {linkText(language, 'nextSale')}
      </a>
      {state === 'waiting' && seen === 'nothing' ? (
        <form id="cancel" method="post" action={`${link.token}/cancel`}>
          <input type="hidden" name="form" value={form} />
          <input type="hidden" name="sale" value={order.id} />
          <button class="quiet" type="submit">
            {linkText(language, 'cancelSale')}
          </button>
        </form>
      ) : null}
    </section>
  );
}

/** The code, and below it what a wallet shows after scanning it. */
function Scan({ scan: { text, payment }, language }: { readonly scan: ScanCode; readonly language: Language }): VNode {
  if (payment === null)
    return (
      <div id="scan" class="scan">
        <QrCode text={text} label={linkText(language, 'qrOf')} />
        <p class="soft">{linkText(language, 'scan')}</p>
      </div>
    );
  const { amount, remaining, seen, chainName } = payment;
  const coin = coinOf(payment);
  const due = shownAmount(coin, seen ? remaining : amount, language);
  return (
    <div id="scan" class="scan">
      <QrCode text={text} label={language.text('qrCode', { amount: due.text, coin: due.unit })} />
      <p class="due">
        <bdi dir="ltr">
          {due.text} {due.unit}
        </bdi>
      </p>
      <p class="soft">
        <bdi>{coinName(coin, chainName)}</bdi>
      </p>
      {isLightning(coin) ? null : (
        <p class="soft">{language.text('onlyThis', { coin: coin.symbol, chain: chainName })}</p>
      )}
    </div>
  );
}

const WORDS: Readonly<Record<Exclude<OrderStatus, 'SUCCESS' | 'RESOLVED' | 'REFUNDED'>, LinkMessageName>> = {
  PENDING: 'waiting',
  OVERDUE: 'notPaid',
  PARTIAL: 'partly',
  TERMINATED: 'cancelled',
};

function wordOf(status: OrderStatus, language: Language): string {
  if (status === 'REFUNDED') return language.text('refundedTitle');
  if (status === 'SUCCESS' || status === 'RESOLVED') return language.text('paidTitle');
  return linkText(language, WORDS[status]);
}

/** The sales of the day, which only a paired device receives. Not shown with a sale, whose page the customer sees. */
function Today({ sales, language, zoneMinutes, view: { link } }: ShownPointOfSale): VNode {
  const paid = sales.filter(({ status }) => STATES[status] === 'paid').reduce((sum, { vsPrice }) => sum + vsPrice, 0n);
  const hours = new Intl.DateTimeFormat(`${language.tag}-u-nu-latn`, { timeStyle: 'short', timeZone: 'UTC' });
  return (
    <section id="today" class="card" aria-labelledby="today-title">
      <h2 id="today-title">{linkText(language, 'today')}</h2>
      <p id="total">{linkText(language, 'total', { total: moneyOf(paid, link.vsCurrency, language) })}</p>
      {sales.length === 0 ? <p class="soft">{linkText(language, 'noSales')}</p> : null}
      <ul class="sales">
        {sales.map((order) => (
          <li key={order.id} class={STATES[order.status]}>
            <a href={`${link.token}?sale=${order.id}`}>
              <span>{hours.format(order.createdAt + zoneMinutes * MINUTE_MS)}</span>
              <span class="what-sold">{wordOf(order.status, language)}</span>
              <strong>{moneyOf(order.vsPrice, order.vsCurrency, language)}</strong>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
