import { useLocaleState, useTranslate } from 'react-admin';
import { Figure } from './figure.tsx';
import { StackedBars } from './stacked-bars.tsx';

const KEY = 'tillgate.overview';

interface RequestBarsProps {
  readonly days: readonly { readonly name: string; readonly requests: number; readonly errors: number }[];
  /** The same figures as a table. */
  readonly table: Parameters<typeof Figure>[0]['table'];
  readonly axis?: (length: number) => string;
}

/** Requests by day, the failed ones apart. */
export function RequestBars({ days, table, axis }: RequestBarsProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const count = new Intl.NumberFormat(locale);
  const sumOf = (name: 'requests' | 'errors'): string => count.format(days.reduce((sum, each) => sum + each[name], 0));
  const sums = { requests: sumOf('requests'), errors: sumOf('errors') };
  return (
    <Figure table={table}>
      <StackedBars
        label={translate(`${KEY}.gatewayLabel`, sums)}
        series={[translate(`${KEY}.answered`), translate(`${KEY}.errors`)]}
        bars={days.map(({ name, requests, errors }) => ({
          name,
          parts: [requests - errors, errors],
          text: translate(`${KEY}.gatewayDay`, {
            day: name,
            requests: count.format(requests),
            errors: count.format(errors),
          }),
        }))}
        most={translate(`${KEY}.gatewaySum`, sums)}
        {...(axis === undefined ? {} : { axis })}
      />
    </Figure>
  );
}
