import { useQuery } from '@tanstack/react-query';
import { useTranslate } from 'react-admin';
import { Section } from '../../components/facts.tsx';
import type { ChainItem } from '../../operator-records.ts';
import { Tiles } from '../../shell/page-skeleton.tsx';
import { useApi } from '../../till.ts';
import { ChainTable } from '../chains/chain-table.tsx';
import { Tile } from './tile.tsx';
import { CountTile, DecisionTiles, REFETCH_MS, useWaiting } from './waiting-tiles.tsx';

/** What an operator has to look at: alerts, approvals, solvency, deposits of nobody, and the chains. */
export function OperatorHome() {
  const waiting = useWaiting();
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['chains'],
    queryFn: ({ signal }) => api.get<{ readonly items: readonly ChainItem[] }>('chains', {}, signal),
    refetchInterval: REFETCH_MS,
  });
  return (
    <>
      <Tiles>
        {waiting?.operator == null ? null : (
          <>
            <CountTile
              label="tillgate.home.alerts"
              count={waiting.operator.alerts}
              most={waiting.most}
              to="/alerts"
              tone="error"
            />
            <DecisionTiles waiting={waiting} payouts="/transfers" />
            <CountTile
              label="tillgate.home.deposits"
              count={waiting.operator.deposits}
              most={waiting.most}
              to="/deposits"
            />
          </>
        )}
        {data === undefined ? null : <SolvencyTile chains={data.items} />}
      </Tiles>
      {data === undefined ? null : (
        <Section title="resources.chains.name">
          <ChainTable chains={data.items} />
        </Section>
      )}
    </>
  );
}

/** Whether everything that is owed can be paid: the last check of each coin. */
function SolvencyTile({ chains }: { readonly chains: readonly ChainItem[] }) {
  const translate = useTranslate();
  const short = chains.flatMap((chain) => chain.stopped_coins.filter(({ cause }) => cause !== 'refused'));
  return (
    <Tile
      label="tillgate.home.solvency"
      to="/chains"
      value={translate(short.length === 0 ? 'tillgate.home.covered' : 'tillgate.home.notCovered')}
      note={short.map(({ coin }) => coin).join(', ')}
      tone={short.length === 0 ? 'calm' : 'error'}
    />
  );
}
