import type { ChainCode } from '../kernel/asset.ts';
import type { Millis } from '../kernel/time.ts';

/**
 * What an operator decided about an epoch. `pending`: nothing new is paid. `confirmed`: the database is a restored backup;
 * what was waiting in it is HELD. `dismissed`: nothing was lost, and everything goes on.
 */
export type EpochStatus = 'pending' | 'confirmed' | 'dismissed';

/** One life of the database: since it was made, or since a backup of it was restored. */
export interface Epoch {
  /** 1 for the first. */
  readonly number: number;
  /** Identifies the database and its backups. */
  readonly tillId: string;
  readonly status: EpochStatus;
  /** Why it was begun. */
  readonly reason: string;
  readonly startedAt: Millis;
  /** True once a marker was written outside the database. */
  readonly marked: boolean;
}

/** How far a database has come. Each of these only grows, so a database that has less than it had is a restored backup. */
export interface Progress {
  /** The newest order, ledger entry and signed payout; empty where there is none. */
  readonly newest: { readonly order: string; readonly entry: string; readonly payout: string };
  /** When the last deposit address was given out, and the last transaction was signed; 0 for never. */
  readonly lastAt: { readonly address: Millis; readonly attempt: Millis };
  /** The next unused derivation index of each wallet. */
  readonly indexes: Readonly<Record<string, number>>;
  /** The height that each chain was read to; for people, since a chain may be read again from a lower one. */
  readonly heights: Readonly<Record<ChainCode, number>>;
}

/** What is kept outside the database: which database it belongs to, and how far that had come. */
export interface EpochMarker extends Progress {
  readonly tillId: string;
  readonly epoch: number;
}

/** What a database was found to be. */
export type Assessment =
  | { readonly kind: 'intact' }
  /** The marker of another database with one of the same wallets: its addresses must not be given out again. */
  | { readonly kind: 'same-wallet'; readonly reason: string }
  | { readonly kind: 'restored'; readonly reason: string }
  /** A marker was written once and is gone: perhaps a backup restored on another machine, perhaps a lost file. */
  | { readonly kind: 'unmarked' };

/**
 * Compares a database with its marker.
 *
 * @param wallets - those of the configured chains: only these matter in the marker of another database
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

/** A database that was just made. One with business of its own and no identity yet was migrated from an older release. */
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

/** Ids are numbers without leading zeros. */
function isLater(one: string, other: string): boolean {
  return one.length === other.length ? one > other : one.length > other.length;
}

/** How many indexes are left out at the beginning of an epoch: more than were given out since any backup. */
export const INDEX_STEP = 100_000;

/** The first index of each wallet in a new epoch, beyond everything that database and marker know of. */
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
    return `${epoch.reason} Nothing new is paid before an operator has run "tillgate restore confirm" or "tillgate restore dismiss".`;
  if (epoch.number > 1 && (caughtUpAt ?? 0) <= epoch.startedAt)
    return 'The chain has not been read to its head since the database was restored.';
  return null;
}

/** Whether the database is a restored backup by an operator's word. */
export function isRestored({ number, status }: Epoch): boolean {
  return number > 1 && status === 'confirmed';
}

/** Whether something made at that time comes from a restored backup, so that its outcome may be unknown here. */
export function isFromBackup(epoch: Epoch, createdAt: Millis): boolean {
  return epoch.number > 1 && epoch.status !== 'dismissed' && createdAt <= epoch.startedAt;
}
