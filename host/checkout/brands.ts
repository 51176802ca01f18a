import { isMailAddress } from '../../core/index.ts';
import type { AccountId, Branding, BrandingStore, Clock, Millis } from '../../core/index.ts';
import { brandColours } from './brand-colours.ts';

/** The merchant's branding of a page. */
export interface Brand {
  readonly name: string | null;
  /** The URL of its logo, relative to the page. */
  readonly logo: string | null;
  readonly support: { readonly text: string; readonly href: string } | null;
  /** Style sheet rules; empty for the default colours. */
  readonly style: string;
  /** Changes with each change of the account's branding. */
  readonly version: number;
}

export const NO_BRAND: Brand = { name: null, logo: null, support: null, style: '', version: 0 };

/** A changed branding appears within this time, whichever instance serves the page. */
const FRESH_MS = 5_000;
const KEPT_MOST = 1_000;

/** The branding of merchants, cached for a few seconds only: an outdated support address must not be shown. */
export class Brands {
  readonly #store: Pick<BrandingStore, 'of'>;
  readonly #clock: Clock;
  readonly #kept = new Map<AccountId, { readonly brand: Brand; readonly readAt: Millis }>();

  constructor(store: Pick<BrandingStore, 'of'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async of(accountId: AccountId): Promise<Brand> {
    const now = this.#clock.now();
    const kept = this.#kept.get(accountId);
    if (kept !== undefined && now - kept.readAt < FRESH_MS) return kept.brand;
    const branding = await this.#store.of(accountId);
    const brand = branding === null ? NO_BRAND : brandOf(branding);
    this.#kept.delete(accountId);
    this.#kept.set(accountId, { brand, readAt: now });
    const oldest = this.#kept.size > KEPT_MOST ? this.#kept.keys().next().value : undefined;
    if (oldest !== undefined) this.#kept.delete(oldest);
    return brand;
  }
}

function brandOf({ name, colour, support, logo, version }: Branding): Brand {
  return {
    name,
    version,
    logo: logo === null ? null : `logos/${logo.id}`,
    support: support === null ? null : { text: support, href: isMailAddress(support) ? `mailto:${support}` : support },
    style: colour === null ? '' : styleOf(colour),
  };
}

function styleOf(colour: string): string {
  const rule = (scheme: 'light' | 'dark'): string => {
    const { mark, onMark } = brandColours(colour, scheme);
    return `:root{--mark:${mark};--on-mark:${onMark}}`;
  };
  return `@media screen{${rule('light')}}@media screen and (prefers-color-scheme:dark){${rule('dark')}}`;
}
