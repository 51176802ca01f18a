import { useQuery } from '@tanstack/react-query';
import { useLocaleState } from 'react-admin';
import type { WaitingRecord } from '../../records.ts';
import { useApi } from '../../till.ts';
import { Tile } from './tile.tsx';

export const REFETCH_MS = 15_000;

/** What waits for a person; `undefined` until it is loaded. */
export function useWaiting(): WaitingRecord | undefined {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['waiting'],
    queryFn: ({ signal }) => api.get<WaitingRecord>('waiting', {}, signal),
    refetchInterval: REFETCH_MS,
  });
  return data;
}

interface CountTileProps {
  readonly label: string;
  readonly count: number;
  /** Counts stop there. */
  readonly most: number;
  readonly to: string;
  readonly tone?: 'warning' | 'error';
}

/** A count, marked where it is not zero. */
export function CountTile({ label, count, most, to, tone = 'warning' }: CountTileProps) {
  const [locale] = useLocaleState();
  const text = new Intl.NumberFormat(locale).format(count);
  return <Tile label={label} to={to} value={count < most ? text : `${text}+`} tone={count === 0 ? 'calm' : tone} />;
}

/** What an account, or the operator, has to approve. */
export function DecisionTiles({ waiting, payouts }: { readonly waiting: WaitingRecord; readonly payouts: string }) {
  const { most } = waiting;
  return (
    <>
      <CountTile label="tillgate.home.payouts" count={waiting.payouts} most={most} to={payouts} />
      <CountTile label="tillgate.home.claims" count={waiting.claims} most={most} to="/claims" />
      <CountTile label="tillgate.home.batches" count={waiting.payout_batches} most={most} to="/payout-batches" />
    </>
  );
}
