import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Card from '@mui/material/Card';
import CardContent from '@mui/material/CardContent';
import Typography from '@mui/material/Typography';
import {
  Form,
  LocalesMenuButton,
  Notification,
  PasswordInput,
  TextInput,
  required,
  useLogin,
  useTranslate,
} from 'react-admin';
import { useEffect, useState } from 'react';
import { useFormContext } from 'react-hook-form';
import { ApiError } from './api/api-error.ts';
import type { Credentials } from './api/auth-provider.ts';
import { answerWithPasskey, hasPasskeys } from './api/passkeys.ts';
import { Logo } from './shell/logo.tsx';
import { setTabTitle } from './shell/page-title.tsx';
import { proofProblem } from './step-up/proof-problem.ts';
import { useApi } from './till.ts';

/** The catalogue has the texts for what is typed or chosen wrongly; other errors show the server's text. */
function problemOf(error: unknown): string {
  if (!(error instanceof ApiError)) return String(error);
  if (error.status === 401) return 'tillgate.login.failed';
  if (error.status === 429) return 'tillgate.error.tooMany';
  return proofProblem(error) ?? error.message;
}

/** The second factors that the account has: the server names those that a login lacks. */
type Wanted = 'totp' | 'passkey' | 'either';

function wantedBy(error: unknown): Wanted | null {
  const paths = error instanceof ApiError ? error.problems.map(({ path }) => path) : [];
  const [totp, passkey] = [paths.includes('totp'), paths.includes('passkey')];
  if (totp) return passkey ? 'either' : 'totp';
  return passkey ? 'passkey' : null;
}

/** The login; the second factor is requested once the server requires it. */
export function LoginPage() {
  const translate = useTranslate();
  const login = useLogin();
  const api = useApi();
  const [problem, setProblem] = useState<string | null>(null);
  const [factor, setFactor] = useState<Wanted | null>(null);
  const [busy, setBusy] = useState(false);
  const title = translate('tillgate.login.submit');
  useEffect(() => setTabTitle(title), [title]);

  const enter = async (credentials: Credentials): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      await login(credentials);
    } catch (error) {
      const given = credentials.totp !== undefined || credentials.passkey !== undefined;
      const wanted = given ? null : wantedBy(error);
      if (wanted !== null) setFactor(wanted);
      setProblem(wanted === null ? problemOf(error) : null);
      setBusy(false);
    }
  };
  const withPasskey = async ({ email, password }: Credentials): Promise<void> => {
    try {
      const passkey = await answerWithPasskey(await api.renew('session/passkey', { email, password }));
      await enter({ email, password, passkey });
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  const submit = ({ email, password, totp }: Partial<Credentials>): Promise<void> =>
    enter({
      email: email ?? '',
      password: password ?? '',
      ...(totp === undefined || totp === '' ? {} : { totp: totp.trim() }),
    });

  return (
    <Box
      component="main"
      sx={{
        minHeight: '100vh',
        display: 'grid',
        placeItems: { xs: 'start center', sm: 'center' },
        bgcolor: 'background.default',
        p: 2,
      }}
    >
      <Card sx={{ width: '100%', maxWidth: 400 }}>
        <CardContent>
          <Box sx={{ display: 'flex', justifyContent: 'space-between', alignItems: 'start', mb: 2 }}>
            <Box sx={{ display: 'flex', gap: 1.5, alignItems: 'center' }}>
              <Logo />
              <div>
                <Typography variant="h1">{translate('tillgate.login.title')}</Typography>
                <Typography color="textSecondary">{translate('tillgate.login.text')}</Typography>
              </div>
            </Box>
            <LocalesMenuButton />
          </Box>
          {problem === null ? null : (
            <Alert severity="error" sx={{ mb: 2 }}>
              {translate(problem, { _: problem })}
            </Alert>
          )}
          {factor !== null && problem === null ? (
            <Alert severity="info" sx={{ mb: 2 }}>
              {translate(`tillgate.login.${factor}Wanted`)}
            </Alert>
          ) : null}
          <Form onSubmit={(values: Partial<Credentials>) => submit(values)} noValidate>
            <TextInput
              source="email"
              type="email"
              label="tillgate.login.email"
              autoComplete="username"
              autoFocus
              validate={required()}
            />
            <PasswordInput
              source="password"
              label="tillgate.login.password"
              autoComplete="current-password"
              validate={required()}
            />
            {factor === null ? null : <FactorFields wanted={factor} busy={busy} usePasskey={withPasskey} />}
            <Button type="submit" variant="contained" fullWidth size="large" disabled={busy} sx={{ mt: 1 }}>
              {translate('tillgate.login.submit')}
            </Button>
          </Form>
          <Typography variant="body2" color="textSecondary" sx={{ mt: 2 }}>
            {translate('tillgate.login.forgot')}
          </Typography>
        </CardContent>
      </Card>
      <Notification />
    </Box>
  );
}

interface FactorFieldsProps {
  readonly wanted: Wanted;
  readonly busy: boolean;
  readonly usePasskey: (credentials: Credentials) => Promise<void>;
}

function FactorFields({ wanted, busy, usePasskey }: FactorFieldsProps) {
  const translate = useTranslate();
  const { getValues } = useFormContext<Credentials>();
  return (
    <>
      {wanted !== 'passkey' ? (
        <TextInput source="totp" label="tillgate.stepUp.totp" autoComplete="one-time-code" autoFocus />
      ) : null}
      {wanted !== 'totp' && hasPasskeys() ? (
        <Button fullWidth disabled={busy} onClick={() => void usePasskey(getValues())}>
          {translate('tillgate.stepUp.passkey')}
        </Button>
      ) : null}
    </>
  );
}
