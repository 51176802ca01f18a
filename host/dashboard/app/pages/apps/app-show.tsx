import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useRecordContext, useTranslate } from 'react-admin';
import { ActionButton } from '../../components/act.tsx';
import { StatusChip } from '../../components/chips.tsx';
import { RecordPage } from '../../components/record-page.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Copyable, Time } from '../../components/values.tsx';
import type { AppRecord } from '../../records.ts';
import { useApi } from '../../till.ts';
import { appChanges, useAppFields } from './app-form.ts';
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
  const fields = useAppFields(app);
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
            [`${FIELD}.chains`, app.chains.length === 0 ? translate('resources.apps.noChains') : null],
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
        <Box sx={{ mt: 2, display: 'flex', gap: 1 }}>
          <FormDialog
            label="resources.apps.edit"
            submitLabel="ra.action.save"
            success="resources.apps.saved"
            submit={(values) => api.request('PATCH', `apps/${id}`, { version, body: appChanges(app, values) })}
            fields={fields}
          />
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
