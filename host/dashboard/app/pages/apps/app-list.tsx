import type { ButtonProps } from '@mui/material/Button';
import { useRedirect } from 'react-admin';
import { StatusChip } from '../../components/chips.tsx';
import { ListActions } from '../../components/list-actions.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import type { Values } from '../../components/field.ts';
import { RecordTable } from '../../components/record-table.tsx';
import type { Column } from '../../components/record-table.tsx';
import { Records } from '../../components/records.tsx';
import { Time } from '../../components/values.tsx';
import type { AppRecord, NewApp } from '../../records.ts';
import { useApi } from '../../till.ts';
import { appBody, useAppFields } from './app-form.ts';

const chainsOf = ({ chains }: AppRecord): string => [...new Set(chains.map(({ name }) => name))].join(', ');

const COLUMNS: readonly Column<AppRecord>[] = [
  { name: 'name', value: ({ name }) => name },
  { name: 'chains', value: chainsOf },
  { name: 'created_at', value: ({ created_at: at }) => <Time value={at} /> },
  { name: 'enabled', value: ({ enabled }) => <StatusChip status={enabled ? 'ENABLED' : 'DISABLED'} /> },
];

export function AppList() {
  return (
    <Records actions={<ListActions create={<CreateApp />} />}>
      <RecordTable columns={COLUMNS} opens next={<CreateApp variant="contained" />} />
    </Records>
  );
}

function CreateApp(button: Pick<ButtonProps, 'variant'>) {
  const api = useApi();
  const redirect = useRedirect();
  const fields = useAppFields();
  const create = async (values: Values): Promise<void> => {
    const { id } = await api.post<NewApp>('apps', appBody(values));
    redirect('show', 'apps', id);
  };
  return (
    <FormDialog
      size="small"
      {...button}
      label="resources.apps.create"
      success="resources.apps.created"
      submit={create}
      fields={fields}
    />
  );
}
