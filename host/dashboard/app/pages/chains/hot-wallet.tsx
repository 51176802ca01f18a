import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useTranslate } from 'react-admin';
import { useState } from 'react';
import { Entries } from '../../components/entries.tsx';
import { Facts } from '../../components/facts.tsx';
import { Amount, Copyable } from '../../components/values.tsx';
import type { ChainWallet } from '../../operator-records.ts';
import { useApi } from '../../till.ts';

const KEY = 'resources.chains';
const FIELD = `${KEY}.fields`;

/** The balances on chain and in the ledger. They require requests to nodes, so they are read on demand. */
export function HotWallet({ code }: { readonly code: string }) {
  const api = useApi();
  const translate = useTranslate();
  const [wanted, setWanted] = useState(false);
  const { data, error, isFetching } = useQuery({
    queryKey: ['chain wallet', code],
    queryFn: ({ signal }) => api.get<ChainWallet>(`chains/${code}/wallet`, {}, signal),
    enabled: wanted,
  });
  return (
    <Box sx={{ mt: 1 }}>
      {data === undefined ? (
        <Button disabled={isFetching} onClick={() => setWanted(true)} sx={{ ml: -1 }}>
          {translate(`${KEY}.wallet`)}
        </Button>
      ) : (
        <Wallet wallet={data} />
      )}
      {error === null ? null : <Alert severity="error">{translate(error.message, { _: error.message })}</Alert>}
    </Box>
  );
}

function Wallet({ wallet }: { readonly wallet: ChainWallet }) {
  const translate = useTranslate();
  const address = translate(`${FIELD}.hot_address`);
  return (
    <>
      <Box sx={{ mt: 2 }}>
        <Facts
          of={[[address, <Copyable key="hot" value={wallet.hot_address} label={`${address} ${wallet.code}`} />]]}
        />
      </Box>
      <Entries
        empty={`${KEY}.emptyWallet`}
        of={wallet.items.map(({ coin, hot, on_chain: held, expected, in_flight: flying, shortfall }) => ({
          id: coin,
          content: (
            <Facts
              of={[
                [`${FIELD}.on_chain`, <Amount key="held" value={held} currency={coin} />],
                [`${FIELD}.hot`, hot === null ? null : <Amount key="hot" value={hot} currency={coin} />],
                [`${FIELD}.expected`, <Amount key="expected" value={expected} currency={coin} />],
                [`${FIELD}.in_flight`, <Amount key="flying" value={flying} currency={coin} />],
                [`${FIELD}.shortfall`, <Amount key="missing" value={shortfall} currency={coin} />],
              ]}
            />
          ),
        }))}
      />
    </>
  );
}
