import { isIP, isIPv6 } from 'node:net';
import type { LookupFunction } from 'node:net';
import { addressKey, isListedHost } from '../../core/index.ts';
import { isCallable, isPublicAddress } from './addresses.ts';
import type { Resolve } from './resolver.ts';

type Refusal = 'bad-url' | 'dns' | 'refused-address' | 'refused-host';

/** The request was not sent. The reason is a short word without the URL or an address. */
export class TargetRefused extends Error {
  readonly reason: Refusal;

  constructor(reason: Refusal) {
    super(`callback target: ${reason}`);
    this.name = 'TargetRefused';
    this.reason = reason;
  }
}

/** A URL and its checked addresses, to which alone a connection is made. */
export interface PinnedTarget {
  readonly url: URL;
  readonly lookup: LookupFunction;
  /** The first address, with the port if it is private: host names that share it share its connections. */
  readonly place: string;
}

export interface PinOptions {
  readonly resolve: Resolve;
  readonly allowPrivateNetworks: boolean;
  /** The only hosts that are called; `null` for any. */
  readonly hosts: readonly string[] | null;
  readonly signal: AbortSignal;
}

/**
 * Resolves a URL's host once and checks all its addresses. One refused address refuses the URL: a name with both private
 * and public addresses may be a DNS rebinding attack.
 *
 * @throws TargetRefused
 */
export async function pinTarget(
  text: string,
  { resolve, allowPrivateNetworks, hosts, signal }: PinOptions,
): Promise<PinnedTarget> {
  const url = parseTarget(text);
  if (hosts !== null && !isListedHost(url, hosts)) throw new TargetRefused('refused-host');
  const addresses = await addressesOf(url.hostname, resolve, signal);
  if (!addresses.every((address) => isCallable(address, allowPrivateNetworks)))
    throw new TargetRefused('refused-address');
  return { url, lookup: lookupOf(addresses), place: placeOf(addresses.toSorted()[0] ?? '', url) };
}

/** A private address may have a different receiver on each port. */
function placeOf(address: string, { port, protocol }: URL): string {
  return isPublicAddress(address) ? addressKey(address) : `${address} ${port || protocol}`;
}

function parseTarget(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const usable =
    url !== null &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.username === '' &&
    url.password === '';
  if (!usable) throw new TargetRefused('bad-url');
  return url;
}

async function addressesOf(hostname: string, resolve: Resolve, signal: AbortSignal): Promise<readonly string[]> {
  // URL parsing converts 2130706433, 0x7f.1 and 127.1 to dotted form. An address is not resolved, so it is checked here.
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0) return [literal];
  const found = await withSignal(resolve(hostname, signal), signal).catch((cause: unknown) => {
    if (signal.aborted) throw cause;
    return [];
  });
  if (found.length === 0 || found.some((address) => isIP(address) === 0)) throw new TargetRefused('dns');
  return found;
}

/** Ends at the deadline even when the resolver ignores the signal. */
async function withSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(new Error('aborted'));
  });
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function lookupOf(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_hostname, options, callback) => {
    const [first] = entries;
    if (options.all === true) callback(null, entries);
    else callback(first === undefined ? new Error('no address') : null, first?.address ?? '', first?.family);
  };
}
