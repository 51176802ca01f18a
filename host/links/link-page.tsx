/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { LinkView, PaymentLink } from '../../core/index.ts';
import type { Brand } from '../checkout/brands.ts';
import { moneyOf } from '../checkout/fiat-amount.ts';
import type { Language } from '../checkout/languages.ts';
import { CartFields } from './cart-fields.tsx';
import type { ShownChoice } from './cart-form.ts';
import { linkText } from './link-text.ts';
import type { LinkPage } from './link-writer.ts';
import type { LinkMessageName } from './messages/en.ts';

/** The data of a link's page. */
export interface ShownLink {
  readonly view: LinkView;
  readonly brand: Brand;
  readonly language: Language;
  /** The hidden field of its form. */
  readonly form: string;
  /** Why the form was refused. */
  readonly refusal: string | null;
  /** The amount that was typed. */
  readonly amount: string;
  /** The prices and tips that the page shows, which its form names. */
  readonly offer: string;
  readonly choice: ShownChoice;
  /** Whether this browser may have an order that already reserves one of the link's uses. */
  readonly known: boolean;
}

const MESSAGES = {
  'sold-out': ['soldOutTitle', 'soldOutText'],
  reserved: ['reservedTitle', 'reservedText'],
  ended: ['endedTitle', 'endedText'],
} as const satisfies Readonly<Record<string, readonly [LinkMessageName, LinkMessageName]>>;

/** The page of a link: the product, and one button. */
export function linkPage(shown: ShownLink): LinkPage {
  const { view, brand } = shown;
  return { status: 200, title: view.link.title, html: renderToString(<Main {...shown} />), refresh: null, brand };
}

/** A page with only a message. */
export function messagePage(status: number, title: string, text: string): LinkPage {
  const html = renderToString(
    <main id="link">
      <section id="status" class="card status bad">
        <h1 id="title">{title}</h1>
        <p>{text}</p>
      </section>
    </main>,
  );
  return { status, title, html, refresh: null };
}

/**
 * The product, in its own writing direction. The seller is shown only by the page's brand, whose name is unique; the
 * account's own name is not shown to payers.
 */
export function Head({ view: { link } }: Pick<ShownLink, 'view'>): VNode {
  return (
    <>
      <h1 id="title">
        <bdi>{link.title}</bdi>
      </h1>
      {link.description === '' ? null : (
        <p class="described">
          <bdi>{link.description}</bdi>
        </p>
      )}
    </>
  );
}

function Main(shown: ShownLink): VNode {
  const { view, language, refusal, known } = shown;
  const closed = view.state === 'open' ? null : MESSAGES[view.state];
  const going = view.state === 'reserved' && known;
  return (
    <main id="link">
      <section class="card">
        <Head view={view} />
        {closed === null || going ? <OrderForm {...shown} going={going} /> : null}
      </section>
      {closed === null ? null : (
        <section id="status" class="card status warn">
          <h2>{linkText(language, closed[0])}</h2>
          <p>{linkText(language, closed[1])}</p>
        </section>
      )}
      {refusal === null ? null : (
        <p id="refusal" class="card refusal" role="alert">
          {refusal}
        </p>
      )}
    </main>
  );
}

function OrderForm({
  view: { link },
  language,
  form,
  amount,
  offer,
  choice,
  going,
}: ShownLink & { readonly going: boolean }): VNode {
  return (
    <form class="sell" method="post" action={link.token}>
      <input type="hidden" name="form" value={form} />
      <AmountField link={link} language={language} amount={amount} />
      <CartFields link={link} language={language} offer={offer} choice={choice} />
      <button class="button main" type="submit">
        {linkText(language, going ? 'goOn' : 'payButton')}
      </button>
    </form>
  );
}

/** The link's fixed amount, or a field for it, where it has no items: a text field, because browsers format numbers in their own way. */
export function AmountField({
  link,
  language,
  amount,
}: {
  readonly link: PaymentLink;
  readonly language: Language;
  readonly amount: string;
}): VNode | null {
  if (link.items.length > 0) return null;
  if (link.price !== null) return <p class="sum-fixed">{moneyOf(link.price, link.vsCurrency, language)}</p>;
  const bounds = boundsOf(link, language);
  return (
    <>
      <label for="amount">{linkText(language, 'amountLabel', { currency: link.vsCurrency })}</label>
      <input
        id="amount"
        name="amount"
        type="text"
        inputMode="decimal"
        autoComplete="off"
        dir="ltr"
        maxLength={20}
        required
        value={amount}
        aria-describedby={bounds === null ? undefined : 'bounds'}
      />
      {bounds === null ? null : (
        <p id="bounds" class="soft note">
          {bounds}
        </p>
      )}
    </>
  );
}

function boundsOf({ minPrice, maxPrice, vsCurrency }: PaymentLink, language: Language): string | null {
  const [least, most] = [minPrice, maxPrice].map((units) =>
    units === null ? '' : moneyOf(units, vsCurrency, language),
  );
  if (minPrice === null && maxPrice === null) return null;
  const name = minPrice === null ? 'amountTo' : maxPrice === null ? 'amountFrom' : 'amountBetween';
  return linkText(language, name, { least: least ?? '', most: most ?? '' });
}
