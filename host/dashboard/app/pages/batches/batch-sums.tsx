import Box from '@mui/material/Box';
import { Amount } from '../../components/values.tsx';
import type { PayoutBatchRecord } from '../../records.ts';

interface BatchSumsProps {
  readonly sums: PayoutBatchRecord['sums'];
  readonly of: 'amount' | 'fee' | 'received';
}

/** A sum of a batch in each coin. */
export function BatchSums({ sums, of }: BatchSumsProps) {
  return (
    <>
      {sums.map((sum) => (
        <Box key={sum.coin}>
          <Amount value={sum[of]} currency={sum.coin} />
        </Box>
      ))}
    </>
  );
}
