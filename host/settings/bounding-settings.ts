import type { MoneySettings } from '../../core/index.ts';
import type { Till } from '../boot/container.ts';
import type { TillConfig } from './settings.ts';

/** An amount far above every threshold of the confirmation settings. */
const LARGE = 10n ** 30n;

/** The settings that bound money. Every instance of a database must use the same values. */
export function boundingSettings(
  { mode, withdrawals, sweeps, auth }: Pick<TillConfig, 'mode' | 'withdrawals' | 'sweeps' | 'auth'>,
  { chains, assets }: Pick<Till, 'chains' | 'assets'>,
): MoneySettings {
  const named = (section: string, values: object): [string, unknown][] =>
    Object.entries(values).map(([name, value]) => [`${section}.${name}`, value as unknown]);
  return Object.fromEntries([
    ['mode', mode],
    ['auth.secondFactor', auth.secondFactor],
    ...named('withdrawals', withdrawals),
    ...named('sweeps', sweeps),
    ['chains', [...chains.keys()].toSorted()],
    [
      'tokens',
      assets
        .list()
        .filter(({ enabled }) => enabled)
        .map(({ asset }) => asset),
    ],
    ...[...chains.values()].map(({ code, policy, assets: coins }): [string, unknown] => [
      `confirmations of ${code}`,
      [
        policy.spendableConfirmations,
        coins.map(({ currency }) => [1n, LARGE].map((units) => policy.confirmations(currency, units))),
      ],
    ]),
  ]);
}
