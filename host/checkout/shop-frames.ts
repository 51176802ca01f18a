import { GREENFIELD_FORMAT } from '../../adapters/http/greenfield/index.ts';
import type { Order, ShopOrderStore, WebhookStore } from '../../core/index.ts';

export interface ShopFramesDeps {
  readonly shopOrders: Pick<ShopOrderStore, 'find'>;
  readonly webhooks: Pick<WebhookStore, 'enabled'>;
}

/** The most origins that a page names. */
const MOST = 8;

/**
 * The origins of the shop that made an order, which may show its payer's page in a frame: that of the page to which the
 * payer returns, and those to which the account's shop plugins have their events sent. None for any other order.
 */
export async function shopOrigins({ id, accountId, links }: Order, deps: ShopFramesDeps): Promise<readonly string[]> {
  if ((await deps.shopOrders.find(id)) === null) return [];
  const ofShops = (await deps.webhooks.enabled(accountId)).filter(({ format }) => format === GREENFIELD_FORMAT);
  const urls = [links.succeedUrl, ...ofShops.map(({ url }) => url)];
  return [...new Set(urls.flatMap(originOf))].slice(0, MOST);
}

/** A web origin, whose text is safe in a header and in a page. */
function originOf(url: string | null): readonly string[] {
  if (url === null || !URL.canParse(url)) return [];
  const { protocol, origin } = new URL(url);
  return protocol === 'https:' || protocol === 'http:' ? [origin] : [];
}
