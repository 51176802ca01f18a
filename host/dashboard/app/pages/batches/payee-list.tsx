import { TopToolbar } from 'react-admin';
import { ActionButton } from '../../components/act.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import type { Column } from '../../components/record-table.tsx';
import { Records } from '../../components/records.tsx';
import { useService } from '../../components/service.ts';
import { ChainName, LongText, Time } from '../../components/values.tsx';
import type { PayeeRecord } from '../../records.ts';
import { useApi } from '../../till.ts';

const TEXT = 'resources.payees';

const COLUMNS: readonly Column<PayeeRecord>[] = [
  { name: 'label', card: 'title', value: ({ label }) => (label === '' ? '–' : label) },
  { name: 'chain', card: 'aside', value: ({ chain }) => <ChainName code={chain} /> },
  { name: 'address', value: ({ address }) => <LongText>{address}</LongText> },
  { name: 'effective_at', value: ({ effective_at: from }) => <Time value={from} /> },
  { name: 'actions', card: 'actions', value: (payee) => <RemovePayee payee={payee} /> },
];

/** The receivers that an account lists, newest first. */
export function PayeeList() {
  return (
    <Records actions={<PayeeActions />}>
      <RecordTable columns={COLUMNS} />
    </Records>
  );
}

function RemovePayee({ payee: { id } }: { readonly payee: PayeeRecord }) {
  const api = useApi();
  return (
    <ActionButton
      label={`${TEXT}.remove`}
      size="small"
      confirm
      success={`${TEXT}.removed`}
      work={() => api.request('DELETE', `payees/${id}`)}
    />
  );
}

function PayeeActions() {
  const api = useApi();
  const service = useService();
  const chains = new Map(
    (service?.coins ?? []).filter(({ enabled }) => enabled).map((coin) => [coin.chain, coin.chain_name]),
  );
  return (
    <TopToolbar>
      <FormDialog
        label={`${TEXT}.add`}
        success={`${TEXT}.added`}
        text
        submit={({ label, ...values }) => api.post('payees', label === '' ? values : { ...values, label })}
        fields={[
          {
            name: 'chain',
            label: `${TEXT}.fields.chain`,
            choices: [...chains].map(([id, name]) => ({ id, label: `${name} (${id})` })),
          },
          { name: 'address', label: `${TEXT}.fields.address` },
          { name: 'label', label: `${TEXT}.fields.label` },
        ]}
      />
    </TopToolbar>
  );
}
