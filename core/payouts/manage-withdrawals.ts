import { isId, LIGHTNING_ASSET, present, TillgateError } from '../kernel/index.ts';
import type { AccountId, EventBus, Millis, NewestQuery, Storage, Transaction, TransferId } from '../kernel/index.ts';
import { requireChain } from '../chain/index.ts';
import { requireUnknownToNode } from './cancel-payment.ts';
import { confirmedByNode } from './found-payment.ts';
import type { LightningPayment } from './lightning-payment.ts';
import type { OrderMove, OrderStateMachine } from '../orders/index.ts';
import type { ChainRegistry, LightningNode } from '../chain/index.ts';
import { addApproval } from './approval.ts';
import { cancelTransfer, rejectByOperator, requireCancellable } from './review-transfer.ts';
import { requirePayments } from './fee-estimator.ts';
import { recordLostWithdrawal } from './record-withdrawal.ts';
import { DEFAULT_APPROVALS } from './withdrawal-settings.ts';
import type { LostWithdrawal } from './record-withdrawal.ts';
import { keptOf } from './till-budget.ts';
import { payoutOutcome } from './payout-outcome.ts';
import { settleHeldTransfer } from './settle-transfer.ts';
import type { FoundPayment, SettleContext } from './settle-transfer.ts';
import { requireMinedOtherwise, settleUnclear } from './settle-unclear.ts';
import type { MinedFinding } from './settle-unclear.ts';
import type { PayoutView, Transfer, TransferApproval, TransferKind, TransferStatus } from './transfer.ts';
import { addAuditRow, createdWith, listScope, newestPage, recordNotFound, requireAdmin } from '../access/index.ts';
import type { AccountListInput, Actor, AuditChanges, AuditDeps, CursorPage, ListDeps } from '../access/index.ts';

/** A transfer and the transaction that pays it; `null` before it is signed. */
export interface TransferDetail {
  readonly transfer: Transfer;
  readonly payout: PayoutView | null;
  /** The requests to the Lightning node and its answers; `null` on every other chain. */
  readonly payment: LightningPayment | null;
  /** Oldest first, including those of earlier holds. */
  readonly approvals: readonly TransferApproval[];
  /** The number of different persons who must approve a held transfer. */
  readonly approvalsNeeded: number;
}

/** A transfer of a list. */
export interface ListedTransfer extends Transfer {
  /** `null` before there is one, and for the till's own moves. */
  readonly txHash: string | null;
}

/** A request for a list of transfers: the filter, and the part of the list. */
export interface ListTransfersInput extends AccountListInput {
  /** `null` or absent for any status. */
  readonly status?: TransferStatus | null | undefined;
}

/** Books a finding. */
type Book = (
  tx: Transaction,
  context: SettleContext,
) => Promise<{ readonly transfer: Transfer; readonly orders: readonly OrderMove[] }>;

export interface ManageWithdrawalsDeps extends AuditDeps, ListDeps {
  readonly storage: Pick<Storage, 'transfers' | 'ledger' | 'lightning' | 'transaction'>;
  readonly events: Pick<EventBus, 'emit'>;
  readonly chains: ChainRegistry;
  /** `null` without a Lightning node. */
  readonly lightning: LightningNode | null;
  readonly stateMachine: OrderStateMachine;
  /** The number of persons who must approve a held transfer; {@link DEFAULT_APPROVALS} by default. */
  readonly approvals?: number;
  /** How long an account must have been an admin before its approvals count, in milliseconds. */
  readonly approverHoldMs: Millis;
}

/** The kinds that merchants request; the till's own moves are visible to admins only. */
const OF_MERCHANTS: readonly TransferKind[] = ['withdrawal', 'refund', 'payout'];

/** Payouts, including the till's own moves. */
export class ManageWithdrawals {
  readonly #deps: ManageWithdrawalsDeps;
  readonly #approvalsNeeded: number;

  constructor(deps: ManageWithdrawalsDeps) {
    this.#deps = deps;
    this.#approvalsNeeded = deps.approvals ?? DEFAULT_APPROVALS;
  }

