import { clientAddress } from '../../adapters/http/client-address.ts';
import type { RequestContext } from './request-context.ts';

/** The address of a request's client: of its connection, or as the operator's own proxies in front name it. */
export function clientOf(
  { connection, rawHeaders }: Pick<RequestContext, 'connection' | 'rawHeaders'>,
  trustedHops: number,
): string {
  const { peer } = connection;
  if (trustedHops === 0) return peer;
  const forwarded = headerValues(rawHeaders, 'x-forwarded-for');
  return clientAddress({ peer, headers: new Map([['x-forwarded-for', forwarded]]) }, trustedHops);
}

/** Every value of a header. @param name - in lower case */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2)
    if ((rawHeaders[at] as string).toLowerCase() === name) values.push(rawHeaders[at + 1] as string);
  return values;
}
