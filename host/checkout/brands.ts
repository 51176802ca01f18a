import { isMailAddress } from '../../core/index.ts';
import type { AccountId, Branding, BrandingStore, Clock, Millis } from '../../core/index.ts';
import { brandColours } from './brand-colours.ts';
import type { PageSite } from './page-site.ts';

/** The merchant's branding of a page. */
export interface Brand {
  /** The name that it has set, else that of the site; `null` on pages of no merchant. */
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
  readonly #site: Pick<PageSite, 'name'>;
  readonly #kept = new Map<AccountId, { readonly brand: Brand; readonly readAt: Millis }>();

  constructor(store: Pick<BrandingStore, 'of'>, clock: Clock, site: Pick<PageSite, 'name'>) {
    this.#site = site;
    this.#store = store;
    this.#clock = clock;
  }

  async of(accountId: AccountId): Promise<Brand> {
    const now = this.#clock.now();
    const kept = this.#kept.get(accountId);
    if (kept !== undefined && now - kept.readAt < FRESH_MS) return kept.brand;
    const branding = await this.#store.of(accountId);
    const own = branding === null ? NO_BRAND : brandOf(branding);
    const brand = { ...own, name: own.name ?? this.#site.name() };
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
    const { fill, onFill, text } = brandColours(colour, scheme);
    return `:root{--fill:${fill};--on-fill:${onFill};--mark:${text ?? 'var(--ink)'}}`;
  };
  return `@media screen{${rule('light')}}@media screen and (prefers-color-scheme:dark){${rule('dark')}}`;
}
