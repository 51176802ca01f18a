import { formatUnits, isTillgateError, obtainedUnits, present } from '../../core/index.ts';
import type { AssetCatalogue, CheckoutView, ChoosePayment, Clock, OrderQueries, TransferStore } from '../../core/index.ts';
import type { Choice, RefundNotice } from './page.tsx';
import { CONTENT_SECURITY_POLICY } from './style.ts';
import { refusalOf } from './wording.ts';

/** What the payer's page is made from. */
export interface CheckoutPages {
  readonly orderQueries: Pick<OrderQueries, 'checkout'>;
  readonly choosePayment: Pick<ChoosePayment, 'options'>;
  readonly assets: Pick<AssetCatalogue, 'chainName' | 'find'>;
  readonly storage: { readonly transfers: Pick<TransferStore, 'refundOf'> };
  readonly clock: Clock;
}

/** What the page's query asks for. */
export interface WantedPage {
  readonly view: string | null;
  readonly error: string | null;
}

/** A page, ready to be sent. */
export interface PageReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

const TOKEN = /^[0-9a-zA-Z_-]{1,128}$/;

/**
 * The payer's page `GET /checkout/{token}`.
 *
 * @param wanted - the query's `view`: `coins` to choose anew, `refund` for the form of a refund's address; its `error`:
 * the code with which a form was refused
 */
export async function checkoutPage(pages: CheckoutPages, token: string, wanted: WantedPage): Promise<PageReply> {
  // Imported with the first page, so that an idle till does not hold it in memory.
  const { renderCheckout, renderMessage, mayChoose, mayLeaveRefundAddress } = await import('./page.tsx');
  try {
    if (!TOKEN.test(token)) return reply(404, renderMessage(...UNKNOWN));
    const view = await pages.orderQueries.checkout(token);
    const choosing = mayChoose(view) && (view.order.payment === null || wanted.view === 'coins');
    const choices = choosing ? await choicesOf(pages, view) : null;
    const refund = await refundOf(pages, view);
    const refundForm = wanted.view === 'refund' && refund === null && mayLeaveRefundAddress(view);
    return reply(200, renderCheckout({ view, choices, refundForm, refund, refusal: refusalOf(wanted.error), now: pages.clock.now() }));
  } catch (error) {
    if (isTillgateError(error, 'NOT_FOUND')) return reply(404, renderMessage(...UNKNOWN));
    if (isTillgateError(error, 'NOT_READY')) return reply(503, renderMessage(...AWAY));
    throw error;
  }
}

const UNKNOWN = ['There is no such order', 'Check the link, or ask the merchant for a new one.'] as const;
const AWAY = ['Back in a moment', 'This page cannot be shown right now. Please reload it in a minute; no payment is lost.'] as const;

/** A refund that failed is the merchant's business: the payer's money is where it was. */
async function refundOf({ storage, assets }: CheckoutPages, { order }: CheckoutView): Promise<RefundNotice | null> {
  const transfer = order.received === 0n ? null : await storage.transfers.refundOf(order.id);
  if (transfer === null || transfer.status === 'FAILED') return null;
  const { decimals } = present(assets.find(transfer.currency), `asset ${transfer.currency}`);
  return { sent: transfer.status === 'CONFIRMED', amount: formatUnits(obtainedUnits(transfer), decimals), address: transfer.toAddress };
}

async function choicesOf({ choosePayment, assets }: CheckoutPages, { order }: CheckoutView): Promise<Choice[]> {
  const options = await choosePayment.options(order);
  return options.map(({ asset, units }) => ({
    asset,
    chainName: assets.chainName(asset.chain),
    amount: formatUnits(units, asset.decimals),
  }));
}

function reply(status: number, body: string): PageReply {
  return { status, headers: HEADERS, body };
}
