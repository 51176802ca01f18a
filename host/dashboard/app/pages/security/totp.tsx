import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useTranslate } from 'react-admin';
import { useState } from 'react';
import { ActionButton } from '../../components/act.tsx';
import { Section } from '../../components/facts.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { SwitchRow } from '../../components/switch-row.tsx';
import { Copyable } from '../../components/values.tsx';
import type { SecurityRecord } from '../../records.ts';
import { useApi } from '../../till.ts';
import { QrCode } from './qr-code.tsx';

interface Enrolment {
  readonly secret: string;
  readonly uri: string;
}

/** Codes of an authenticator app as the second factor. */
export function Totp({ security }: { readonly security: SecurityRecord }) {
  const api = useApi();
  const translate = useTranslate();
  const [enrolment, setEnrolment] = useState<Enrolment | null>(null);
  const { totp_confirmed: confirmed } = security;
  const confirm = async (values: Readonly<Record<string, string>>): Promise<void> => {
    await api.post('security/totp/confirm', values);
    setEnrolment(null);
  };
  return (
    <Section title="tillgate.security.twoFactor">
      <SwitchRow name="tillgate.security.totp" on={confirmed}>
        {enrolment === null ? (
          <ActionButton
            size="small"
            label={confirmed ? 'tillgate.security.totpAnew' : 'tillgate.security.totpEnrol'}
            confirm={confirmed}
            work={async () => setEnrolment(await api.post<Enrolment>('security/totp'))}
          />
        ) : null}
      </SwitchRow>
      {enrolment === null ? null : (
        <Box sx={{ display: 'grid', gap: 2, justifyItems: 'start' }}>
          <Typography>{translate('tillgate.security.totpText')}</Typography>
          <QrCode value={enrolment.uri} label={translate('tillgate.security.qr')} />
          <Copyable value={enrolment.secret} label={translate('tillgate.security.secret')} />
          <FormDialog
            variant="contained"
            label="tillgate.security.totpConfirm"
            success="tillgate.security.totpConfirmed"
            text
            submit={confirm}
            fields={[{ name: 'verify_code', label: 'tillgate.stepUp.totp', type: 'code' }]}
          />
        </Box>
      )}
    </Section>
  );
}
