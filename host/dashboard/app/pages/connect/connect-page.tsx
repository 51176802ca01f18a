import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import ListItemText from '@mui/material/ListItemText';
import Typography from '@mui/material/Typography';
import { Title, useGetIdentity, useTranslate } from 'react-admin';
import { useState } from 'react';
import { PERMISSIONS, withStore } from '../../../../../adapters/http/greenfield/permission-table.ts';
import { connectRequest } from '../../connect-request.ts';
import type { ConnectRequest } from '../../connect-request.ts';
import { useAct } from '../../components/act.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import { SecretsDialog } from '../../components/secrets-dialog.tsx';
import type { CreatedCredential } from '../../records.ts';
import { useApi } from '../../till.ts';

/** Asks the merchant whether an application may have a key of the account, and hands it over. */
export function ConnectPage() {
  const translate = useTranslate();
  const [asked] = useState(() => connectRequest(new URLSearchParams(location.search), location.protocol === 'https:'));
  return (
    <Box sx={{ mt: 2 }}>
      <Title title="tillgate.connect.title" />
      {'problem' in asked ? (
        <Alert severity="error">{translate(`tillgate.connect.${asked.problem}`, { about: asked.about })}</Alert>
      ) : (
        <Consent asked={asked} />
      )}
    </Box>
  );
}

function Consent({ asked }: { readonly asked: ConnectRequest }) {
  const { application, permissions, redirect } = asked;
  const translate = useTranslate();
  const api = useApi();
  const act = useAct();
  const { identity } = useGetIdentity();
  const [state, setState] = useState<'asking' | 'busy' | 'denied' | 'sent'>('asking');
  const [key, setKey] = useState<string | null>(null);
  const name = application === '' ? translate('tillgate.connect.unnamed') : application;
  const allow = async (): Promise<void> => {
    setState('busy');
    const done = await act(async () => {
      const body = { permissions, ...(application === '' ? {} : { name: application }) };
      const made = await api.post<CreatedCredential>('credentials', body);
      if (redirect === null) setKey(made.api_key);
      else post(redirect, made);
    });
    setState(!done ? 'asking' : redirect === null ? 'asking' : 'sent');
  };
  if (state === 'denied') return <Alert severity="info">{translate('tillgate.connect.denied')}</Alert>;
  if (state === 'sent') return <Alert severity="success">{translate('tillgate.connect.sent')}</Alert>;
  return (
    <Section title="tillgate.connect.asks">
      <Typography sx={{ mb: 2, overflowWrap: 'anywhere' }}>{translate('tillgate.connect.text', { name })}</Typography>
      <Facts
        of={[
          ['tillgate.connect.account', identity?.fullName ?? ''],
          ['tillgate.connect.goesTo', redirect === null ? translate('tillgate.connect.toYou') : redirect.host],
        ]}
      />
      <Typography sx={{ mt: 2 }}>{translate('tillgate.connect.may')}</Typography>
      <List dense>
        {permissions.map((permission) => (
          <ListItem key={permission}>
            <ListItemText
              primary={translate(`tillgate.permission.${PERMISSIONS[permission].word}`)}
              secondary={<bdi>{permission}</bdi>}
            />
          </ListItem>
        ))}
      </List>
      <Alert severity="warning" sx={{ mb: 2 }}>
        {translate('tillgate.connect.warning')}
      </Alert>
      <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap' }}>
        <Button variant="contained" disabled={state === 'busy'} onClick={() => void allow()}>
          {translate('tillgate.connect.allow')}
        </Button>
        <Button variant="outlined" disabled={state === 'busy'} onClick={() => setState('denied')}>
          {translate('tillgate.connect.deny')}
        </Button>
      </Box>
      <SecretsDialog
        again
        secrets={key === null ? null : [['resources.credentials.fields.api_key', key]]}
        onClose={() => setKey(null)}
      />
    </Section>
  );
}

/** Hands the key to the application by a form of this browser; the page allows it to this origin alone. */
function post(redirect: URL, { account, api_key: key, permissions }: CreatedCredential): void {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = redirect.href;
  const add = (name: string, value: string): void => {
    const input = document.createElement('input');
    input.type = 'hidden';
    input.name = name;
    input.value = value;
    form.append(input);
  };
  add('apiKey', key);
  add('userId', account);
  for (const permission of permissions ?? []) add('permissions[]', withStore(permission, account));
  document.body.append(form);
  form.submit();
}
