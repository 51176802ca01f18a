import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TillgateError } from '../../core/index.ts';
import type { AccountId, AppId, Asset, Branding, Logo, Plan, PrepaidView } from '../../core/index.ts';
import { Brands } from '../../host/checkout/brands.ts';
import { CheckoutPages } from '../../host/checkout/checkout-pages.ts';
import { findLanguage, negotiateLanguage } from '../../host/checkout/languages.ts';
import type { PageSite } from '../../host/checkout/page-site.ts';
import type { PageReply } from '../../host/checkout/page-writer.ts';
import type { PayerState } from '../../host/checkout/i18n-text.ts';
import { topUpPage } from '../../host/top-up/top-up-page.tsx';
import type { OrderSnapshot } from '../../host/checkout/order-snapshot.ts';
import { changed, CHOICES, NOW, SAMPLES } from '../host/checkout-samples.ts';
import type { Tour } from './gallery-looks.ts';
import { LINK_PAGES, LinkGallery } from './link-gallery.ts';

const price = (digits: bigint): Plan['vsPrice'] => ({ digits, scale: 2 });
const PREPAID: PrepaidView = {
  units: {
    appId: '1530217733414232064' as AppId,
    token: '0d1f4a0c6c7b4c2f9d3e5a6b7c8d9e0f',
    bought: 1_000_000,
    used: 998_796,
  },
  left: 1_204,
  plans: [
    { name: 'starter', units: 1_000_000, vsCurrency: 'USD', vsPrice: price(1000n) },
    { name: 'growth-and-a-long-name-for-a-plan', units: 250_000_000, vsCurrency: 'EUR', vsPrice: price(149_900n) },
  ],
  topUpUrl: '',
};

/** Every page that there are pictures of. */
export const GALLERY_PAGES: readonly string[] = [
  ...Object.keys(SAMPLES),
  'paid?view=receipt',
  'short?view=refund',
  'short?view=refund&error=40001',
  'waiting?view=coins',
  'branded-choose',
  'branded-waiting',
  'branded-paid?view=receipt',
  'branded-lost',
  'sandbox-choose',
  'sandbox-waiting',
  ...LINK_PAGES,
  'no-such-order',
];

/** The tours through the payer's pages. @param url - of {@link startGallery} */
export const payerTours = (url: string): readonly Tour[] =>
  (['en', 'ar'] as const).map((language) => ({
    language,
    walk: async (page, show, wants) => {
      for (const path of GALLERY_PAGES) {
        const name = `payer/${path.replaceAll(/[?&]\w+=/g, '-')}`;
        if (!wants(name)) continue;
        await page.goto(`${url}/${path}`);
        await show(name);
      }
    },
  }));

/** A yellow square. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mP4f52BJMQwqmFUw/DVAADcQNYQAY29EwAAAABJRU5ErkJggg==';
const LOGO: Logo = { id: 'f'.repeat(64), type: 'image/png', bytes: Buffer.from(PICTURE, 'base64') };
/** A page of a merchant whose colour nobody could read as it is. */
const BRAND: Branding = {
  accountId: 'branded' as AccountId,
  name: 'Corner Shop & Söhne',
  colour: '#ffd700',
  support: 'help@corner-shop.example',
  logo: LOGO,
  version: 2,
  updatedAt: NOW,
};
const BRANDED = 'branded-';
const SANDBOX = 'sandbox-';
const SITE = { sandbox: false, name: () => 'pay.corner-shop.example' } as const;

/** A sample by its name; with `branded-` before it the page is a merchant's. */
function sampleOf(token: string): OrderSnapshot | undefined {
  if (!token.startsWith(BRANDED)) return SAMPLES[token as PayerState];
  const found = SAMPLES[token.slice(BRANDED.length) as PayerState];
  const order = { accountId: BRAND.accountId, checkoutToken: token, merchantReference: 'INV-2041' } as const;
  return changed(found, { order, item: 'Summer concert, third row' });
}

/** Serves the payer's page of an order, and those of links and points of sale, in each state, as the host makes them, and nothing behind it: no stream, no state. */
export async function startGallery(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const clock = { now: () => NOW };
  const branding = {
    of: async (accountId: AccountId) => (accountId === BRAND.accountId ? BRAND : null),
    logo: async () => LOGO,
  };
  const links = new LinkGallery(() => new Brands(branding, clock, SITE).of(BRAND.accountId));
  const pagesOf = (site: PageSite): CheckoutPages =>
    new CheckoutPages(
      {
        read: async (token) => {
          const found = sampleOf(token.replace(SANDBOX, ''));
          if (found === undefined) throw new TillgateError('NOT_FOUND', 'There is no such order.');
          return found;
        },
      },
      {
        choosePayment: {
          options: async () => CHOICES.map(({ asset, amount }) => ({ asset, units: unitsOf(amount, asset) })),
        },
        assets: { chainName: (chain) => CHOICES.find(({ asset }) => asset.chain === chain)?.chainName ?? chain },
        clock,
        storage: { branding, webhooks: { enabled: async () => [] } },
      },
      site,
    );
  const pages = pagesOf(SITE);
  const sandboxPages = pagesOf({ ...SITE, sandbox: true });
  const server = createServer((req, res) => {
    const url = new URL(req.url ?? '/', 'http://gallery');
    const name = url.pathname.split('/').at(-1) ?? '';
    const script = [pages.files.script, links.files.script].find((each) => each.name === name);
    if (script !== undefined) {
      res.writeHead(200, { 'Content-Type': 'text/javascript' }).end(script.body);
      return;
    }
    if (name === LOGO.id) {
      res.writeHead(200, { 'Content-Type': LOGO.type }).end(LOGO.bytes);
      return;
    }
    if (name === 'events') {
      res.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(':\n\n');
      return;
    }
    const language =
      findLanguage(url.searchParams.get('lang')) ?? negotiateLanguage(req.headers['accept-language'] ?? null);
    const wanted = {
      language,
      view: url.searchParams.get('view'),
      error: url.searchParams.get('error'),
      browser: null,
      typed: '0x70997970C51812dc3A010C7d01b50e0d17dc79C',
      partOnly: url.searchParams.has('part'),
    };
    const replyOf = async (): Promise<PageReply> =>
      name === 'top-up'
        ? topUpPage(() => Promise.resolve(PREPAID), language, wanted.error, SITE.sandbox)
        : ((await links.reply(name, language)) ??
          (name.startsWith(SANDBOX) ? sandboxPages : pages).reply(name, wanted));
    void replyOf().then(({ status, headers, body }) => res.writeHead(status, headers).end(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/checkout`, close: () => close(server) };
}

function unitsOf(amount: string, { decimals }: Asset): bigint {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
