import type { ChainCode, Millis } from '../kernel/index.ts';

/**
 * An operator's decision about an epoch. `pending`: nothing new is paid. `confirmed`: the database is a restored
 * backup, and its waiting payments are HELD. `dismissed`: nothing was lost, and payments continue.
 */
export type EpochStatus = 'pending' | 'confirmed' | 'dismissed';

/** One epoch of the database: since it was created, or since a backup of it was restored. */
export interface Epoch {
  /** 1 for the first epoch. */
  readonly number: number;
  /** Identifies the database and its backups. */
  readonly tillId: string;
  readonly status: EpochStatus;
  /** The reason for which the epoch was begun. */
  readonly reason: string;
  readonly startedAt: Millis;
  /** True once a marker was written outside the database. */
  readonly marked: boolean;
}

/** The progress of a database. Each value only grows, so a database with less than before is a restored backup. */
export interface Progress {
  /** The ids of the newest order, ledger entry and signed payout; empty where there is none. */
  readonly newest: { readonly order: string; readonly entry: string; readonly payout: string };
  /** When the last deposit address was assigned, and the last transaction was signed; 0 for never. */
  readonly lastAt: { readonly address: Millis; readonly attempt: Millis };
  /** The next unused derivation index of each wallet. */
  readonly indexes: Readonly<Record<string, number>>;
  /** The height to which each chain was read; informative only, since a chain may be read again from a lower one. */
  readonly heights: Readonly<Record<ChainCode, number>>;
}

/** The marker outside the database: which database it belongs to, and the progress of that database. */
export interface EpochMarker extends Progress {
  readonly tillId: string;
  readonly epoch: number;
}

/** The result of comparing a database with its marker. */
export type Assessment =
  | { readonly kind: 'intact' }
  /** The marker belongs to another database with one of the same wallets: its addresses must not be reused. */
  | { readonly kind: 'same-wallet'; readonly reason: string }
  | { readonly kind: 'restored'; readonly reason: string }
  /** A marker was written once and is missing: a backup was restored elsewhere, or the file was lost. */
  | { readonly kind: 'unmarked' };

/**
 * Compares a database with its marker.
 *
 * @param wallets - the wallets of the configured chains; only these matter in the marker of another database
 */
export function assess(
  epoch: Epoch,
  progress: Progress,
  marker: EpochMarker | null,
  wallets: ReadonlySet<string>,
): Assessment {
  if (marker === null) return { kind: epoch.marked ? 'unmarked' : 'intact' };
  const foreign = marker.tillId !== epoch.tillId;
  const indexes = walletsAhead(marker, progress, foreign ? wallets : null);
  if (foreign ? isEmpty(progress) || !sharesWallet(marker, wallets) : marker.epoch < epoch.number) {
    if (indexes.length === 0) return { kind: 'intact' };
    return {
      kind: 'same-wallet',
      reason: `Another database has given out addresses of this wallet: ${indexes.join(', ')}.`,
    };
  }
  const ahead = [
    ...(!foreign && marker.epoch > epoch.number ? [`epoch ${marker.epoch}`] : []),
    ...newestAhead(marker, progress),
    ...indexes,
  ];
  if (ahead.length === 0) return { kind: 'intact' };
  return { kind: 'restored', reason: `The database is older than its marker, which has ${ahead.join(', ')}.` };
}

/** A new database is empty. One with records and without an identity was migrated from an older release. */
const isEmpty = ({ newest }: Progress): boolean => newest.order === '' && newest.entry === '';

const sharesWallet = ({ indexes }: EpochMarker, wallets: ReadonlySet<string>): boolean =>
  Object.keys(indexes).some((wallet) => wallets.has(wallet));

function newestAhead({ newest, lastAt }: EpochMarker, progress: Progress): readonly string[] {
  return [
    ...(['order', 'entry', 'payout'] as const)
      .filter((name) => isLater(newest[name], progress.newest[name]))
      .map((name) => `${name} ${newest[name]}`),
    ...(['address', 'attempt'] as const)
      .filter((name) => lastAt[name] > progress.lastAt[name])
      .map((name) => `${name} of ${new Date(lastAt[name]).toISOString()}`),
  ];
}

function walletsAhead(
  { indexes }: EpochMarker,
  progress: Progress,
  only: ReadonlySet<string> | null,
): readonly string[] {
  return Object.entries(indexes)
    .filter(([wallet, index]) => index > (progress.indexes[wallet] ?? 0) && (only === null || only.has(wallet)))
    .map(([wallet, index]) => `index ${index} of wallet ${wallet}`);
}

/** Compares two ids, which are numbers without leading zeros. */
function isLater(one: string, other: string): boolean {
  return one.length === other.length ? one > other : one.length > other.length;
}

/** The indexes that are skipped at the beginning of an epoch: more than were assigned since any backup. */
export const INDEX_STEP = 100_000;

/** The first index of each wallet in a new epoch, beyond every index in the database and the marker. */
export function firstIndexes(progress: Progress, marker: EpochMarker | null): Readonly<Record<string, number>> {
  const wallets = new Set([...Object.keys(progress.indexes), ...Object.keys(marker?.indexes ?? {})]);
  return Object.fromEntries(
    [...wallets].map((wallet) => [
      wallet,
      Math.max(progress.indexes[wallet] ?? 0, marker?.indexes[wallet] ?? 0) + INDEX_STEP,
    ]),
  );
}

/** Why the payouts of a chain wait for this epoch; `null` when they do not. */
export function epochHold(epoch: Epoch, caughtUpAt: Millis | null): string | null {
  if (epoch.status === 'pending')
    return `${epoch.reason} No new payment is made until an operator runs "tillgate restore confirm" or "tillgate restore dismiss".`;
  if (epoch.number > 1 && (caughtUpAt ?? 0) <= epoch.startedAt)
    return 'The chain has not been read to its head since the database was restored.';
  return null;
}

/** Whether an operator has confirmed that the database is a restored backup. */
export function isRestored({ number, status }: Epoch): boolean {
  return number > 1 && status === 'confirmed';
}

/** Whether a record created at this time comes from a restored backup, so that its outcome may be unknown here. */
export function isFromBackup(epoch: Epoch, createdAt: Millis): boolean {
  return epoch.number > 1 && epoch.status !== 'dismissed' && createdAt <= epoch.startedAt;
}
