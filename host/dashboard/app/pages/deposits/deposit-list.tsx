import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { TopToolbar, useListContext, useTranslate } from 'react-admin';
import { Entries } from '../../components/entries.tsx';
import { Records } from '../../components/records.tsx';
import type { DepositItem } from '../../operator-records.ts';
import { Deposit } from './deposit.tsx';
import { RescanButton } from './rescan-button.tsx';

const REFETCH_MS = 10_000;
/** The API lists only unassigned deposits. */
const UNASSIGNED = { status: 'unassigned' };

/** Deposits without an order, until an operator assigns or refunds them. */
export function DepositList() {
  const translate = useTranslate();
  const actions = (
    <TopToolbar>
      <RescanButton />
    </TopToolbar>
  );
  return (
    <>
      <Typography color="textSecondary" sx={{ mt: 2 }}>
        {translate('resources.deposits.text')}
      </Typography>
      <Records filter={UNASSIGNED} actions={actions} refetchMs={REFETCH_MS} empty={false}>
        <Deposits />
      </Records>
    </>
  );
}

function Deposits() {
  const { data } = useListContext<DepositItem>();
  if (data === undefined) return null;
  return (
    <Box sx={{ p: 2 }}>
      <Entries
        empty="resources.deposits.empty"
        of={data.map((deposit) => ({ id: deposit.id, content: <Deposit deposit={deposit} /> }))}
      />
    </Box>
  );
}
