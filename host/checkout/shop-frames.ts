import { GREENFIELD_FORMAT } from '../../adapters/http/greenfield/index.ts';
import type { Order, WebhookStore } from '../../core/index.ts';

/** The most origins that a page names. */
const MOST = 8;

/**
 * The origins of the shop that keeps an order, which may show its payer's page in a frame: that of the page to which the
 * payer returns, and those to which the account's shop plugins have their events sent.
 */
export async function shopOrigins(
  { accountId, links }: Order,
  webhooks: Pick<WebhookStore, 'enabled'>,
): Promise<readonly string[]> {
  const ofShops = (await webhooks.enabled(accountId)).filter(({ format }) => format === GREENFIELD_FORMAT);
  const urls = [links.succeedUrl, ...ofShops.map(({ url }) => url)];
  return [...new Set(urls.flatMap(originOf))].slice(0, MOST);
}

/** A web origin, whose text is safe in a header and in a page. */
function originOf(url: string | null): readonly string[] {
  if (url === null || !URL.canParse(url)) return [];
  const { protocol, origin } = new URL(url);
  return protocol === 'https:' || protocol === 'http:' ? [origin] : [];
}
