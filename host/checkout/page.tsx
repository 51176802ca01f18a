/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { findFiat, formatInstant, formatUnits } from '../../core/index.ts';
import type { Asset, CheckoutView, Millis, Order } from '../../core/index.ts';
import { QrCode } from './qr-code.tsx';
import { STYLE } from './style.ts';
import { formatSpan, wordingOf } from './wording.ts';

/** A coin that the order can be paid in, and how much of it at the present rate. */
export interface Choice {
  readonly asset: Asset;
  readonly chainName: string;
  /** A plain decimal. */
  readonly amount: string;
}

/** Money on its way back to the payer, or back already. */
export interface RefundNotice {
  readonly sent: boolean;
  /** A plain decimal: what the payer gets. */
  readonly amount: string;
  readonly address: string;
}

/** What the page shows besides the order: the coins to choose from, or the form for a refund's address. */
export interface CheckoutPage {
  readonly view: CheckoutView;
  /** `null` where no coin is being chosen. */
  readonly choices: readonly Choice[] | null;
  readonly refundForm: boolean;
  /** `null` while no refund is on its way. */
  readonly refund: RefundNotice | null;
  /** Why the form sent last was refused. */
  readonly refusal: string | null;
  readonly now: Millis;
}

const REFRESH_SECONDS = { waiting: 5, choosing: 60, late: 30 };
const REDIRECT_SECONDS = 5;

/** The payer's page: no script, nothing secret, readable without style. Its links are relative: a proxy may serve it under any path. */
export function renderCheckout(page: CheckoutPage): string {
  const { title } = wordingOf(page.view);
  return documentOf(
    <Shell title={title} refresh={refreshOf(page)}>
      <Summary view={page.view} />
      {page.refusal === null ? null : <p class="card bad" role="alert">{page.refusal}</p>}
      {page.refundForm ? <RefundForm view={page.view} /> : page.choices !== null ? <Coins choices={page.choices} view={page.view} /> : <Body page={page} />}
    </Shell>,
  );
}

/** A page with nothing but a message. */
export function renderMessage(title: string, text: string): string {
  return documentOf(
    <Shell title={title} refresh={null}>
      <section class="card">
        <h1>{title}</h1>
        <p>{text}</p>
      </section>
    </Shell>,
  );
}

function documentOf(page: VNode): string {
  return `<!doctype html>${renderToString(page)}`;
}

function Shell({ title, refresh, children }: { readonly title: string; readonly refresh: string | null; readonly children: ComponentChildren }): VNode {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        {refresh === null ? null : <meta http-equiv="refresh" content={refresh} />}
        <title>{title}</title>
        <style dangerouslySetInnerHTML={{ __html: STYLE }} />
      </head>
      <body>
        <main>{children}</main>
      </body>
    </html>
  );
}

function Summary({ view }: { readonly view: CheckoutView }): VNode {
  const { title, text, tone } = wordingOf(view);
  return (
    <header class="card">
      <p class="soft">
        Order {view.order.id} · {fiatAmount(view.order)}
      </p>
      <h1 class={tone === 'soft' ? '' : tone}>{title}</h1>
      <p role="status">{text}</p>
    </header>
  );
}

function Coins({ choices, view: { order } }: { readonly choices: readonly Choice[]; readonly view: CheckoutView }): VNode {
  return (
    <section class="card" aria-labelledby="coins">
      <h2 id="coins">Pay with</h2>
      {choices.length === 0 ? <p>No coin can be priced at the moment. Please try again in a minute.</p> : null}
      <ul>
        {choices.map(({ asset, chainName, amount }) => (
          <li key={asset.currency}>
            <form method="post" action={`${order.checkoutToken}/choice`}>
              <input type="hidden" name="chain" value={asset.chain} />
              <input type="hidden" name="currency" value={asset.currency} />
              <button class="coin" type="submit">
                <span>
                  {asset.currency} <span class="soft">on {chainName}</span>
                </span>
                <strong>{amount}</strong>
              </button>
            </form>
          </li>
        ))}
      </ul>
      {order.payment === null ? null : <a href={order.checkoutToken}>Back</a>}
    </section>
  );
}

function Body({ page }: { readonly page: CheckoutPage }): VNode {
  const { view, refund } = page;
  const { order } = view;
  const payable = order.status === 'PENDING' && order.payment !== null;
  return (
    <>
      {payable ? <HowToPay page={page} /> : null}
      {refund === null ? null : <Refund view={view} refund={refund} />}
      <Leave view={view} />
      {refund === null && mayLeaveRefundAddress(view) ? <p><a href={`${order.checkoutToken}?view=refund`}>{view.refundAddress === null ? 'Leave an address for a refund' : 'Change the address for a refund'}</a></p> : null}
    </>
  );
}

