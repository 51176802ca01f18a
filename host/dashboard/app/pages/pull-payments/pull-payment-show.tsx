import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useRecordContext, useTranslate } from 'react-admin';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { ActionButton } from '../../components/act.tsx';
import { StatusChip } from '../../components/chips.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import { RecordPage } from '../../components/record-page.tsx';
import { Amount, Copyable, Time } from '../../components/values.tsx';
import type { PullPaymentRecord } from '../../records.ts';
import { useApi } from '../../till.ts';
import { QrCode } from '../security/qr-code.tsx';

const KEY = 'resources.pull-payments';
const FIELD = `${KEY}.fields`;
const POLL_MS = 5000;

/** A pull payment with its claim page, which is shown after a step-up. */
export function PullPaymentShow() {
  return (
    <RecordPage<PullPaymentRecord> pollMs={({ state }) => state === 'active' && POLL_MS}>
      <PullPaymentPage />
    </RecordPage>
  );
}

function PullPaymentPage() {
  const pull = useRecordContext<PullPaymentRecord>();
  if (pull === undefined) return null;
  return (
    <>
      <PullPaymentFacts pull={pull} />
      <ClaimPage key={pull.id} id={pull.id} />
    </>
  );
}

function PullPaymentFacts({ pull }: { readonly pull: PullPaymentRecord }) {
  const api = useApi();
  const translate = useTranslate();
  const { id, currency } = pull;
  const claims = `/claims?filter=${encodeURIComponent(JSON.stringify({ pull_payment: id }))}`;
  return (
    <Section title={`${KEY}.about`}>
      <Facts
        of={[
          [`${FIELD}.name`, pull.name],
          [`${FIELD}.state`, <StatusChip key="state" status={pull.state} />],
          [`${FIELD}.amount`, <Amount key="amount" value={pull.amount} currency={currency} />],
          [`${FIELD}.claimed`, <Amount key="claimed" value={pull.claimed} currency={currency} />],
          [`${FIELD}.left`, <Amount key="left" value={pull.left} currency={currency} />],
          [`${FIELD}.coins`, pull.coins?.join(', ')],
          [`${FIELD}.auto_approve`, translate(pull.auto_approve ? 'ra.boolean.true' : 'ra.boolean.false')],
          [`${FIELD}.expires_at`, pull.expires_at === null ? null : <Time key="end" value={pull.expires_at} />],
          [`${FIELD}.reference`, pull.reference],
          [`${FIELD}.order`, pull.order],
          [`${FIELD}.created_at`, <Time key="created" value={pull.created_at} />],
        ]}
      />
      <Box sx={{ mt: 2, display: 'flex', flexWrap: 'wrap', gap: 1 }}>
        <Button variant="outlined" component={Link} to={claims}>
          {translate(`${KEY}.claims`)}
        </Button>
        {pull.archived_at === null ? (
          <ActionButton
            label={`${KEY}.archive`}
            color="error"
            confirm
            work={() => api.post(`pull-payments/${id}/archive`)}
          />
        ) : null}
      </Box>
    </Section>
  );
}

function ClaimPage({ id }: { readonly id: string }) {
  const api = useApi();
  const translate = useTranslate();
  const [url, setUrl] = useState<string | null>(null);
  const label = translate(`${KEY}.url`);
  return (
    <Section title={`${KEY}.url`}>
      {url === null ? (
        <ActionButton
          label={`${KEY}.reveal`}
          work={async () => setUrl((await api.post<PullPaymentRecord>(`pull-payments/${id}/reveal`)).url)}
        />
      ) : (
        <>
          <Facts of={[[label, <Copyable key="url" value={url} label={label} />]]} />
          <Box sx={{ mt: 2 }}>
            <QrCode value={url} label={label} />
          </Box>
        </>
      )}
    </Section>
  );
}
