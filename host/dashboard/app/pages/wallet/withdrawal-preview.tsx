import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useTranslate } from 'react-admin';
import { useEffect, useState } from 'react';
import { Link } from 'react-router-dom';
import { Facts } from '../../components/facts.tsx';
import { Amount, Code } from '../../components/values.tsx';
import type { PayoutQuote } from '../../records.ts';
import { useApi } from '../../till.ts';

const FIELD = 'resources.withdrawals.fields';
/** How long nobody types before a node is asked, in milliseconds. */
const PAUSE_MS = 400;

interface PreviewProps {
  readonly chain: string;
  readonly coin: string;
  /** A decimal of the API; empty for none. */
  readonly amount: string;
}

/** Where a withdrawal would go, what it would cost, and what would arrive. */
export function WithdrawalPreview(asked: PreviewProps) {
  const api = useApi();
  const translate = useTranslate();
  const { chain, coin, amount } = useSettled(asked);
  const { data, error } = useQuery({
    queryKey: ['payout-quotes', chain, coin, amount],
    queryFn: ({ signal }) => api.get<PayoutQuote>('payout-quotes', { chain, coin, amount }, signal),
    enabled: coin !== '' && amount !== '',
    gcTime: 0,
  });
  if (amount === '') return null;
  if (error !== null)
    return (
      <Alert
        severity="warning"
        action={
          <Button color="inherit" size="small" component={Link} to="/withdrawal-addresses">
            {translate('resources.withdrawal-addresses.name', { smart_count: 2 })}
          </Button>
        }
      >
        {translate(error.message, { _: error.message })}
      </Alert>
    );
  if (data === undefined) return null;
  return (
    <Facts
      of={[
        [`${FIELD}.to_address`, <Code key="to">{data.to_address}</Code>],
        [`${FIELD}.fee`, <Amount key="fee" value={data.fee} currency={coin} />],
        [`${FIELD}.received`, <Amount key="received" value={data.received} currency={coin} />],
      ]}
    />
  );
}

/** The input once it has not changed for a moment. */
function useSettled({ chain, coin, amount }: PreviewProps): PreviewProps {
  const [settled, setSettled] = useState<PreviewProps>({ chain, coin, amount });
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ chain, coin, amount }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [chain, coin, amount]);
  return settled;
}
