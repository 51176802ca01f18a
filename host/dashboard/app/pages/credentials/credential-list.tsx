import Box from '@mui/material/Box';
import type { ButtonProps } from '@mui/material/Button';
import { useTranslate } from 'react-admin';
import { useState } from 'react';
import { SCOPES } from '../../../../../core/access/scopes.ts';
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
import { Time } from '../../components/values.tsx';
import type { CallbackSecrets, CreatedCredential, CredentialRecord } from '../../records.ts';
import { useApi } from '../../till.ts';

const SECRET_FIELDS = [
  'api_key',
  'api_token',
  'signing_secret',
  'callback_key',
  'callback_token',
  'callback_secret',
] as const;

type Shown = Partial<Record<(typeof SECRET_FIELDS)[number], string | undefined>>;

const secretsOf = (shown: Shown): Secrets =>
  SECRET_FIELDS.map((name) => [
    `resources.credentials.fields.${name}`,
    shown[name],
    `resources.credentials.secretHelp.${name}`,
  ]);

/** The credentials of the payment API; a secret is shown after its creation or on demand, until its dialog closes. */
export function CredentialList() {
  const [secrets, setSecrets] = useState<Secrets | null>(null);
  const show = (shown: Shown): void => setSecrets(secretsOf(shown));
  const columns: readonly Column<CredentialRecord>[] = [
    { name: 'name', value: ({ name }) => name },
    { name: 'api_key', value: ({ api_key: key }) => key },
    { name: 'scopes', value: ({ scopes }) => <Scopes scopes={scopes} /> },
    { name: 'created_at', value: ({ created_at: at }) => <Time value={at} /> },
    { name: 'expires_at', value: ({ expires_at: at }) => <Time value={at} /> },
    { name: 'status', value: ({ status }) => <StatusChip status={status} /> },
    {
      name: 'actions',
      card: 'actions',
      value: (credential) => <CredentialActions credential={credential} show={show} />,
    },
  ];
  return (
    <>
      <Records actions={<CredentialListActions show={show} />}>
        <RecordTable columns={columns} next={<CreateCredential show={show} variant="contained" />} />
      </Records>
      <SecretsDialog again secrets={secrets} onClose={() => setSecrets(null)} />
    </>
  );
}

function Scopes({ scopes }: Pick<CredentialRecord, 'scopes'>) {
  const translate = useTranslate();
  return <>{scopes.map((scope) => translate(`tillgate.scope.${scope}`)).join(', ')}</>;
}

interface ShowProps {
  readonly show: (shown: Shown) => void;
}

function CredentialActions({
  credential: { id, status },
  show,
}: ShowProps & { readonly credential: CredentialRecord }) {
  const api = useApi();
  if (status !== 'active') return null;
  return (
    <Box component="span" sx={{ display: 'inline-flex', flexWrap: 'wrap', gap: 1 }}>
      <ActionButton
        size="small"
        label="resources.credentials.reveal"
        work={async () => show(await api.post<CreatedCredential>(`credentials/${id}/reveal`))}
      />
      <ActionButton
        size="small"
        color="error"
        label="resources.credentials.revoke"
        success="resources.credentials.revoked"
        confirm
        work={() => api.post(`credentials/${id}/revoke`)}
      />
    </Box>
  );
}

function CredentialListActions({ show }: ShowProps) {
  const api = useApi();
  return (
    <ListActions create={<CreateCredential show={show} />}>
      <ActionButton
        size="small"
        label="resources.credentials.rotateCallback"
        confirm
        work={async () => show(await api.post<CallbackSecrets>('credentials/callback/rotate'))}
      />
    </ListActions>
  );
}

function CreateCredential({ show, ...button }: ShowProps & Pick<ButtonProps, 'variant'>) {
  const api = useApi();
  const translate = useTranslate();
  const create = async ({ name = '', scopes = '', expires_at: until = '' }: Values): Promise<void> => {
    const body = {
      ...(name === '' ? {} : { name }),
      ...(scopes === '' ? {} : { scopes: scopes.split(',') }),
      ...(until === '' ? {} : { expires_at: new Date(until).toISOString() }),
    };
    show(await api.post<CreatedCredential>('credentials', body));
  };
  return (
    <FormDialog
      {...button}
      size="small"
      label="resources.credentials.create"
      submit={create}
      fields={[
        { name: 'name', label: 'resources.credentials.fields.name' },
        {
          name: 'scopes',
          label: 'resources.credentials.fields.scopes',
          several: true,
          initial: SCOPES.join(','),
          choices: SCOPES.map((id) => ({ id, label: translate(`tillgate.scope.${id}`) })),
        },
        {
          name: 'expires_at',
          label: 'resources.credentials.fields.expires_at',
          type: 'datetime-local',
          help: 'resources.credentials.expiresHelp',
        },
      ]}
    />
  );
}
