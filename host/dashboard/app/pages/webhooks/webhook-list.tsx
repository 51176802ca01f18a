import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { ButtonProps } from '@mui/material/Button';
import { useTranslate } from 'react-admin';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { ActionButton } from '../../components/act.tsx';
import { StatusChip } from '../../components/chips.tsx';
import { ListActions } from '../../components/list-actions.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import type { Values } from '../../components/field.ts';
import { RecordTable } from '../../components/record-table.tsx';
import type { Column } from '../../components/record-table.tsx';
import { Records } from '../../components/records.tsx';
import { SecretsDialog } from '../../components/secrets-dialog.tsx';
import type { Secrets } from '../../components/secrets-dialog.tsx';
import { useService } from '../../components/service.ts';
import type { RevealedWebhook, WebhookRecord } from '../../records.ts';
import { useApi } from '../../till.ts';

type Show = (webhook: RevealedWebhook) => void;

/** The webhook endpoints. A secret is shown only once, after its creation. */
export function WebhookList() {
  const [secrets, setSecrets] = useState<Secrets | null>(null);
  const show: Show = ({ secret }) => setSecrets([['resources.webhooks.fields.secret', secret]]);
  const columns: readonly Column<WebhookRecord>[] = [
    { name: 'url', value: ({ url }) => url },
    { name: 'events', value: ({ events }) => events.join(', ') },
    { name: 'enabled', value: ({ enabled }) => <StatusChip status={enabled ? 'ENABLED' : 'DISABLED'} /> },
    { name: 'actions', card: 'actions', value: (webhook) => <WebhookActions webhook={webhook} show={show} /> },
  ];
  return (
    <>
      <Records actions={<ListActions create={<CreateWebhook show={show} />} />}>
        <RecordTable columns={columns} next={<CreateWebhook show={show} variant="contained" />} />
      </Records>
      <SecretsDialog secrets={secrets} onClose={() => setSecrets(null)} />
    </>
  );
}

function WebhookActions({ webhook: { id, enabled }, show }: { readonly webhook: WebhookRecord; readonly show: Show }) {
  const api = useApi();
  const translate = useTranslate();
  const path = `webhooks/${id}`;
  const log = `/callbacks?filter=${encodeURIComponent(JSON.stringify({ webhook: id }))}`;
  return (
    <Box component="span" sx={{ display: 'inline-flex', flexWrap: 'wrap', gap: 1 }}>
      <Button size="small" component={Link} to={log}>
        {translate('resources.webhooks.log')}
      </Button>
      <ActionButton
        size="small"
        label="resources.webhooks.test"
        success="resources.webhooks.tested"
        work={() => api.post(`${path}/test`)}
      />
      <ActionButton
        size="small"
        label="resources.webhooks.rotate"
        confirm
        work={async () => show(await api.post<RevealedWebhook>(`${path}/rotate`))}
      />
      <ActionButton
        size="small"
        label={enabled ? 'resources.webhooks.disable' : 'resources.webhooks.enable'}
        confirm={enabled}
        work={() => api.request('PATCH', path, { body: { enabled: !enabled } })}
      />
      <ActionButton
        size="small"
        color="error"
        label="resources.webhooks.remove"
        confirm
        work={() => api.request('DELETE', path)}
      />
    </Box>
  );
}

function CreateWebhook({ show, ...button }: { readonly show: Show } & Pick<ButtonProps, 'variant'>) {
  const api = useApi();
  const service = useService();
  const create = async ({ url = '', events = '' }: Values): Promise<void> =>
    show(await api.post<RevealedWebhook>('webhooks', { url, events: events.split(',').filter((each) => each !== '') }));
  return (
    <FormDialog
      size="small"
      {...button}
      label="resources.webhooks.create"
      submit={create}
      fields={[
        { name: 'url', label: 'resources.webhooks.fields.url' },
        {
          name: 'events',
          label: 'resources.webhooks.fields.events',
          several: true,
          initial: 'order.*',
          choices: (service?.webhook_events ?? []).map((id) => ({ id, label: id })),
        },
      ]}
    />
  );
}
