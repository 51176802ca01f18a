import UploadFileIcon from '@mui/icons-material/UploadFile';
import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { useLogoutIfAccessDenied, useNotify, useRedirect, useTranslate } from 'react-admin';
import { useId, useRef, useState } from 'react';
import type { ChangeEvent } from 'react';
import { ApiError, isCancelled } from '../../api/api-error.ts';
import { Code } from '../../components/values.tsx';
import type { PayoutBatchRecord } from '../../records.ts';
import { newIdempotencyKeys, useApi } from '../../till.ts';

const TEXT = 'resources.payout-batches';
const HEADER = 'reference,address,coin,amount,fiat_amount,fiat_currency';
const MAX_NAME = 100;

/** Uploads a CSV file of payments. Its bad rows are shown with their lines, and nothing is stored. */
export function UploadBatch() {
  const translate = useTranslate();
  const title = useId();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="outlined" startIcon={<UploadFileIcon />} onClick={() => setOpen(true)}>
        {translate(`${TEXT}.upload`)}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} aria-labelledby={title} fullWidth maxWidth="sm">
        <DialogTitle id={title}>{translate(`${TEXT}.upload`)}</DialogTitle>
        {open ? <UploadForm close={() => setOpen(false)} /> : null}
      </Dialog>
    </>
  );
}

function UploadForm({ close }: { readonly close: () => void }) {
  const translate = useTranslate();
  const notify = useNotify();
  const redirect = useRedirect();
  const logoutIfDenied = useLogoutIfAccessDenied();
  const api = useApi();
  const input = useRef<HTMLInputElement>(null);
  const [keys] = useState(newIdempotencyKeys);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const [busy, setBusy] = useState(false);
  const send = async (file: File): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      const csv = await file.text();
      const options = { csv, query: { name: file.name.slice(0, MAX_NAME) }, idempotencyKey: keys.of(csv) };
      const batch = await api.request<PayoutBatchRecord>('POST', 'payout-batches', options);
      keys.done(csv);
      notify(`${TEXT}.uploaded`, { type: 'success' });
      redirect('show', 'payout-batches', batch.id);
    } catch (error) {
      setBusy(false);
      if (isCancelled(error) || (await logoutIfDenied(error))) return;
      setProblem(error instanceof ApiError ? error : new ApiError(0, String(error)));
    }
  };
  const onChange = (event: ChangeEvent<HTMLInputElement>): void => {
    const [file] = event.target.files ?? [];
    if (file !== undefined) void send(file);
    // The same file can be chosen again after it was corrected.
    event.target.value = '';
  };
  return (
    <>
      <DialogContent sx={{ display: 'grid', gap: 2 }}>
        <DialogContentText>{translate(`${TEXT}.uploadText`)}</DialogContentText>
        <Code>{HEADER}</Code>
        {problem === null ? null : <Problems of={problem} />}
      </DialogContent>
      <DialogActions>
        <Button onClick={close}>{translate('ra.action.cancel')}</Button>
        <Button variant="contained" disabled={busy} onClick={() => input.current?.click()}>
          {translate(`${TEXT}.choose`)}
        </Button>
        <input ref={input} type="file" accept=".csv,text/csv" hidden onChange={onChange} />
      </DialogActions>
    </>
  );
}

/** The bad rows of a file, as the till words them. */
function Problems({ of: { message, problems } }: { readonly of: ApiError }) {
  const translate = useTranslate();
  return (
    <Alert severity="error">
      {translate(message, { _: message })}
      <ul>
        {problems.map(({ path, message: text }) => (
          <li key={`${path} ${text}`}>{text}</li>
        ))}
      </ul>
    </Alert>
  );
}
