import { SelectInput, useTranslate } from 'react-admin';
import { ALERT_STATUSES } from '../../../../../core/notify/alert.ts';
import { AccountName } from '../../components/account-name.tsx';
import { ActionButton } from '../../components/act.tsx';
import { StatusChip } from '../../components/chips.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import type { Column } from '../../components/record-table.tsx';
import { Records } from '../../components/records.tsx';
import { LongText, Time } from '../../components/values.tsx';
import type { AlertItem } from '../../operator-records.ts';
import { useApi } from '../../till.ts';

const KEY = 'resources.alerts';
const REFETCH_MS = 10_000;

const COLUMNS: readonly Column<AlertItem>[] = [
  { name: 'last_raised_at', card: 'detail', value: ({ last_raised_at: at }) => <Time value={at} /> },
  { name: 'kind', card: 'title', value: ({ kind }) => <Kind kind={kind} /> },
  { name: 'subject', card: 'detail', value: ({ subject }) => <LongText>{subject}</LongText> },
  { name: 'reason', value: ({ reason }) => <LongText>{reason}</LongText> },
  { name: 'count', numeric: true, value: ({ count }) => String(count) },
  { name: 'status', value: (alert) => <AlertStatus alert={alert} /> },
];

const FILTERS = [
  <SelectInput
    key="status"
    source="status"
    alwaysOn
    emptyText={`${KEY}.allStatuses`}
    choices={ALERT_STATUSES.map((id) => ({ id, name: `tillgate.status.${id}` }))}
  />,
];

/** The list begins with the alerts that nobody has acknowledged. */
const OPEN: Pick<AlertItem, 'status'> = { status: 'OPEN' };

export function AlertList() {
  return (
    <Records filters={FILTERS} actions={false} startFilter={OPEN} refetchMs={REFETCH_MS}>
      <RecordTable columns={COLUMNS} startFilter={OPEN} />
    </Records>
  );
}

function Kind({ kind }: Pick<AlertItem, 'kind'>) {
  const translate = useTranslate();
  return <>{translate(`${KEY}.kinds.${kind}`, { _: kind })}</>;
}

function AlertStatus({ alert }: { readonly alert: AlertItem }) {
  const api = useApi();
  if (alert.status === 'OPEN')
    return (
      <ActionButton
        label={`${KEY}.close`}
        success={`${KEY}.closed`}
        size="small"
        work={() => api.post(`alerts/${alert.id}/acknowledge`)}
      />
    );
  return (
    <>
      <StatusChip status={alert.status} /> <AccountName id={alert.acknowledged_by} link />
    </>
  );
}
