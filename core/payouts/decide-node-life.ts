import { TillgateError } from '../kernel/index.ts';
import { addAuditRow, requireAdmin } from '../access/index.ts';
import type { Actor, AuditDeps } from '../access/index.ts';
import type { Storage, Transaction } from '../kernel/index.ts';
import type { NodeLife, NodeLifeStatus } from './node-life.ts';

export interface DecideNodeLifeDeps extends AuditDeps {
  readonly storage: Pick<Storage, 'lightning' | 'transaction'>;
}

const BY_OPERATOR = 'An operator confirmed that the Lightning node began anew.';

/**
 * Confirms that the Lightning node began again with a new database. Payments continue; each payment that was sent to
 * the node before and that it does not have is held until an operator has found out whether it was paid. Begins a new
 * life unless one was begun already.
 *
 * @throws TillgateError `FORBIDDEN`
 */
export async function confirmNodeLife(deps: DecideNodeLifeDeps, actor: Actor): Promise<NodeLife> {
  requireAdmin(actor);
  return deps.storage.transaction(async (tx) => {
    const present = await tx.lightning.lockLife();
    const startedAt = deps.clock.now();
    const begun = { number: present.number + 1, status: 'pending', reason: BY_OPERATOR, startedAt } as const;
    if (present.status !== 'pending') await tx.lightning.beginLife(begun);
    return decide(deps, tx, actor, { life: present.status === 'pending' ? present : begun, status: 'confirmed' });
  });
}

/**
 * Declares that the node has lost nothing: payments continue, and a payment that it does not have was never made.
 *
 * @throws TillgateError `FORBIDDEN`; `STATE_CONFLICT` when no life waits for a decision
 */
export async function dismissNodeLife(deps: DecideNodeLifeDeps, actor: Actor): Promise<NodeLife> {
  requireAdmin(actor);
  return deps.storage.transaction(async (tx) => {
    const life = await tx.lightning.lockLife();
    if (life.status !== 'pending')
      throw new TillgateError('STATE_CONFLICT', 'The Lightning node is not suspected to have begun anew.');
    return decide(deps, tx, actor, { life, status: 'dismissed' });
  });
}

async function decide(
  deps: DecideNodeLifeDeps,
  tx: Transaction,
  actor: Actor,
  { life, status }: { readonly life: NodeLife; readonly status: Exclude<NodeLifeStatus, 'pending'> },
): Promise<NodeLife> {
  const { number, reason } = life;
  await tx.lightning.decideLife(number, status);
  const changes = { life: { from: null, to: number }, reason: { from: null, to: reason } };
  const action = status === 'confirmed' ? 'lightning.confirm' : 'lightning.dismiss';
  addAuditRow(deps, tx, actor, { action, accountId: null, subjectId: String(number), changes });
  return { ...life, status };
}
