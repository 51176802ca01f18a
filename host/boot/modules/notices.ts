import { DailySummary, DeliverNotices, formatUnits, TidyNotices } from '../../../core/index.ts';
import { recipe } from '../parts.ts';
import type { Recipes } from '../parts.ts';

/** Notices to persons. */
export const noticeRecipes = {
  noticeSettings: recipe(['plugins', 'assets'], ({ plugins, assets }) => ({
    channels: () => plugins.noticeChannels,
    // A currency whose plugin was removed is written in base units.
    amount: (currency, units) => `${formatUnits(units, assets.find(currency)?.decimals ?? 0)} ${currency}`,
  })),
  deliverNotices: recipe(
    ['config', 'storage', 'plugins', 'clock', 'random', 'deadline', 'logger', 'metrics', 'baseUrl'],
    ({ config, plugins: { notifiers }, baseUrl, ...ports }) =>
      new DeliverNotices({
        ...ports,
        notifiers,
        // Read at each use: with port 0 the address is known only once the server listens.
        footer: () => footerOf(config, baseUrl.url),
      }),
  ),
  dailySummary: recipe(
    ['storage', 'ids', 'clock', 'events', 'noticeSettings'],
    ({ noticeSettings: notices, ...ports }) => new DailySummary({ ...ports, notices }),
  ),
  tidyNotices: recipe(['storage', 'ids', 'clock', 'events'], (ports) => new TidyNotices(ports)),
} satisfies Recipes;

/** Names the sender and the address of the dashboard. It contains no link that performs an action. */
function footerOf(
  config: { readonly serviceName: string; readonly dashboard?: { readonly enabled: boolean } },
  url: string,
): readonly string[] {
  const name = `Sent by ${config.serviceName}.`;
  if (url === '') return [name];
  return [name, config.dashboard?.enabled === true ? `Dashboard: ${url}/dashboard` : `Service: ${url}`];
}
