import { useTranslate } from 'react-admin';
import { StatusChip } from '../../components/chips.tsx';
import { CreateLink } from '../../components/create-link.tsx';
import { ListActions } from '../../components/list-actions.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import type { Column } from '../../components/record-table.tsx';
import { Records } from '../../components/records.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { Time } from '../../components/values.tsx';
import type { AccountItem } from '../../operator-records.ts';

const COLUMNS: readonly Column<AccountItem>[] = [
  { name: 'email', card: 'title', value: ({ email }) => email },
  { name: 'account_name', value: ({ name }) => name ?? '–' },
  { name: 'role', card: 'detail', value: ({ role }) => <Role role={role} /> },
  { name: 'status', card: 'aside', value: ({ status }) => <StatusChip status={status} /> },
  { name: 'created_at', value: ({ created_at: at }) => <Time value={at} /> },
];

export function Role({ role }: Pick<AccountItem, 'role'>) {
  const translate = useTranslate();
  return <>{translate(`resources.accounts.roles.${role}`)}</>;
}

const FILTERS = [<SearchField key="q" source="q" label="resources.accounts.search" alwaysOn />];

export function AccountList() {
  return (
    <Records filters={FILTERS} actions={<ListActions create={<CreateLink />} />}>
      <RecordTable columns={COLUMNS} opens />
    </Records>
  );
}
