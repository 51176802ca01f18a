/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { VNode } from 'preact';
import { Address } from './address.tsx';
import type { Language } from './languages.ts';
import type { CheckoutPage } from './checkout-page.ts';
import { isOwnAddress, usesRefundAddress } from './order-rules.ts';
import type { OrderSnapshot } from './order-snapshot.ts';

interface Shown {
  readonly snapshot: OrderSnapshot;
  readonly language: Language;
}

/** The destination of a refund; nothing when there is none. */
export function RefundCard({ page }: { readonly page: CheckoutPage }): VNode | null {
  const { snapshot, language, browser } = page;
  const { view, refund } = snapshot;
  const address = refund?.address ?? (usesRefundAddress(view) ? view.refundAddress : null);
  if (address === null) return null;
  return (
    <section id="refund" class="card" aria-labelledby="refund-title">
      <h2 id="refund-title">{language.text(refund === null ? 'refundTitle' : 'refundYours')}</h2>
      <dl>
        {refund === null ? null : (
          <div class="field">
            <dt>{language.text(refund.sent ? 'refundAmount' : 'refundAmountNet')}</dt>
            <dd>
              <span class="value">
                <bdi dir="ltr">
                  <code>{refund.amount}</code> {view.symbol}
                </bdi>
              </span>
            </dd>
          </div>
        )}
        <div class="field">
          <dt>{refund === null ? language.text('refundTo') : language.text('address')}</dt>
          <dd>
            <Address text={address} />
          </dd>
        </div>
      </dl>
      {refund !== null || isOwnAddress(view, browser) ? null : (
        <p class="soft note">{language.text('refundElsewhere')}</p>
      )}
    </section>
  );
}

export function RefundForm({
  snapshot: { view },
  language,
  typed,
  refusal,
}: Shown & Pick<CheckoutPage, 'typed' | 'refusal'>): VNode {
  const { order, chainName } = view;
  return (
    <section id="refund-form" class="card" aria-labelledby="refund-title">
      <h2 id="refund-title">{language.text('refundTitle')}</h2>
      <form method="post" action={`${order.checkoutToken}/refund-address`}>
        <label for="address">{language.text('refundLabel', { chain: chainName })}</label>
        <input
          id="address"
          name="address"
          dir="ltr"
          required
          maxLength={128}
          value={typed}
          aria-invalid={refusal === 'refusedAddress' ? 'true' : undefined}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          aria-describedby={refusal === null ? 'refund-note' : 'refusal refund-note'}
        />
        {refusal === null ? null : (
          <p id="refusal" class="wrong" role="alert">
            {language.text(refusal, { chain: chainName })}
          </p>
        )}
        <p id="refund-note" class="soft note">
          {language.text('refundNote')}
        </p>
        <button class="button main" type="submit">
          {language.text('refundSave')}
        </button>
      </form>
      <a class="button" href={order.checkoutToken}>
        {language.text('back')}
      </a>
    </section>
  );
}
