import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { Title, useTranslate } from 'react-admin';
import { useState } from 'react';
import { LIGHTNING_ASSET } from '../../../../../core/kernel/asset.ts';
import { ActionButton } from '../../components/act.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Duration } from '../../components/values.tsx';
import type { ChainItem } from '../../operator-records.ts';
import { PageSkeleton } from '../../shell/page-skeleton.tsx';
import { useApi } from '../../till.ts';
import { ChainState, ChainTable } from './chain-table.tsx';
import { HotWallet } from './hot-wallet.tsx';
import { TransfersUnderWay } from './transfers-under-way.tsx';

const KEY = 'resources.chains';
const POLL_MS = 5000;
/** Lightning's wallet is the node's own. */
const LIGHTNING = LIGHTNING_ASSET.chain;

/** The progress, the payout state and the pending transfers of each chain. */
export function ChainList() {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['chains'],
    queryFn: ({ signal }) => api.get<{ readonly items: readonly ChainItem[] }>('chains', {}, signal),
    refetchInterval: POLL_MS,
  });
  return (
    <Box sx={{ mt: 2 }}>
      <Title title={`${KEY}.name`} />
      {data === undefined ? <PageSkeleton /> : <Chains chains={data.items} />}
      <TransfersUnderWay />
    </Box>
  );
}

/** A table of all, and beneath it each chain that has a problem, or that somebody opened. */
function Chains({ chains }: { readonly chains: readonly ChainItem[] }) {
  const translate = useTranslate();
  const [opened, setOpened] = useState<readonly string[]>([]);
  const isShown = (chain: ChainItem): boolean => opened.includes(chain.code) || hasProblem(chain);
  return (
    <>
      <Section title={`${KEY}.name`}>
        <ChainTable
          chains={chains}
          more={({ code, name }) => (
            <Button
              size="small"
              aria-label={`${translate('ra.action.show')}: ${name}`}
              aria-expanded={opened.includes(code)}
              onClick={() =>
                setOpened(opened.includes(code) ? opened.filter((each) => each !== code) : [...opened, code])
              }
            >
              {translate('ra.action.show')}
            </Button>
          )}
        />
      </Section>
      {chains.filter(isShown).map((chain) => (
        <Chain key={chain.code} chain={chain} />
      ))}
    </>
  );
}

const hasProblem = ({ halted_reason: halted, trouble, payouts, stopped_coins: stopped, frozen }: ChainItem): boolean =>
  halted !== null || trouble !== null || payouts.stopped_reason !== null || stopped.length > 0 || frozen.length > 0;

function Chain({ chain }: { readonly chain: ChainItem }) {
  const translate = useTranslate();
  const { code, name, height, lag_seconds: lag, trouble, halted_reason: halted, payouts } = chain;
  const stuck = [
    ...chain.stopped_coins.map(({ coin, reason }) => `${coin}: ${reason}`),
    ...chain.frozen.map(({ amount, coin, address, reason }) => `${amount} ${coin}, ${address}: ${reason}`),
  ];
  return (
    <Section title={`${name} (${code})`}>
      {halted === null ? null : (
        <Alert severity="error" sx={{ mb: 2 }}>
          {translate(`${KEY}.halted`, { reason: halted })}
        </Alert>
      )}
      {trouble === null ? null : (
        <Alert severity="warning" sx={{ mb: 2 }}>
          {translate(`${KEY}.trouble`, { trouble })}
        </Alert>
      )}
      {payouts.stopped_reason === null ? null : (
        <Alert severity="warning" sx={{ mb: 2 }}>
          {payouts.stopped_reason}
        </Alert>
      )}
      {stuck.map((words) => (
        <Alert key={words} severity="warning" sx={{ mb: 2 }}>
          {words}
        </Alert>
      ))}
      <Facts
        of={[
          [`${KEY}.fields.payouts`, <ChainState key="payouts" chain={chain} />],
          [`${KEY}.fields.height`, height === null ? translate(`${KEY}.neverRead`) : String(height)],
          [`${KEY}.fields.lag_seconds`, lag === null ? null : <Duration key="lag" seconds={lag} />],
        ]}
      />
      {payouts.enabled ? <PayoutButton code={code} running={payouts.stopped_reason === null} /> : null}
      {payouts.enabled && code !== LIGHTNING ? <HotWallet code={code} /> : null}
    </Section>
  );
}

function PayoutButton({ code, running }: { readonly code: string; readonly running: boolean }) {
  const api = useApi();
  return (
    <Box sx={{ mt: 2 }}>
      {running ? (
        <FormDialog
          label={`${KEY}.stop`}
          success={`${KEY}.wasStopped`}
          text
          fields={[{ name: 'reason', label: `${KEY}.reason` }]}
          submit={(values) => api.post(`chains/${code}/payouts/stop`, values)}
        />
      ) : (
        <ActionButton
          label={`${KEY}.resume`}
          success={`${KEY}.resumed`}
          variant="contained"
          confirm
          work={() => api.post(`chains/${code}/payouts/resume`)}
        />
      )}
    </Box>
  );
}
