import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useLocaleState, useTranslate } from 'react-admin';
import { useState } from 'react';
import { Figure } from '../../charts/figure.tsx';
import { useFormerBars } from '../../charts/former-bars.ts';
import { StackedBars } from '../../charts/stacked-bars.tsx';
import type { Bar } from '../../charts/stacked-bars.tsx';
import { Section } from '../../components/facts.tsx';
import { useCoinName, useMoney } from '../../components/money.ts';
import type { OverviewRecord } from '../../records.ts';
import { dayName, daysOf } from './days.ts';
import type { Compared } from './days.ts';
import { coinsOf, fiatsOf, OTHERS, priceOf } from './sales.ts';

const KEY = 'tillgate.overview';

/** The sales of each day, by coin, in a fiat currency: amounts of different coins have no common measure. */
export function SalesChart({ overview, former }: Compared) {
  const translate = useTranslate();
  const [chosen, choose] = useState<string | null>(null);
  const fiats = fiatsOf(overview.sales);
  const fiat = fiats.find((each) => each === chosen) ?? fiats[0];
  return (
    <Section title={`${KEY}.sales`}>
      {fiat === undefined ? (
        <Typography color="textSecondary">{translate(`${KEY}.noSales`)}</Typography>
      ) : (
        <>
          {fiats.length < 2 ? null : (
            <TextField
              select
              size="small"
              label={translate(`${KEY}.fiat`)}
              value={fiat}
              onChange={({ target }) => choose(target.value)}
              sx={{ mb: 1, minWidth: '8rem' }}
            >
              {fiats.map((each) => (
                <MenuItem key={each} value={each}>
                  {each}
                </MenuItem>
              ))}
            </TextField>
          )}
          <Sales overview={overview} former={former} fiat={fiat} />
        </>
      )}
    </Section>
  );
}

function Sales({ overview, former, fiat }: Compared & { readonly fiat: string }) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const money = useMoney();
  const coinName = useCoinName();
  const { sales } = overview;
  const axisMoney = new Intl.NumberFormat(locale, { style: 'currency', currency: fiat, notation: 'compact' });
  const coins = coinsOf(sales, fiat);
  const nameOf = (coin: string | null): string =>
    coin === null ? translate(`${KEY}.noCoin`) : coin === OTHERS ? translate(`${KEY}.otherCoins`) : coinName(coin);
  const barOf = (day: string, sold: OverviewRecord['sales'], parts: readonly OverviewRecord['sales'][]): Bar => {
    const name = dayName(locale, day);
    return {
      name,
      text: `${name}: ${money(priceOf(sold, fiat), fiat)}`,
      // Only the relative lengths are floating-point numbers; amounts in text never are.
      parts: parts.map((part) => Number(priceOf(part, fiat))),
    };
  };
  const bars = soldByDay(overview).map(({ day, sold }) =>
    barOf(
      day,
      sold,
      coins.map((coin) => sold.filter((sale) => sale.coin === coin || (coin === OTHERS && !coins.includes(sale.coin)))),
    ),
  );
  const before = useFormerBars(
    former && soldByDay(former).map(({ day, sold }) => barOf(day, sold, [sold])),
    money(priceOf(former?.sales ?? [], fiat), fiat),
  );
  const total = money(priceOf(sales, fiat), fiat);
  const best = bars.reduce((most, bar) => (sum(bar) > sum(most) ? bar : most), bars[0] ?? EMPTY);
  return (
    <Figure
      table={{
        label: translate(`${KEY}.salesTable`),
        heads: [`${KEY}.day`, `${KEY}.coin`, `${KEY}.orderCount`, `${KEY}.received`, `${KEY}.price`].map((key) =>
          translate(key),
        ),
        rows: [...sales, ...(former?.sales ?? [])].map(({ day, coin, orders, amount, prices }) => [
          dayName(locale, day),
          nameOf(coin),
          String(orders),
          coin === null ? amount : money(amount, coin),
          prices.map(({ price, currency }) => money(price, currency)).join(', '),
        ]),
      }}
    >
      <StackedBars
        label={translate(`${KEY}.salesLabel`, { total, best: best.text })}
        series={coins.map(nameOf)}
        bars={bars}
        former={before}
        most={translate(`${KEY}.best`, { total, best: best.text })}
        axis={(length) => axisMoney.format(length)}
      />
    </Figure>
  );
}

const soldByDay = (period: OverviewRecord) =>
  daysOf(period).map((day) => ({ day, sold: period.sales.filter((sale) => sale.day === day) }));

const EMPTY: Bar = { name: '', text: '', parts: [] };
const sum = ({ parts }: Bar): number => parts.reduce((all, part) => all + part, 0);
