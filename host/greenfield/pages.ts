import { readFileSync } from 'node:fs';
import { ANYBODY, textOperation } from '../../adapters/http/index.ts';
import type { HttpResponse, Operation } from '../../adapters/http/index.ts';
import { TillgateError } from '../../core/index.ts';
import type { OrderStore, ShopOrderStore } from '../../core/index.ts';
import { queryOf } from '../http/query-of.ts';

export interface ShopPagesDeps {
  readonly storage: {
    readonly orders: Pick<OrderStore, 'findByCheckoutToken'>;
    readonly shopOrders: Pick<ShopOrderStore, 'find'>;
  };
}

const TOKEN = /^[0-9a-f]{32}$/;
const LANGUAGE = /^[a-z]{2,3}(?=$|[-_])/i;
const shared = { method: 'GET', tag: 'Checkout', auth: ANYBODY, hidden: true } as const;

/** The pages that shop plugins open: the payer's page by the id of its invoice, and the script that frames it. */
export function shopPages(deps: ShopPagesDeps): readonly Operation[] {
  return [
    invoicePage('invoicePage', '/i/{invoiceId}', '../checkout/', null, deps),
    invoicePage('invoiceReceipt', '/i/{invoiceId}/receipt', '../../checkout/', 'receipt', deps),
    modalScript,
    merchantPage,
  ];
}

/** @param base - the payer's pages, relative to the path */
function invoicePage(id: string, path: string, base: string, view: string | null, deps: ShopPagesDeps): Operation {
  return textOperation({
    ...shared,
    id,
    path,
    summary: "The payer's page of an invoice",
    description: 'Goes to the page. The id of an invoice is a secret of its shop and its payer.',
    type: 'text/html',
    handler: async ({ params, request, traceId }) => {
      const token = params['invoiceId'] ?? '';
      if (!TOKEN.test(token)) throw new TillgateError('NOT_FOUND', 'There is no such order.');
      const language = queryOf(request).get('lang') ?? (await languageOf(token, deps));
      const tag = LANGUAGE.exec(language ?? '')?.[0].toLowerCase();
      const query = new URLSearchParams({ ...(view !== null && { view }), ...(tag !== undefined && { lang: tag }) });
      const search = query.size === 0 ? '' : `?${query.toString()}`;
      return redirected(`${base}${token}${search}`, traceId);
    },
  });
}

/** The language that the shop wants; `null` for that of the browser. */
async function languageOf(token: string, { storage }: ShopPagesDeps): Promise<string | null> {
  const order = await storage.orders.findByCheckoutToken(token);
  const shop = order === null ? null : await storage.shopOrders.find(order.id);
  if (shop === null) return null;
  return (JSON.parse(shop.checkout) as { readonly defaultLanguage?: string | null }).defaultLanguage ?? null;
}

/** An address of 302 leads on: plugins expect it. */
function redirected(location: string, traceId: string): HttpResponse {
  const headers = { 'X-Trace-Id': traceId, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' };
  return { status: 302, headers: { ...headers, Location: location }, body: '' };
}

/** The link that plugins show to their merchant. */
const merchantPage = textOperation({
  ...shared,
  id: 'merchantInvoicePage',
  path: '/invoices/{invoiceId}',
  summary: "The merchant's page of invoices",
  description: 'Goes to the orders of the dashboard.',
  type: 'text/html',
  handler: ({ traceId }) => Promise.resolve(redirected('../dashboard#/orders', traceId)),
});

const modalScript = textOperation({
  ...shared,
  id: 'modalScript',
  path: '/modal/btcpay.js',
  summary: "The script that opens the payer's page over a shop",
  description: 'Defines `window.btcpay`.',
  type: 'text/javascript',
  handler: ({ traceId }) =>
    Promise.resolve({
      status: 200,
      headers: {
        'X-Trace-Id': traceId,
        'Content-Type': 'text/javascript; charset=utf-8',
        'Cache-Control': 'public, max-age=300',
        'X-Content-Type-Options': 'nosniff',
        'Cross-Origin-Resource-Policy': 'cross-origin',
      },
      body: modalText(),
    }),
});

let text: string | null = null;

/** Read with the first request, and served without compilation. */
function modalText(): string {
  text ??= readFileSync(new URL('browser/modal.js', import.meta.url), 'utf8');
  return text;
}
