import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { Title, useTranslate } from 'react-admin';
import { useNavigate } from 'react-router-dom';
import { ApiError } from '../../api/api-error.ts';
import { Demanded, useDemanded } from '../../components/demanded.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import type { Values } from '../../components/field.ts';
import { Section } from '../../components/facts.tsx';
import { useTill } from '../../till.ts';

/** Changes the password; required before anything else if another person set it. */
export function PasswordPage() {
  const translate = useTranslate();
  const change = useChangePassword();
  return (
    <Box sx={{ mt: 2 }}>
      <Title title="tillgate.security.password" />
      <Demanded text="tillgate.security.passwordDemanded" />
      <Section title="tillgate.security.password">
        <Typography sx={{ mb: 2 }}>{translate('tillgate.security.passwordHint')}</Typography>
        <FormDialog
          label="tillgate.security.changePassword"
          success="tillgate.security.passwordChanged"
          submit={change}
          fields={[
            {
              name: 'current',
              label: 'tillgate.security.currentPassword',
              type: 'password',
              autoComplete: 'current-password',
            },
            { name: 'new', label: 'tillgate.security.newPassword', type: 'password', autoComplete: 'new-password' },
            { name: 'again', label: 'tillgate.security.again', type: 'password', autoComplete: 'new-password' },
          ]}
        />
      </Section>
    </Box>
  );
}

function useChangePassword(): (values: Values) => Promise<void> {
  const { api } = useTill();
  const translate = useTranslate();
  const demanded = useDemanded();
  const navigate = useNavigate();
  return async ({ current = '', new: next = '', again = '' }) => {
    if (next !== again)
      throw new ApiError(0, '', null, [{ path: 'again', message: translate('tillgate.security.different') }]);
    await api.renewRaised('password', { current, new: next });
    if (demanded) await navigate('/');
  };
}
