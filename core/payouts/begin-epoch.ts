import { raiseAlert } from '../notify/index.ts';
import type { ChainRegistry } from '../chain/index.ts';
import type { Clock, EventBus, Logger, Metrics, Storage, Transaction } from '../kernel/index.ts';
import { assess, firstIndexes } from './epoch.ts';
import type { Epoch, EpochMarker, EpochStatus } from './epoch.ts';

export interface BeginEpochDeps {
  readonly storage: Pick<Storage, 'epochs' | 'chains' | 'transaction'>;
  readonly chains: ChainRegistry;
  readonly clock: Clock;
  readonly events: EventBus;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** When a database without its marker is assumed to be a restored backup. */
export interface EpochSettings {
  /** The time in milliseconds since the database was last up to date, above which it is suspected. */
  readonly suspectAfterMs: number;
}

export const DEFAULT_EPOCH_SETTINGS: EpochSettings = { suspectAfterMs: 600_000 };

/**
 * Begins a new epoch when the database is, or may be, a restored backup: address indexes continue far ahead, and
 * nothing new is paid before an operator has decided. A till that was only switched off continues by itself.
 *
 * @returns the present epoch
 */
export async function beginEpochAfterRestore(
  deps: BeginEpochDeps,
  marker: EpochMarker | null,
  settings: EpochSettings = DEFAULT_EPOCH_SETTINGS,
): Promise<Epoch> {
  const { storage } = deps;
  const [epoch, progress] = [await storage.epochs.current(), await storage.epochs.progress()];
  const wallets = new Set([...deps.chains.values()].map(({ walletId }) => walletId));
  const found = assess(epoch, progress, marker, wallets);
  if (found.kind === 'intact') return epoch;
  const reason = found.kind === 'unmarked' ? await suspicion(deps, settings) : found.reason;
  if (reason === null) return epoch;
  // Another database with the same wallet endangers addresses, but did not pay anything that waits in this one.
  const status = found.kind === 'same-wallet' ? 'dismissed' : 'pending';
  const begun = await storage.transaction((tx) => beginEpoch(tx, deps, { epoch, marker, reason, status }));
  if (begun.number > epoch.number) raiseAlert(deps, 'restored', `epoch ${begun.number}`, reason);
  return begun;
}

/**
 * Begins a new epoch when the database has lost records: a lagging standby was promoted, or a backup was restored while
 * the till ran. Other instances may have written to it since, so that it is ahead of its marker.
 *
 * @param known - the progress and the epoch before the loss
 * @param orders - further orders that were acknowledged
 * @returns the reason; `null` when nothing is missing
 */
export async function beginEpochAfterLoss(
  deps: BeginEpochDeps,
  known: EpochMarker,
  orders: readonly string[] = [],
): Promise<string | null> {
  const { storage } = deps;
  const missing = await storage.epochs.missing(known.newest, orders);
  if (missing.length === 0) return null;
  const epoch = await storage.epochs.current();
  if (known.tillId !== epoch.tillId) return null;
  const reason = `The database has lost data that it had: ${missing.join(', ')}.`;
  // Another instance has already begun the new epoch.
  if (known.epoch < epoch.number) return reason;
  const next = { epoch, marker: known, reason, status: 'pending' } as const;
  const begun = await storage.transaction((tx) => beginEpoch(tx, deps, next));
  if (begun.reason === reason) raiseAlert(deps, 'restored', `epoch ${begun.number}`, reason);
  return reason;
}

/** Why a database without its marker may be a restored backup; `null` when it was up to date until just now. */
async function suspicion(
  { storage, clock }: BeginEpochDeps,
  { suspectAfterMs }: EpochSettings,
): Promise<string | null> {
  const times = (await storage.chains.states()).flatMap(({ caughtUpAt }) => (caughtUpAt === null ? [] : [caughtUpAt]));
  if (times.length === 0) return null;
  const last = Math.max(...times);
  if (clock.now() - last <= suspectAfterMs) return null;
  return `The marker file of the database is missing, and no chain was up to date since ${new Date(last).toISOString()}: the database may be a restored backup.`;
}

export interface NextEpoch {
  /** The present epoch as it was read. When another instance has begun the next one meanwhile, nothing is done. */
  readonly epoch: Epoch;
  readonly marker: EpochMarker | null;
  readonly reason: string;
  readonly status: EpochStatus;
}

/** Begins the next epoch in the caller's transaction. */
export async function beginEpoch(
  tx: Transaction,
  { clock }: Pick<BeginEpochDeps, 'clock'>,
  { epoch, marker, reason, status }: NextEpoch,
): Promise<Epoch> {
  const present = await tx.epochs.lock();
  if (present.number !== epoch.number) return present;
  const progress = await tx.epochs.progress();
  const number = Math.max(epoch.number, marker?.tillId === epoch.tillId ? marker.epoch : 0) + 1;
  const next: Epoch = { number, tillId: epoch.tillId, status, reason, startedAt: clock.now(), marked: false };
  await tx.epochs.begin(next, firstIndexes(progress, marker));
  return next;
}
