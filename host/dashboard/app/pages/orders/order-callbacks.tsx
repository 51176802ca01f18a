import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { ActionButton } from '../../components/act.tsx';
import { StatusChip } from '../../components/chips.tsx';
import { Entries } from '../../components/entries.tsx';
import { Section } from '../../components/facts.tsx';
import { Time } from '../../components/values.tsx';
import type { OrderFile } from '../../records.ts';
import { useApi } from '../../till.ts';

export function OrderCallbacks({ order }: { readonly order: OrderFile }) {
  const api = useApi();
  return (
    <Section title="resources.callbacks.name">
      <Entries
        empty="resources.orders.noCallbacks"
        of={order.callbacks.map(({ id, event, status, url, created_at: createdAt }) => ({
          id,
          content: (
            <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center' }}>
              <StatusChip status={status} />
              <Typography component="span">{event}</Typography>
              <Typography component="span" color="textSecondary" variant="body2" sx={{ overflowWrap: 'anywhere' }}>
                {url} · <Time value={createdAt} />
              </Typography>
              {status === 'PENDING' ? null : (
                <ActionButton
                  size="small"
                  label="resources.callbacks.resend"
                  success="resources.callbacks.resent"
                  work={() => api.post(`callbacks/${id}/redeliver`)}
                />
              )}
            </Box>
          ),
        }))}
      />
    </Section>
  );
}
