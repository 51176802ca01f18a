import type { Asset } from '../../core/index.ts';
import type { Language } from './languages.ts';
import type { MessageName } from './messages/en.ts';
import type { OrderSnapshot } from './order-snapshot.ts';

/** A coin that the order can be paid in, and how much of it at the present rate. */
export interface Choice {
  readonly asset: Asset;
  readonly chainName: string;
  /** A plain decimal. */
  readonly amount: string;
}

/** What the page shows. */
export interface CheckoutPage {
  readonly snapshot: OrderSnapshot;
  readonly language: Language;
  /** The coins to choose from; `null` where none is being chosen. */
  readonly choices: readonly Choice[] | null;
  readonly refundForm: boolean;
  /** A hash of what this browser has; `null` for one that has left no address. */
  readonly browser: string | null;
  /** The payer reads the receipt and is not taken away from it. */
  readonly staying: boolean;
  /** Why the form sent last was refused. */
  readonly refusal: MessageName | null;
}

/** The changing part of the page: all of it but what is the same for every order in one language. */
export interface RenderedMain {
  readonly title: string;
  readonly html: string;
  /** What a browser without script does after a while (`content` of a `refresh`); `null` for nothing. */
  readonly refresh: string | null;
}
