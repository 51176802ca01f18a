import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import { useGetIdentity, useTranslate } from 'react-admin';
import { ActionButton } from '../../components/act.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import type { TransferFile } from '../../operator-records.ts';
import { useApi } from '../../till.ts';

const KEY = 'resources.transfers';
const REASON = { name: 'reason', label: `${KEY}.fields.reason` };

/** Why this person cannot approve it, as a key of the catalogue; `null` if the server decides. */
function obstacleFor(me: unknown, { account: owner, requested_by: asker, approvals }: TransferFile): string | null {
  if (owner === me) return `${KEY}.own`;
  if (asker === me) return `${KEY}.asked`;
  return approvals.some(({ account: by, counts }) => counts && by === me) ? `${KEY}.approvedByMe` : null;
}

/** The possible actions on a transfer: approve or reject a held one, cancel a signed one. */
export function TransferActions({ transfer }: { readonly transfer: TransferFile }) {
  const translate = useTranslate();
  const { identity } = useGetIdentity();
  const { status, chain_transaction: transaction } = transfer;
  const held = status === 'HELD';
  const signed = status === 'SIGNED' || status === 'BROADCAST';
  const obstacle = held && identity !== undefined ? obstacleFor(identity.id, transfer) : null;
  return (
    <>
      {obstacle === null ? null : (
        <Alert severity="info" sx={{ mt: 2 }}>
          {translate(obstacle)}
        </Alert>
      )}
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mt: 2 }}>
        {held && identity !== undefined && obstacle === null ? <ApproveButton transfer={transfer} /> : null}
        {held || status === 'REQUESTED' ? <RejectButton transfer={transfer} /> : null}
        {signed && transaction?.cancel_reason === undefined ? <CancelButton transfer={transfer} /> : null}
      </Box>
    </>
  );
}

function ApproveButton({ transfer }: { readonly transfer: TransferFile }) {
  const api = useApi();
  return (
    <ActionButton
      label={`${KEY}.approve`}
      success={`${KEY}.approved`}
      variant="contained"
      confirm
      work={() => api.post(`payouts/${transfer.id}/approve`)}
    />
  );
}

function RejectButton({ transfer }: { readonly transfer: TransferFile }) {
  const api = useApi();
  return (
    <FormDialog
      label={`${KEY}.reject`}
      success={`${KEY}.rejected`}
      text
      fields={[REASON]}
      submit={(values) => api.post(`payouts/${transfer.id}/reject`, values)}
    />
  );
}

function CancelButton({ transfer }: { readonly transfer: TransferFile }) {
  const api = useApi();
  return (
    <FormDialog
      label={`${KEY}.cancel`}
      success={`${KEY}.cancelled`}
      dismiss={`${KEY}.keep`}
      text
      fields={[REASON]}
      submit={({ reason = '' }) => api.post(`payouts/${transfer.id}/cancel`, reason === '' ? {} : { reason })}
    />
  );
}
