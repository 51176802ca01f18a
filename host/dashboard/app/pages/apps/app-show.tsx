import Box from '@mui/material/Box';
import { useRecordContext } from 'react-admin';
import { ActionButton } from '../../components/act.tsx';
import { StatusChip } from '../../components/chips.tsx';
import { RecordPage } from '../../components/record-page.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import { Copyable, Time } from '../../components/values.tsx';
import type { AppRecord } from '../../records.ts';
import { useApi } from '../../till.ts';
import { AppKeys } from './app-keys.tsx';
import { AppUsageTable } from './app-usage.tsx';

const FIELD = 'resources.apps.fields';

export function AppShow() {
  return (
    <RecordPage>
      <AppPage />
    </RecordPage>
  );
}

function AppPage() {
  const api = useApi();
  const app = useRecordContext<AppRecord>();
  if (app === undefined) return null;
  const { id, enabled, version } = app;
  return (
    <>
      <Section title="resources.apps.about">
        <Facts
          of={[
            [`${FIELD}.name`, app.name],
            [`${FIELD}.enabled`, <StatusChip key="enabled" status={enabled ? 'ENABLED' : 'DISABLED'} />],
            [`${FIELD}.created_at`, <Time key="created" value={app.created_at} />],
            ...app.chains.map(
              ({ code, name, host }) =>
                [name, host === null ? '–' : <Copyable key={`${code} ${host}`} value={host} label={name} />] as const,
            ),
          ]}
        />
        <Box sx={{ mt: 2 }}>
          <ActionButton
            label={enabled ? 'resources.apps.disable' : 'resources.apps.enable'}
            confirm={enabled}
            work={() => api.request('PATCH', `apps/${id}`, { version, body: { enabled: !enabled } })}
          />
        </Box>
      </Section>
      <AppKeys id={id} />
      <AppUsageTable id={id} />
    </>
  );
}
