import { SelectInput, useTranslate } from 'react-admin';
import { TRANSFER_STATUSES } from '../../../../../core/transfers/transfer.ts';
import type { TransferStatus } from '../../../../../core/transfers/transfer.ts';
import { AccountName } from '../../components/account-name.tsx';
import { StatusChip } from '../../components/chips.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import type { Column } from '../../components/record-table.tsx';
import { Records } from '../../components/records.tsx';
import { Amount, Time } from '../../components/values.tsx';
import type { TransferItem } from '../../operator-records.ts';

const REFETCH_MS = 5000;

const COLUMNS: readonly Column<TransferItem>[] = [
  { name: 'created_at', value: ({ created_at: at }) => <Time value={at} /> },
  { name: 'kind', value: ({ kind }) => <TransferKind kind={kind} /> },
  { name: 'account_id', value: ({ account_id: id }) => <AccountName id={id} /> },
  { name: 'amount', numeric: true, value: ({ amount, currency }) => <Amount value={amount} currency={currency} /> },
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

/** What is wanted at first: what waits for somebody's approval. */
const WAITING: { readonly status: TransferStatus } = { status: 'HELD' };

/** What a transfer is for, in words. */
export function TransferKind({ kind }: Pick<TransferItem, 'kind'>) {
  const translate = useTranslate();
  return <>{translate(`resources.transfers.kinds.${kind}`)}</>;
}

/** Money on its way out, those that wait for an approval first of all. */
export function TransferList() {
  return (
    <Records filters={FILTERS} actions={false} startFilter={WAITING} refetchMs={REFETCH_MS}>
      <RecordTable columns={COLUMNS} opens />
    </Records>
  );
}
