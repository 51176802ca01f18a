import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useTranslate } from 'react-admin';
import { useId } from 'react';
import { Facts } from './facts.tsx';
import { Copyable } from './values.tsx';

/** Secrets with their labels, which are keys of the catalogue. */
export type Secrets = readonly (readonly [label: string, value: string | undefined])[];

interface SecretsDialogProps {
  /**
   * `null` while there is nothing to show. Secrets are only in the page's memory, and dropped when the dialog closes.
   */
  readonly secrets: Secrets | null;
  readonly onClose: () => void;
}

/** Shows secrets for copying. */
export function SecretsDialog({ secrets, onClose }: SecretsDialogProps) {
  const translate = useTranslate();
  const title = useId();
  return (
    <Dialog open={secrets !== null} onClose={onClose} aria-labelledby={title} fullWidth maxWidth="sm">
      <DialogTitle id={title}>{translate('tillgate.secrets.title')}</DialogTitle>
      <DialogContent>
        <Alert severity="warning" sx={{ mb: 2 }}>
          {translate('tillgate.secrets.text')}
        </Alert>
        <Facts
          of={(secrets ?? []).map(([label, value]) => [
            label,
            value === undefined ? null : <Copyable key={label} value={value} label={translate(label)} />,
          ])}
        />
      </DialogContent>
      <DialogActions>
        <Button variant="contained" onClick={onClose}>
          {translate('ra.action.close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
