import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import type { ButtonProps } from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { useLocaleState, useLogoutIfAccessDenied, useNotify, useRefresh, useTranslate } from 'react-admin';
import { useId, useState } from 'react';
import type { ReactNode, SubmitEvent } from 'react';
import { ApiError, isCancelled } from '../api/api-error.ts';
import { decimalOf, typedDecimal } from '../money.ts';
import { EXAMPLE } from './decimal-input.tsx';
import { DialogField } from './dialog-field.tsx';
import type { Field, Values } from './field.ts';

interface FormDialogProps extends Pick<ButtonProps, 'variant' | 'size' | 'startIcon'> {
  /** A key of the catalogue for the title and both buttons; `<key>Text` is the explanation, if any. */
  readonly label: string;
  /** The key of the button that submits, where it is not the label. */
  readonly submitLabel?: string;
  /** The key of the button that closes the dialog without acting; needed where the action itself cancels something. */
  readonly dismiss?: string;
  readonly fields: readonly Field[];
  readonly submit: (values: Values) => Promise<unknown>;
  readonly success?: string;
  readonly text?: boolean;
  /** What the input would do, shown below the fields; amounts are those of the API, empty while they cannot be read. */
  readonly preview?: (values: Values) => ReactNode;
}

/** A button that opens a form. Errors of the API are shown at their fields, and the input is kept. */
export function FormDialog({
  label,
  submitLabel = label,
  dismiss = 'ra.action.cancel',
  fields,
  submit,
  success,
  text = false,
  preview,
  ...button
}: FormDialogProps) {
  const translate = useTranslate();
  const [open, setOpen] = useState(false);
  const title = useId();
  return (
    <>
      <Button variant="outlined" {...button} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {translate(label)}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} aria-labelledby={title} fullWidth maxWidth="xs">
        <DialogTitle id={title}>{translate(label)}</DialogTitle>
        {open ? (
          <DialogForm
            label={label}
            submitLabel={submitLabel}
            dismiss={dismiss}
            text={text}
            fields={fields}
            submit={submit}
            success={success}
            preview={preview}
            close={() => setOpen(false)}
          />
        ) : null}
      </Dialog>
    </>
  );
}

interface DialogFormProps extends Pick<FormDialogProps, 'label' | 'fields' | 'submit'> {
  readonly submitLabel: string;
  readonly dismiss: string;
  readonly success: string | undefined;
  readonly text: boolean;
  readonly preview: FormDialogProps['preview'] | undefined;
  readonly close: () => void;
}

function initialOf(fields: readonly Field[]): Values {
  return Object.fromEntries(fields.map(({ name, initial = '' }) => [name, initial]));
}

function DialogForm({ label, submitLabel, dismiss, text, fields, submit, success, preview, close }: DialogFormProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const notify = useNotify();
  const refresh = useRefresh();
  const logoutIfDenied = useLogoutIfAccessDenied();
  const [values, setValues] = useState(() => initialOf(fields));
  const [problem, setProblem] = useState<ApiError | null>(null);
  const [busy, setBusy] = useState(false);
  const shown = fields.filter((field) => field.shown?.(values) ?? true);
  /** An amount as the API has it; `null` for one that cannot be read. An empty one is the API's to refuse. */
  const decimalIn = (name: string): string | null => {
    const value = values[name] ?? '';
    return value.trim() === '' ? '' : decimalOf(locale, value);
  };
  /** The input with its amounts as the API has them. */
  const read = (): Values => {
    const decimals: Record<string, string> = {};
    for (const { name, type } of shown) if (type === 'decimal') decimals[name] = decimalIn(name) ?? '';
    return { ...values, ...decimals };
  };
  const mostOf = ({ most }: Field): string | undefined => {
    const value = most?.(values);
    return value === undefined ? undefined : typedDecimal(locale, value);
  };
  const send = async (): Promise<void> => {
    const unreadable = shown.filter(({ name, type }) => type === 'decimal' && decimalIn(name) === null);
    if (unreadable.length > 0) {
      const message = translate('tillgate.error.decimal', { example: typedDecimal(locale, EXAMPLE) });
      setProblem(
        new ApiError(
          0,
          message,
          null,
          unreadable.map(({ name }) => ({ path: name, message })),
        ),
      );
      return;
    }
    setBusy(true);
    setProblem(null);
    try {
      await submit(read());
    } catch (error) {
      setBusy(false);
      if (isCancelled(error) || (await logoutIfDenied(error))) return;
      setProblem(error instanceof ApiError ? error : new ApiError(0, String(error)));
      return;
    }
    if (success !== undefined) notify(success, { type: 'success' });
    refresh();
    close();
  };
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    void send();
  };
  const atFields = new Set(shown.map(({ name }) => name));
  const elsewhere = problem !== null && !problem.problems.some(({ path }) => atFields.has(path.split('.', 1)[0] ?? ''));
  return (
    <form onSubmit={onSubmit} noValidate>
      <DialogContent sx={{ display: 'grid', gap: 2, pt: 1 }}>
        {text ? <DialogContentText>{translate(`${label}Text`)}</DialogContentText> : null}
        {elsewhere ? <Alert severity="error">{translate(problem.message, { _: problem.message })}</Alert> : null}
        {shown.map((field, index) => (
          <DialogField
            key={field.name}
            field={field}
            focused={index === 0}
            most={mostOf(field)}
            value={values[field.name] ?? ''}
            problem={problem?.problems.find(({ path }) => path.split('.', 1)[0] === field.name)?.message ?? null}
            onChange={(value) => {
              setValues({ ...values, [field.name]: value });
              // It was about the former input.
              setProblem(null);
            }}
          />
        ))}
        {preview?.(read())}
      </DialogContent>
      <DialogActions>
        <Button onClick={close}>{translate(dismiss)}</Button>
        <Button type="submit" variant="contained" disabled={busy}>
          {translate(submitLabel)}
        </Button>
      </DialogActions>
    </form>
  );
}
