import { ANYBODY, payerBrowser, textOperation, typedAddress } from '../../adapters/http/index.ts';
import type { HttpDeps, HttpRequest, HttpResponse, Operation, RawCall } from '../../adapters/http/index.ts';
import { TillgateError } from '../../core/index.ts';
import type { BrandingStore } from '../../core/index.ts';
import { scriptReply } from './browser-files.ts';
import type { CheckoutPages, PagesDeps } from './checkout-pages.ts';
import { queryOf } from '../http/query-of.ts';
import type { ChosenLanguage } from './chosen-language.ts';
import { EventStreams } from './event-streams.ts';
import { LiveOrders } from './order-subscriptions.ts';
import type { PageSite } from './page-site.ts';
import type { LiveOrdersDeps } from './order-subscriptions.ts';

export type CheckoutDeps = LiveOrdersDeps & PagesDeps & { readonly choosePayment: HttpDeps['choosePayment'] };

export interface Checkout {
  /** The page, its event stream and its files, for the operations table. */
  readonly operations: readonly Operation[];
  /** The till's use case, wrapped so that the pages notice its changes at once. */
  readonly choosePayment: HttpDeps['choosePayment'];
  /** Ends every event stream: closing a server would wait for them. */
  close(): void;
}

const TOKEN = /^[0-9a-zA-Z_-]{1,128}$/;
const LOGO = /^[0-9a-f]{64}$/;
/** Browsers show a merchant's file only as a picture, without script. Cached briefly, because it may be removed. */
const LOGO_HEADERS = {
  'Cache-Control': 'public, max-age=300',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

/** Assembles the payer's page. */
export function createCheckout(deps: CheckoutDeps, site: PageSite): Checkout {
  const live = new LiveOrders(deps);
  const streams = new EventStreams(live, deps.clock);
  const load = loadOnce(live, deps, site);
  const touching = async <T>(token: string, change: Promise<T>): Promise<T> => change.finally(() => live.touch(token));
  return {
    operations: [
      pageOperation(load),
      filesOperation(load),
      logoOperation(deps.storage.branding),
      eventsOperation(streams),
    ],
    choosePayment: {
      choose: (token, chain, currency) => touching(token, deps.choosePayment.choose(token, chain, currency)),
      setRefundAddress: (token, address, browser) =>
        touching(token, deps.choosePayment.setRefundAddress(token, address, browser)),
    },
    close: () => {
      streams.close();
      live.close();
    },
  };
}

/** Answers requests for pages. */
interface Loaded {
  readonly pages: CheckoutPages;
  readonly chosenLanguage: (request: HttpRequest, query: URLSearchParams) => ChosenLanguage;
}

/** Imported with the first page, so that an idle till does not keep ten languages and a renderer in memory. */
function loadOnce(live: LiveOrders, deps: PagesDeps, site: PageSite): () => Promise<Loaded> {
  let loaded: Promise<Loaded> | null = null;
  const load = async (): Promise<Loaded> => {
    const [{ CheckoutPages }, { chosenLanguage }] = await Promise.all([
      import('./checkout-pages.ts'),
      import('./chosen-language.ts'),
    ]);
    return { pages: new CheckoutPages(live, deps, site), chosenLanguage };
  };
  return () => (loaded ??= load());
}

const shared = { method: 'GET', tag: 'Checkout', auth: ANYBODY, hidden: true } as const;

function pageOperation(load: () => Promise<Loaded>): Operation {
  return textOperation({
    ...shared,
    id: 'checkoutPage',
    path: '/checkout/{token}',
    summary: "The payer's page",
    description: 'Shows a hosted order to its payer.',
    type: 'text/html',
    handler: async ({ params, request, traceId }) => {
      const { pages, chosenLanguage } = await load();
      const query = queryOf(request);
      const { language, headers } = chosenLanguage(request, query);
      const partOnly = query.get('part') === 'main';
      const reply = await pages.reply(tokenOf(params), {
        language,
        partOnly,
        view: query.get('view'),
        error: query.get('error'),
        browser: payerBrowser(request.headers),
        typed: typedAddress(request.headers),
      });
      return { ...reply, headers: { 'X-Trace-Id': traceId, ...reply.headers, ...headers } };
    },
  });
}

function filesOperation(load: () => Promise<Loaded>): Operation {
  return textOperation({
    ...shared,
    id: 'checkoutFile',
    path: '/checkout/assets/{file}',
    summary: "A file of the payer's page",
    description: 'Its script, under a name that changes with its content.',
    type: 'text/plain',
    handler: async ({ params, traceId }) => scriptReply((await load()).pages.files, params['file'], traceId),
  });
}

function logoOperation(branding: Pick<BrandingStore, 'logo'>): Operation {
  return textOperation({
    ...shared,
    id: 'checkoutLogo',
    path: '/checkout/logos/{logo}',
    summary: "A merchant's logo",
    description: 'Under a name that changes with its content, and only while an account has it.',
    type: 'text/plain',
    handler: async ({ params, traceId }): Promise<HttpResponse> => {
      const id = params['logo'] ?? '';
      const logo = LOGO.test(id) ? await branding.logo(id) : null;
      if (logo === null) throw new TillgateError('NOT_FOUND', 'There is no such file.');
      return {
        status: 200,
        headers: { 'X-Trace-Id': traceId, ...LOGO_HEADERS, 'Content-Type': logo.type },
        body: Buffer.from(logo.bytes),
      };
    },
  });
}

function eventsOperation(streams: EventStreams): Operation {
  return textOperation({
    ...shared,
    id: 'checkoutEvents',
    path: '/checkout/{token}/events',
    summary: 'The states of a hosted order as they come',
    description:
      'Server-sent events `state`, each with the record of `/checkout/{token}/state`; 204 when nothing more comes.',
    type: 'text/event-stream',
    handler: ({ params, client, traceId }: RawCall) => {
      const token = tokenOf(params);
      if (token === null) throw new TillgateError('NOT_FOUND', 'There is no such order.');
      return streams.open(token, client, { 'X-Trace-Id': traceId });
    },
  });
}

/** Accepts only tokens in the format that the till makes, so that nothing else reaches the storage. */
function tokenOf(params: Readonly<Record<string, string>>): string | null {
  const token = params['token'] ?? '';
  return TOKEN.test(token) ? token : null;
}
