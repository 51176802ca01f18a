import { SelectInput } from 'react-admin';
import { TRANSFER_STATUSES } from '../../../../../core/payouts/transfer.ts';
import type { TransferStatus } from '../../../../../core/payouts/transfer.ts';
import { AccountName } from '../../components/account-name.tsx';
import { StatusChip } from '../../components/chips.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import type { Column } from '../../components/record-table.tsx';
import { Records } from '../../components/records.tsx';
import { Amount, Time } from '../../components/values.tsx';
import type { TransferItem } from '../../operator-records.ts';
import { Kind } from '../withdrawals/kind.tsx';

const REFETCH_MS = 5000;

const COLUMNS: readonly Column<TransferItem>[] = [
  { name: 'created_at', card: 'detail', value: ({ created_at: at }) => <Time value={at} /> },
  { name: 'kind', card: 'title', value: ({ kind }) => <Kind kind={kind} /> },
  { name: 'account', card: 'detail', value: ({ account }) => <AccountName id={account} /> },
  {
    name: 'amount',
    card: 'aside',
    numeric: true,
    value: ({ amount, coin }) => <Amount value={amount} currency={coin} />,
  },
  { name: 'status', value: ({ status }) => <StatusChip status={status} /> },
  { name: 'reason', value: ({ reason }) => reason ?? '–' },
];

const FILTERS = [
  <SelectInput
    key="status"
    source="status"
    alwaysOn
    emptyText="resources.transfers.allStatuses"
    choices={TRANSFER_STATUSES.map((id) => ({ id, name: `tillgate.status.${id}` }))}
  />,
];

/** The list begins with the transfers that wait for an approval. */
const WAITING: { readonly status: TransferStatus } = { status: 'HELD' };

export function TransferList() {
  return (
    <Records filters={FILTERS} actions={false} startFilter={WAITING} refetchMs={REFETCH_MS}>
      <RecordTable columns={COLUMNS} opens startFilter={WAITING} />
    </Records>
  );
}
