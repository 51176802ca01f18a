/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { CheckoutView } from '../../core/index.ts';
import { BoughtCard } from './bought.tsx';
import type { CheckoutPage, RenderedMain } from './checkout-page.ts';
import { Coins } from './coins.tsx';
import { moneyOf } from './fiat-amount.ts';
import { HowToPay } from './how-to-pay.tsx';
import { PaymentCard } from './payment-card.tsx';
import type { Language } from './languages.ts';
import { hasReceipt, mayChoose, mayLeaveRefundAddress, redirectOf } from './order-rules.ts';
import { followingOf, isPastDeadline, shownConfirmations } from './order-snapshot.ts';
import type { OrderSnapshot } from './order-snapshot.ts';
import { RefundCard, RefundForm } from './refund.tsx';
import { SLOTS } from './template.ts';
import { stateOf, wordingOf } from './i18n-text.ts';
import type { PayerState, Wording } from './i18n-text.ts';

const REFRESH_SECONDS = { waiting: 5, choosing: 60, seldom: 30 };
const REDIRECT_SECONDS = 5;

/** Renders the page of an order. Its links are relative: a proxy may serve it under any path. */
export function renderMain(page: CheckoutPage): RenderedMain {
  const { title } = wordingOn(page);
  return { title, html: renderToString(<Main page={page} />), refresh: refreshOf(page) };
}

/** The message of a page: a page with coins asks to choose one, also where one was chosen before. */
function wordingOn({ snapshot, language, choices }: CheckoutPage): Wording {
  return wordingOf(snapshot, language, choices === null ? stateOf(snapshot) : 'choose');
}

function Main({ page }: { readonly page: CheckoutPage }): VNode {
  const { snapshot, language, refusal, refundForm, staying, choices } = page;
  const { view } = snapshot;
  const { order } = view;
  const redirect = refundForm || staying ? null : redirectOf(order);
  return (
    <main
      id="checkout"
      data-version={snapshot.version}
      data-follow={refundForm ? 'never' : followingOf(snapshot, snapshot.at)}
      data-every={choices === null ? undefined : REFRESH_SECONDS.choosing}
      data-redirect={redirect ?? undefined}
    >
      <p id="said" class="unseen" role="status" />
      <Status page={page} />
      {refusal === null || refundForm ? null : (
        <p id="refusal" class="card refusal" role="alert">
          {language.text(refusal, { chain: view.chainName })}
        </p>
      )}
      {refundForm ? (
        <RefundForm snapshot={snapshot} language={language} typed={page.typed} refusal={refusal} />
      ) : choices !== null ? (
        <>
          <Coins page={page} />
          <BoughtCard order={order} language={language} />
        </>
      ) : (
        <Details page={page} />
      )}
      <p id="order" class="soft order">
        {language.text('order', { id: order.id })}
        {snapshot.item === null || order.merchantReference === null ? null : (
          <>
            {' · '}
            <bdi>{order.merchantReference}</bdi>
          </>
        )}
      </p>
    </main>
  );
}

function Details({ page }: { readonly page: CheckoutPage }): VNode {
  const { snapshot, language } = page;
  const { view } = snapshot;
  const payable = isPayable(snapshot);
  return (
    <>
      {payable ? <HowToPay snapshot={snapshot} language={language} /> : null}
      <PaymentCard snapshot={snapshot} language={language} />
      <BoughtCard order={view.order} language={language} />
      <RefundCard page={page} />
      <Ways page={page} choosable={mayChoose(view) && payable} />
    </>
  );
}

function isPayable({ view, at }: OrderSnapshot): boolean {
  const { status, payment } = view.order;
  return status === 'PENDING' && payment !== null && view.remaining !== '0' && !isPastDeadline(view, at);
}

/**
 * The states of an order that is paid as agreed. Its page does not offer to add a refund address; `?view=refund` opens
 * the form when the merchant asks for one.
 */
const SETTLED: ReadonlySet<PayerState> = new Set<PayerState>(['seen', 'confirming', 'paid', 'paidLate']);

