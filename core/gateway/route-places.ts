import { isPrivateHost } from '../notify/index.ts';
import type { FieldError } from '../kernel/index.ts';
import type { RouteFields } from './route-fields.ts';

/** Limits on the hosts and upstreams of routes that are created by the management API. */
export interface RoutePlaces {
  /** The till's own host names; a route cannot have them. */
  readonly ownHosts: () => readonly string[];
  /** True where upstreams may be in private networks. */
  readonly allowPrivateUpstreams: boolean;
  /** True for a name that leads to an address where no node may be; false for one that leads nowhere now. */
  readonly leadsToRefused: (hostname: string) => Promise<boolean>;
}

/** Names and addresses of the machine itself, which always belong to the till. */
const OF_THIS_MACHINE = /^(?:localhost|.*\.localhost|\d{1,3}(?:\.\d{1,3}){3})$/;

/** Why a route may not have this host, in words; `null` when it may. */
export function hostProblem(host: string, { ownHosts }: Pick<RoutePlaces, 'ownHosts'>): string | null {
  const taken = OF_THIS_MACHINE.test(host) || ownHosts().some((own) => own.toLowerCase() === host);
  return taken ? 'must not be a name or an address of the till itself: its API and pages are there' : null;
}

const REFUSED_PLACE =
  'must not point to a private, local or reserved address, unless gateway.allowPrivateUpstreams is true';

/** Why an upstream may not have this URL, in words; `null` when it may. A name is not resolved here. */
function upstreamProblem(
  url: string,
  { allowPrivateUpstreams }: Pick<RoutePlaces, 'allowPrivateUpstreams'>,
): string | null {
  return allowPrivateUpstreams || !isPrivateHost(new URL(url).hostname) ? null : REFUSED_PLACE;
}

/** The errors of a route's host and upstreams. No message repeats an upstream's URL. @param route - with valid URLs */
export function placeErrors(
  { host, upstreams }: RouteFields,
  places: Omit<RoutePlaces, 'leadsToRefused'>,
): readonly FieldError[] {
  const wrong = (path: string, message: string | null): FieldError[] => (message === null ? [] : [{ path, message }]);
  return [
    ...wrong('host', hostProblem(host, places)),
    ...upstreams.flatMap(({ url }, index) => wrong(`upstreams.${index}.url`, upstreamProblem(url, places))),
  ];
}

/**
 * The errors of the names of upstreams, which are resolved now; `null` stands for an upstream that stays. A name may lead
 * elsewhere later, so each connection checks it again.
 */
export async function nameErrors(
  urls: readonly (string | null)[],
  { leadsToRefused }: Pick<RoutePlaces, 'leadsToRefused'>,
): Promise<readonly FieldError[]> {
  const refused = await Promise.all(
    urls.map(async (url) => url !== null && URL.canParse(url) && (await leadsToRefused(new URL(url).hostname))),
  );
  return refused.flatMap((isRefused, index) =>
    isRefused ? [{ path: `upstreams.${index}.url`, message: REFUSED_PLACE }] : [],
  );
}

/** The part of an upstream's URL that managers of routes see: its origin. Providers put their keys into the rest. */
export function shownUpstreamUrl(url: string): string {
  const { protocol, host, pathname, search, username, password } = new URL(url);
  const whole = (pathname === '/' || pathname === '') && search === '' && username === '' && password === '';
  return `${protocol}//${host}/${whole ? '' : '…'}`;
}
