import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Typography from '@mui/material/Typography';
import { useTranslate } from 'react-admin';
import { useId } from 'react';
import { Facts } from './facts.tsx';
import { Copyable } from './values.tsx';

/** Secrets with their labels and what each is for, which are keys of the catalogue. */
export type Secrets = readonly (readonly [label: string, value: string | undefined, help?: string])[];

interface SecretsDialogProps {
  /**
   * `null` while there is nothing to show. Secrets are only in the page's memory, and dropped when the dialog closes.
   */
  readonly secrets: Secrets | null;
  /** Whether the page that shows them can show them again. */
  readonly again?: boolean;
  readonly onClose: () => void;
}

/** Shows secrets for copying. */
export function SecretsDialog({ secrets, again = false, onClose }: SecretsDialogProps) {
  const translate = useTranslate();
  const title = useId();
  return (
    <Dialog open={secrets !== null} onClose={onClose} aria-labelledby={title} fullWidth maxWidth="sm">
      <DialogTitle id={title}>{translate('tillgate.secrets.title')}</DialogTitle>
      <DialogContent>
        <Alert severity="warning" sx={{ mb: 2 }}>
          {translate('tillgate.secrets.text')} {translate(`tillgate.secrets.${again ? 'again' : 'once'}`)}
        </Alert>
        <Facts
          of={(secrets ?? []).map(([label, value, help]) => [
            label,
            value === undefined ? null : (
              <Box key={label}>
                <Copyable value={value} label={translate(label)} />
                {help === undefined ? null : (
                  <Typography component="div" variant="body2" color="textSecondary">
                    {translate(help)}
                  </Typography>
                )}
              </Box>
            ),
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
