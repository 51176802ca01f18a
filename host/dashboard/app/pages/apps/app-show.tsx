import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useRecordContext, useTranslate } from 'react-admin';
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

/** The URL that an App calls, with the key in a header or at the end of the path. */
const urlOf = (host: string, protocol: string | null): string =>
  `${protocol === 'websocket' ? 'wss' : 'https'}://${host}/`;

function AppPage() {
  const api = useApi();
  const translate = useTranslate();
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
              ({ code, name, host, protocol }) =>
                [
                  name,
                  host === null ? (
                    translate('resources.apps.noGateway')
                  ) : (
                    <Copyable key={`${code} ${host}`} value={urlOf(host, protocol)} label={name} />
                  ),
                ] as const,
            ),
          ]}
        />
        <Typography variant="body2" color="textSecondary" sx={{ mt: 2 }}>
          {translate('resources.apps.callHelp')}
        </Typography>
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
