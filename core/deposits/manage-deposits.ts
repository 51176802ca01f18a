import type { Deposit } from '../chain/index.ts';
import type { Rescan, RescanDeposits, RescanInput } from './rescan.ts';
import type { UnassignedDeposits } from './unassigned-deposits.ts';
import type { DepositId, NewestQuery, Storage } from '../kernel/index.ts';
import type { Transfer } from '../payouts/index.ts';
import { addAuditRow, createdWith, newestPage, requireAdmin } from '../access/index.ts';
import type { Actor, AuditDeps, CursorPage, CursorRequest, ListDeps } from '../access/index.ts';

export interface ManageDepositsDeps extends AuditDeps, ListDeps {
  readonly storage: Pick<Storage, 'deposits'>;
  readonly unassignedDeposits: Pick<UnassignedDeposits, 'assign' | 'refund'>;
  readonly rescanDeposits: Pick<RescanDeposits, 'run'>;
}

/** Unassigned deposits and rescans; for admins only. */
export class ManageDeposits {
  readonly #deps: ManageDepositsDeps;

  constructor(deps: ManageDepositsDeps) {
    this.#deps = deps;
  }

  /**
   * Deposits that wait for a decision, newest first. @throws TillgateError `FORBIDDEN`; `INVALID_FIELDS` for a limit
   * out of range, or a cursor of another list
   */
  async unassigned(actor: Actor, page: CursorRequest): Promise<CursorPage<Deposit>> {
    requireAdmin(actor);
    const read = (query: NewestQuery<DepositId>) => this.#deps.storage.deposits.unassigned(query);
    return newestPage(['deposits', actor.accountId], page, this.#deps, read, ({ id }) => id);
  }

  /** Reads blocks of a chain again. @throws TillgateError `FORBIDDEN`; as {@link RescanDeposits.run} */
  async rescan(actor: Actor, chain: string, input: RescanInput): Promise<Rescan> {
    requireAdmin(actor);
    return this.#deps.rescanDeposits.run(chain, input, (tx, { from, to, found }) =>
      addAuditRow(this.#deps, tx, actor, {
        action: 'chain.rescan',
        accountId: null,
        subjectId: chain,
        changes: createdWith({ from, to, found: found.map(({ id }) => id) }),
      }),
    );
  }

  /** Assigns a deposit to an order. @throws TillgateError `FORBIDDEN`; as {@link UnassignedDeposits.assign} */
  async assign(actor: Actor, id: string, orderId: string): Promise<Deposit> {
    requireAdmin(actor);
    const by = actor.accountId ?? 'operator';
    return this.#deps.unassignedDeposits.assign(id, orderId, by, (tx, deposit) =>
      addAuditRow(this.#deps, tx, actor, {
        action: 'deposit.assign',
        accountId: deposit.accountId,
        subjectId: id,
        changes: { assignment: { from: 'UNASSIGNED', to: 'ORDER' }, ...createdWith({ orderId: deposit.orderId }) },
      }),
    );
  }

  /** Returns a deposit to an address. @throws TillgateError `FORBIDDEN`; as {@link UnassignedDeposits.refund} */
  async refund(actor: Actor, id: string, address: string): Promise<Transfer> {
    requireAdmin(actor);
    return this.#deps.unassignedDeposits.refund(
      id,
      address,
      (tx, transfer) =>
        addAuditRow(this.#deps, tx, actor, {
          action: 'deposit.refund',
          accountId: null,
          subjectId: id,
          changes: {
            assignment: { from: 'UNASSIGNED', to: 'RETURNING' },
            ...createdWith({ toAddr: transfer.toAddress, transferId: transfer.id }),
          },
        }),
      actor.accountId,
    );
  }
}
