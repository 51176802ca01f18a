import DownloadIcon from '@mui/icons-material/Download';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useRecordContext, useTranslate } from 'react-admin';
import { AccountName } from '../../components/account-name.tsx';
import { ActionButton } from '../../components/act.tsx';
import { StatusChip } from '../../components/chips.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import { RecordPage } from '../../components/record-page.tsx';
import { Time } from '../../components/values.tsx';
import type { PayoutBatchDetail } from '../../records.ts';
import { useApi } from '../../till.ts';
import { BatchRows } from './batch-rows.tsx';
import { BatchSums } from './batch-sums.tsx';

const TEXT = 'resources.payout-batches';
const FIELD = `${TEXT}.fields`;
const POLL_MS = 3000;
const COUNTS = ['waiting', 'held', 'underway', 'paid', 'failed', 'dropped'] as const;

/** A payout batch; it is read again until it is over, while the page is visible. */
export function BatchShow() {
  return (
    <RecordPage pollMs={({ finished_at: end }: PayoutBatchDetail) => end === null && POLL_MS}>
      <BatchPage />
    </RecordPage>
  );
}

function BatchPage() {
  const batch = useRecordContext<PayoutBatchDetail>();
  if (batch === undefined) return null;
  const { sums, progress, approvals } = batch;
  return (
    <>
      <Section title={`${TEXT}.about`}>
        <Facts
          of={[
            [`${FIELD}.status`, <StatusChip key="status" status={batch.status} texts="batchStatus" />],
            [`${FIELD}.name`, batch.name],
            [`${FIELD}.account`, <AccountName key="account" id={batch.account} />],
            [`${FIELD}.created_at`, <Time key="created" value={batch.created_at} />],
            [`${FIELD}.rows`, sums.reduce((sum, { rows }) => sum + rows, 0)],
            [`${FIELD}.amount`, <BatchSums key="amount" sums={sums} of="amount" />],
            [`${FIELD}.fee`, <BatchSums key="fee" sums={sums} of="fee" />],
            [`${FIELD}.received`, <BatchSums key="received" sums={sums} of="received" />],
            [`${FIELD}.approvals`, batch.status === 'DRAFT' ? `${approvals.length} / ${batch.approvals_needed}` : null],
            ...(batch.status === 'DRAFT' ? [] : COUNTS.map((name) => [`${FIELD}.${name}`, progress[name]] as const)),
          ]}
        />
        <BatchActions batch={batch} />
      </Section>
      {batch.status === 'CANCELLED' && batch.approved_at === null ? null : <BatchRows batch={batch} />}
    </>
  );
}

function BatchActions({ batch: { id, status } }: { readonly batch: PayoutBatchDetail }) {
  const translate = useTranslate();
  const api = useApi();
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mt: 2 }}>
      {status === 'DRAFT' ? (
        <ActionButton
          label={`${TEXT}.approve`}
          variant="contained"
          confirm
          success={`${TEXT}.approved`}
          work={() => api.post(`payout-batches/${id}/approve`)}
        />
      ) : null}
      {status === 'DRAFT' || status === 'APPROVED' ? (
        <ActionButton
          label={`${TEXT}.cancel`}
          dismiss={`${TEXT}.keep`}
          confirm
          success={`${TEXT}.cancelled`}
          work={() => api.post(`payout-batches/${id}/cancel`)}
        />
      ) : null}
      <Button startIcon={<DownloadIcon />} href={api.url(`payout-batches/${id}/rows.csv`)} download>
        {translate('tillgate.csv')}
      </Button>
    </Box>
  );
}
