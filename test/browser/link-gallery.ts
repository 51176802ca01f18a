import type { CheckoutView, LinkState, LinkView, Order, PaymentLink } from '../../core/index.ts';
import { NO_BRAND } from '../../host/checkout/brands.ts';
import type { Brand } from '../../host/checkout/brands.ts';
import type { Language } from '../../host/checkout/languages.ts';
import { pointOfSalePage, unpairedPage } from '../../host/links/point-of-sale-page.tsx';
import type { ScanCode, ShownPointOfSale, ShownSale } from '../../host/links/point-of-sale-page.tsx';
import { NO_CHOICE } from '../../host/links/cart-form.ts';
import type { ShownChoice } from '../../host/links/cart-form.ts';
import { linkPage } from '../../host/links/link-page.tsx';
import { linkText } from '../../host/links/link-text.ts';
import { LinkWriter } from '../../host/links/link-writer.ts';
import type { LinkPage } from '../../host/links/link-writer.ts';
import type { LinkMessageName } from '../../host/links/messages/en.ts';
import { CART, NOW, SAMPLES } from '../host/checkout-samples.ts';

type Sample = (language: Language, brand: Brand) => LinkPage;

const MINUTE = 60_000;
const DESCRIPTION = 'One seat in the third row.\nDoors open at seven.';

function viewOf(link: Partial<PaymentLink>, state: LinkState = 'open'): LinkView {
  const defaults = { title: 'Summer concert', description: DESCRIPTION, vsCurrency: 'EUR', price: 1250n };
  return {
    link: {
      ...{ token: 'link', minPrice: null, maxPrice: null, items: [], tips: [], coins: null },
      ...defaults,
      ...link,
    } as PaymentLink,
    state,
  };
}

/** What an own amount is asked by. */
const CHOSEN = { title: 'A donation of as much as you like', price: null, minPrice: 500n, maxPrice: 100_000n } as const;

interface Shown {
  readonly state?: LinkState;
  readonly refusal?: LinkMessageName;
  readonly known?: boolean;
}

const link =
  (given: Partial<PaymentLink>, { state = 'open', refusal, known = false }: Shown = {}): Sample =>
  (language, brand) =>
    linkPage({
      ...{ view: viewOf(given, state), brand, language, form: 'form', known },
      refusal: refusal === undefined ? null : linkText(language, refusal),
      amount: refusal === undefined ? '' : '3',
      ...{ offer: 'offer', choice: refusal === undefined ? NO_CHOICE : CHOICE },
    });

/** Orders of the day, newest first. */
const TODAY: readonly Order[] = (
  [
    ['waiting', 420n],
    ['paid', 1_234_567_890n],
    ['expired', 1250n],
    ['partial', 980n],
    ['refunded', 1999n],
    ['cancelled', 650n],
    ['paidLate', 300n],
  ] as const
).map(([name, vsPrice], at) => ({
  ...SAMPLES[name].view.order,
  vsPrice,
  createdAt: NOW - at * 47 * MINUTE,
}));

const MENU: Partial<PaymentLink> = {
  price: null,
  items: [
    { id: 'espresso', name: 'Espresso', price: 235n },
    { id: 'tea', name: 'Tea', price: 310n },
    { id: 'cake', name: 'Chocolate cake with cherries, the large piece', price: 640n },
  ],
  tips: [10, 15, 20],
};
const CHOICE: ShownChoice = {
  quantities: new Map([
    ['espresso', '2'],
    ['cake', '1'],
  ]),
  tip: '15',
  ownTip: '',
};

const POINT_OF_SALE = { face: 'POINT_OF_SALE', title: 'Coffee bar', description: '', price: null } as const;

const pointOfSale =
  (given: Partial<ShownPointOfSale> = {}, of: Partial<PaymentLink> = {}): Sample =>
  (language, brand) =>
    pointOfSalePage({
      ...{ view: viewOf({ ...POINT_OF_SALE, ...of }), brand, language, form: 'form', refusal: null, amount: '' },
      ...{ sales: TODAY, zoneMinutes: 0, sale: null, offer: 'offer', choice: CHOICE, ...given },
    });

const seenOf = ({ seen, remaining }: CheckoutView): ShownSale['seen'] =>
  seen ? (remaining === '0' ? 'all' : 'part') : 'nothing';

