import Box from '@mui/material/Box';
import { useGetIdentity } from 'react-admin';
import { ActionButton } from '../../components/act.tsx';
import { EditLink } from '../../components/edit-link.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import type { AccountFile } from '../../operator-records.ts';
import type { SecurityRecord } from '../../records.ts';
import { useApi } from '../../till.ts';

const KEY = 'resources.accounts';

interface AccountActionsProps {
  readonly account: AccountFile;
  readonly security: SecurityRecord | undefined;
}

/** The possible actions on an account. Nobody can disable or archive their own account. */
export function AccountActions({ account, security }: AccountActionsProps) {
  const api = useApi();
  const { identity } = useGetIdentity();
  const { id, status } = account;
  const path = `accounts/${id}`;
  const moves = identity !== undefined && identity.id !== id && status !== 'archived';
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mt: 2 }}>
      {status === 'archived' ? null : <EditLink resource="accounts" id={id} />}
      {security === undefined ? null : <FreezeButton path={path} frozen={security.payouts_frozen} />}
      {moves && status === 'active' ? (
        <ActionButton
          label={`${KEY}.disable`}
          success={`${KEY}.disabled`}
          color="warning"
          confirm
          work={() => api.request('PATCH', path, { body: { status: 'disabled' } })}
        />
      ) : null}
      {moves && status === 'disabled' ? (
        <ActionButton
          label={`${KEY}.enable`}
          success={`${KEY}.enabled`}
          work={() => api.request('PATCH', path, { body: { status: 'active' } })}
        />
      ) : null}
      {moves ? (
        <ActionButton
          label={`${KEY}.archive`}
          success={`${KEY}.archived`}
          color="error"
          confirm
          work={() => api.post('accounts/archive', { ids: [id] })}
        />
      ) : null}
    </Box>
  );
}

function FreezeButton({ path, frozen }: { readonly path: string; readonly frozen: boolean }) {
  const api = useApi();
  if (frozen)
    return (
      <ActionButton
        label={`${KEY}.unfreeze`}
        success={`${KEY}.unfrozen`}
        confirm
        work={() => api.post(`${path}/unfreeze`)}
      />
    );
  return (
    <FormDialog
      label={`${KEY}.freeze`}
      success={`${KEY}.frozen`}
      text
      fields={[{ name: 'reason', label: `${KEY}.reason` }]}
      submit={(values) => api.post(`${path}/freeze`, values)}
    />
  );
}
