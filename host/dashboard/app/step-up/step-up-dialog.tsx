import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { useTranslate } from 'react-admin';
import { useState, useSyncExternalStore } from 'react';
import type { SubmitEvent } from 'react';
import { answerWithPasskey, hasPasskeys } from '../api/passkeys.ts';
import { ApiError } from '../api/api-error.ts';
import { useTill } from '../till.ts';
import { proofProblem } from './proof-problem.ts';
import { useProofs } from './use-proofs.ts';

/** Requests a code, a passkey or the password when a request needs a step-up. */
export function StepUpDialog() {
  const { stepUp } = useTill();
  const open = useSyncExternalStore(stepUp.subscribe, stepUp.isOpen);
  return (
    <Dialog open={open} onClose={() => stepUp.end(false)} aria-labelledby="step-up-title" maxWidth="xs" fullWidth>
      {open ? <StepUpForm /> : null}
    </Dialog>
  );
}

function StepUpForm() {
  const { api, stepUp } = useTill();
  const translate = useTranslate();
  const { proofs, error } = useProofs('dialog');
  const [value, setValue] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  if (proofs === undefined) return <Waiting problem={error} />;
  const typed = proofs.find((proof) => proof !== 'passkey');
  const raise = async (body: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    try {
      await api.renew('session/step-up', await body());
      stepUp.end(true);
    } catch (error) {
      setProblem(error instanceof ApiError ? (proofProblem(error) ?? error.message) : String(error));
      setBusy(false);
    }
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    void raise(async () => ({ [typed ?? '']: typed === 'totp' ? value.trim() : value }));
  };
  const withPasskey = async (): Promise<unknown> => ({
    passkey: await answerWithPasskey(await api.post('session/step-up/passkey')),
  });
  return (
    <form onSubmit={submit}>
      <DialogTitle id="step-up-title">{translate('tillgate.stepUp.title')}</DialogTitle>
      <DialogContent>
        <DialogContentText sx={{ mb: 2 }}>{translate(`tillgate.stepUp.${typed ?? 'passkey'}Text`)}</DialogContentText>
        {problem === null ? null : <Problem text={problem} />}
        {typed === undefined ? null : (
          <TextField
            autoFocus
            fullWidth
            required
            type={typed === 'password' ? 'password' : 'text'}
            label={translate(`tillgate.stepUp.${typed}`)}
            value={value}
            onChange={(event) => setValue(event.target.value)}
            autoComplete={typed === 'password' ? 'current-password' : 'one-time-code'}
            {...(typed === 'totp' ? { slotProps: { htmlInput: { inputMode: 'numeric' } } } : {})}
          />
        )}
      </DialogContent>
      <DialogActions>
        <Button onClick={() => stepUp.end(false)}>{translate('ra.action.cancel')}</Button>
        {proofs.includes('passkey') && hasPasskeys() ? (
          <Button disabled={busy} onClick={() => void raise(withPasskey)}>
            {translate('tillgate.stepUp.passkey')}
          </Button>
        ) : null}
        {typed === undefined ? null : (
          <Button type="submit" variant="contained" disabled={busy || value === ''}>
            {translate('tillgate.stepUp.confirm')}
          </Button>
        )}
      </DialogActions>
    </form>
  );
}

function Problem({ text }: { readonly text: string }) {
  const translate = useTranslate();
  return (
    <Alert severity="error" sx={{ mb: 2 }}>
      {translate(text, { _: text })}
    </Alert>
  );
}

/** The dialog until the possible proofs are loaded, or the error that prevented it. */
function Waiting({ problem }: { readonly problem: Error | null }) {
  const { stepUp } = useTill();
  const translate = useTranslate();
  return (
    <>
      <DialogTitle id="step-up-title">{translate('tillgate.stepUp.title')}</DialogTitle>
      <DialogContent>{problem === null ? null : <Problem text={problem.message} />}</DialogContent>
      <DialogActions>
        <Button onClick={() => stepUp.end(false)}>{translate('ra.action.cancel')}</Button>
      </DialogActions>
    </>
  );
}
