import type { AccountId } from '../kernel/ids.ts';
import { networkOf } from '../kernel/network.ts';
import type { Storage, Transaction } from '../ports/storage.ts';
import type { Actor } from './actor.ts';
import { addAuditRow, createdWith } from './audit.ts';
import type { AuditDeps } from './audit.ts';

/** What was refused, and why. */
export type RefusedAttempt =
  /** A wrong password, or the email of nobody. */
  | 'login'
  /** The right password of an account that is disabled or archived. */
  | 'login_of_inactive'
  /** A code while codes are blocked; a wrong one has an audit row of its own. */
  | 'code'
  /** A passkey, or the registration of one, that is not right. */
  | 'passkey'
  /** A passkey whose counter did not go up: there may be a copy of it. */
  | 'passkey_counter'
  /** An action that needs a session raised by a step-up. */
  | 'step_up';

/** Who was refused. */
export interface Refused {
  /** `null` for the email of nobody, which is not kept. */
  readonly accountId: AccountId | null;
  readonly ip: string | null;
  readonly attempt: RefusedAttempt;
}

interface Count extends Refused {
  readonly network: string | null;
  tries: number;
}

/** How often the counts become audit rows; a kill loses those of one interval. */
export const REFUSED_ATTEMPTS_INTERVAL_MS = 60_000;
/** Rows of one interval that are about accounts, and those that are about nobody: strangers cannot crowd the former out. */
const MOST_ROWS = { known: 60, unknown: 10 } as const;

export interface RefusedAttemptsDeps extends AuditDeps {
  readonly storage: Pick<Storage, 'transaction'>;
}

/**
 * Refused logins, codes and step-ups for the audit log: one row for each (account, network, kind) and minute, with how many there
 * were. They are counted in memory and written afterwards, because an answer that waits for the database would tell whether the
 * account exists, and a flood of them must neither fill the log nor keep its writers busy. What is more than fits is one row.
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

  /** Writes the rows; the counts stay when the database is away. */
  async flush(): Promise<void> {
    const counts = this.#counts;
    if (counts.size === 0) return;
    this.#begin();
    try {
      await this.#deps.storage.transaction(async (tx) => {
        for (const count of counts.values()) await this.#write(tx, count);
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
      // One row for all that are too many.
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

  #write(tx: Transaction, { accountId, network, attempt, tries }: Count): Promise<void> {
    const actor: Actor = {
      accountId: attempt === 'step_up' ? accountId : null,
      role: 'user',
      ip: network,
      traceId: null,
    };
    const changes = createdWith({ attempt, tries });
    return addAuditRow(this.#deps, tx, actor, {
      action: 'security.refused',
      accountId,
      subjectId: accountId ?? '',
      changes,
    });
  }
}
