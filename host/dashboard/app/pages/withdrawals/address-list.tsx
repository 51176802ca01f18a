import type { ButtonProps } from '@mui/material/Button';
import { ListActions } from '../../components/list-actions.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import type { Column } from '../../components/record-table.tsx';
import { Records } from '../../components/records.tsx';
import { useService } from '../../components/service.ts';
import { ChainName, LongText, Time } from '../../components/values.tsx';
import type { WithdrawalAddress } from '../../records.ts';
import { useApi } from '../../till.ts';

const COLUMNS: readonly Column<WithdrawalAddress>[] = [
  { name: 'chain', card: 'title', value: ({ chain }) => <ChainName code={chain} /> },
  { name: 'address', value: ({ address }) => <LongText>{address}</LongText> },
  { name: 'in_force', value: ({ in_force: inForce }) => <LongText>{inForce ?? '–'}</LongText> },
  { name: 'effective_at', value: ({ effective_at: from }) => <Time value={from} /> },
];

/** The withdrawal addresses, by chain. */
export function AddressList() {
  return (
    <Records actions={<ListActions create={<SetAddress />} />}>
      <RecordTable columns={COLUMNS} next={<SetAddress variant="contained" />} />
    </Records>
  );
}

function SetAddress(button: Pick<ButtonProps, 'variant'>) {
  const api = useApi();
  const service = useService();
  const chains = new Map(
    (service?.coins ?? []).filter(({ enabled }) => enabled).map((coin) => [coin.chain, coin.chain_name]),
  );
  return (
    <FormDialog
      {...button}
      label="resources.withdrawal-addresses.set"
      success="resources.withdrawal-addresses.saved"
      text
      submit={(values) => api.post('payout-addresses', values)}
      fields={[
        {
          name: 'chain',
          label: 'resources.withdrawal-addresses.fields.chain',
          choices: [...chains].map(([id, name]) => ({ id, label: name })),
        },
        { name: 'address', label: 'resources.withdrawal-addresses.fields.address' },
      ]}
    />
  );
}
