import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { SelectInput, usePermissions } from 'react-admin';
import { AccountName } from '../../components/account-name.tsx';
import { ACCOUNT_FILTER } from '../../components/list-filters.tsx';
import { TRANSFER_STATUSES } from '../../../../../core/payouts/transfer.ts';
import { StatusChip } from '../../components/chips.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import type { Column } from '../../components/record-table.tsx';
import { Records } from '../../components/records.tsx';
import { Amount, Hash, Time } from '../../components/values.tsx';
import type { TransferRecord } from '../../records.ts';
import { Kind } from './kind.tsx';

const COLUMNS: readonly Column<TransferRecord>[] = [
  { name: 'created_at', card: 'detail', value: ({ created_at: at }) => <Time value={at} /> },
  { name: 'kind', card: 'title', value: ({ kind }) => <Kind kind={kind} /> },
  {
    name: 'amount',
    numeric: true,
    card: 'aside',
    value: ({ amount, coin }) => <Amount value={amount} currency={coin} />,
  },
  { name: 'fee', numeric: true, value: ({ fee, coin }) => <Amount value={fee} currency={coin} /> },
  { name: 'to_address', value: ({ to_address: to }) => <Hash value={to} /> },
  { name: 'tx_hash', value: ({ tx_hash: hash }) => <Hash value={hash} /> },
  { name: 'status', value: (transfer) => <Progress transfer={transfer} /> },
];

/** For admins, whose list has the payouts of all merchants, and those of the till. */
const OF_ALL: readonly Column<TransferRecord>[] = [
  ...COLUMNS.slice(0, 2),
  { name: 'account', card: 'detail', value: ({ account }) => <AccountName id={account} /> },
  ...COLUMNS.slice(2),
];

/** The status, and why the transfer waits or failed. */
function Progress({ transfer: { status, reason } }: { readonly transfer: TransferRecord }) {
  return (
    <Box sx={{ display: 'grid', gap: 0.5, justifyItems: { xs: 'end', md: 'start' } }}>
      <StatusChip status={status} />
      {reason === null ? null : (
        <Typography component="span" variant="body2" color="textSecondary">
          {reason}
        </Typography>
      )}
    </Box>
  );
}

const REFETCH_MS = 10_000;

const FILTERS = [
  <SelectInput
    key="status"
    source="status"
    alwaysOn
    choices={TRANSFER_STATUSES.map((status) => ({ id: status, name: `tillgate.status.${status}` }))}
  />,
];

export function WithdrawalList() {
  const { permissions } = usePermissions<string>();
  const admin = permissions === 'admin';
  return (
    <Records filters={admin ? [...FILTERS, ACCOUNT_FILTER] : FILTERS} actions={false} refetchMs={REFETCH_MS}>
      <RecordTable columns={admin ? OF_ALL : COLUMNS} opens />
    </Records>
  );
}
