import { raiseAlert } from '../notify/index.ts';
import type { AlertChannels } from '../notify/index.ts';
import { HOUR_MS } from '../kernel/index.ts';
import type { Clock, Millis, Storage } from '../kernel/index.ts';
import type { LedgerBreach } from './ledger-store.ts';
import { checkpointLedger } from './check-ledger.ts';

export interface WatchLedgerDeps extends AlertChannels {
  readonly storage: Pick<Storage, 'ledger'>;
  readonly clock: Clock;
}

/** The delay of the first check: a till that has just started has payments to catch up with. */
const FIRST_CHECK_AFTER_MS = 5 * 60_000;
const CHECK_EVERY_MS = HOUR_MS;

/**
 * Checks each hour what was booked since the last check (core/decisions/ledger-checks.md), and raises an alert `ledger` when an invariant
 * does not hold. The alert repeats each hour until the breach is resolved, because a failed check writes no checkpoint.
 */
export class WatchLedger {
  readonly #deps: WatchLedgerDeps;
  #nextAt: Millis | null = null;

  constructor(deps: WatchLedgerDeps) {
    this.#deps = deps;
  }

  /** Checks when it is due. @throws TillgateError `NOT_READY`; it is due again at the next call */
  async run(): Promise<void> {
    const { storage, clock } = this.#deps;
    this.#nextAt ??= clock.now() + FIRST_CHECK_AFTER_MS;
    if (clock.now() < this.#nextAt) return;
    const { breaches } = await checkpointLedger(storage, { full: false });
    this.#nextAt = clock.now() + CHECK_EVERY_MS;
    const [first] = breaches;
    if (first !== undefined) raiseAlert(this.#deps, 'ledger', 'ledger', inWords(first, breaches.length));
  }
}

function inWords({ invariant, detail }: LedgerBreach, count: number): string {
  const what = count === 1 ? 'An invariant of the ledger does' : `${count} invariants of the ledger do`;
  return (
    `${what} not hold: ${invariant}: ${detail}. "tillgate ledger check" shows all; ` +
    '"tillgate payouts stop" stops payments until the cause is known.'
  );
}
