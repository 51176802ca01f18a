import { TopToolbar, useListContext } from 'react-admin';
import { RecordTable } from '../../components/record-table.tsx';
import type { Column } from '../../components/record-table.tsx';
import { Records } from '../../components/records.tsx';
import { Amount } from '../../components/values.tsx';
import type { WalletRecord } from '../../records.ts';
import { WithdrawButton } from './withdraw-button.tsx';

const BALANCES = ['available', 'pending', 'locked', 'total'] as const;

const COLUMNS: readonly Column<WalletRecord>[] = [
  { name: 'coin', value: ({ coin }) => coin },
  { name: 'chain', value: ({ chain }) => chain },
  ...BALANCES.map((name): Column<WalletRecord> => ({
    name,
    numeric: true,
    value: (wallet) => <Amount value={wallet[name]} currency="" />,
  })),
];

const REFETCH_MS = 15_000;

export function WalletList() {
  return (
    <Records paged={false} refetchMs={REFETCH_MS} actions={<WalletActions />}>
      <RecordTable columns={COLUMNS} />
    </Records>
  );
}

function WalletActions() {
  const { data = [] } = useListContext<WalletRecord>();
  return (
    <TopToolbar>
      <WithdrawButton wallets={data} />
    </TopToolbar>
  );
}
