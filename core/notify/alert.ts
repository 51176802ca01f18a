import type { AccountId, AlertId, Clock, IdGenerator, Millis } from '../kernel/index.ts';

/** The kinds of alerts; also a metric label. */
export const ALERT_KINDS = [
  'approval',
  'clock',
  'deposit',
  'float',
  'frozen',
  'ledger',
  'loss',
  'node',
  'payouts',
  'payouts-stopped',
  'restored',
  'signer',
  'transfer',
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** An alert is OPEN until an admin acknowledges it. */
export const ALERT_STATUSES = ['OPEN', 'ACKNOWLEDGED'] as const;
export type AlertStatus = (typeof ALERT_STATUSES)[number];

/** Every transition of an alert, by event. Raising it again after that opens another alert. */
export const ALERT_TRANSITIONS = {
  acknowledge: { from: ['OPEN'], to: 'ACKNOWLEDGED' },
} as const satisfies Record<string, { from: readonly AlertStatus[]; to: AlertStatus }>;

/** A problem that an operator must look at. At most one alert of a kind and subject is OPEN. */
export interface Alert {
  readonly id: AlertId;
  readonly kind: AlertKind;
  readonly subject: string;
  /** The latest reason; contains no secret. */
  readonly reason: string;
  readonly status: AlertStatus;
  readonly firstAt: Millis;
  readonly lastAt: Millis;
  /** The number of times it was raised while it was OPEN. */
  readonly count: number;
  readonly acknowledgedAt: Millis | null;
  /** `null` for an operator at the command line, and while it is OPEN. */
  readonly acknowledgedBy: AccountId | null;
}

/** An alert that is raised for the first time. */
export function newAlert(
  { ids, clock }: { readonly ids: IdGenerator; readonly clock: Clock },
  raised: Pick<Alert, 'kind' | 'subject' | 'reason'>,
): Alert {
  const at = clock.now();
  const open = { status: 'OPEN', count: 1, acknowledgedAt: null, acknowledgedBy: null } as const;
  const { kind, subject, reason } = raised;
  return { id: ids.next() as AlertId, kind, subject, reason, firstAt: at, lastAt: at, ...open };
}

declare module '../kernel/events.ts' {
  interface DomainEvents {
    /** Something that an operator must look at; also logged as an error. */
    alert: { readonly kind: AlertKind; readonly subject: string; readonly reason: string };
  }
}
