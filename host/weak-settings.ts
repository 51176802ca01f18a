import type { HostConfig } from './config.ts';

/** What of the settings is allowed in production and weak there, in words; nothing in the sandbox. */
export function weakSettings({ mode, auth, callbacks, rateSources, withdrawals }: HostConfig): readonly string[] {
  if (mode !== 'production') return [];
  const { addressHoldMs, approveAbove, limits } = withdrawals;
  const weak: readonly (readonly [boolean, string])[] = [
    [
      rateSources.some(({ use }) => use === 'static'),
      'rates.sources has "static": orders are priced by a table that nobody updates',
    ],
    [auth.breachedPasswords === null, 'auth.breachedPasswords is null: passwords of data breaches are taken'],
    [addressHoldMs === 0, 'withdrawals.addressHoldSeconds is 0: a stolen session uses a new address at once'],
    [
      callbacks.allowPrivateNetworks,
      'callbacks.allowPrivateNetworks is true: merchants make this server call hosts of your own network',
    ],
    [
      approveAbove.size === 0 && limits.length === 0,
      'neither withdrawals.limits nor withdrawals.approveAbove is set: whoever has a key takes a whole balance without an approval',
    ],
  ];
  return weak.flatMap(([is, words]) => (is ? [words] : []));
}
