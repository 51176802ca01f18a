/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { VNode } from 'preact';
import { LIGHTNING_ASSET } from '../../core/index.ts';
import type { CheckoutPage, Choice } from './checkout-page.ts';
import { CoinMark } from './coin-mark.tsx';
import { networkName } from './coin-name.ts';
import type { Language } from './languages.ts';
import { shownAmount } from './shown-amount.ts';

/** The coins in which the order can be paid, each in its own form, so that the page needs no script. */
export function Coins({ page }: { readonly page: CheckoutPage }): VNode {
  const { snapshot, language } = page;
  const { order } = snapshot.view;
  const rows = rowsOf(page);
  return (
    <section id="coins" class="card" aria-labelledby="coins-title">
      <h2 id="coins-title">{language.text('coins')}</h2>
      {rows.length === 0 ? <p>{language.text('noCoins')}</p> : null}
      <ul>
        {rows.map((row) => (
          <li key={row.choice.asset.currency}>
            <CoinForm row={row} token={order.checkoutToken} language={language} />
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

/** A coin, and whether its QR code also contains a Lightning invoice. */
interface Row {
  readonly choice: Choice;
  readonly both: boolean;
}

/** Bitcoin and Lightning are one choice unless the order has an address without an invoice. */
function rowsOf({ choices, snapshot: { view } }: CheckoutPage): readonly Row[] {
  const coins = choices ?? [];
  const has = (currency: string): boolean => coins.some(({ asset }) => asset.currency === currency);
  const alone = view.order.payment?.currency === 'BTC' && view.invoice === null;
  const both = has('BTC') && has(LIGHTNING_ASSET.currency) && !alone;
  return coins
    .filter(({ asset }) => !both || asset.currency !== LIGHTNING_ASSET.currency)
    .map((choice) => ({ choice, both: both && choice.asset.currency === 'BTC' }));
}

function CoinForm({ row, token, language }: { row: Row; token: string; language: Language }): VNode {
  const { asset, chainName, amount } = row.choice;
  const { text, unit } = shownAmount(asset, amount, language);
  const network = row.both ? language.text('onBoth', { chain: chainName }) : chainName;
  return (
    <form method="post" action={`${token}/choice`}>
      <input type="hidden" name="chain" value={asset.chain} />
      <input type="hidden" name="currency" value={asset.currency} />
      <button class="coin" type="submit">
        <CoinMark coin={asset} />
        <span class="name">
          <bdi>
            <strong>{asset.symbol}</strong> · {networkName(asset, network)}
          </bdi>
        </span>
        <span class="sum" dir="ltr">
          {text} <span class="soft">{unit}</span>
        </span>
      </button>
    </form>
  );
}
