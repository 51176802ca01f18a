import Box from '@mui/material/Box';
import { useQuery } from '@tanstack/react-query';
import { useTranslate } from 'react-admin';
import { useState } from 'react';
import { ActionButton } from '../../components/act.tsx';
import { StatusChip } from '../../components/chips.tsx';
import { Entries } from '../../components/entries.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { SecretsDialog } from '../../components/secrets-dialog.tsx';
import type { Secrets } from '../../components/secrets-dialog.tsx';
import { Time } from '../../components/values.tsx';
import type { AppKey } from '../../records.ts';
import { useApi } from '../../till.ts';
import { changesOf, limitFields } from './key-form.ts';

const FIELD = 'resources.apps.fields';
const HOUR = 3600;
const GRACES = [0, HOUR, 24 * HOUR, 7 * 24 * HOUR];

/** The keys of an App: shown to its owner on demand, rotated with a grace period, revoked at once. */
export function AppKeys({ id }: { readonly id: string }) {
  const api = useApi();
  const translate = useTranslate();
  const [secrets, setSecrets] = useState<Secrets | null>(null);
  const show = ({ api_key: key }: AppKey): void => setSecrets([[`${FIELD}.api_key`, key]]);
  const { data: keys = [] } = useQuery({
    queryKey: ['apps', 'keys', id],
    queryFn: async ({ signal }) => (await api.get<{ items: readonly AppKey[] }>(`apps/${id}/keys`, {}, signal)).items,
    // Removed from the cache when the page is left.
    gcTime: 0,
  });
  const active = keys.some(({ state }) => state === 'active');
  return (
    <Section title="resources.apps.keys">
      <Entries
        empty="resources.apps.noKeys"
        of={keys.map((key) => ({ id: key.id, content: <Key app={id} appKey={key} show={show} /> }))}
      />
      <Box sx={{ mt: 1 }}>
        {active ? (
          <FormDialog
            label="resources.apps.rotate"
            success="resources.apps.rotated"
            text
            submit={async ({ grace = '' }) => {
              const body = { grace_seconds: Number(grace) };
              show((await api.post<{ key: AppKey }>(`apps/${id}/keys/rotate`, body)).key);
            }}
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
          <FormDialog
            label="resources.apps.makeKey"
            submit={async (values) => show(await api.post<AppKey>(`apps/${id}/keys`, changesOf(values)))}
            fields={limitFields()}
          />
        )}
      </Box>
      <SecretsDialog again secrets={secrets} onClose={() => setSecrets(null)} />
    </Section>
  );
}

interface KeyProps {
  readonly app: string;
  readonly appKey: AppKey;
  readonly show: (key: AppKey) => void;
}

function Key({ app, appKey: key, show }: KeyProps) {
  const api = useApi();
  return (
    <>
      <Facts
        of={[
          [`${FIELD}.state`, <StatusChip key="state" status={key.state} />],
          [`${FIELD}.api_key`, key.api_key],
          [`${FIELD}.created_at`, <Time key="created" value={key.created_at} />],
          [`${FIELD}.last_used_at`, <Time key="used" value={key.last_used_at} />],
          [`${FIELD}.expires_at`, key.expires_at === null ? null : <Time key="expires" value={key.expires_at} />],
          [`${FIELD}.methods`, key.methods.join(', ')],
          [`${FIELD}.networks`, key.networks.join(', ')],
          [`${FIELD}.origins`, key.origins.join(', ')],
          [`${FIELD}.units_per_minute`, key.units_per_minute === null ? null : String(key.units_per_minute)],
        ]}
      />
      {key.state === 'revoked' || key.state === 'expired' ? null : (
        <Box sx={{ display: 'flex', gap: 1, mt: 1 }}>
          <ActionButton
            size="small"
            label="resources.apps.reveal"
            work={async () => show(await api.post<AppKey>(`apps/${app}/keys/${key.id}/reveal`))}
          />
          <FormDialog
            size="small"
            label="resources.apps.limitKey"
            success="resources.apps.keyLimited"
            submit={(values) => api.request('PATCH', `apps/${app}/keys/${key.id}`, { body: changesOf(values, key) })}
            fields={limitFields(key)}
          />
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
