import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Card from '@mui/material/Card';
import CardContent from '@mui/material/CardContent';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { ListContextProvider, TopToolbar, useListContext, useStore, useTranslate } from 'react-admin';
import { useState } from 'react';
import { useCoinName } from '../../components/money.ts';
import { RecordTable } from '../../components/record-table.tsx';
import type { Column } from '../../components/record-table.tsx';
import { Records } from '../../components/records.tsx';
import { useService } from '../../components/service.ts';
import { Amount, Coin } from '../../components/values.tsx';
import { isSome } from '../../decimals.ts';
import type { RateRecord, WalletRecord } from '../../records.ts';
import { useApi } from '../../till.ts';
import { WithdrawButton } from './withdraw-button.tsx';
import { totalWorth, worthOf } from './worth.ts';

const KEY = 'resources.wallets';
const BALANCES = ['available', 'pending', 'locked'] as const;
const REFETCH_MS = 15_000;
const RATES_MS = 60_000;

export function WalletList() {
  return (
    <Records paged={false} refetchMs={REFETCH_MS} actions={<WalletActions />}>
      <Wallets />
    </Records>
  );
}

/** The balances with their worth; those without anything are folded. */
function Wallets() {
  const translate = useTranslate();
  const list = useListContext<WalletRecord>();
  const [fiat, setFiat] = useStore('wallets.fiat', 'USD');
  const [all, setAll] = useState(false);
  const rates = useRates(fiat);
  const data = list.data ?? [];
  const full = data.filter(({ total }) => isSome(total));
  const shown = all ? data : full;
  const folded = data.length - full.length;
  const columns: readonly Column<WalletRecord>[] = [
    { name: 'coin', card: 'title', value: ({ coin }) => <Coin code={coin} /> },
    ...BALANCES.map((name): Column<WalletRecord> => ({
      name,
      numeric: true,
      value: (wallet) => <Amount value={wallet[name]} currency="" />,
    })),
    { name: 'total', numeric: true, value: ({ total }) => <Amount value={total} currency="" /> },
    {
      name: 'worth',
      numeric: true,
      card: 'aside',
      value: ({ total, coin }) => <Amount value={worthOf(total, coin, rates)} currency={fiat} />,
    },
  ];
  return (
    <>
      <Total wallets={data} rates={rates} fiat={fiat} setFiat={setFiat} />
      {folded > 0 && shown.length === 0 ? null : (
        <ListContextProvider value={{ ...list, data: shown, total: shown.length } as typeof list}>
          <RecordTable columns={columns} />
        </ListContextProvider>
      )}
      {folded > 0 ? (
        <Button onClick={() => setAll((before) => !before)} aria-expanded={all} sx={{ m: 1 }}>
          {translate(all ? `${KEY}.hideEmpty` : `${KEY}.showEmpty`, { smart_count: folded })}
        </Button>
      ) : null}
    </>
  );
}

function useRates(fiat: string): readonly RateRecord[] {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['rates', fiat],
    queryFn: ({ signal }) => api.get<{ items: readonly RateRecord[] }>('rates', { currency: fiat }, signal),
    staleTime: RATES_MS,
  });
  return data?.items ?? [];
}

interface TotalProps {
  readonly wallets: readonly WalletRecord[];
  readonly rates: readonly RateRecord[];
  readonly fiat: string;
  readonly setFiat: (fiat: string) => void;
}

function Total({ wallets, rates, fiat, setFiat }: TotalProps) {
  const translate = useTranslate();
  const name = useCoinName();
  const service = useService();
  const { total, without } = totalWorth(wallets, rates);
  const fiats = service?.fiats ?? [];
  return (
    <Card sx={{ m: { xs: 1, md: 2 } }}>
      <CardContent
        sx={{ display: 'flex', flexWrap: 'wrap', gap: 2, alignItems: 'center', justifyContent: 'space-between' }}
      >
        <Box>
          <Typography component="p" variant="body2" color="textSecondary">
            {translate(`${KEY}.totalWorth`)}
          </Typography>
          <Typography component="p" variant="h5">
            <Amount value={total} currency={fiat} />
          </Typography>
          {without.length === 0 ? null : (
            <Typography component="p" variant="body2" color="textSecondary">
              {translate(`${KEY}.withoutPrice`, { coins: without.map(name).join(', ') })}
            </Typography>
          )}
        </Box>
        {fiats.length === 0 ? null : (
          <TextField
            select
            size="small"
            label={translate('resources.orders.fields.currency')}
            value={fiat}
            onChange={({ target }) => setFiat(target.value)}
            sx={{ minWidth: '7rem', m: 0 }}
            fullWidth={false}
          >
            {fiats.map(({ currency }) => (
              <MenuItem key={currency} value={currency}>
                {currency}
              </MenuItem>
            ))}
          </TextField>
        )}
      </CardContent>
    </Card>
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
