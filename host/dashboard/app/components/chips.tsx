import Chip from '@mui/material/Chip';
import { useTranslate } from 'react-admin';

type Tone = 'default' | 'success' | 'warning' | 'error' | 'info';

/** The colour of each status. */
const TONES: Readonly<Record<string, Tone>> = {
  PENDING: 'info',
  ENABLED: 'success',
  SUCCESS: 'success',
  RESOLVED: 'success',
  PARTIAL: 'warning',
  OVERDUE: 'warning',
  TERMINATED: 'default',
  REFUNDED: 'default',
  REFUNDING: 'info',
  PART_REFUNDED: 'default',
  HELD: 'warning',
  DRAFT: 'warning',
  APPROVED: 'info',
  CANCELLED: 'default',
  WAITING: 'info',
  DROPPED: 'error',
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
  cordoned: 'warning',
  open: 'success',
  reserved: 'warning',
  'sold-out': 'default',
  ended: 'default',
  down: 'error',
  settled: 'success',
  awaiting_approval: 'warning',
  waiting: 'info',
  in_progress: 'info',
  completed: 'success',
  failed: 'error',
  rejected: 'default',
};

interface StatusChipProps {
  readonly status: string;
  /** The texts of the status in the catalogue. */
  readonly texts?: 'status' | 'orderStatus' | 'batchStatus';
}

/** A status as a coloured label; a status without a translation is shown as the API names it. */
export function StatusChip({ status, texts = 'status' }: StatusChipProps) {
  const translate = useTranslate();
  const label = translate(`tillgate.${texts}.${status}`, { _: status });
  return <Chip size="small" variant="outlined" color={TONES[status] ?? 'default'} label={label} />;
}
