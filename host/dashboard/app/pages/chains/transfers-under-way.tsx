import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useTranslate } from 'react-admin';
import { Link } from 'react-router-dom';
import type { TransferStatus } from '../../../../../core/payouts/transfer.ts';
import { StatusChip } from '../../components/chips.tsx';
import { Entries } from '../../components/entries.tsx';
import { Section } from '../../components/facts.tsx';
import { Amount, ChainName, Time } from '../../components/values.tsx';
import type { TransferItem } from '../../operator-records.ts';
import { useApi } from '../../till.ts';
import { Kind } from '../withdrawals/kind.tsx';

const POLL_MS = 5000;
const SIGNED: readonly TransferStatus[] = ['SIGNED', 'BROADCAST'];
const MOST = 50;

/** Signed, unmined transfers, oldest first, so that stuck ones lead. Their pages have the button to cancel them. */
export function TransfersUnderWay() {
  const api = useApi();
  const translate = useTranslate();
  const { data } = useQuery({
    queryKey: ['transfers', 'under way'],
    queryFn: async ({ signal }): Promise<readonly TransferItem[]> => {
      const lists = await Promise.all(
        SIGNED.map((status) =>
          api.get<{ readonly items: readonly TransferItem[] }>('payouts', { status, limit: MOST }, signal),
        ),
      );
      return lists.flatMap(({ items }) => items).sort((a, b) => a.created_at.localeCompare(b.created_at));
    },
    refetchInterval: POLL_MS,
  });
  if (data === undefined) return null;
  return (
    <Section title="resources.chains.underWay">
      <Entries
        empty="resources.chains.noneUnderWay"
        of={data.map(({ id, status, kind, chain, amount, coin, created_at: at }) => ({
          id,
          content: (
            <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center' }}>
              <StatusChip status={status} />
              <Amount value={amount} currency={coin} />
              <Typography component="span" color="textSecondary" variant="body2">
                <Kind kind={kind} /> · <ChainName code={chain} /> · <Time value={at} />
              </Typography>
              <Button component={Link} to={`/transfers/${id}/show`} size="small">
                {translate('resources.transfers.open')}
              </Button>
            </Box>
          ),
        }))}
      />
    </Section>
  );
}
