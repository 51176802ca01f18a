import Alert from '@mui/material/Alert';
import { useQuery } from '@tanstack/react-query';
import { useTranslate } from 'react-admin';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { Facts } from './facts.tsx';
import { Amount, Code } from './values.tsx';
import type { PayoutQuote } from '../records.ts';
import { useApi } from '../till.ts';

const FIELD = 'resources.withdrawals.fields';
/** How long nobody types before a node is asked, in milliseconds. */
const PAUSE_MS = 400;

interface EstimateProps {
  readonly path: 'payout-quotes' | 'refund-quotes';
  /** What is asked; `null` while the form is incomplete. */
  readonly query: Readonly<Record<string, string>> | null;
  /** What helps where there is none. */
  readonly cure?: ReactNode;
}

/** Whom a payout would pay, what it would take and cost, and what would arrive. */
export function PayoutEstimate({ path, query, cure }: EstimateProps) {
  const api = useApi();
  const translate = useTranslate();
  const asked = query === null ? null : new URLSearchParams(query).toString();
  const settled = useSettled(asked);
  const { data, error } = useQuery({
    queryKey: [path, settled],
    queryFn: ({ signal }) => api.get<PayoutQuote>(path, Object.fromEntries(new URLSearchParams(settled ?? '')), signal),
    enabled: settled !== null,
    gcTime: 0,
  });
  if (asked === null) return null;
  if (error !== null)
    return (
      <Alert severity="warning" action={cure}>
        {translate(error.message, { _: error.message })}
      </Alert>
    );
  // The estimate of a former input would be taken for that of this one.
  if (data === undefined || settled !== asked) return null;
  const { coin } = data;
  return (
    <Facts
      of={[
        [`${FIELD}.to_address`, <Code key="to">{data.to_address}</Code>],
        // Not where it is what somebody typed.
        [
          `${FIELD}.amount`,
          query?.['amount'] === undefined ? <Amount key="amount" value={data.amount} currency={coin} /> : null,
        ],
        [`${FIELD}.fee`, <Amount key="fee" value={data.fee} currency={coin} />],
        [`${FIELD}.received`, <Amount key="received" value={data.received} currency={coin} />],
      ]}
    />
  );
}

/** The input once it has not changed for a moment. */
function useSettled(text: string | null): string | null {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
