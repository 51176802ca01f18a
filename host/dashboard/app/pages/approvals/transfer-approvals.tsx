import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useTranslate } from 'react-admin';
import { AccountName } from '../../components/account-name.tsx';
import { Entries } from '../../components/entries.tsx';
import { Section } from '../../components/facts.tsx';
import { Time } from '../../components/values.tsx';
import type { TransferFile } from '../../operator-records.ts';

/** The given approvals, and the required number while the transfer is held. */
export function TransferApprovals({ transfer }: { readonly transfer: TransferFile }) {
  const translate = useTranslate();
  const { approvals, approvals_needed: needed, status } = transfer;
  if (status !== 'HELD' && approvals.length === 0) return null;
  const count = approvals.filter(({ counts }) => counts).length;
  return (
    <Section title="resources.transfers.approvals">
      {status === 'HELD' ? (
        <Typography sx={{ mb: 1 }}>{translate('resources.transfers.approvalCount', { count, needed })}</Typography>
      ) : null}
      <Entries
        empty="resources.transfers.noApprovals"
        of={approvals.map(({ account: by, at, counts }) => ({
          id: `${by ?? ''} ${at}`,
          content: (
            <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center' }}>
              {by === null ? translate('resources.audit.operator') : <AccountName id={by} link />}
              <Typography component="span" color="textSecondary" variant="body2">
                <Time value={at} />
                {status === 'HELD' && !counts ? ` · ${translate('resources.transfers.earlierHold')}` : null}
              </Typography>
            </Box>
          ),
        }))}
      />
    </Section>
  );
}
