import type { HttpRequest } from './messages.ts';

/**
 * The client's address: the peer's, or behind `trustedHops` proxies the entry of `X-Forwarded-For` that the outermost
 * proxy wrote. The client can forge every entry before that one.
 */
export function clientAddress({ peer, headers }: Pick<HttpRequest, 'peer' | 'headers'>, trustedHops: number): string {
  if (trustedHops === 0) return peer;
  const forwarded = (headers.get('x-forwarded-for') ?? [])
    .flatMap((line) => line.split(','))
    .map((entry) => entry.trim());
  const hops = [...forwarded, peer];
  return hops[Math.max(0, hops.length - 1 - trustedHops)] ?? peer;
}