/** A sale that is before the payer, as one of the samples of the payer's page is. */
const sale = (name: keyof typeof SAMPLES, scan: ScanCode | null = null): Sample =>
  pointOfSale({ sale: { order: SAMPLES[name].view.order, scan, seen: seenOf(SAMPLES[name].view) } });

const scanOf = (name: 'waiting' | 'short' | 'waitingLightning'): ScanCode => {
  const payment = SAMPLES[name].view;
  return { text: payment.paymentUri, payment };
};
const PAGE: ScanCode = { text: 'https://pay.shop.example/checkout/0d1f4a0c6c7b4c2f9d3e5a6b7c8d9e0f', payment: null };

const BRANDED = 'branded-';
const SAMPLES_OF_LINKS: Readonly<Record<string, Sample>> = {
  link: link({}),
  'link-chosen': link(CHOSEN),
  'link-refused': link(CHOSEN, { refusal: 'refusedAmount' }),
  'link-items': link(MENU),
  'link-tip': link({ tips: [10, 15, 20] }),
  'link-long': link({ title: 'x'.repeat(100), price: 999_999_999_99n, description: 'word '.repeat(60) }),
  'link-reserved': link({}, { state: 'reserved' }),
  'link-go-on': link({}, { state: 'reserved', known: true }),
  'link-sold-out': link({}, { state: 'sold-out' }),
  'link-ended': link({}, { state: 'ended' }),
  'point-of-sale-unpaired': (language) => unpairedPage('point-of-sale', language, linkText(language, 'pairRefused')),
  'point-of-sale-pad': pointOfSale(),
  'point-of-sale-first': pointOfSale({ sales: [] }),
  'point-of-sale-fixed': pointOfSale({}, { price: 420n }),
  'point-of-sale-items': pointOfSale({}, MENU),
  'point-of-sale-own-tip': pointOfSale({ choice: { ...CHOICE, tip: 'own', ownTip: '1.50' } }, MENU),
  'point-of-sale-refused': (language, brand) =>
    pointOfSale({ refusal: linkText(language, 'refusedAmount'), amount: '0.001' })(language, brand),
  'point-of-sale-sale': sale('choose', PAGE),
  'point-of-sale-sale-items': pointOfSale({
    sale: { order: { ...SAMPLES.choose.view.order, cart: CART }, scan: PAGE, seen: 'nothing' },
  }),
  'point-of-sale-coin': sale('waiting', scanOf('waiting')),
  'point-of-sale-coin-short': sale('short', scanOf('short')),
  'point-of-sale-lightning': sale('waitingLightning', scanOf('waitingLightning')),
  'point-of-sale-seen': sale('confirming'),
  'point-of-sale-paid': sale('paid'),
  'point-of-sale-over': sale('expired'),
  'point-of-sale-partly': sale('partial'),
};
const OF_A_MERCHANT: readonly string[] = ['link', 'point-of-sale-pad', 'point-of-sale-sale', 'point-of-sale-paid'];

/** Every page of a payment link and of a point of sale that there are pictures of. */
export const LINK_PAGES: readonly string[] = [
  ...Object.keys(SAMPLES_OF_LINKS),
  ...OF_A_MERCHANT.map((name) => `${BRANDED}${name}`),
];

/** Writes the pages of links as the host does. */
export class LinkGallery {
  readonly #writer = new LinkWriter(false);
  readonly #brand: () => Promise<Brand>;

  /** @param brand - of the pages that begin with `branded-` */
  constructor(brand: () => Promise<Brand>) {
    this.#brand = brand;
  }

  get files(): LinkWriter['files'] {
    return this.#writer.files;
  }

  /** `null` for a name that is none of these pages'. */
  async reply(name: string, language: Language): Promise<ReturnType<LinkWriter['reply']> | null> {
    const branded = name.startsWith(BRANDED);
    const sample = SAMPLES_OF_LINKS[branded ? name.slice(BRANDED.length) : name];
    if (sample === undefined) return null;
    return this.#writer.reply(
      sample(language, branded ? await this.#brand() : { ...NO_BRAND, name: 'pay.corner-shop.example' }),
      language,
    );
  }
}
