import type { CordonId, LookupPurpose, Millis, RouteId, SealContext, UpstreamId, Vault } from '../kernel/index.ts';

/** An upstream of a route that an operator has taken out of use, until it is uncordoned. */
export interface StoredCordon {
  readonly id: CordonId;
  readonly routeId: RouteId;
  /** The encrypted URL of the upstream, in the context `cordon:<id>`. */
  readonly sealedUrl: string;
  readonly createdAt: Millis;
}

const PURPOSE: LookupPurpose = 'upstream';
/** Hexadecimal digits of an upstream's id: enough for the few upstreams of a route. */
const ID_DIGITS = 16;

const cordonContext = (id: CordonId): SealContext => `cordon:${id}`;

/** The same text for URLs that lead to the same place, such as one with and one without a default port. */
export const canonicalUrl = (url: string): string => (URL.canParse(url) ? new URL(url).href : url);

const idOf = (hash: string): UpstreamId => hash.slice(0, ID_DIGITS) as UpstreamId;
const hashed = (routeId: RouteId, url: string): string => `${routeId} ${canonicalUrl(url)}`;

/**
 * The id of an upstream: the same wherever it is in the list and whatever its headers are, and another one on each route.
 * It tells nothing about the URL, which may contain a provider's key.
 */
export function upstreamId(vault: Vault, routeId: RouteId, url: string): UpstreamId {
  return idOf(vault.lookupHash(PURPOSE, hashed(routeId, url)));
}

/** Whether the id is that of an upstream; while the master key is being replaced, the former id is valid too. */
export function isUpstreamId(vault: Vault, routeId: RouteId, url: string, id: UpstreamId): boolean {
  return vault.lookupHashes(PURPOSE, hashed(routeId, url)).some((hash) => idOf(hash) === id);
}

/** Encrypts the URL of an upstream that is taken out of use. */
export function sealCordon(
  vault: Vault,
  { url, ...rest }: Omit<StoredCordon, 'sealedUrl'> & { readonly url: string },
): StoredCordon {
  return { ...rest, sealedUrl: vault.seal(canonicalUrl(url), cordonContext(rest.id)) };
}

/** The URL of a cordoned upstream. @throws Error when it cannot be decrypted */
export function cordonedUrl(vault: Vault, { id, sealedUrl }: StoredCordon): string {
  return vault.open(sealedUrl, cordonContext(id));
}

/** The cordoned upstreams of all routes. */
export class Cordons {
  readonly #urls = new Map<RouteId, Set<string>>();

  /** @param cordoned - routes and the URLs that {@link cordonedUrl} returned */
  constructor(cordoned: Iterable<readonly [RouteId, string]> = []) {
    for (const [routeId, url] of cordoned)
      this.#urls.set(routeId, (this.#urls.get(routeId) ?? new Set<string>()).add(canonicalUrl(url)));
  }

  /** Whether an upstream of a route is out of use. */
  has(routeId: RouteId, url: string): boolean {
    return this.#urls.get(routeId)?.has(canonicalUrl(url)) ?? false;
  }
}

export const NO_CORDONS = new Cordons();
