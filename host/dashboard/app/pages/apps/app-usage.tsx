import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useTranslate } from 'react-admin';
import { Entries } from '../../components/entries.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import { Time } from '../../components/values.tsx';
import type { AppUsage } from '../../records.ts';
import { useApi } from '../../till.ts';

const FIELD = 'resources.apps.fields';

/** An App's usage by day, newest first. */
export function AppUsageTable({ id }: { readonly id: string }) {
  const api = useApi();
  const translate = useTranslate();
  const { data } = useQuery({
    queryKey: ['apps', 'usage', id],
    queryFn: ({ signal }) => api.get<AppUsage>(`apps/${id}/usage`, { by: 'day' }, signal),
  });
  return (
    <Section title="resources.apps.usage">
      <Entries
        empty="resources.apps.noUsage"
        of={[...(data?.rows ?? [])].reverse().map(({ at, requests, units, errors }) => ({
          id: at ?? '',
          content: (
            <Facts
              of={[
                [`${FIELD}.day`, <Time key="day" value={at} />],
                [`${FIELD}.requests`, String(requests)],
                [`${FIELD}.units`, String(units)],
                [`${FIELD}.errors`, String(errors)],
              ]}
            />
          ),
        }))}
      />
      <Button href={api.url(`apps/${id}/usage`, { by: 'day', format: 'csv' })} download sx={{ mt: 1 }}>
        {translate('tillgate.csv')}
      </Button>
    </Section>
  );
}
