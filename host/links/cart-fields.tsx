/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { VNode } from 'preact';
import { findFiat } from '../../core/index.ts';
import type { Cart, LinkItem, PaymentLink } from '../../core/index.ts';
import type { Language } from '../checkout/languages.ts';
import { moneyOf } from '../checkout/fiat-amount.ts';
import { itemField, OWN, OWN_TIP } from './cart-form.ts';
import type { ShownChoice } from './cart-form.ts';
import { linkText } from './link-text.ts';

interface CartFieldsProps {
  readonly link: PaymentLink;
  readonly language: Language;
  /** The prices and tips that this page shows. */
  readonly offer: string;
  readonly choice: ShownChoice;
}

/** Whether a link's form has items or tips. */
export const hasCart = ({ items, tips }: Pick<PaymentLink, 'items' | 'tips'>): boolean =>
  items.length > 0 || tips.length > 0;

/** The items and tips of a link. Without a script, quantities are typed, and the next page shows the total. */
export function CartFields({ link, language, offer, choice }: CartFieldsProps): VNode | null {
  if (!hasCart(link)) return null;
  const { items, tips, price, vsCurrency } = link;
  return (
    <div
      class="cart"
      data-currency={vsCurrency}
      data-decimals={findFiat(vsCurrency)?.decimals ?? 0}
      data-price={price?.toString()}
    >
      <input type="hidden" name="offer" value={offer} />
      {items.length === 0 ? null : (
        <ul class="items">
          {items.map((item) => (
            <Item key={item.id} item={item} link={link} language={language} choice={choice} />
          ))}
        </ul>
      )}
      {tips.length === 0 ? null : <Tips link={link} language={language} choice={choice} />}
      <p class="total">
        <span>{linkText(language, 'totalLabel')}</span> <output />
      </p>
    </div>
  );
}

interface ItemProps extends Omit<CartFieldsProps, 'offer'> {
  readonly item: LinkItem;
}

function Item({ item: { id, name, price }, link, language, choice }: ItemProps): VNode {
  const field = itemField(id);
  return (
    <li data-price={price.toString()}>
      <label class="pick" for={field}>
        <bdi>{name}</bdi>
        <span class="soft">{moneyOf(price, link.vsCurrency, language)}</span>
      </label>
      <button type="button" class="step" data-step="-1" aria-label={linkText(language, 'lessOf', { item: name })}>
        −
      </button>
      <input
        id={field}
        name={field}
        type="text"
        inputMode="numeric"
        autoComplete="off"
        dir="ltr"
        maxLength={2}
        value={choice.quantities.get(id) ?? '0'}
      />
      <button type="button" class="step" data-step="1" aria-label={linkText(language, 'moreOf', { item: name })}>
        +
      </button>
    </li>
  );
}

function Tips({ link, language, choice: { tip, ownTip } }: Omit<CartFieldsProps, 'offer'>): VNode {
  const percent = new Intl.NumberFormat(`${language.tag}-u-nu-latn`, { style: 'percent' });
  const chosen = tip === OWN || link.tips.includes(Number(tip)) ? tip : '';
  const ways = [
    ['', linkText(language, 'noTip')],
    ...link.tips.map((each) => [String(each), percent.format(each / 100)] as const),
    [OWN, linkText(language, 'ownTip')],
  ] as const;
  return (
    <fieldset class="tips">
      <legend>{linkText(language, 'tip')}</legend>
      <div class="ways-to-tip">
        {ways.map(([value, words]) => (
          <label key={value}>
            <input type="radio" name="tip" value={value} checked={value === chosen} />
            <span>
              {words}
              {/^\d/.test(value) ? <small data-percent={value} /> : null}
            </span>
          </label>
        ))}
      </div>
      <input
        name={OWN_TIP}
        type="text"
        inputMode="decimal"
        autoComplete="off"
        dir="ltr"
        maxLength={20}
        value={ownTip}
        aria-label={linkText(language, 'ownTipLabel', { currency: link.vsCurrency })}
      />
    </fieldset>
  );
}

interface BoughtProps {
  readonly cart: Cart;
  readonly vsCurrency: string;
  readonly language: Language;
}

/** What was bought, in a line that the customer can read beside the amount. */
export function Bought({ cart: { lines, tip }, vsCurrency, language }: BoughtProps): VNode {
  const parts = lines.map(({ name, quantity }) => `${language.count(quantity)} × ${name}`);
  if (tip > 0n) parts.push(`${linkText(language, 'tip')} ${moneyOf(tip, vsCurrency, language)}`);
  return (
    <p class="soft bought">
      {parts.map((part, at) => (
        <>
          {at === 0 ? null : ' · '}
          <bdi>{part}</bdi>
        </>
      ))}
    </p>
  );
}
