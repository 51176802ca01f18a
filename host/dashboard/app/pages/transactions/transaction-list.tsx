import { FilterButton, SelectInput, TopToolbar, usePermissions } from 'react-admin';
import { TRANSACTION_STATUSES } from '../../../../../core/ledger/transaction.ts';
import { StatusChip } from '../../components/chips.tsx';
import { AccountName } from '../../components/account-name.tsx';
import { CsvButton } from '../../components/csv-button.tsx';
import { ACCOUNT_FILTER, PAYMENT_FILTERS } from '../../components/list-filters.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import type { Column } from '../../components/record-table.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { Records } from '../../components/records.tsx';
import { Amount, Hash, Time } from '../../components/values.tsx';
import type { TransactionRecord } from '../../records.ts';
import { TransactionType, TYPES } from './transaction-type.tsx';

const COLUMNS: readonly Column<TransactionRecord>[] = [
  { name: 'created_at', card: 'detail', value: ({ created_at: at }) => <Time value={at} /> },
  { name: 'type', card: 'title', value: ({ type }) => <TransactionType type={type} /> },
  {
    name: 'amount',
    numeric: true,
    card: 'aside',
    value: ({ amount, coin }) => <Amount value={amount} currency={coin} />,
  },
  { name: 'fee', numeric: true, value: ({ fee, coin }) => <Amount value={fee} currency={coin} /> },
  { name: 'tx_hash', value: ({ tx_hash: hash }) => <Hash value={hash} /> },
  { name: 'status', card: 'detail', value: ({ status }) => <StatusChip status={status} /> },
];

/** For admins, whose list has the transactions of all merchants. */
const OF_ALL: readonly Column<TransactionRecord>[] = [
  ...COLUMNS.slice(0, 2),
  { name: 'account', card: 'detail', value: ({ account }) => <AccountName id={account} /> },
  ...COLUMNS.slice(2),
];

const FILTERS = [
  <SearchField key="q" source="q" alwaysOn label="resources.transactions.search" />,
  <SelectInput
    key="type"
    source="type"
    choices={TYPES.map((id) => ({ id, name: `resources.transactions.types.${id}` }))}
  />,
  <SelectInput
    key="status"
    source="status"
    choices={TRANSACTION_STATUSES.map((id) => ({ id, name: `tillgate.status.${id}` }))}
  />,
  ...PAYMENT_FILTERS,
];

const ACTIONS = (
  <TopToolbar>
    <FilterButton />
    <CsvButton />
  </TopToolbar>
);

/** A payment opens its order; an outgoing payment opens its transfer, whose id it has. */
function pathOf({ id, type, order }: TransactionRecord): string | null {
  if (type === 'WITHDRAW' || type === 'REFUND' || type === 'PAYOUT') return `/withdrawals/${id}/show`;
  return order === null ? null : `/orders/${order}/show`;
}

export function TransactionList() {
  const { permissions } = usePermissions<string>();
  return (
    <Records filters={permissions === 'admin' ? [...FILTERS, ACCOUNT_FILTER] : FILTERS} actions={ACTIONS}>
      <RecordTable columns={permissions === 'admin' ? OF_ALL : COLUMNS} opens={pathOf} />
    </Records>
  );
}
