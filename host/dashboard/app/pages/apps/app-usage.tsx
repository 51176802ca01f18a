import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useLocaleState, useTranslate } from 'react-admin';
import { RequestBars } from '../../charts/request-bars.tsx';
import { Section } from '../../components/facts.tsx';
import type { AppUsage } from '../../records.ts';
import { useApi } from '../../till.ts';

const FIELD = 'resources.apps.fields';

/** An App's usage by day: bars of its requests, the failed ones apart, and the figures as a table. */
export function AppUsageTable({ id }: { readonly id: string }) {
  const api = useApi();
  const translate = useTranslate();
  const { data } = useQuery({
    queryKey: ['apps', 'usage', id],
    queryFn: ({ signal }) => api.get<AppUsage>(`apps/${id}/usage`, { by: 'day' }, signal),
  });
  const rows = data?.rows ?? [];
  return (
    <Section title="resources.apps.usage">
      {rows.length === 0 ? (
        <Typography color="textSecondary">{translate('resources.apps.noUsage')}</Typography>
      ) : (
        <UsageChart rows={rows} />
      )}
      <Button href={api.url(`apps/${id}/usage`, { by: 'day', format: 'csv' })} download sx={{ mt: 1 }}>
        {translate('tillgate.csv')}
      </Button>
    </Section>
  );
}

function UsageChart({ rows }: AppUsage) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const count = new Intl.NumberFormat(locale);
  // Days of the API are days in UTC.
  const day = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' });
  const days = rows.map(({ at, requests, units, errors }) => ({
    name: at === null ? '' : day.format(new Date(at)),
    ...{ requests, units, errors },
  }));
  return (
    <RequestBars
      days={days}
      table={{
        label: translate('resources.apps.usage'),
        heads: ['day', 'requests', 'units', 'errors'].map((name) => translate(`${FIELD}.${name}`)),
        rows: days.map(({ name, requests, units, errors }) => [
          name,
          ...[requests, units, errors].map((each) => count.format(each)),
        ]),
      }}
    />
  );
}
