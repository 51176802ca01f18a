import { LIGHTNING_ASSET } from '../kernel/asset.ts';
import { TillgateError } from '../kernel/errors.ts';
import { present } from '../kernel/guard.ts';
import type { AccountId, TransferId } from '../kernel/ids.ts';
import { isId } from '../kernel/ids.ts';
import { checkPage } from '../kernel/page.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import { requireChain } from '../kernel/require-chain.ts';
import { confirmedByNode } from '../lightning/found-payment.ts';
import type { OrderMove, OrderStateMachine } from '../orders/order-state-machine.ts';
import type { ChainRegistry } from '../ports/chain-adapter.ts';
import type { EventBus } from '../ports/events.ts';
import type { LightningNode } from '../ports/lightning.ts';
import type { Storage, Transaction } from '../ports/storage.ts';
import { addApproval } from '../transfers/approval.ts';
import { cancelTransfer, rejectByOperator, requireCancellable } from '../transfers/review-transfer.ts';
import { requirePayments } from '../transfers/fee-estimator.ts';
import { recordLostWithdrawal } from '../withdrawals/record-withdrawal.ts';
import { DEFAULT_APPROVALS } from '../withdrawals/settings.ts';
import type { LostWithdrawal } from '../withdrawals/record-withdrawal.ts';
import { keptOf } from '../transfers/till-budget.ts';
import { settleHeldTransfer } from '../transfers/settle-transfer.ts';
import type { FoundPayment } from '../transfers/settle-transfer.ts';
import type { PayoutView, Transfer, TransferApproval, TransferKind, TransferStatus } from '../transfers/transfer.ts';
import { listScope, recordNotFound, requireAdmin } from './actor.ts';
import type { Actor } from './actor.ts';
import { addAuditRow, createdWith } from './audit.ts';
import type { AuditChanges } from './audit-row.ts';
import type { AuditDeps } from './audit.ts';

/** A transfer and the transaction that pays it; `null` while none was signed. */
export interface TransferDetail {
  readonly transfer: Transfer;
  readonly payout: PayoutView | null;
  /** Oldest first, those of earlier holds too. */
  readonly approvals: readonly TransferApproval[];
  /** How many different persons have to approve a hold. */
  readonly approvalsNeeded: number;
}

/** A transfer of a list. */
export interface ListedTransfer extends Transfer {
  /** `null` before there is one, and for the till's own moves. */
  readonly txHash: string | null;
}

/** What an operator found out about a held payment. */
export interface OperatorsFinding {
  readonly txHash: string;
  /** What the network took, in the chain's own coin. */
  readonly feeUnits: bigint;
  readonly obtainedUnits: bigint;
}

export interface ManageWithdrawalsDeps extends AuditDeps {
  readonly storage: Pick<Storage, 'transfers' | 'ledger' | 'lightning' | 'transaction'>;
  readonly events: Pick<EventBus, 'emit'>;
  readonly chains: ChainRegistry;
  /** `null` without a Lightning node. */
  readonly lightning: LightningNode | null;
  readonly stateMachine: OrderStateMachine;
  /** How many persons have to approve what is held; {@link DEFAULT_APPROVALS} by default. */
  readonly approvals?: number;
  readonly pageMax: number;
}

/** What merchants ask for; the till's own moves are for admins. */
const OF_MERCHANTS: readonly TransferKind[] = ['withdrawal', 'refund'];

/** Payouts, with the till's own moves. */
export class ManageWithdrawals {
  readonly #deps: ManageWithdrawalsDeps;
  readonly #approvalsNeeded: number;

  constructor(deps: ManageWithdrawalsDeps) {
    this.#deps = deps;
    this.#approvalsNeeded = deps.approvals ?? DEFAULT_APPROVALS;
  }

  /**
   * Newest first: a user's own withdrawals and refunds; an admin's list has those of all, and the till's own moves.
   *
   * @param accountId - the account that it is narrowed to
   * @throws TillgateError `INVALID_FIELDS` for a page out of range, `NOT_FOUND` for another's account
   */
  async list(
    actor: Actor,
    status: TransferStatus | null,
    page: PageRequest,
    accountId?: AccountId,
  ): Promise<Page<ListedTransfer>> {
    checkPage(page, this.#deps.pageMax);
    const { transfers } = this.#deps.storage;
    const found = await transfers.list(status, page, listScope(actor, accountId));
    const hashes = await transfers.txHashes(found.items.map(({ id }) => id));
    return { ...found, items: found.items.map((one) => ({ ...one, txHash: hashes.get(one.id) ?? null })) };
  }

  /** For who may decide about it. @throws TillgateError `FORBIDDEN`, `NOT_FOUND` */
  async find(actor: Actor, id: TransferId): Promise<TransferDetail> {
    requireAdmin(actor);
    return this.#detail(await this.#transfer(id));
  }

  /**
   * To a user its own withdrawals and refunds are there alone, without who approves them.
   *
   * @throws TillgateError `NOT_FOUND`
   */
  async show(actor: Actor, id: TransferId): Promise<TransferDetail> {
    if (actor.role === 'admin') return this.find(actor, id);
    const transfer = await this.#transfer(id);
    if (transfer.accountId !== actor.accountId || !OF_MERCHANTS.includes(transfer.kind)) throw recordNotFound();
    const detail = await this.#detail(transfer);
    return { ...detail, approvals: detail.approvals.map((approval) => ({ ...approval, approverId: null })) };
  }

  async #transfer(id: TransferId): Promise<Transfer> {
    const transfer = isId(id) ? await this.#deps.storage.transfers.find(id) : null;
    if (transfer === null) throw recordNotFound();
    return transfer;
  }

