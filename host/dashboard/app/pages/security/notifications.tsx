import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useTranslate } from 'react-admin';
import { ActionButton } from '../../components/act.tsx';
import { StatusChip } from '../../components/chips.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import type { NotificationsRecord } from '../../records.ts';
import { useApi } from '../../till.ts';

const CHOICES = [
  ['payouts', 'tillgate.security.withdrawalNotices'],
  ['summary', 'tillgate.security.summaryNotices'],
] as const;

/** The e-mails that an account receives, in addition to those about its security. */
export function Notifications() {
  const api = useApi();
  const translate = useTranslate();
  const { data: chosen } = useQuery({
    queryKey: ['notifications'],
    queryFn: ({ signal }) => api.get<NotificationsRecord>('notifications', {}, signal),
  });
  if (chosen === undefined) return null;
  return (
    <Section title="tillgate.security.notices">
      <Typography sx={{ mb: 1 }}>{translate('tillgate.security.noticesText')}</Typography>
      {CHOICES.map(([field, label]) => (
        <Box key={field} sx={{ mb: 2 }}>
          <Facts of={[[label, <StatusChip key="on" status={chosen[field] ? 'ENABLED' : 'DISABLED'} />]]} />
          <Box sx={{ mt: 1 }}>
            <ActionButton
              size="small"
              label={chosen[field] ? 'tillgate.security.switchOff' : 'tillgate.security.switchOn'}
              work={() => api.request('PATCH', 'notifications', { body: { [field]: !chosen[field] } })}
            />
          </Box>
        </Box>
      ))}
    </Section>
  );
}
