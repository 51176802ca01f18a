import type { AccountId, Storage, Transaction } from '../kernel/index.ts';
import { networkOf } from '../kernel/index.ts';
import type { Actor } from './actor.ts';
import { addAuditRow, createdWith } from './audit.ts';
import type { AuditDeps } from './audit.ts';

/** The kinds of refused attempts. */
export type RefusedAttempt =
  /** A wrong password, or an unknown email. */
  | 'login'
  /** The right password of an account that is disabled or archived. */
  | 'login_of_inactive'
  /** A code while codes are paused; a wrong one has an audit row of its own. */
  | 'code'
  /** An invalid answer of a passkey, or an invalid registration. */
  | 'passkey'
  /** A passkey whose counter did not increase: there may be a copy of it. */
  | 'passkey_counter'
  /** An action that needs a step-up. */
  | 'step_up';

/** A refused attempt. */
export interface Refused {
  /** `null` for an unknown email, which is not stored. */
  readonly accountId: AccountId | null;
  readonly ip: string | null;
  readonly attempt: RefusedAttempt;
}

interface Count extends Refused {
  readonly network: string | null;
  tries: number;
}

/** The interval at which the counts are written as audit rows, in milliseconds; a kill loses those of one interval. */
export const REFUSED_ATTEMPTS_INTERVAL_MS = 60_000;
/** The most rows of one interval about accounts, and about unknown emails, which must not displace the former. */
const MOST_ROWS = { known: 60, unknown: 10 } as const;

export interface RefusedAttemptsDeps extends AuditDeps {
  readonly storage: Pick<Storage, 'transaction'>;
}

/**
 * Refused logins, codes and step-ups for the audit log: one row for each (account, network, kind) and minute, with
 * their number. They are counted in memory and written later, because a reply that waits for the database would reveal
 * whether the account exists, and a flood of them must neither fill the log nor occupy its writers. The excess shares
 * one row.
 */
export class RefusedAttempts {
  readonly #deps: RefusedAttemptsDeps;
  #counts = new Map<string, Count>();
  readonly #rows = { known: 0, unknown: 0 };

  constructor(deps: RefusedAttemptsDeps) {
    this.#deps = deps;
  }

  note(refused: Refused): void {
    this.#add(refused, 1);
  }

  /** Writes the rows; the counts are kept when the database is unavailable. */
  async flush(): Promise<void> {
    const counts = this.#counts;
    if (counts.size === 0) return;
    this.#begin();
    try {
      await this.#deps.storage.transaction(async (tx) => {
        for (const count of counts.values()) this.#write(tx, count);
      });
    } catch (error) {
      for (const count of counts.values()) this.#add(count, count.tries);
      throw error;
    }
  }

  #begin(): void {
    this.#counts = new Map();
    Object.assign(this.#rows, { known: 0, unknown: 0 });
  }

  #add({ accountId, ip, attempt }: Refused, tries: number): void {
    const network = ip === null ? null : networkOf(ip);
    const kind = accountId === null ? 'unknown' : 'known';
    const key = JSON.stringify([accountId, network, attempt]);
    const isNew = !this.#counts.has(key);
    if (isNew && this.#rows[kind] >= MOST_ROWS[kind]) {
      // All attempts above the limit are counted in one row.
      this.#addTo(`others ${kind} ${attempt}`, { accountId: null, ip: null, attempt }, null, tries);
      return;
    }
    if (isNew) this.#rows[kind] += 1;
    this.#addTo(key, { accountId, ip, attempt }, network, tries);
  }

  #addTo(key: string, refused: Refused, network: string | null, tries: number): void {
    const counted = this.#counts.get(key);
    if (counted === undefined) this.#counts.set(key, { ...refused, network, tries });
    else counted.tries += tries;
  }

  #write(tx: Transaction, { accountId, network, attempt, tries }: Count): void {
    const actor: Actor = {
      accountId: attempt === 'step_up' ? accountId : null,
      role: 'user',
      ip: network,
      traceId: null,
    };
    const changes = createdWith({ attempt, tries });
    addAuditRow(this.#deps, tx, actor, {
      action: 'security.refused',
      accountId,
      subjectId: accountId ?? '',
      changes,
    });
  }
}
