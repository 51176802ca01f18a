import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useTranslate } from 'react-admin';
import { ActionButton } from '../../components/act.tsx';
import { Section } from '../../components/facts.tsx';
import { SwitchRow } from '../../components/switch-row.tsx';
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
      {CHOICES.map(([field, name]) => (
        <SwitchRow key={field} name={name} on={chosen[field]}>
          <ActionButton
            size="small"
            label={chosen[field] ? 'tillgate.security.switchOff' : 'tillgate.security.switchOn'}
            work={() => api.request('PATCH', 'notifications', { body: { [field]: !chosen[field] } })}
          />
        </SwitchRow>
      ))}
    </Section>
  );
}
