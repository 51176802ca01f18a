import { invalidField } from '../kernel/index.ts';
import type { AccountId, CurrencyCode, Millis, OrderId } from '../kernel/index.ts';

/** What a shop system keeps with an order, beside the merchant's data. */
export interface ShopOrder {
  readonly orderId: OrderId;
  readonly accountId: AccountId;
  /** The shop's own number of the sale, under which it may make several orders; `null` for none. */
  readonly reference: string | null;
  /** A JSON object of the shop, given back as it was sent. */
  readonly metadata: string;
  /** What the shop asked of the payer's page, as a JSON object. */
  readonly checkout: string;
  /** The coins among which the payer may choose; `null` for all. */
  readonly coins: readonly CurrencyCode[] | null;
  /** When the shop put it away, so that lists leave it out; `null` while it has not. */
  readonly archivedAt: Millis | null;
}

/** {@link ShopOrder} as a shop gives it with a new order. */
export type NewShopOrder = Pick<ShopOrder, 'reference' | 'metadata' | 'checkout' | 'coins'>;

/** The limits of a {@link ShopOrder}, in characters and in bytes of UTF-8. */
export const SHOP_ORDER = { referenceLength: 255, metadataBytes: 16_384, checkoutBytes: 16_384 } as const;

const CONTROL = /\p{Cc}/u;

/** @throws TillgateError `INVALID_FIELDS` */
export function checkShopOrder({ reference, metadata, checkout }: Partial<NewShopOrder>): void {
  const { referenceLength, metadataBytes, checkoutBytes } = SHOP_ORDER;
  if (typeof reference === 'string' && (reference.length > referenceLength || CONTROL.test(reference)))
    throw invalidField('reference', `must have at most ${referenceLength} characters without control characters`);
  requireFits('metadata', metadata, metadataBytes);
  requireFits('checkout', checkout, checkoutBytes);
}

function requireFits(field: string, text: string | undefined, bytes: number): void {
  if (text !== undefined && new TextEncoder().encode(text).length > bytes)
    throw invalidField(field, `must have at most ${bytes} bytes as JSON`);
}
