import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { Title, useLocaleState, useTranslate } from 'react-admin';
import { Link } from 'react-router-dom';
import { ActionButton } from '../../components/act.tsx';
import { Demanded } from '../../components/demanded.tsx';
import { Section } from '../../components/facts.tsx';
import { SwitchRow } from '../../components/switch-row.tsx';
import { timeText } from '../../components/values.tsx';
import type { SecurityRecord } from '../../records.ts';
import { useProofs } from '../../step-up/use-proofs.ts';
import { useApi } from '../../till.ts';
import { Notifications } from './notifications.tsx';
import { Passkeys } from './passkeys.tsx';
import { Totp } from './totp.tsx';

const DEMANDS = ['data_security', 'totp_for_payouts'] as const;

/** The account's protections and ways to log in. */
export function SecurityPage() {
  const api = useApi();
  const translate = useTranslate();
  const { data: security } = useQuery({
    queryKey: ['security'],
    queryFn: ({ signal }) => api.get<SecurityRecord>('security', {}, signal),
  });
  const withoutFactor = useProofs('page').proofs?.includes('password') === true;
  return (
    <Box sx={{ mt: 2 }}>
      <Title title="tillgate.menu.security" />
      {security === undefined ? null : (
        <>
          {security.payouts_frozen ? (
            <Alert severity="error" sx={{ mb: 2 }}>
              {translate('tillgate.security.frozen')} {security.payouts_frozen_reason}
            </Alert>
          ) : null}
          {withoutFactor ? <Demanded text="tillgate.security.factorDemanded" /> : null}
          <Totp security={security} />
          <Passkeys />
          <Section title="tillgate.security.demands">
            {DEMANDS.map((field) => (
              <Demand key={field} field={field} security={security} />
            ))}
          </Section>
        </>
      )}
      <Notifications />
      <Section title="tillgate.security.password">
        <Button variant="outlined" component={Link} to="/password">
          {translate('tillgate.security.changePassword')}
        </Button>
      </Section>
    </Box>
  );
}

interface DemandProps {
  readonly field: (typeof DEMANDS)[number];
  readonly security: SecurityRecord;
}

/** A protection: switching it on takes effect at once, switching it off after a wait, during which it can be undone. */
function Demand({ field, security }: DemandProps) {
  const api = useApi();
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const on = security[field];
  const pending = security.pending.find((each) => each.field === field);
  const note =
    pending === undefined
      ? null
      : translate('tillgate.security.endsAt', { at: timeText(locale, pending.effective_at) });
  return (
    <SwitchRow name={`tillgate.security.${field}`} on={on} note={note}>
      {pending === undefined ? (
        <ActionButton
          size="small"
          label={on ? 'tillgate.security.switchOff' : 'tillgate.security.switchOn'}
          confirm={on}
          work={() => api.request('PATCH', 'security', { body: { [field]: !on } })}
        />
      ) : (
        <ActionButton
          size="small"
          label="tillgate.security.keep"
          work={() => api.request('DELETE', `security/pending/${field}`)}
        />
      )}
    </SwitchRow>
  );
}
