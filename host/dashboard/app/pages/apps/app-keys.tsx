import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useTranslate } from 'react-admin';
import { useState } from 'react';
import { ActionButton } from '../../components/act.tsx';
import { StatusChip } from '../../components/chips.tsx';
import { Entries } from '../../components/entries.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Copyable, Time } from '../../components/values.tsx';
import type { AppKey } from '../../records.ts';
import { useApi } from '../../till.ts';

const FIELD = 'resources.apps.fields';
const HOUR = 3600;
const GRACES = [0, HOUR, 24 * HOUR, 7 * 24 * HOUR];

/** The keys of an App: shown on demand, rotated with a grace period, revoked at once. */
export function AppKeys({ id }: { readonly id: string }) {
  const api = useApi();
  const translate = useTranslate();
  const { data: keys = [] } = useQuery({
    queryKey: ['apps', 'keys', id],
    queryFn: async ({ signal }) => (await api.get<{ items: readonly AppKey[] }>(`apps/${id}/keys`, {}, signal)).items,
    // Not kept once the page is left.
    gcTime: 0,
  });
  const active = keys.some(({ state }) => state === 'active');
  return (
    <Section title="resources.apps.keys">
      <Entries
        empty="resources.apps.noKeys"
        of={keys.map((key) => ({ id: key.id, content: <Key app={id} appKey={key} /> }))}
      />
      <Box sx={{ mt: 1 }}>
        {active ? (
          <FormDialog
            label="resources.apps.rotate"
            success="resources.apps.rotated"
            text
            submit={({ grace = '' }) => api.post(`apps/${id}/keys/rotate`, { grace_seconds: Number(grace) })}
            fields={[
              {
                name: 'grace',
                label: 'resources.apps.fields.grace',
                initial: String(24 * HOUR),
                choices: GRACES.map((seconds) => ({
                  id: String(seconds),
                  label: translate('tillgate.hours', { smart_count: seconds / HOUR }),
                })),
              },
            ]}
          />
        ) : (
          <ActionButton label="resources.apps.makeKey" work={() => api.post(`apps/${id}/keys`)} />
        )}
      </Box>
    </Section>
  );
}

function Key({ app, appKey: key }: { readonly app: string; readonly appKey: AppKey }) {
  const api = useApi();
  const translate = useTranslate();
  const [shown, setShown] = useState(false);
  const label = translate(`${FIELD}.api_key`);
  return (
    <>
      <Facts
        of={[
          [`${FIELD}.state`, <StatusChip key="state" status={key.state} />],
          [
            `${FIELD}.api_key`,
            shown ? (
              <Copyable key="key" value={key.api_key} label={label} />
            ) : (
              <Button key="show" size="small" onClick={() => setShown(true)}>
                {translate('tillgate.show')}
              </Button>
            ),
          ],
          [`${FIELD}.created_at`, <Time key="created" value={key.created_at} />],
          [`${FIELD}.last_used_at`, <Time key="used" value={key.last_used_at} />],
          [`${FIELD}.expires_at`, key.expires_at === null ? null : <Time key="expires" value={key.expires_at} />],
        ]}
      />
      {key.state === 'revoked' || key.state === 'expired' ? null : (
        <Box sx={{ mt: 1 }}>
          <ActionButton
            size="small"
            color="error"
            label="resources.apps.revoke"
            success="resources.apps.revoked"
            confirm
            work={() => api.post(`apps/${app}/keys/${key.id}/revoke`)}
          />
        </Box>
      )}
    </>
  );
}
