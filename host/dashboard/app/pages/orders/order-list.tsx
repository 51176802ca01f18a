import { FilterButton, SelectInput, usePermissions } from 'react-admin';
import { ORDER_STATUSES } from '../../../../../core/orders/order-status.ts';
import { CsvButton } from '../../components/csv-button.tsx';
import { AccountName } from '../../components/account-name.tsx';
import { ACCOUNT_FILTER, PAYMENT_FILTERS } from '../../components/list-filters.tsx';
import { CreateLink } from '../../components/create-link.tsx';
import { ListActions } from '../../components/list-actions.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import type { Column } from '../../components/record-table.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { Records } from '../../components/records.tsx';
import { Amount, Time } from '../../components/values.tsx';
import type { OrderRecord } from '../../records.ts';
import { CoinAmount } from './coin-amount.tsx';
import { OrderName } from './order-name.tsx';
import { OrderStatusChip } from './order-status-chip.tsx';

const REFETCH_MS = 10_000;

const COLUMNS: readonly Column<OrderRecord>[] = [
  { name: 'order', card: 'title', value: (order) => <OrderName order={order} /> },
  { name: 'created_at', card: 'detail', value: ({ created_at: at }) => <Time value={at} /> },
  {
    name: 'price',
    numeric: true,
    card: 'detail',
    value: ({ price, currency }) => <Amount value={price} currency={currency} />,
  },
  { name: 'amount', numeric: true, card: 'detail', value: ({ payment }) => <CoinAmount payment={payment} /> },
  { name: 'status', card: 'aside', value: (order) => <OrderStatusChip order={order} /> },
];

/** For admins, whose list has the orders of all merchants. */
const OF_ALL: readonly Column<OrderRecord>[] = [
  ...COLUMNS.slice(0, 1),
  { name: 'account', card: 'detail', value: ({ account }) => <AccountName id={account} /> },
  ...COLUMNS.slice(1),
];

const FILTERS = [
  <SearchField key="q" source="q" alwaysOn label="resources.orders.search" />,
  <SelectInput
    key="status"
    source="status"
    choices={ORDER_STATUSES.map((status) => ({ id: status, name: `tillgate.orderStatus.${status}` }))}
  />,
  ...PAYMENT_FILTERS,
];

const ACTIONS = (
  <ListActions create={<CreateLink />}>
    <FilterButton />
    <CsvButton />
  </ListActions>
);

export function OrderList() {
  const { permissions } = usePermissions<string>();
  const admin = permissions === 'admin';
  return (
    <Records filters={admin ? [...FILTERS, ACCOUNT_FILTER] : FILTERS} actions={ACTIONS} refetchMs={REFETCH_MS}>
      <RecordTable columns={admin ? OF_ALL : COLUMNS} opens />
    </Records>
  );
}
