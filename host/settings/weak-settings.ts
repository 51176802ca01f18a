import { isLoopback } from '../../core/index.ts';
import type { HostConfig } from './config.ts';

/** Warnings about settings that production allows although they are weak; empty in the sandbox. */
export function weakSettings(config: HostConfig): readonly string[] {
  const { mode, auth, baseUrl, callbacks, listen, rateSources, withdrawals } = config;
  if (mode !== 'production') return [];
  const { addressHoldMs, approveAbove, limits, refunds } = withdrawals;
  const weak: readonly (readonly [boolean, string])[] = [
    [
      rateSources.some(({ use }) => use === 'static'),
      'rates.sources has "static": orders are priced by a table that nobody updates',
    ],
    [auth.breachedPasswords === null, 'auth.breachedPasswords is null: passwords from data breaches are accepted'],
    [
      addressHoldMs === 0,
      'withdrawals.addressHoldSeconds is 0: a stolen session can withdraw to a new address at once',
    ],
    [
      refunds.addressHoldMs === 0 && addressHoldMs > 0,
      'withdrawals.refunds.addressHoldSeconds is 0: anyone who has the link of a paid order can have it refunded to another address at once',
    ],
    [
      baseUrl?.startsWith('https:') === true && isLoopback(listen.host) && listen.trustedHops === 0,
      'listen.trustedHops is 0 behind the proxy that serves the https baseUrl: all clients count as one, for limits as in the audit log',
    ],
    [
      callbacks.allowPrivateNetworks,
      'callbacks.allowPrivateNetworks is true: merchants make this server call hosts of your own network',
    ],
    [
      approveAbove.size === 0 && limits.length === 0,
      'neither withdrawals.limits nor withdrawals.approveAbove is set: anyone who has a key can withdraw a whole balance without an approval',
    ],
  ];
  return weak.flatMap(([is, words]) => (is ? [words] : []));
}
