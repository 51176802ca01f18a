import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { useQuery } from '@tanstack/react-query';
import { useTranslate } from 'react-admin';
import { useState, useSyncExternalStore } from 'react';
import type { SubmitEvent } from 'react';
import { answerWithPasskey, hasPasskeys } from '../api/passkeys.ts';
import type { PasskeyList, SecurityRecord } from '../records.ts';
import { useTill } from '../till.ts';

/** Asks for a code, a passkey or the password whenever a request wants a raised session. */
export function StepUpDialog() {
  const { stepUp } = useTill();
  const open = useSyncExternalStore(stepUp.subscribe, stepUp.isOpen);
  return (
    <Dialog open={open} onClose={() => stepUp.end(false)} aria-labelledby="step-up-title" maxWidth="xs" fullWidth>
      {open ? <StepUpForm /> : null}
    </Dialog>
  );
}

/** What of it the account has. */
interface Factors {
  readonly totp: boolean;
  readonly passkey: boolean;
}

function useFactors(): Factors | undefined {
  const { api } = useTill();
  const { data } = useQuery({
    queryKey: ['step-up-factors'],
    gcTime: 0,
    queryFn: async (): Promise<Factors> => {
      const [security, passkeys] = await Promise.all([
        api.get<SecurityRecord>('security'),
        api.get<PasskeyList>('security/passkeys'),
      ]);
      return { totp: security.totp_confirmed, passkey: passkeys.items.length > 0 };
    },
  });
  return data;
}

function StepUpForm() {
  const { api, stepUp } = useTill();
  const translate = useTranslate();
  const factors = useFactors();
  const [value, setValue] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  if (factors === undefined) return <DialogTitle id="step-up-title">{translate('tillgate.stepUp.title')}</DialogTitle>;
  const field = factors.totp ? 'totp' : 'password';
  const raise = async (body: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    try {
      await api.renew('session/step-up', await body());
      stepUp.end(true);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    void raise(async () => ({ [field]: value.trim() }));
  };
  const withPasskey = async (): Promise<unknown> => ({
    passkey: await answerWithPasskey(await api.post('session/step-up/passkey')),
  });
  return (
    <form onSubmit={submit}>
      <DialogTitle id="step-up-title">{translate('tillgate.stepUp.title')}</DialogTitle>
      <DialogContent>
        <DialogContentText sx={{ mb: 2 }}>{translate(`tillgate.stepUp.${field}Text`)}</DialogContentText>
        {problem === null ? null : (
          <Alert severity="error" sx={{ mb: 2 }}>
            {translate(problem, { _: problem })}
          </Alert>
        )}
        {factors.totp || !factors.passkey ? (
          <TextField
            autoFocus
            fullWidth
            required
            type={field === 'password' ? 'password' : 'text'}
            label={translate(`tillgate.stepUp.${field}`)}
            value={value}
            onChange={(event) => setValue(event.target.value)}
            autoComplete={field === 'password' ? 'current-password' : 'one-time-code'}
            {...(field === 'totp' ? { slotProps: { htmlInput: { inputMode: 'numeric' } } } : {})}
          />
        ) : null}
      </DialogContent>
      <DialogActions>
        <Button onClick={() => stepUp.end(false)}>{translate('ra.action.cancel')}</Button>
        {factors.passkey && hasPasskeys() ? (
          <Button disabled={busy} onClick={() => void raise(withPasskey)}>
            {translate('tillgate.stepUp.passkey')}
          </Button>
        ) : null}
        {factors.totp || !factors.passkey ? (
          <Button type="submit" variant="contained" disabled={busy || value === ''}>
            {translate('tillgate.stepUp.confirm')}
          </Button>
        ) : null}
      </DialogActions>
    </form>
  );
}