  async #detail(transfer: Transfer): Promise<TransferDetail> {
    const { transfers } = this.#deps.storage;
    const [payout, approvals] = await Promise.all([transfers.payoutOf(transfer.id), transfers.approvals(transfer.id)]);
    return { transfer, payout, approvals, approvalsNeeded: this.#approvalsNeeded };
  }

  /**
   * Approves a held payment; it is paid once enough persons have: see {@link addApproval}.
   *
   * @throws TillgateError `FORBIDDEN`, `NOT_FOUND`, `STATE_CONFLICT`
   */
  async approve(actor: Actor, id: TransferId): Promise<TransferDetail> {
    const needed = this.#approvalsNeeded;
    const transfer = await this.#decide(actor, id, 'approve', async (tx) => {
      const approved = await addApproval(tx, id, actor.accountId, { now: this.#deps.clock.now(), needed });
      const counted = needed === 1 ? {} : createdWith({ approvals: `${approved.count} of ${needed}` });
      return { transfer: approved.transfer, changes: counted };
    });
    return this.#detail(transfer);
  }

  /**
   * Rejects a withdrawal before it is signed; the amount returns to the merchant's balance, less what sweeps that were made
   * for it have cost.
   *
   * @throws TillgateError `FORBIDDEN`, `NOT_FOUND`, `STATE_CONFLICT` once it is signed, and while it is open whether a backup was restored
   */
  async reject(actor: Actor, id: TransferId, reason: string): Promise<Transfer> {
    const { clock, ids, chains, storage } = this.#deps;
    const { transfer } = await this.find(actor, id);
    const kept = await keptOf(chains.get(transfer.chain), storage, transfer);
    return this.#decide(actor, id, 'reject', async (tx) => ({
      transfer: await rejectByOperator(tx, id, reason, { now: clock.now(), ids, kept }),
    }));
  }

  /**
   * Books a held payment as paid by a transaction that a restored database does not know.
   *
   * @throws TillgateError `FORBIDDEN`, `NOT_FOUND`, `STATE_CONFLICT` when it is not held, `NOT_READY` on a watch-only chain
   */
  async settle(actor: Actor, id: TransferId, found: OperatorsFinding): Promise<Transfer> {
    const { clock, ids, stateMachine } = this.#deps;
    const payment = await this.#found((await this.find(actor, id)).transfer, found);
    let orders: readonly OrderMove[] = [];
    const settled = await this.#decide(actor, id, 'settle', async (tx) => {
      const context = { stateMachine, ids, now: clock.now() };
      const done = await settleHeldTransfer(tx, id, payment, context);
      orders = done.orders;
      return done;
    });
    stateMachine.publish(orders);
    return settled;
  }

  /** On Lightning the node is asked by the payment hash that is stored. */
  async #found({ id, chain }: Transfer, { txHash, feeUnits, obtainedUnits }: OperatorsFinding): Promise<FoundPayment> {
    const { chains, lightning, storage } = this.#deps;
    if (chain !== LIGHTNING_ASSET.chain) {
      const { feeAsset } = requirePayments(requireChain(chains, chain));
      return { txHash, obtainedUnits, cost: { currency: feeAsset.currency, units: feeUnits } };
    }
    const { paymentHash } = present(await storage.lightning.paymentOf(id), `payment of transfer ${id}`);
    if (paymentHash !== txHash)
      throw new TillgateError('STATE_CONFLICT', `The payment hash of this withdrawal is ${paymentHash}.`);
    return confirmedByNode(lightning, { paymentHash, feeUnits, obtainedUnits });
  }

  /**
   * Books a withdrawal that was requested and paid after the backup that was restored.
   *
   * @throws TillgateError `FORBIDDEN`, `NOT_FOUND`, and as {@link recordLostWithdrawal}
   */
  async record(actor: Actor, lost: LostWithdrawal): Promise<Transfer> {
    requireAdmin(actor);
    const { clock, ids, stateMachine, storage } = this.#deps;
    return storage.transaction(async (tx) => {
      if ((await tx.accounts.lock(lost.accountId)) === null) throw recordNotFound();
      const context = { stateMachine, ids, now: clock.now() };
      const { transfer } = await recordLostWithdrawal(tx, lost, context);
      await addAuditRow(this.#deps, tx, actor, {
        action: 'withdrawal.record',
        accountId: lost.accountId,
        subjectId: transfer.id,
        changes: createdWith({ tx_hash: lost.txHash, to_addr: lost.toAddress }),
      });
      return transfer;
    });
  }

  /**
   * Has a signed transfer cancelled; see {@link cancelTransfer}.
   *
   * @throws TillgateError `FORBIDDEN`, `NOT_FOUND`, `STATE_CONFLICT` when it is not signed, or mined already, or its chain has no
   * way to do it
   */
  async cancel(actor: Actor, id: TransferId, reason: string): Promise<TransferDetail> {
    const { storage, events, chains } = this.#deps;
    const { transfer: asked, payout } = await this.find(actor, id);
    if (payout !== null) requireCancellable(chains.get(asked.chain) ?? null, payout);
    const transfer = await storage.transaction(async (tx) => {
      const cancelled = await cancelTransfer(tx, id, reason);
      await addAuditRow(this.#deps, tx, actor, {
        action: 'transfer.cancel',
        accountId: cancelled.accountId,
        subjectId: id,
        changes: { cancel_reason: { from: null, to: reason } },
      });
      return cancelled;
    });
    events.emit('transfer.queued', { chain: transfer.chain });
    return this.#detail(transfer);
  }

  /**
   * Freezes the withdrawals of an account: nothing more is requested or signed for it; what is signed goes on.
   *
   * @throws TillgateError `FORBIDDEN`, `NOT_FOUND`, `STATE_CONFLICT` when it is frozen already
   */
  async freeze(actor: Actor, accountId: AccountId, reason: string): Promise<void> {
    requireAdmin(actor);
    await this.#deps.storage.transaction(async (tx) => {
      if ((await tx.accounts.lock(accountId)) === null) throw recordNotFound();
      const former = await tx.transfers.findFreeze(accountId);
      if (former !== null)
        throw new TillgateError('STATE_CONFLICT', `The account's withdrawals are frozen: ${former.reason}`);
      await tx.transfers.freeze({ accountId, reason, at: this.#deps.clock.now() });
      await addAuditRow(this.#deps, tx, actor, {
        action: 'account.freeze_withdrawals',
        accountId,
        subjectId: accountId,
        changes: { withdrawalsFrozen: { from: null, to: reason } },
      });
    });
  }

  /** Ends the withdrawal freeze of an account. @returns the reason of the freeze @throws TillgateError `FORBIDDEN`, `STATE_CONFLICT` when it is not frozen */
  async unfreeze(actor: Actor, accountId: AccountId): Promise<string> {
    requireAdmin(actor);
    return this.#deps.storage.transaction(async (tx) => {
      if ((await tx.accounts.lock(accountId)) === null) throw recordNotFound();
      const freeze = await tx.transfers.findFreeze(accountId);
      if (freeze === null || !(await tx.transfers.unfreeze(accountId))) {
        throw new TillgateError('STATE_CONFLICT', "The account's withdrawals are not frozen.");
      }
      const changes = { withdrawalsFrozen: { from: freeze.reason, to: null } };
      await addAuditRow(this.#deps, tx, actor, {
        action: 'account.unfreeze_withdrawals',
        accountId,
        subjectId: accountId,
        changes,
      });
      return freeze.reason;
    });
  }

  async #decide(
    actor: Actor,
    id: TransferId,
    verb: 'approve' | 'reject' | 'settle',
    decide: (tx: Transaction) => Promise<{ readonly transfer: Transfer; readonly changes?: AuditChanges }>,
  ): Promise<Transfer> {
    requireAdmin(actor);
    if (!isId(id)) throw recordNotFound();
    const { storage, events } = this.#deps;
    const [from, transfer] = await storage.transaction(async (tx) => {
      const former = await tx.transfers.lock(id);
      if (former === null) throw recordNotFound();
      const { transfer: decided, changes: further = {} } = await decide(tx);
      const moved = former.status === decided.status ? {} : { status: { from: former.status, to: decided.status } };
      const changes = {
        ...moved,
        ...further,
        ...(decided.reason === former.reason || decided.reason === null
          ? {}
          : { reason: { from: former.reason, to: decided.reason } }),
      };
      await addAuditRow(this.#deps, tx, actor, {
        action: `withdrawal.${verb}`,
        accountId: decided.accountId,
        subjectId: id,
        changes,
      });
      return [former.status, decided] as const;
    });
    if (from === transfer.status) return transfer;
    events.emit('transfer.status', { transferId: id, from, to: transfer.status });
    if (transfer.status === 'REQUESTED') events.emit('transfer.queued', { chain: transfer.chain });
    return transfer;
  }
}
