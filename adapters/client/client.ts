import { CALLS } from './api.ts';
import type { MerchantApi } from './api.ts';
import { eachItem, fromWire, readArguments } from './names.ts';
import { Transport } from './transport.ts';
import type { CallTable, ClientOptions } from './transport.ts';

/** A merchant's client: the calls of `/v1` by resource and verb. */
export type TillgateClient = MerchantApi;

/**
 * Makes a merchant's client of `/v1`. It sends the API key or signs requests, retries what is safe to retry, and
 * returns records or throws `TillgateApiError`, `TillgateConnectionError` or `TillgateReplyError`. It needs `fetch` and
 * Web Crypto. Do not use it in browsers, where its secrets would be public.
 *
 * @throws TypeError for a `baseUrl` that is not an http or https URL
 */
export function createTillgateClient(options: ClientOptions): TillgateClient {
  const transport = new Transport(options);
  const resources = Object.entries<CallTable[string]>(CALLS).map(([resource, calls]) => [
    resource,
    Object.fromEntries(Object.entries(calls).flatMap(([verb, call]) => functionsOf(transport, resource, verb, call))),
  ]);
  // The table and the types are written from the same operations.
  return Object.fromEntries(resources) as TillgateClient;
}

type Function = (...args: readonly unknown[]) => unknown;

function functionsOf(
  transport: Transport,
  resource: string,
  verb: string,
  call: CallTable[string][string],
): readonly (readonly [string, Function])[] {
  const send = async (...args: readonly unknown[]): Promise<unknown> => {
    const parts = readArguments(call.path, call.versioned === true, args);
    return fromWire(await transport.send(`${resource}.${verb}`, call, parts));
  };
  if (call.paged !== true) return [[verb, send]];
  return [
    [verb, send],
    ['all', (fields, options) => eachItem(send, fields as object | undefined, options)],
  ];
}
