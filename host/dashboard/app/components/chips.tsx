import Chip from '@mui/material/Chip';
import { useTranslate } from 'react-admin';

type Tone = 'default' | 'success' | 'warning' | 'error' | 'info';

/** How each status of the API looks. */
const TONES: Readonly<Record<string, Tone>> = {
  PENDING: 'info',
  SUCCESS: 'success',
  RESOLVED: 'success',
  PARTIAL: 'warning',
  OVERDUE: 'warning',
  TERMINATED: 'default',
  REFUNDED: 'default',
  HELD: 'warning',
  FAILED: 'error',
  DELIVERED: 'success',
  DEAD: 'error',
  SPENDABLE: 'success',
  CREDITED: 'success',
  ORPHANED: 'error',
  active: 'success',
  disabled: 'warning',
  archived: 'default',
  REQUESTED: 'info',
  SIGNED: 'info',
  BROADCAST: 'info',
  CONFIRMED: 'success',
  OPEN: 'warning',
  ACKNOWLEDGED: 'default',
  LIVE: 'info',
  DONE: 'success',
  VOID: 'default',
  revoked: 'default',
  up: 'success',
  trial: 'warning',
  open: 'success',
  reserved: 'warning',
  'sold-out': 'default',
  ended: 'default',
  down: 'error',
};

/** A status in words and colour; of one that is not in the catalogue the word of the API itself. */
export function StatusChip({ status }: { readonly status: string }) {
  const translate = useTranslate();
  const label = translate(`tillgate.status.${status}`, { _: status });
  return <Chip size="small" variant="outlined" color={TONES[status] ?? 'default'} label={label} />;
}
