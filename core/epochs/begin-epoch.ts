import { raiseAlert } from '../alerts/raise-alert.ts';
import type { ChainRegistry } from '../ports/chain-adapter.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventBus } from '../ports/events.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Storage, Transaction } from '../ports/storage.ts';
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

/** When a database without its marker is taken for a restored backup. */
export interface EpochSettings {
  /** It was last up to date longer ago than this, in milliseconds. */
  readonly suspectAfterMs: number;
}

export const DEFAULT_EPOCH_SETTINGS: EpochSettings = { suspectAfterMs: 600_000 };

/**
 * Begins a new epoch when the database is a restored backup, or may be one: address indexes go on far ahead, and nothing new is
 * paid before an operator has decided. A till that was only switched off goes on by itself.
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
  // Another database of the same wallet endangers addresses; nothing that waits here was paid by it.
  const status = found.kind === 'same-wallet' ? 'dismissed' : 'pending';
  const begun = await storage.transaction((tx) => beginEpoch(tx, deps, { epoch, marker, reason, status }));
  if (begun.number > epoch.number) raiseAlert(deps, 'restored', `epoch ${begun.number}`, reason);
  return begun;
}

/**
 * Begins a new epoch when the database has no longer what it had: a standby that lagged was promoted, or a backup was
 * restored while the till ran. Others may have gone on in it since, so that it has come further than its marker.
 *
 * @param known - how far it had come, and the epoch that was
 * @param orders - further ones that were acknowledged
 * @returns why; `null` when nothing is missing
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
  const reason = `The database has lost what it had: ${missing.join(', ')}.`;
  // Another instance has begun it already.
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
  return `The marker beside the database is gone, and no chain was up to date since ${new Date(last).toISOString()}: it may be a restored backup.`;
}

export interface NextEpoch {
  /** The present one, as it was read; when another instance has begun the next one meanwhile, nothing is done. */
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
