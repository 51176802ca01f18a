import {
  addAuditRow,
  createdWith,
  lockLive,
  newestPage,
  listScope,
  recordNotFound,
  requireAccess,
  targetAccount,
} from '../access/index.ts';
import type { AccountListInput, Actor, AuditDeps, CursorPage, ListDeps } from '../access/index.ts';
import { formatInstant, isId, stateConflict } from '../kernel/index.ts';
import type { AccountId, Millis, NewestQuery, PayeeId, Storage } from '../kernel/index.ts';
import { MAX_PAYEES } from './payee.ts';
import type { Payee } from './payee.ts';
import type { WithdrawalAddresses } from './withdrawal-addresses.ts';

/** A new payee; only admins may add one for another account. */
export interface NewPayee {
  readonly accountId?: AccountId;
  readonly chain: string;
  readonly address: string;
  readonly label?: string;
}

export interface ManagePayeesDeps extends AuditDeps, ListDeps {
  readonly storage: Pick<Storage, 'payees' | 'transaction'>;
  readonly withdrawalAddresses: Pick<WithdrawalAddresses, 'read'>;
  /** The delay before a new payee counts as listed, in milliseconds: that of a withdrawal address. */
  readonly addressHoldMs: Millis;
}

/** The receivers that accounts list (core/decisions/withdrawals-and-refunds.md). */
export class ManagePayees {
  readonly #deps: ManagePayeesDeps;

  constructor(deps: ManagePayeesDeps) {
    this.#deps = deps;
  }

  /**
   * Payees, newest first.
   *
   * @throws TillgateError `INVALID_FIELDS` for a limit out of range or a cursor of another list; `NOT_FOUND` for
   *   another account
   */
  async list(actor: Actor, { accountId, ...page }: AccountListInput): Promise<CursorPage<Payee>> {
    const scope = listScope(actor, accountId);
    const list = ['payees', actor.accountId, scope];
    const read = (query: NewestQuery<PayeeId>) => this.#deps.storage.payees.list(scope, query);
    return newestPage(list, page, this.#deps, read, ({ id }) => id);
  }

  /**
   * Lists an address, which counts after its hold.
   *
   * @param atOnce - true for no hold; for an operator at the command line
   * @throws TillgateError `NOT_FOUND`, `UNSUPPORTED`, `INVALID_FIELDS`, `DESTINATION_UNPAYABLE`; `STATE_CONFLICT` for an
   *   archived account, for an address that it lists already, and for one with {@link MAX_PAYEES}
   */
  async create(
    actor: Actor,
    { accountId: wanted, chain, address: text, label = '' }: NewPayee,
    atOnce = false,
  ): Promise<Payee> {
    const { storage, withdrawalAddresses, addressHoldMs, clock, ids } = this.#deps;
    const accountId = targetAccount(actor, wanted);
    const address = await withdrawalAddresses.read(chain, text);
    return storage.transaction(async (tx) => {
      await lockLive(tx, accountId);
      if ((await tx.payees.countOf(accountId)) >= MAX_PAYEES)
        throw stateConflict(`An account lists at most ${MAX_PAYEES} payees.`);
      const now = clock.now();
      const activeFrom = atOnce ? now : now + addressHoldMs;
      const id = ids.next() as PayeeId;
      const payee: Payee = { id, accountId, chain, address, label, activeFrom, createdAt: now };
      if (!(await tx.payees.add(payee))) throw stateConflict('The account lists this address already.');
      const changes = createdWith({ chain, address, label, activeFrom: formatInstant(activeFrom) });
      addAuditRow(this.#deps, tx, actor, { action: 'payee.create', accountId, subjectId: id, changes });
      return payee;
    });
  }

  /**
   * Removes a payee. Payments to it that were approved because it was listed, and are not signed yet, are held. @throws
   * TillgateError `NOT_FOUND`, also for a payee of another account
   */
  async remove(actor: Actor, id: PayeeId): Promise<Payee> {
    if (!isId(id)) throw recordNotFound();
    return this.#deps.storage.transaction(async (tx) => {
      const found = await tx.payees.find(id);
      if (found === null) throw recordNotFound();
      requireAccess(actor, found.accountId);
      // Signing a payment takes a shared lock on the account: it commits before this, or sees it.
      await tx.accounts.lock(found.accountId);
      if (!(await tx.payees.remove(id))) throw recordNotFound();
      const { accountId, chain, address } = found;
      const changes = { chain: { from: chain, to: null }, address: { from: address, to: null } };
      addAuditRow(this.#deps, tx, actor, { action: 'payee.remove', accountId, subjectId: id, changes });
      return found;
    });
  }
}