  /**
   * Transfers, newest first: a user's own withdrawals and refunds; for an admin those of all accounts, and the till's
   * own moves.
   *
   * @throws TillgateError `INVALID_FIELDS` for a limit out of range or a cursor of another list; `NOT_FOUND` for
   *   another account
   */
  async list(
    actor: Actor,
    { accountId, status = null, ...page }: ListTransfersInput,
  ): Promise<CursorPage<ListedTransfer>> {
    const { transfers } = this.#deps.storage;
    const scope = listScope(actor, accountId);
    const list = ['transfers', actor.accountId, scope, status];
    const read = (query: NewestQuery<TransferId>) => transfers.list(status, query, scope);
    const found = await newestPage(list, page, this.#deps, read, ({ id }) => id);
    const hashes = await transfers.txHashes(found.items.map(({ id }) => id));
    return { ...found, items: found.items.map((one) => ({ ...one, txHash: hashes.get(one.id) ?? null })) };
  }

  /** A transfer, for those who may decide about it. @throws TillgateError `FORBIDDEN`, `NOT_FOUND` */
  async find(actor: Actor, id: TransferId): Promise<TransferDetail> {
    requireAdmin(actor);
    return this.#detail(await this.#transfer(id));
  }

  /**
   * A transfer. A user sees only its own withdrawals and refunds, without their approvers.
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
    const { transfers, lightning } = this.#deps.storage;
    const [payout, approvals, payment] = await Promise.all([
      transfers.payoutOf(transfer.id),
      transfers.approvals(transfer.id),
      transfer.chain === LIGHTNING_ASSET.chain ? lightning.paymentOf(transfer.id) : null,
    ]);
    return { transfer, payout, payment, approvals, approvalsNeeded: this.#approvalsNeeded };
  }

  /**
   * Approves a held payment, which is paid once enough persons have approved it: see {@link addApproval}.
   *
   * @throws TillgateError `FORBIDDEN`, `NOT_FOUND`, `STATE_CONFLICT`
   */
  async approve(actor: Actor, id: TransferId): Promise<TransferDetail> {
    const needed = this.#approvalsNeeded;
    const { clock, approverHoldMs: holdMs } = this.#deps;
    const transfer = await this.#decide(actor, id, 'approve', async (tx) => {
      const approved = await addApproval(tx, id, actor.accountId, { now: clock.now(), needed, holdMs });
      const counted = needed === 1 ? {} : createdWith({ approvals: `${approved.count} of ${needed}` });
      return { transfer: approved.transfer, changes: counted };
    });
    return this.#detail(transfer);
  }

  /**
   * Rejects a withdrawal before it is signed; the amount returns to the merchant's balance, less the cost of sweeps
   * that were made for it.
   *
   * @throws TillgateError `FORBIDDEN`, `NOT_FOUND`, `STATE_CONFLICT` once it is signed, and while it is undecided
   *   whether a backup was restored
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
   * Books a held payment as paid by a transaction that is missing from a restored database, or a signed one whose mined
   * transaction had another effect than the one that was signed.
   *
   * @throws TillgateError `FORBIDDEN`, `NOT_FOUND`, `NOT_READY` on a watch-only chain; `STATE_CONFLICT` when it is
   *   neither, or the finding does not agree with the node; `NODE_FAILED`
   */
  async settle(actor: Actor, id: TransferId, found: MinedFinding): Promise<Transfer> {
    const { clock, ids, stateMachine } = this.#deps;
    const { transfer, payout } = await this.find(actor, id);
    const book =
      payout?.payout.status === 'LIVE'
        ? await this.#minedOtherwise(transfer, payout, found)
        : await this.#foundPaid(transfer, found);
    let orders: readonly OrderMove[] = [];
    const settled = await this.#decide(actor, id, 'settle', async (tx) => {
      const done = await book(tx, { stateMachine, ids, now: clock.now() });
      orders = done.orders;
      return done;
    });
    stateMachine.publish(orders);
    return settled;
  }

  async #foundPaid(transfer: Transfer, found: MinedFinding): Promise<Book> {
    const payment = await this.#found(transfer, found);
    return (tx, context) => settleHeldTransfer(tx, transfer.id, payment, context);
  }

  async #minedOtherwise(transfer: Transfer, view: PayoutView, found: MinedFinding): Promise<Book> {
    const chain = requireChain(this.#deps.chains, transfer.chain);
    const payments = requirePayments(chain);
    const outcome = await payoutOutcome({ payments }, this.#deps.storage, view);
    const mined = requireMinedOtherwise(transfer, outcome, found, chain.policy);
    const booked = { mined, obtained: found.obtainedUnits };
    return (tx, context) => settleUnclear(tx, view, booked, { ...context, payments });
  }

  /** On Lightning, the node is queried by the stored payment hash. */
  async #found({ id, chain }: Transfer, { txHash, feeUnits, obtainedUnits }: MinedFinding): Promise<FoundPayment> {
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
   * Books a withdrawal that was requested and paid after the backup from which the database was restored.
   *
   * @throws TillgateError `FORBIDDEN`, `NOT_FOUND`; as {@link recordLostWithdrawal}
   */
  async record(actor: Actor, lost: LostWithdrawal): Promise<Transfer> {
    requireAdmin(actor);
    const { clock, ids, stateMachine, storage } = this.#deps;
    return storage.transaction(async (tx) => {
      if ((await tx.accounts.lock(lost.accountId)) === null) throw recordNotFound();
      const context = { stateMachine, ids, now: clock.now() };
      const { transfer } = await recordLostWithdrawal(tx, lost, context);
      addAuditRow(this.#deps, tx, actor, {
        action: 'withdrawal.record',
        accountId: lost.accountId,
        subjectId: transfer.id,
        changes: createdWith({ txHash: lost.txHash, toAddr: lost.toAddress }),
      });
      return transfer;
    });
  }

  /**
   * Cancels a signed transfer; see {@link cancelTransfer}.
   *
   * @throws TillgateError `FORBIDDEN`, `NOT_FOUND`, `STATE_CONFLICT` when it is not signed, or already mined, its chain
   *   has no way to cancel it, or the Lightning node has the payment; `NODE_FAILED` when that node does not answer
   */
  async cancel(actor: Actor, id: TransferId, reason: string): Promise<TransferDetail> {
    const { storage, events, chains, lightning } = this.#deps;
    const { transfer: asked, payout } = await this.find(actor, id);
    if (payout !== null) requireCancellable(chains.get(asked.chain) ?? null, payout);
    if (asked.chain === LIGHTNING_ASSET.chain && asked.status === 'SIGNED')
      await requireUnknownToNode(lightning, storage, id);
    const transfer = await storage.transaction(async (tx) => {
      const cancelled = await cancelTransfer(tx, id, reason);
      addAuditRow(this.#deps, tx, actor, {
        action: 'transfer.cancel',
        accountId: cancelled.accountId,
        subjectId: id,
        changes: { cancelReason: { from: null, to: reason } },
      });
      return cancelled;
    });
    events.emit('transfer.queued', { chain: transfer.chain });
    return this.#detail(transfer);
  }

  /**
   * Freezes the withdrawals of an account: no further one is accepted or signed, and signed ones continue.
   *
   * @throws TillgateError `FORBIDDEN`, `NOT_FOUND`, `STATE_CONFLICT` when it is already frozen
   */
  async freeze(actor: Actor, accountId: AccountId, reason: string): Promise<void> {
    requireAdmin(actor);
    await this.#deps.storage.transaction(async (tx) => {
      if ((await tx.accounts.lock(accountId)) === null) throw recordNotFound();
      const former = await tx.transfers.findFreeze(accountId);
      if (former !== null)
        throw new TillgateError('STATE_CONFLICT', `The account's withdrawals are frozen: ${former.reason}`);
      await tx.transfers.freeze({ accountId, reason, at: this.#deps.clock.now() });
      addAuditRow(this.#deps, tx, actor, {
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
      addAuditRow(this.#deps, tx, actor, {
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
      addAuditRow(this.#deps, tx, actor, {
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
