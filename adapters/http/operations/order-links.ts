import type { OrderLinks } from '../../../core/index.ts';
import type { HttpSettings } from '../deps.ts';
import { merchantUrl } from '../fields.ts';

/** The four addresses of an order in a body, each optional. */
export interface LinkFields {
  readonly succeed_url?: string | undefined;
  readonly timeout_url?: string | undefined;
  readonly callback_url?: string | undefined;
  readonly timeout_callback?: string | undefined;
}

/** Their fields: the payer's browser opens the first two; the till connects to the other two itself. */
export function linkFields({ allowPrivateNetworks }: HttpSettings) {
  return {
    succeed_url: merchantUrl(true, 'Where the payer goes after completion; without it no redirect happens'),
    timeout_url: merchantUrl(true, 'Where the payer goes after the time-out; without it no redirect happens'),
    callback_url: merchantUrl(allowPrivateNetworks, 'Called after completion'),
    timeout_callback: merchantUrl(allowPrivateNetworks, 'Called after the time-out'),
  };
}

/** What the core makes of them. */
export function linksOf(body: LinkFields): OrderLinks {
  return {
    succeedUrl: body.succeed_url ?? null,
    timeoutUrl: body.timeout_url ?? null,
    callbackUrl: body.callback_url ?? null,
    timeoutCallback: body.timeout_callback ?? null,
  };
}
