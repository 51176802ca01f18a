import Link from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import { FilterButton, TopToolbar, usePermissions, useTranslate } from 'react-admin';
import { Link as RouterLink } from 'react-router-dom';
import { AccountName } from '../../components/account-name.tsx';
import { useChainNames } from '../../components/service.ts';
import { CsvButton } from '../../components/csv-button.tsx';
import { ACCOUNT_FILTER } from '../../components/list-filters.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import type { Column } from '../../components/record-table.tsx';
import { Records } from '../../components/records.tsx';
import { shortId } from '../../components/record-name.ts';
import { Amount, Time } from '../../components/values.tsx';
import type { PostingRecord } from '../../records.ts';
import { MonthPicker } from './month-picker.tsx';

/** A balance of a merchant, or one of the till's own ledger accounts with its chain. */
function Balance({ balance }: Pick<PostingRecord, 'balance'>) {
  const translate = useTranslate();
  const chains = useChainNames();
  const [own = '', chain = ''] = balance.split(':');
  const fallback = translate(`resources.ledger.own.${own}`, { chain: chains(chain), _: balance });
  const named = translate(`resources.ledger.own.${balance}`, { _: fallback });
  return <>{translate(`resources.ledger.balances.${balance}`, { _: named })}</>;
}

function Booked({ kind }: Pick<PostingRecord, 'kind'>) {
  const translate = useTranslate();
  return <>{translate(`resources.ledger.kinds.${kind}`, { _: kind })}</>;
}

/** The pages of what postings refer to. */
const PAGES: Readonly<Record<string, string>> = {
  transfer: 'withdrawals',
  'pull-payment': 'pull-payments',
  'payout-batch': 'payout-batches',
};

/** What was booked, in words, with its page if it has one. */
function Subject({ reference }: Pick<PostingRecord, 'reference'>) {
  const translate = useTranslate();
  const chains = useChainNames();
  const [kind = '', id = ''] = reference.split(':');
  const text = translate(`resources.ledger.subjects.${kind}`, { id: shortId(chains(id)), _: reference });
  const page = PAGES[kind];
  if (page === undefined) return <span title={reference}>{text}</span>;
  return (
    <Link component={RouterLink} to={`/${page}/${id}/show`} title={reference}>
      {text}
    </Link>
  );
}

const COLUMNS: readonly Column<PostingRecord>[] = [
  { name: 'booked_at', card: 'detail', value: ({ booked_at: at }) => <Time value={at} /> },
  { name: 'kind', card: 'title', value: ({ kind }) => <Booked kind={kind} /> },
  { name: 'balance', card: 'detail', value: ({ balance }) => <Balance balance={balance} /> },
  {
    name: 'amount',
    numeric: true,
    card: 'aside',
    value: ({ amount, coin }) => <Amount value={amount} currency={coin} />,
  },
  { name: 'reference', card: 'detail', value: ({ reference }) => <Subject reference={reference} /> },
];

const OF_ALL: readonly Column<PostingRecord>[] = [
  ...COLUMNS,
  { name: 'account', card: 'detail', value: ({ account }) => <AccountName id={account} link /> },
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
