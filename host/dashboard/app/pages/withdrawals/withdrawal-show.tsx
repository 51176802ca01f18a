import { useRecordContext, useTranslate } from 'react-admin';
import { StatusChip } from '../../components/chips.tsx';
import { RecordPage } from '../../components/record-page.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import { Amount, Copyable, Time, TransactionHash } from '../../components/values.tsx';
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
  const { coin, chain_transaction: transaction } = transfer;
  const hash = translate(`${FIELD}.tx_hash`);
  const hashes = transaction?.attempts.map((attempt) => attempt.tx_hash) ?? [];
  return (
    <Section title="resources.withdrawals.about">
      <Facts
        of={[
          [`${FIELD}.status`, <StatusChip key="status" status={transfer.status} />],
          [`${FIELD}.kind`, <Kind key="kind" kind={transfer.kind} />],
          [`${FIELD}.reason`, transfer.reason],
          [`${FIELD}.amount`, <Amount key="amount" value={transfer.amount} currency={coin} />],
          [`${FIELD}.fee`, <Amount key="fee" value={transfer.fee} currency={coin} />],
          [`${FIELD}.received`, <Amount key="received" value={transfer.received} currency={coin} />],
          [
            `${FIELD}.to_address`,
            <Copyable key="to" value={transfer.to_address} label={translate(`${FIELD}.to_address`)} />,
          ],
          [`${FIELD}.created_at`, <Time key="created" value={transfer.created_at} />],
          [
            `${FIELD}.finished_at`,
            transfer.finished_at === null ? null : <Time key="end" value={transfer.finished_at} />,
          ],
          [
            `${FIELD}.approvals`,
            transfer.status === 'HELD' ? `${transfer.approvals.length} / ${transfer.approvals_needed}` : null,
          ],
          ...hashes.map(
            (each) => [hash, <TransactionHash key={each} chain={transfer.chain} value={each} label={hash} />] as const,
          ),
        ]}
      />
    </Section>
  );
}
