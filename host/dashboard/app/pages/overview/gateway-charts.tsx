import { useLocaleState, useTranslate } from 'react-admin';
import { BarTable } from '../../charts/bar-table.tsx';
import { RequestBars } from '../../charts/request-bars.tsx';
import { Section } from '../../components/facts.tsx';
import type { RequestDay } from '../../charts/request-bars.tsx';
import type { OverviewRecord } from '../../records.ts';
import { dayName, daysOf } from './days.ts';
import type { Compared } from './days.ts';

const KEY = 'tillgate.overview';

/** The maximum number of methods; the API sorts them by calls. */
const MOST_METHODS = 15;

/** Requests of the gateway by day, with the failed ones. */
export function GatewayDaysChart({ overview, former }: Compared) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const count = new Intl.NumberFormat(locale);
  const short = new Intl.NumberFormat(locale, { notation: 'compact' });
  const requestsOf = (period: OverviewRecord): readonly RequestDay[] => {
    const used = new Map(period.gateway.days.map((each) => [each.day, each]));
    return daysOf(period).map((day) => {
      const { requests = 0, errors = 0 } = used.get(day) ?? {};
      return { name: dayName(locale, day), requests, errors };
    });
  };
  const days = requestsOf(overview);
  const before = former === undefined ? undefined : requestsOf(former);
  return (
    <Section title={`${KEY}.gatewayDays`}>
      <RequestBars
        days={days}
        former={before}
        table={{
          label: translate(`${KEY}.gatewayDays`),
          heads: [`${KEY}.day`, `${KEY}.requests`, `${KEY}.errors`].map((key) => translate(key)),
          rows: [...days, ...(before ?? [])].map(({ name, requests, errors }) => [
            name,
            count.format(requests),
            count.format(errors),
          ]),
        }}
        axis={(length) => short.format(length)}
      />
    </Section>
  );
}

/** The most frequently called methods. */
export function GatewayMethodsChart({ methods }: Pick<OverviewRecord['gateway'], 'methods'>) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const count = new Intl.NumberFormat(locale);
  return (
    <Section title={`${KEY}.gatewayMethods`}>
      <BarTable
        label={translate(`${KEY}.gatewayMethods`)}
        heads={[`${KEY}.method`, `${KEY}.requests`, `${KEY}.errors`].map((key) => translate(key))}
        rows={methods.slice(0, MOST_METHODS).map(({ method, requests, errors }) => ({
          name: method,
          cells: [count.format(requests), count.format(errors)],
          parts: [requests - errors, errors],
        }))}
      />
    </Section>
  );
}
