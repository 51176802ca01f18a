import { TopToolbar } from 'react-admin';
import { StatusChip } from '../../components/chips.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import type { Column } from '../../components/record-table.tsx';
import { Records } from '../../components/records.tsx';
import { Time } from '../../components/values.tsx';
import type { PayoutBatchRecord } from '../../records.ts';
import { BatchSums } from './batch-sums.tsx';
import { UploadBatch } from './upload-batch.tsx';

const COLUMNS: readonly Column<PayoutBatchRecord>[] = [
  { name: 'created_at', card: 'detail', value: ({ created_at: at }) => <Time value={at} /> },
  { name: 'name', card: 'title', value: ({ name }) => (name === '' ? '–' : name) },
  { name: 'status', card: 'aside', value: ({ status }) => <StatusChip status={status} texts="batchStatus" /> },
  { name: 'amount', value: ({ sums }) => <BatchSums sums={sums} of="amount" />, numeric: true },
];

/** The payout batches, newest first. */
export function BatchList() {
  return (
    <Records
      actions={
        <TopToolbar>
          <UploadBatch />
        </TopToolbar>
      }
    >
      <RecordTable columns={COLUMNS} opens />
    </Records>
  );
}
