import { accountNotFound, listScope } from '../access/index.ts';
import type { Actor } from '../access/index.ts';
import type { AccountId, Storage } from '../kernel/index.ts';

/** Counts stop here, so that their cost has a bound. */
export const MOST_WAITING = 100;

/** What waits for a person. No count exceeds {@link MOST_WAITING}. */
export interface Waiting {
  /** `null` for all accounts. */
  readonly accountId: AccountId | null;
  /** Claims of pull payments to approve or reject. */
  readonly claims: number;
  /** Payout batches to approve or cancel. */
  readonly batches: number;
  /** Payouts that are held until enough persons have approved them. */
  readonly payouts: number;
  /** `null` for a user, and for one account. */
  readonly operator: {
    /** Open alerts. */
    readonly alerts: number;
    /** Deposits that belong to no order. */
    readonly deposits: number;
  } | null;
}

export interface ManageWaitingDeps {
  readonly storage: Pick<Storage, 'accounts' | 'alerts' | 'batches' | 'deposits' | 'pullPayments' | 'transfers'>;
}

const PART = { before: null, limit: MOST_WAITING } as const;

/** Counts what waits for a decision, for the first page of the dashboard. */
export class ManageWaiting {
  readonly #deps: ManageWaitingDeps;

  constructor(deps: ManageWaitingDeps) {
    this.#deps = deps;
  }

  /** @throws TillgateError `NOT_FOUND` for another or an unknown account */
  async read(actor: Actor, wanted: AccountId | undefined): Promise<Waiting> {
    const { accounts, alerts, batches, deposits, pullPayments, transfers } = this.#deps.storage;
    const accountId = listScope(actor, wanted);
    if (accountId !== null && (await accounts.find(accountId)) === null) throw accountNotFound();
    const counted = async (list: Promise<readonly unknown[]>): Promise<number> => (await list).length;
    const [claims, drafts, held, open, unassigned] = await Promise.all([
      counted(pullPayments.claims(accountId, { pullPaymentId: null, status: 'AWAITING_APPROVAL' }, PART)),
      counted(batches.list('DRAFT', PART, accountId)),
      counted(transfers.list('HELD', PART, accountId)),
      accountId === null ? counted(alerts.list('OPEN', PART)) : 0,
      accountId === null ? counted(deposits.unassigned(PART)) : 0,
    ]);
    const operator = accountId === null ? { alerts: open, deposits: unassigned } : null;
    return { accountId, claims, batches: drafts, payouts: held, operator };
  }
}
