import Typography from '@mui/material/Typography';
import { FilterButton, TopToolbar, usePermissions, useTranslate } from 'react-admin';
import { CsvButton } from '../../components/csv-button.tsx';
import { ACCOUNT_FILTER } from '../../components/list-filters.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import type { Column } from '../../components/record-table.tsx';
import { Records } from '../../components/records.tsx';
import { Amount, Code, Time } from '../../components/values.tsx';
import type { PostingRecord } from '../../records.ts';
import { MonthPicker } from './month-picker.tsx';

/** Balances of merchants are translated; the till's own ledger accounts keep their names. */
function Balance({ balance }: Pick<PostingRecord, 'balance'>) {
  const translate = useTranslate();
  return <>{translate(`resources.ledger.balances.${balance}`, { _: balance })}</>;
}

function Booked({ kind }: Pick<PostingRecord, 'kind'>) {
  const translate = useTranslate();
  return <>{translate(`resources.ledger.kinds.${kind}`, { _: kind })}</>;
}

const COLUMNS: readonly Column<PostingRecord>[] = [
  { name: 'booked_at', value: ({ booked_at: at }) => <Time value={at} /> },
  { name: 'kind', value: ({ kind }) => <Booked kind={kind} /> },
  { name: 'balance', value: ({ balance }) => <Balance balance={balance} /> },
  { name: 'amount', numeric: true, value: ({ amount, coin }) => <Amount value={amount} currency={coin} /> },
  { name: 'reference', value: ({ reference }) => <Code>{reference}</Code> },
];

const OF_ALL: readonly Column<PostingRecord>[] = [
  ...COLUMNS,
  { name: 'account', value: ({ account }) => account ?? '–' },
];

/** Every posting, newest first; their sums are the balances. */
export function LedgerList() {
  const translate = useTranslate();
  const { permissions } = usePermissions<string>();
  const admin = permissions === 'admin';
  const actions = (
    <TopToolbar sx={{ flexWrap: 'wrap', gap: 1, alignItems: 'center' }}>
      <MonthPicker />
      {admin ? <FilterButton /> : null}
      <CsvButton />
    </TopToolbar>
  );
  return (
    <>
      <Typography color="textSecondary" sx={{ mt: 2 }}>
        {translate('resources.ledger.text')}
      </Typography>
      <Records actions={actions} {...(admin ? { filters: [ACCOUNT_FILTER] } : {})}>
        <RecordTable columns={admin ? OF_ALL : COLUMNS} />
      </Records>
    </>
  );
}
