import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { SelectInput } from 'react-admin';
import { CLAIM_STATUSES } from '../../../../../core/payouts/pull-payment.ts';
import { ActionButton } from '../../components/act.tsx';
import { StatusChip } from '../../components/chips.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import type { Column } from '../../components/record-table.tsx';
import { Records } from '../../components/records.tsx';
import { Amount, Hash, Time } from '../../components/values.tsx';
import type { ClaimRecord } from '../../records.ts';
import { useApi } from '../../till.ts';

const KEY = 'resources.claims';
const REFETCH_MS = 10_000;

const COLUMNS: readonly Column<ClaimRecord>[] = [
  { name: 'created_at', card: 'detail', value: ({ created_at: at }) => <Time value={at} /> },
  {
    name: 'coin_amount',
    card: 'title',
    numeric: true,
    value: ({ coin_amount: units, coin }) => <Amount value={units} currency={coin} />,
  },
  { name: 'to_address', value: ({ to_address: to }) => <Hash value={to} /> },
  { name: 'state', card: 'aside', value: (claim) => <ClaimState claim={claim} /> },
  { name: 'actions', card: 'actions', value: (claim) => <ClaimActions claim={claim} /> },
];

export function ClaimState({ claim: { state, reason, not_before: notBefore } }: { readonly claim: ClaimRecord }) {
  return (
    <Box sx={{ display: 'grid', gap: 0.5, justifyItems: { xs: 'end', md: 'start' } }}>
      <StatusChip status={state} />
      {state === 'waiting' && notBefore !== null ? <Time value={notBefore} /> : null}
      {reason === null ? null : (
        <Typography component="span" variant="body2" color="textSecondary">
          {reason}
        </Typography>
      )}
    </Box>
  );
}

export function ClaimActions({ claim: { id, state } }: { readonly claim: ClaimRecord }) {
  const api = useApi();
  if (state !== 'awaiting_approval' && state !== 'waiting') return null;
  return (
    // Nothing that is pressed here opens the row.
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }} onClick={(event) => event.stopPropagation()}>
      <ActionButton
        label={`${KEY}.approve`}
        success={`${KEY}.approved`}
        size="small"
        confirm
        work={() => api.post(`claims/${id}/approve`, {})}
      />
      <FormDialog
        label={`${KEY}.reject`}
        size="small"
        text
        fields={[{ name: 'reason', label: `${KEY}.fields.reason` }]}
        submit={(values) => api.post(`claims/${id}/reject`, values)}
      />
    </Box>
  );
}

const FILTERS = [
  <SelectInput
    key="status"
    source="status"
    alwaysOn
    choices={CLAIM_STATUSES.map((status) => ({ id: status, name: `tillgate.status.${status}` }))}
  />,
];

/** The claims of payees; each can be approved or rejected. */
export function ClaimList() {
  return (
    <Records filters={FILTERS} actions={false} refetchMs={REFETCH_MS}>
      <RecordTable columns={COLUMNS} opens />
    </Records>
  );
}
