/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { VNode } from 'preact';
import type { CheckoutPage } from './checkout-page.ts';

/** The coins that the order can be paid in, each a form of its own: the page needs no script for them. */
export function Coins({ page: { choices, snapshot, language } }: { readonly page: CheckoutPage }): VNode {
  const { order } = snapshot.view;
  const coins = choices ?? [];
  return (
    <section id="coins" class="card" aria-labelledby="coins-title">
      <h2 id="coins-title">{language.text('coins')}</h2>
      {coins.length === 0 ? <p>{language.text('noCoins')}</p> : null}
      <ul>
        {coins.map(({ asset, chainName, amount }) => (
          <li key={asset.currency}>
            <form method="post" action={`${order.checkoutToken}/choice`}>
              <input type="hidden" name="chain" value={asset.chain} />
              <input type="hidden" name="currency" value={asset.currency} />
              <button class="coin" type="submit">
                <span class="name">
                  <strong>{asset.currency}</strong>{' '}
                  <span class="soft">{language.text('onChain', { chain: chainName })}</span>
                </span>
                <span class="sum" dir="ltr">
                  {amount} <span class="soft">{asset.symbol}</span>
                </span>
              </button>
            </form>
          </li>
        ))}
      </ul>
      {order.payment === null ? null : (
        <a class="button" href={order.checkoutToken}>
          {language.text('back')}
        </a>
      )}
    </section>
  );
}
