import { lookup as systemLookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { isCallable } from './addresses.ts';

/** Why no connection was made to an upstream: what `code` of the error says. */
export const REFUSED_ADDRESS = 'REFUSED_ADDRESS';

/** All addresses of a name, as `dns.lookup` finds them. */
export type LookUpAll = (
  hostname: string,
  options: { readonly all: true },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * A lookup for `net.connect` that checks the addresses of a name each time a connection is made, and passes on only what it has
 * checked: a name that leads elsewhere later (DNS rebinding) is refused then. One refused address refuses the name. Node asks it for
 * names only, so that an address in a URL has to be checked with {@link isCallableHost}.
 */
export function checkedLookup(allowPrivate: boolean, lookUp: LookUpAll = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    lookUp(hostname, { ...options, all: true }, (error, found) => {
      const [first] = found ?? [];
      if (error !== null) callback(error, '');
      else if (first === undefined || !found.every(({ address }) => isCallable(address, allowPrivate)))
        callback(refusedAddress(), '');
      else if (options.all === true) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
}

/** False for an address that must not be called; a name is checked when it is connected to. Expects a host as `URL` writes it. */
export function isCallableHost(hostname: string, allowPrivate: boolean): boolean {
  const literal = hostname.replace(/^\[|\]$/g, '');
  return isIP(literal) === 0 || isCallable(literal, allowPrivate);
}

/** True for a name that leads to an address which must not be called. False for one that leads nowhere now. */
export function leadsToRefused(
  hostname: string,
  allowPrivate: boolean,
  lookUp: LookUpAll = systemLookup,
): Promise<boolean> {
  return new Promise((resolve) => {
    // A name server that does not answer holds nobody up: the name is checked again when it is connected to.
    const timer = setTimeout(() => resolve(false), LOOKUP_MS);
    lookUp(hostname, { all: true }, (error, found) => {
      clearTimeout(timer);
      resolve(error === null && !found.every(({ address }) => isCallable(address, allowPrivate)));
    });
  });
}

const LOOKUP_MS = 5_000;

function refusedAddress(): Error {
  const error = new Error('The host name resolves to an address that must not be called.');
  return Object.assign(error, { code: REFUSED_ADDRESS });
}