function HowToPay({ page: { view, now } }: { readonly page: CheckoutPage }): VNode {
  const { order, remaining, contractAddr, paymentUri, seen } = view;
  const payment = order.payment;
  if (payment === null) return <></>;
  return (
    <section class="card" aria-labelledby="pay">
      <h2 id="pay">{seen ? 'Your payment' : `Pay with ${payment.currency}`}</h2>
      {seen && remaining === '0' ? null : <QrCode text={paymentUri} label={`QR code of the payment: ${remaining} ${payment.currency}`} />}
      <dl>
        <dt>Amount</dt>
        <dd><code>{seen ? remaining : view.amount}</code> {payment.currency}</dd>
        <dt>Address ({view.chainName})</dt>
        <dd><code>{payment.address}</code></dd>
        {contractAddr === '' ? null : <><dt>Token contract</dt><dd><code>{contractAddr}</code></dd></>}
        <dt>Time left</dt>
        <dd><time dateTime={formatInstant(order.expiresAt)}>{order.expiresAt > now ? formatSpan(order.expiresAt - now) : 'over; a payment seen in time still counts'}</time></dd>
      </dl>
      {seen || !/^[a-z][a-z0-9+.-]*:/.test(paymentUri) ? null : <p><a class="button" href={paymentUri}>Open in a wallet</a></p>}
      {mayChoose(view) ? <p><a href={`${order.checkoutToken}?view=coins`}>Pay with another coin</a></p> : null}
    </section>
  );
}

function Refund({ view: { order, chainName }, refund: { sent, amount, address } }: { readonly view: CheckoutView; readonly refund: RefundNotice }): VNode {
  return (
    <section class="card" aria-labelledby="refund">
      <h2 id="refund">{sent ? 'Your refund' : 'Your refund is on its way'}</h2>
      <dl>
        <dt>{sent ? 'Amount' : "Amount, less the network's fee"}</dt>
        <dd><code>{amount}</code> {order.payment?.currency}</dd>
        <dt>Address ({chainName})</dt>
        <dd><code>{address}</code></dd>
      </dl>
    </section>
  );
}

function Leave({ view: { order } }: { readonly view: CheckoutView }): VNode | null {
  const target = redirectOf(order);
  return target === null ? null : (
    <p><a class="button" href={target} rel="noreferrer">Back to the merchant</a></p>
  );
}

function RefundForm({ view: { order, refundAddress, chainName } }: { readonly view: CheckoutView }): VNode {
  return (
    <section class="card" aria-labelledby="refund">
      <h2 id="refund">Address for a refund</h2>
      <form method="post" action={`${order.checkoutToken}/refund-address`}>
        <label for="address">Your own address on {chainName}</label>
        <input id="address" name="address" required maxLength={128} autocomplete="off" spellcheck={false} value={refundAddress ?? ''} />
        <button class="main" type="submit">Save the address</button>
      </form>
      <p class="soft">The merchant decides on refunds; money is sent to this address only.</p>
      <a href={order.checkoutToken}>Back</a>
    </section>
  );
}

/** True where an address for a refund could come to use: money is there, or on its way, and has not gone back. */
export function mayLeaveRefundAddress({ order, seen }: CheckoutView): boolean {
  return order.payment !== null && (seen || order.received > 0n) && order.status !== 'TERMINATED' && order.status !== 'REFUNDED';
}

/** True while the payer may choose the coin: a hosted order to which nothing was paid yet. */
export function mayChoose({ order, seen }: CheckoutView): boolean {
  return order.platform === 'CHECKOUT' && order.status === 'PENDING' && !seen;
}

/** Where the payer goes when all is over; http and https only, whatever is stored. */
function redirectOf({ status, links }: Order): string | null {
  const paid = status === 'SUCCESS' || status === 'RESOLVED';
  const over = status === 'OVERDUE' || status === 'PARTIAL';
  const target = paid ? links.succeedUrl : over ? links.timeoutUrl : null;
  return target !== null && /^https?:\/\//i.test(target) ? target : null;
}

/** The page's `refresh`: none while something is being typed, away when all is over, else itself again. */
function refreshOf({ view: { order }, choices, refundForm, now }: CheckoutPage): string | null {
  if (refundForm) return null;
  if (choices !== null) return String(REFRESH_SECONDS.choosing);
  if (order.status === 'PENDING') return String(REFRESH_SECONDS.waiting);
  const target = order.reorgedAt === null ? redirectOf(order) : null;
  if (target !== null) return `${REDIRECT_SECONDS};url=${target}`;
  const undecided = (order.status === 'OVERDUE' || order.status === 'PARTIAL' || order.reorgedAt !== null) && order.watchUntil > now;
  return undecided ? String(REFRESH_SECONDS.late) : null;
}

function fiatAmount({ vsPrice, vsCurrency }: Order): string {
  return `${formatUnits(vsPrice, findFiat(vsCurrency)?.decimals ?? 0)} ${vsCurrency}`;
}
