import type { AccountId, AlertId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';

/** What an alert can be about; also a metric label. */
export const ALERT_KINDS = [
  'approval',
  'clock',
  'deposit',
  'float',
  'ledger',
  'loss',
  'node',
  'payouts-stopped',
  'restored',
  'signer',
  'transfer',
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** OPEN until an admin has looked at it. */
export const ALERT_STATUSES = ['OPEN', 'ACKNOWLEDGED'] as const;
export type AlertStatus = (typeof ALERT_STATUSES)[number];

/** Every transition of an alert, by event. What is raised again after that is another alert. */
export const ALERT_TRANSITIONS = {
  acknowledge: { from: ['OPEN'], to: 'ACKNOWLEDGED' },
} as const satisfies Record<string, { from: readonly AlertStatus[]; to: AlertStatus }>;

/** Something that an operator has to look at. At most one of a kind and subject is OPEN. */
export interface Alert {
  readonly id: AlertId;
  readonly kind: AlertKind;
  readonly subject: string;
  /** The latest; holds no secret. */
  readonly reason: string;
  readonly status: AlertStatus;
  readonly firstAt: Millis;
  readonly lastAt: Millis;
  /** How often it was raised while it was OPEN. */
  readonly count: number;
  readonly acknowledgedAt: Millis | null;
  /** `null` for the operator at the command line, and while it is OPEN. */
  readonly acknowledgedBy: AccountId | null;
}
