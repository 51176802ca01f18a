import type { Asset } from '../../core/index.ts';
import type { Language } from './languages.ts';
import type { MessageName } from './messages/en.ts';
import type { OrderSnapshot } from './order-snapshot.ts';

/** A coin in which the order can be paid, and its amount at the present rate. */
export interface Choice {
  readonly asset: Asset;
  readonly chainName: string;
  /** A plain decimal. */
  readonly amount: string;
}

export interface CheckoutPage {
  readonly snapshot: OrderSnapshot;
  readonly language: Language;
  /** The coins to choose from; `null` while none is being chosen. */
  readonly choices: readonly Choice[] | null;
  readonly refundForm: boolean;
  /** The refund address that was refused, as it was typed; empty for none. */
  readonly typed: string;
  /** A hash of the browser's cookie; `null` for a browser that has left no refund address. */
  readonly browser: string | null;
  /** The payer reads the receipt and must not be redirected. */
  readonly staying: boolean;
  /** Why the last form was refused. */
  readonly refusal: MessageName | null;
}

/** The variable part of the page: everything that differs between orders in one language. */
export interface RenderedMain {
  readonly title: string;
  readonly html: string;
  /** The `content` of a `refresh` for browsers without script; `null` for none. */
  readonly refresh: string | null;
}
