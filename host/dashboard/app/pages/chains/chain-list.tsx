import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import { useQuery } from '@tanstack/react-query';
import { Loading, Title, useTranslate } from 'react-admin';
import { LIGHTNING_ASSET } from '../../../../../core/kernel/asset.ts';
import { ActionButton } from '../../components/act.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Duration } from '../../components/values.tsx';
import type { ChainItem } from '../../operator-records.ts';
import { useApi } from '../../till.ts';
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
      {data === undefined ? <Loading /> : data.items.map((chain) => <Chain key={chain.code} chain={chain} />)}
      <TransfersUnderWay />
    </Box>
  );
}

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
          [`${KEY}.fields.payouts`, <PayoutChip key="payouts" payouts={payouts} />],
          [`${KEY}.fields.height`, height === null ? translate(`${KEY}.neverRead`) : String(height)],
          [`${KEY}.fields.lag_seconds`, lag === null ? null : <Duration key="lag" seconds={lag} />],
        ]}
      />
      {payouts.enabled ? <PayoutButton code={code} running={payouts.stopped_reason === null} /> : null}
      {payouts.enabled && code !== LIGHTNING ? <HotWallet code={code} /> : null}
    </Section>
  );
}

function PayoutChip({ payouts }: Pick<ChainItem, 'payouts'>) {
  const translate = useTranslate();
  const running = payouts.enabled && payouts.stopped_reason === null;
  const word = payouts.enabled ? (running ? 'running' : 'stopped') : 'watchOnly';
  return (
    <Chip
      size="small"
      variant="outlined"
      color={running ? 'success' : payouts.enabled ? 'warning' : 'default'}
      label={translate(`${KEY}.${word}`)}
    />
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
