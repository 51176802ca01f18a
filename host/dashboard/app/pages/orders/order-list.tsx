import { CreateButton, FilterButton, SelectInput, TopToolbar } from 'react-admin';
import { ORDER_STATUSES } from '../../../../../core/orders/order-status.ts';
import { CsvButton } from '../../components/csv-button.tsx';
import { PAYMENT_FILTERS } from '../../components/list-filters.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import type { Column } from '../../components/record-table.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { Records } from '../../components/records.tsx';
import { Amount, Time } from '../../components/values.tsx';
import type { OrderRecord } from '../../records.ts';
import { CoinAmount } from './coin-amount.tsx';
import { OrderStatusChip } from './order-status-chip.tsx';

const COLUMNS: readonly Column<OrderRecord>[] = [
  { name: 'created_at', value: ({ created_at: at }) => <Time value={at} /> },
  { name: 'id', value: ({ id }) => id },
  { name: 'merchant_reference', value: ({ merchant_reference: reference }) => reference ?? '–' },
  { name: 'price', numeric: true, value: ({ price, currency }) => <Amount value={price} currency={currency} /> },
  { name: 'amount', numeric: true, value: ({ payment }) => <CoinAmount payment={payment} /> },
  { name: 'status', value: (order) => <OrderStatusChip order={order} /> },
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
  <TopToolbar>
    <FilterButton />
    <CsvButton />
    <CreateButton label="resources.orders.page.create" />
  </TopToolbar>
);

export function OrderList() {
  return (
    <Records filters={FILTERS} actions={ACTIONS}>
      <RecordTable columns={COLUMNS} opens />
    </Records>
  );
}
