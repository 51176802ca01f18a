import type { AccountId, Storage } from '../kernel/index.ts';
import { HOUR_MS } from '../kernel/index.ts';
import type { Actor } from './actor.ts';
import { addAuditRow, createdWith } from './audit.ts';
import type { AuditDeps } from './audit.ts';

/** The most remembered reads; a read that was evicted gets another row. */
const MOST_NOTED = 10_000;
/** Reading the log must not add rows to it. */
const NOT_NOTED: ReadonlySet<string> = new Set(['audit']);

export interface AdminReadsDeps extends AuditDeps {
  readonly storage: Pick<Storage, 'transaction'>;
}

/**
 * Records in the audit log what admins read of other accounts: one row for each admin, account, kind of record and
 * hour, so that repeated reads add nothing. The row is written before the reply is sent.
 */
export class AdminReads {
  readonly #deps: AdminReadsDeps;
  readonly #noted = new Set<string>();
  #hour = -1;

  constructor(deps: AdminReadsDeps) {
    this.#deps = deps;
  }

  /** @param kind - the kind of the records, such as `orders` */
  async note(actor: Actor, kind: string): Promise<void> {
    const owners = NOT_NOTED.has(kind) ? [] : this.#unnoted(actor, kind);
    if (owners.length === 0) return;
    await this.#deps.storage.transaction(async (tx) => {
      for (const accountId of owners)
        addAuditRow(this.#deps, tx, actor, {
          action: 'account.read',
          accountId,
          subjectId: accountId ?? '',
          changes: createdWith({ records: kind }),
        });
    });
    for (const owner of owners) this.#noted.add(keyOf(actor, kind, owner));
  }

  #unnoted(actor: Actor, kind: string): readonly (AccountId | null)[] {
    const hour = Math.floor(this.#deps.clock.now() / HOUR_MS);
    if (hour !== this.#hour || this.#noted.size >= MOST_NOTED) this.#noted.clear();
    this.#hour = hour;
    return [...(actor.foreign ?? [])].filter((owner) => !this.#noted.has(keyOf(actor, kind, owner)));
  }
}

const keyOf = ({ accountId }: Actor, kind: string, owner: AccountId | null): string =>
  JSON.stringify([accountId, kind, owner]);
