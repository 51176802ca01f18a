import type { Alert, AlertStatus } from './alert.ts';
import { isId, stateConflict } from '../kernel/index.ts';
import type { AlertId, NewestQuery, Storage } from '../kernel/index.ts';
import { addAuditRow, newestPage, recordNotFound, requireAdmin } from '../access/index.ts';
import type { Actor, AuditDeps, CursorPage, CursorRequest, ListDeps } from '../access/index.ts';

export interface ManageAlertsDeps extends AuditDeps, ListDeps {
  readonly storage: Pick<Storage, 'alerts' | 'transaction'>;
}

/** Alerts for operators. */
export class ManageAlerts {
  readonly #deps: ManageAlertsDeps;

  constructor(deps: ManageAlertsDeps) {
    this.#deps = deps;
  }

  /**
   * Alerts, newest first. @throws TillgateError `FORBIDDEN`; `INVALID_FIELDS` for a limit out of range, or a cursor of
   * another list
   */
  async list(
    actor: Actor,
    { status = null, ...page }: CursorRequest & { readonly status?: AlertStatus | null | undefined },
  ): Promise<CursorPage<Alert>> {
    requireAdmin(actor);
    const list = ['alerts', actor.accountId, status];
    const read = (query: NewestQuery<AlertId>) => this.#deps.storage.alerts.list(status, query);
    return newestPage(list, page, this.#deps, read, ({ id }) => id);
  }

  /** Acknowledges an alert. @throws TillgateError `FORBIDDEN`, `NOT_FOUND`; `STATE_CONFLICT` when it is not OPEN */
  async acknowledge(actor: Actor, id: AlertId): Promise<Alert> {
    requireAdmin(actor);
    const { storage, clock } = this.#deps;
    const alert = isId(id) ? await storage.alerts.find(id) : null;
    if (alert === null) throw recordNotFound();
    const acknowledgedAt = clock.now();
    await storage.transaction(async (tx) => {
      if (!(await tx.alerts.acknowledge(id, actor.accountId, acknowledgedAt)))
        throw stateConflict('The alert was acknowledged before.');
      const changes = { status: { from: 'OPEN', to: 'ACKNOWLEDGED' } };
      addAuditRow(this.#deps, tx, actor, {
        action: 'alert.acknowledge',
        accountId: null,
        subjectId: id,
        changes,
      });
    });
    return (await storage.alerts.find(id)) ?? alert;
  }
}
