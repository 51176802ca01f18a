import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import { useRecordContext, useTranslate } from 'react-admin';
import { Link as RouterLink } from 'react-router-dom';
import { Facts, Section } from '../../components/facts.tsx';
import { RecordPage } from '../../components/record-page.tsx';
import { shortId } from '../../components/record-name.ts';
import { Amount, Code, Time, TransactionHash } from '../../components/values.tsx';
import type { ClaimRecord } from '../../records.ts';
import { ClaimActions, ClaimState } from './claim-list.tsx';

const FIELD = 'resources.claims.fields';
const POLL_MS = 5000;
const FINISHED: ReadonlySet<string> = new Set(['completed', 'rejected', 'failed']);

/** A claim with its payment. */
export function ClaimShow() {
  return (
    <RecordPage<ClaimRecord> title={<ClaimTitle />} pollMs={({ state }) => !FINISHED.has(state) && POLL_MS}>
      <ClaimPage />
    </RecordPage>
  );
}

function ClaimTitle() {
  const translate = useTranslate();
  const claim = useRecordContext<ClaimRecord>();
  const name = translate('resources.claims.name', { smart_count: 1 });
  return <>{claim === undefined ? name : `${name} ${shortId(claim.id)}`}</>;
}

function ClaimPage() {
  const translate = useTranslate();
  const claim = useRecordContext<ClaimRecord>();
  if (claim === undefined) return null;
  const { coin, payout } = claim;
  const recordLink = (resource: 'pull-payments' | 'withdrawals', id: string) => (
    <Link key={resource} component={RouterLink} to={`/${resource}/${id}/show`}>
      {shortId(id)}
    </Link>
  );
  return (
    <Section title={translate('resources.claims.name', { smart_count: 1 })}>
      <Facts
        of={[
          [`${FIELD}.state`, <ClaimState key="state" claim={claim} />],
          [`${FIELD}.coin_amount`, <Amount key="amount" value={claim.coin_amount} currency={coin} />],
          [
            'resources.withdrawals.fields.fee',
            claim.fee === null ? null : <Amount key="fee" value={claim.fee} currency={coin} />,
          ],
          [
            'resources.withdrawals.fields.received',
            claim.received === null ? null : <Amount key="received" value={claim.received} currency={coin} />,
          ],
          [`${FIELD}.to_address`, <Code key="to">{claim.to_address}</Code>],
          [`${FIELD}.created_at`, <Time key="created" value={claim.created_at} />],
          [
            translate('resources.pull-payments.name', { smart_count: 1 }),
            recordLink('pull-payments', claim.pull_payment),
          ],
          [
            translate('resources.withdrawals.name', { smart_count: 1 }),
            payout === null ? null : recordLink('withdrawals', payout),
          ],
          [
            'resources.withdrawals.fields.tx_hash',
            claim.tx_hash === null ? null : (
              <TransactionHash
                key="tx"
                chain={claim.chain}
                value={claim.tx_hash}
                label={translate('resources.withdrawals.fields.tx_hash')}
              />
            ),
          ],
        ]}
      />
      <Box sx={{ mt: 2 }}>
        <ClaimActions claim={claim} />
      </Box>
    </Section>
  );
}
