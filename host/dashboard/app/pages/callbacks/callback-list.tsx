import { SelectInput, TextInput } from 'react-admin';
import { CALLBACK_STATUSES } from '../../../../../core/notify/callback.ts';
import { StatusChip } from '../../components/chips.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import type { Column } from '../../components/record-table.tsx';
import { Records } from '../../components/records.tsx';
import { LongText, Time } from '../../components/values.tsx';
import type { CallbackRecord } from '../../records.ts';

const COLUMNS: readonly Column<CallbackRecord>[] = [
  { name: 'created_at', card: 'detail', value: ({ created_at: at }) => <Time value={at} /> },
  { name: 'event', card: 'title', value: ({ event }) => event },
  { name: 'url', value: ({ url }) => <LongText title={url}>{url.replace(/\?.*$/s, '')}</LongText> },
  { name: 'attempts', numeric: true, value: ({ attempts }) => attempts },
  { name: 'status', card: 'aside', value: ({ status }) => <StatusChip status={status} /> },
];

const FILTERS = [
  <SelectInput
    key="status"
    source="status"
    alwaysOn
    choices={CALLBACK_STATUSES.map((status) => ({ id: status, name: `tillgate.status.${status}` }))}
  />,
  <TextInput key="webhook" source="webhook" alwaysOn helperText={false} />,
];

export function CallbackList() {
  return (
    <Records filters={FILTERS} actions={false}>
      <RecordTable columns={COLUMNS} opens />
    </Records>
  );
}