/** The payer's next steps, or a text that there are none. */
function Ways({ page, choosable }: { readonly page: CheckoutPage; readonly choosable: boolean }): VNode | null {
  const { snapshot, language, browser, staying } = page;
  const { view, refund, at } = snapshot;
  const { order } = view;
  const merchant = redirectOf(order);
  const offered = view.refundAddress !== null || !SETTLED.has(stateOf(snapshot));
  const refundable = refund === null && offered && mayLeaveRefundAddress(view, browser);
  const receipt = hasReceipt(order) && view.seen;
  const over = followingOf(snapshot, at) === 'never' || (order.status === 'OVERDUE' && !view.seen);
  if (merchant === null && !refundable && !choosable && !receipt && !over) return null;
  return (
    <div id="ways" class="ways">
      {merchant === null ? null : (
        <>
          {staying ? null : <p class="soft">{language.text('leaving')}</p>}
          <a class="button main" href={merchant} rel="noreferrer">
            {language.text('toMerchant')}
          </a>
        </>
      )}
      {merchant === null && over ? <p class="soft">{language.text('closeText')}</p> : null}
      {receipt && (merchant === null || staying) ? (
        <button class="button print" type="button" data-print>
          {language.text('print')}
        </button>
      ) : null}
      {receipt && merchant !== null && !staying ? (
        <a class="quiet" href={`${order.checkoutToken}?view=receipt`}>
          {language.text('stay')}
        </a>
      ) : null}
      {choosable ? (
        <a class="quiet" href={`${order.checkoutToken}?view=coins`}>
          {language.text('otherCoin')}
        </a>
      ) : null}
      {refundable ? (
        <a class={order.status === 'PARTIAL' ? 'button' : 'quiet'} href={`${order.checkoutToken}?view=refund`}>
          {language.text(view.refundAddress === null ? 'refundAsk' : 'refundChange')}
        </a>
      ) : null}
    </div>
  );
}

function Status({ page }: { readonly page: CheckoutPage }): VNode {
  const { snapshot, language } = page;
  const { view, at } = snapshot;
  const { order } = view;
  const { title, text, tone, state } = wordingOn(page);
  const what = snapshot.item ?? order.merchantReference;
  const open = order.status === 'PENDING' && !isPastDeadline(view, at) && view.remaining !== '0';
  return (
    <section id="status" class={`card status ${tone}`} data-state={state} aria-labelledby="title">
      <p class="what">
        {what === null ? null : (
          <span class="item">
            <bdi>{what}</bdi>
          </span>
        )}
        <strong class="price">{moneyOf(order.vsPrice, order.vsCurrency, language)}</strong>
      </p>
      <h1 id="title" tabIndex={-1}>
        {title}
      </h1>
      <p id="words">{text}</p>
      {state === 'confirming' ? <Progress view={view} language={language} /> : null}
      {open ? (
        <p class="left">
          <span class="soft">{language.text('timeLeft')}</span>{' '}
          <span id="left" role="timer" data-left={SLOTS.leftMs} data-last-minute={language.text('lastMinute')}>
            {SLOTS.leftText}
          </span>
        </p>
      ) : null}
    </section>
  );
}

/** How far the network is with the payment, and about how long the rest takes where the chain's block time is known. */
function Progress({ view, language }: { readonly view: CheckoutView; readonly language: Language }): VNode {
  const count = shownConfirmations(view);
  const { confirmationsRequired: needed, blockSeconds } = view;
  const left = blockSeconds === null ? null : (needed - count) * blockSeconds;
  return (
    <>
      <progress max={needed} value={count} aria-label={language.text('confirmations')} />
      <p class="soft progress">
        {left === null || left <= 0
          ? language.text('progress', { count, needed })
          : language.text('progressAbout', { count, needed, time: language.about(left * 1000) })}
      </p>
    </>
  );
}

/** No refresh while the payer types, a redirect after the end, else a reload. */
function refreshOf({ snapshot, choices, refundForm, staying }: CheckoutPage): string | null {
  const { order } = snapshot.view;
  if (refundForm) return null;
  if (choices !== null)
    return `${REFRESH_SECONDS.choosing};url=${order.checkoutToken}${order.payment === null ? '' : '?view=coins'}`;
  const target = redirectOf(order);
  if (target !== null) return staying ? null : `${REDIRECT_SECONDS};url=${target}`;
  const following = followingOf(snapshot, snapshot.at);
  if (following === 'never') return null;
  return `${following === 'stream' ? REFRESH_SECONDS.waiting : REFRESH_SECONDS.seldom};url=${order.checkoutToken}`;
}
