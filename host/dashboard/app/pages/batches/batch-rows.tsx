import Button from '@mui/material/Button';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableContainer from '@mui/material/TableContainer';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslate } from 'react-admin';
import { StatusChip } from '../../components/chips.tsx';
import { Section } from '../../components/facts.tsx';
import { Amount, Hash } from '../../components/values.tsx';
import type { PayoutBatchDetail, PayoutBatchRow } from '../../records.ts';
import { useApi } from '../../till.ts';

const TEXT = 'resources.payout-batches';
const PAGE = 100;
const COLUMNS = ['line', 'reference', 'address', 'amount', 'fee', 'received', 'state', 'tx_hash'] as const;

interface Page {
  readonly items: readonly PayoutBatchRow[];
  readonly next_cursor: string | null;
}

/** The rows of a batch in the order of their lines, with the state of each. */
export function BatchRows({ batch: { id, progress, status } }: { readonly batch: PayoutBatchDetail }) {
  const translate = useTranslate();
  const api = useApi();
  const { data, hasNextPage, fetchNextPage } = useInfiniteQuery({
    // Read again when a row has changed its state.
    queryKey: ['payout-batches', id, 'rows', status, progress],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam === '' ? {} : { cursor: pageParam };
      return api.get<Page>(`payout-batches/${id}/rows`, { limit: PAGE, ...cursor }, signal);
    },
    getNextPageParam: ({ next_cursor: next }: Page) => next,
  });
  const rows = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Section title={`${TEXT}.rows`}>
      <TableContainer tabIndex={0} role="region" aria-label={translate(`${TEXT}.rows`)}>
        <Table size="small" sx={{ '& td, & th': { whiteSpace: 'nowrap' } }}>
          <TableHead>
            <TableRow>
              {COLUMNS.map((name) => (
                <TableCell key={name}>{translate(`${TEXT}.fields.${name}`)}</TableCell>
              ))}
            </TableRow>
          </TableHead>
          <TableBody>
            {rows.map((row) => (
              <BatchRow key={row.line} row={row} />
            ))}
          </TableBody>
        </Table>
      </TableContainer>
      {hasNextPage ? <Button onClick={() => void fetchNextPage()}>{translate(`${TEXT}.more`)}</Button> : null}
    </Section>
  );
}

function BatchRow({ row }: { readonly row: PayoutBatchRow }) {
  const { coin } = row;
  return (
    <TableRow>
      <TableCell>{row.line}</TableCell>
      <TableCell>{row.reference}</TableCell>
      <TableCell>
        <Hash value={row.address} />
      </TableCell>
      <TableCell>
        <Amount value={row.amount} currency={coin} />
      </TableCell>
      <TableCell>
        <Amount value={row.fee} currency={coin} />
      </TableCell>
      <TableCell>
        <Amount value={row.received} currency={coin} />
      </TableCell>
      <TableCell title={row.reason ?? ''}>
        <StatusChip status={row.status} />
      </TableCell>
      <TableCell>
        <Hash value={row.tx_hash} />
      </TableCell>
    </TableRow>
  );
}
