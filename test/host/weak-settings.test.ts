import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { resolveConfig } from '../../host/settings/config.ts';
import type { SettingsInput } from '../../host/settings/settings.ts';
import { weakSettings } from '../../host/settings/weak-settings.ts';

const SOUND = {
  mode: 'production',
  baseUrl: 'https://pay.example.com',
  plugins: [],
  rates: { sources: [{ use: 'kraken' }] },
  withdrawals: { limits: [{ currency: 'USD', window: '24h', perAccount: '5000' }] },
} as const satisfies SettingsInput;
const environment = { TILLGATE_MASTER_KEY: randomBytes(32).toString('base64') };
const weakOf = (more: SettingsInput): readonly string[] =>
  weakSettings(resolveConfig({ ...SOUND, ...more }, { environment }));

test('production settings that are weak are named, each by itself', () => {
  assert.deepEqual(weakOf({}), []);
  const cases: readonly (readonly [SettingsInput, RegExp])[] = [
    [{ rates: { sources: [{ use: 'kraken' }, { use: 'static', prices: { ETH: '1' } }] } }, /static/],
    [{ withdrawals: { ...SOUND.withdrawals, addressHoldSeconds: 0 } }, /addressHoldSeconds/],
    [{ withdrawals: { ...SOUND.withdrawals, refunds: { addressHoldSeconds: 0 } } }, /refunds\.addressHoldSeconds/],
    [{ auth: { breachedPasswords: null } }, /breachedPasswords/],
    [{ callbacks: { allowPrivateNetworks: true } }, /allowPrivateNetworks/],
    [{ withdrawals: {} }, /withdrawals\.limits/],
    [{ listen: { host: '127.0.0.1' } }, /listen\.trustedHops is 0/],
  ];
  for (const [more, words] of cases) {
    const found = weakOf(more);
    assert.equal(found.length, 1, JSON.stringify(more));
    assert.match(found[0] ?? '', words);
  }
  assert.deepEqual(weakOf({ listen: { host: '127.0.0.1', trustedHops: 1 } }), []);
  assert.deepEqual(weakOf({ withdrawals: { approveAbove: { ETH: '5' } } }), []);
});

test('the sandbox is not judged', () => {
  assert.deepEqual(weakSettings(resolveConfig({ mode: 'sandbox', withdrawals: { addressHoldSeconds: 0 } })), []);
});
