import { StatusChip } from '../../components/chips.tsx';
import { CreateLink } from '../../components/create-link.tsx';
import { ListActions } from '../../components/list-actions.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import type { Column } from '../../components/record-table.tsx';
import { Records } from '../../components/records.tsx';
import { Amount, Time } from '../../components/values.tsx';
import type { PullPaymentRecord } from '../../records.ts';

const COLUMNS: readonly Column<PullPaymentRecord>[] = [
  { name: 'created_at', card: 'detail', value: ({ created_at: at }) => <Time value={at} /> },
  { name: 'name', card: 'title', value: ({ name }) => name },
  { name: 'amount', numeric: true, value: ({ amount, currency }) => <Amount value={amount} currency={currency} /> },
  { name: 'left', numeric: true, value: ({ left, currency }) => <Amount value={left} currency={currency} /> },
  { name: 'state', card: 'aside', value: ({ state }) => <StatusChip status={state} /> },
];

/** The amounts that the account has promised. */
export function PullPaymentList() {
  return (
    <Records actions={<ListActions create={<CreateLink />} />}>
      <RecordTable columns={COLUMNS} opens />
    </Records>
  );
}
