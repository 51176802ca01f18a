import { useQuery } from '@tanstack/react-query';
import { useLocaleState, useTranslate } from 'react-admin';
import { DAY_MS, startOfDay } from '../../../../../core/kernel/time.ts';
import type { OverviewRecord, WalletRecord } from '../../records.ts';
import { Tiles } from '../../shell/page-skeleton.tsx';
import { useApi } from '../../till.ts';
import { LastOrders } from './last-orders.tsx';
import { daysOf } from './days.ts';
import { fiatsOf, priceOf } from './sales.ts';
import { Tile } from './tile.tsx';
import { DecisionTiles, REFETCH_MS, useWaiting } from './waiting-tiles.tsx';
import { roundedMoney, worthOf } from './worth.ts';
import type { Priced } from './worth.ts';

const KEY = 'tillgate.home';
/** Where no sale says in which currency the merchant counts. */
const DEFAULT_FIAT = 'USD';

/** What a merchant asks first: today's money, what there is, what waits, and the last orders. */
export function MerchantHome() {
  const api = useApi();
  const waiting = useWaiting();
  const { data } = useQuery({
    queryKey: ['overview', 'today'],
    queryFn: ({ signal }) => {
      // Days are those of UTC, as in the charts.
      const from = new Date(startOfDay(Date.now()) - DAY_MS).toISOString();
      return api.get<OverviewRecord>('overview', { from }, signal);
    },
    refetchInterval: REFETCH_MS,
  });
  const fiat = (data === undefined ? null : fiatsOf(data.sales)[0]) ?? DEFAULT_FIAT;
  return (
    <>
      <Tiles>
        {data === undefined ? null : <TodayTile overview={data} fiat={fiat} />}
        <BalanceTile fiat={fiat} />
        {waiting === undefined ? null : <DecisionTiles waiting={waiting} payouts="/withdrawals" />}
      </Tiles>
      <LastOrders />
    </>
  );
}

function TodayTile({ overview, fiat }: { readonly overview: OverviewRecord; readonly fiat: string }) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const days = daysOf(overview);
  const soldOn = (day: string | undefined): string =>
    roundedMoney(
      locale,
      priceOf(
        overview.sales.filter((sale) => sale.day === day),
        fiat,
      ),
      fiat,
    );
  return (
    <Tile
      label={`${KEY}.today`}
      value={soldOn(days.at(-1))}
      note={translate(`${KEY}.yesterday`, { amount: soldOn(days.at(-2)) })}
      to="/orders"
    />
  );
}

function BalanceTile({ fiat }: { readonly fiat: string }) {
  const api = useApi();
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const { data } = useQuery({
    queryKey: ['worth', fiat],
    queryFn: async ({ signal }) => {
      const [wallets, rates] = await Promise.all([
        api.get<{ readonly items: readonly WalletRecord[] }>('wallets', {}, signal),
        api.get<{ readonly items: readonly Priced[] }>('rates', { currency: fiat }, signal),
      ]);
      return worthOf(wallets.items, rates.items);
    },
    refetchInterval: REFETCH_MS,
  });
  if (data === undefined) return null;
  return (
    <Tile
      label={`${KEY}.balance`}
      value={roundedMoney(locale, data.amount, fiat)}
      note={translate(data.partial ? `${KEY}.unpriced` : `${KEY}.atRates`)}
      to="/wallets"
    />
  );
}
