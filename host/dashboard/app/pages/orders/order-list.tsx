import DownloadIcon from '@mui/icons-material/Download';
import Button from '@mui/material/Button';
import {
  CreateButton,
  DateTimeInput,
  FilterButton,
  SelectInput,
  TextInput,
  TopToolbar,
  useListContext,
  useTranslate,
} from 'react-admin';
import { ORDER_STATUSES } from '../../../../../core/orders/order-status.ts';
import { StatusChip } from '../../components/chips.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import type { Column } from '../../components/record-table.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { Records } from '../../components/records.tsx';
import { Amount, Time } from '../../components/values.tsx';
import type { OrderRecord } from '../../records.ts';
import { useApi } from '../../till.ts';

const COLUMNS: readonly Column<OrderRecord>[] = [
  { name: 'create_time', value: ({ create_time: at }) => <Time value={at} /> },
  { name: 'order_id', value: ({ order_id: id }) => id },
  { name: 'merchant_reference', value: ({ merchant_reference: reference }) => reference ?? '–' },
  { name: 'vs_price', numeric: true, value: (order) => <Amount value={order.vs_price} currency={order.vs_currency} /> },
  { name: 'amount', numeric: true, value: (order) => <Amount value={order.amount} currency={order.currency} /> },
  { name: 'status', value: ({ status }) => <StatusChip status={status} /> },
];

/** A moment of the reader's time zone as the API takes it. */
const toInstant = (value: string): string | null => (value === '' ? null : new Date(value).toISOString());

const FILTERS = [
  <SearchField key="q" source="q" alwaysOn label="resources.orders.search" />,
  <SelectInput
    key="status"
    source="status"
    choices={ORDER_STATUSES.map((status) => ({ id: status, name: `tillgate.status.${status}` }))}
  />,
  <TextInput key="chain" source="chain" />,
  <TextInput key="currency" source="currency" />,
  <DateTimeInput key="from" source="from" parse={toInstant} />,
  <DateTimeInput key="to" source="to" parse={toInstant} />,
];

function OrderListActions() {
  const translate = useTranslate();
  const api = useApi();
  const filterValues = useListContext().filterValues as Readonly<Record<string, unknown>>;
  return (
    <TopToolbar>
      <FilterButton />
      <Button size="small" startIcon={<DownloadIcon />} href={api.url('orders.csv', filterValues)} download>
        {translate('tillgate.csv')}
      </Button>
      <CreateButton label="resources.orders.create" />
    </TopToolbar>
  );
}

/** The orders, newest first, with search. */
export function OrderList() {
  return (
    <Records filters={FILTERS} actions={<OrderListActions />}>
      <RecordTable columns={COLUMNS} opens />
    </Records>
  );
}
