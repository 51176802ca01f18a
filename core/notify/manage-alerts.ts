import type { Alert, AlertStatus } from './alert.ts';
import { checkPage, isId, stateConflict } from '../kernel/index.ts';
import type { AlertId, Page, PageRequest, Storage } from '../kernel/index.ts';
import { addAuditRow, recordNotFound, requireAdmin } from '../access/index.ts';
import type { Actor, AuditDeps } from '../access/index.ts';

export interface ManageAlertsDeps extends AuditDeps {
  readonly storage: Pick<Storage, 'alerts' | 'transaction'>;
  readonly pageMax: number;
}

/** Alerts for operators. */
export class ManageAlerts {
  readonly #deps: ManageAlertsDeps;

  constructor(deps: ManageAlertsDeps) {
    this.#deps = deps;
  }

  /** Alerts, newest first. @throws TillgateError `FORBIDDEN`; `INVALID_FIELDS` for a page out of range */
  async list(actor: Actor, status: AlertStatus | null, page: PageRequest): Promise<Page<Alert>> {
    requireAdmin(actor);
    checkPage(page, this.#deps.pageMax);
    return this.#deps.storage.alerts.list(status, page);
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
