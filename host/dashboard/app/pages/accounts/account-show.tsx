import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useRecordContext, useTranslate } from 'react-admin';
import { Link } from 'react-router-dom';
import { StatusChip } from '../../components/chips.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import { RecordPage } from '../../components/record-page.tsx';
import { Copyable, Time } from '../../components/values.tsx';
import type { AccountFile } from '../../operator-records.ts';
import type { SecurityRecord } from '../../records.ts';
import { useApi } from '../../till.ts';
import { AccountActions } from './account-actions.tsx';
import { Role } from './account-list.tsx';
import { browserName } from '../security/browser-name.ts';

const FIELD = 'resources.accounts.fields';

/** An account and its security requirements. */
export function AccountShow() {
  return (
    <RecordPage>
      <AccountPage />
    </RecordPage>
  );
}

function AccountPage() {
  const account = useRecordContext<AccountFile>();
  const api = useApi();
  const id = account?.id ?? '';
  const { data: security } = useQuery({
    queryKey: ['security', id],
    queryFn: ({ signal }) => api.get<SecurityRecord>('security', { account: id }, signal),
    enabled: id !== '',
  });
  if (account === undefined) return null;
  return (
    <>
      <AccountHead account={account} security={security} />
      <AccountLogins account={account} />
      {security === undefined ? null : <AccountSecurity security={security} />}
    </>
  );
}

interface HeadProps {
  readonly account: AccountFile;
  readonly security: SecurityRecord | undefined;
}

function AccountHead({ account, security }: HeadProps) {
  const translate = useTranslate();
  const id = translate(`${FIELD}.id`);
  const coins = account.verified_coins;
  return (
    <Section title="resources.accounts.about">
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1.5, alignItems: 'center', mb: 2 }}>
        <Typography component="p" variant="h5" sx={{ overflowWrap: 'anywhere' }}>
          {account.email}
        </Typography>
        <StatusChip status={account.status} />
      </Box>
      {security?.payouts_frozen === true ? (
        <Alert severity="warning" sx={{ mb: 2 }}>
          {translate('resources.accounts.isFrozen', { reason: security.payouts_frozen_reason ?? '' })}
        </Alert>
      ) : null}
      <Facts
        of={[
          [id, <Copyable key="id" value={account.id} label={id} />],
          [`${FIELD}.account_name`, account.name],
          [`${FIELD}.role`, <Role key="role" role={account.role} />],
          [
            `${FIELD}.verified_coins`,
            coins.includes('*') ? translate('resources.accounts.allCurrencies') : coins.join(', ') || '–',
          ],
          [`${FIELD}.app_count`, String(account.app_count)],
          [`${FIELD}.gateway_count`, String(account.gateway_count)],
          [`${FIELD}.created_at`, <Time key="created" value={account.created_at} />],
          [`${FIELD}.updated_at`, <Time key="updated" value={account.updated_at} />],
        ]}
      />
      <AccountActions account={account} security={security} />
    </Section>
  );
}

function AccountLogins({ account }: { readonly account: AccountFile }) {
  const translate = useTranslate();
  const filter = encodeURIComponent(JSON.stringify({ account: account.id }));
  return (
    <Section title="resources.accounts.logins">
      <Facts
        of={[
          [`${FIELD}.first_login_at`, <Time key="first" value={account.first_login_at} />],
          [`${FIELD}.last_login_at`, <Time key="last" value={account.last_login_at} />],
          [`${FIELD}.last_login_ip`, account.last_login_ip],
          [
            `${FIELD}.last_login_user_agent`,
            account.last_login_user_agent === null ? null : browserName(account.last_login_user_agent),
          ],
        ]}
      />
      <Button component={Link} to={`/audit?filter=${filter}`} sx={{ mt: 1, ml: -1 }}>
        {translate('resources.accounts.audit')}
      </Button>
    </Section>
  );
}

function AccountSecurity({ security }: { readonly security: SecurityRecord }) {
  const translate = useTranslate();
  const yesNo = (on: boolean): string => translate(on ? 'ra.boolean.true' : 'ra.boolean.false');
  return (
    <Section title="resources.accounts.security">
      <Facts
        of={[
          [`${FIELD}.totp_confirmed`, yesNo(security.totp_confirmed)],
          [`${FIELD}.totp_for_payouts`, yesNo(security.totp_for_payouts)],
          [`${FIELD}.data_security`, yesNo(security.data_security)],
        ]}
      />
    </Section>
  );
}
