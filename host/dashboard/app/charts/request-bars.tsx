import { useLocaleState, useTranslate } from 'react-admin';
import { Figure } from './figure.tsx';
import { useFormerBars } from './former-bars.ts';
import { StackedBars } from './stacked-bars.tsx';
import type { Bar } from './stacked-bars.tsx';

const KEY = 'tillgate.overview';

export interface RequestDay {
  readonly name: string;
  readonly requests: number;
  readonly errors: number;
}

interface RequestBarsProps {
  readonly days: readonly RequestDay[];
  /** The days before, for comparison. */
  readonly former?: readonly RequestDay[] | undefined;
  /** The same figures as a table. */
  readonly table: Parameters<typeof Figure>[0]['table'];
  readonly axis?: (length: number) => string;
}

/** Requests by day, the failed ones apart. */
export function RequestBars({ days, former, table, axis }: RequestBarsProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const count = new Intl.NumberFormat(locale);
  const sumsOf = (of: readonly RequestDay[]) => ({
    requests: count.format(of.reduce((sum, { requests }) => sum + requests, 0)),
    errors: count.format(of.reduce((sum, { errors }) => sum + errors, 0)),
  });
  const barOf = ({ name, requests, errors }: RequestDay): Bar => ({
    name,
    parts: [requests - errors, errors],
    text: translate(`${KEY}.gatewayDay`, {
      day: name,
      requests: count.format(requests),
      errors: count.format(errors),
    }),
  });
  const sums = sumsOf(days);
  const before = useFormerBars(former?.map(barOf), translate(`${KEY}.gatewaySum`, sumsOf(former ?? [])));
  return (
    <Figure table={table}>
      <StackedBars
        label={translate(`${KEY}.gatewayLabel`, sums)}
        series={[translate(`${KEY}.answered`), translate(`${KEY}.errors`)]}
        bars={days.map(barOf)}
        former={before}
        most={translate(`${KEY}.gatewaySum`, sums)}
        {...(axis === undefined ? {} : { axis })}
      />
    </Figure>
  );
}
