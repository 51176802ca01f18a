import { useRecordContext, useTranslate } from 'react-admin';
import { StatusChip } from '../../components/chips.tsx';
import { RecordPage } from '../../components/record-page.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import { Amount, Copyable, Time } from '../../components/values.tsx';
import type { TransferDetail } from '../../records.ts';
import { Kind } from './kind.tsx';

const FIELD = 'resources.withdrawals.fields';
const POLL_MS = 3000;

/** A withdrawal or refund; it is read again until it is final, while the page is visible. */
export function WithdrawalShow() {
  return (
    <RecordPage pollMs={({ finished_at: end }: TransferDetail) => end === null && POLL_MS}>
      <WithdrawalPage />
    </RecordPage>
  );
}

function WithdrawalPage() {
  const translate = useTranslate();
  const transfer = useRecordContext<TransferDetail>();
  if (transfer === undefined) return null;
  const { currency, payout } = transfer;
  const hash = translate(`${FIELD}.tx_hash`);
  const hashes = payout?.attempts.map((attempt) => attempt.tx_hash) ?? [];
  return (
    <Section title="resources.withdrawals.about">
      <Facts
        of={[
          [`${FIELD}.status`, <StatusChip key="status" status={transfer.status} />],
          [`${FIELD}.kind`, <Kind key="kind" kind={transfer.kind} />],
          [`${FIELD}.reason`, transfer.reason],
          [`${FIELD}.amount`, <Amount key="amount" value={transfer.amount} currency={currency} />],
          [`${FIELD}.fee`, <Amount key="fee" value={transfer.fee} currency={currency} />],
          [`${FIELD}.obtained`, <Amount key="obtained" value={transfer.obtained} currency={currency} />],
          [`${FIELD}.to_addr`, <Copyable key="to" value={transfer.to_addr} label={translate(`${FIELD}.to_addr`)} />],
          [`${FIELD}.created_at`, <Time key="created" value={transfer.created_at} />],
          [
            `${FIELD}.finished_at`,
            transfer.finished_at === null ? null : <Time key="end" value={transfer.finished_at} />,
          ],
          [
            `${FIELD}.approvals`,
            transfer.status === 'HELD' ? `${transfer.approvals.length} / ${transfer.approvals_needed}` : null,
          ],
          ...hashes.map((each) => [hash, <Copyable key={each} value={each} label={hash} />] as const),
        ]}
      />
    </Section>
  );
}
