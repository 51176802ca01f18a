import {
  addAuditRow,
  createdWith,
  listScope,
  newestPage,
  recordNotFound,
  requireAccess,
  requireOwnSecret,
} from '../access/index.ts';
import type {
  AccountListInput,
  Actor,
  AuditAction,
  AuditChanges,
  AuditDeps,
  CursorPage,
  ListDeps,
} from '../access/index.ts';
import { isId, present } from '../kernel/index.ts';
import type {
  AssetCatalogue,
  ClaimId,
  IdempotencyClaim,
  Millis,
  NewestQuery,
  OrderId,
  PullPaymentId,
  Storage,
} from '../kernel/index.ts';
import type { RateBook } from '../ledger/index.ts';
import { orderRefunds, refundsOfOrders } from '../orders/index.ts';
import type { Order } from '../orders/index.ts';
import { archivePullPayment } from './close-pull-payments.ts';
import type { CreatePullPayment, NewPullPayment } from './create-pull-payment.ts';
import type { DecideClaim } from './decide-claim.ts';
import { nonRefundable, promisedUnits } from './promised-refund.ts';
import type { PromisedRefundInput } from './promised-refund.ts';
import { promisedCurrency, pullPaymentState } from './pull-payment.ts';
import type { ClaimStatus, PaidClaim, PromisedCurrency, PullPayment, PullPaymentState } from './pull-payment.ts';

/** A pull payment as its account sees it. */
export interface ManagedPullPayment {
  readonly pull: PullPayment;
  readonly state: PullPaymentState;
  readonly currency: PromisedCurrency;
  /**
   * The URL of the claim page, with which anyone can claim: only for its account's own session, for the operator, and for
   * whoever creates or archives it; `null` for an admin and for a credential that reads.
   */
  readonly url: string | null;
}

/** A claim as its account sees it. */
export interface ManagedClaim extends PaidClaim {
  /** The currency of its amount. */
  readonly promised: PromisedCurrency;
  /** The time of its state. */
  readonly now: Millis;
}

/** A request for a list of claims. */
export interface ListClaimsInput extends AccountListInput {
  readonly pullPaymentId?: PullPaymentId | undefined;
  readonly status?: ClaimStatus | undefined;
}

export interface ManagePullPaymentsDeps extends AuditDeps, ListDeps {
  readonly storage: Pick<Storage, 'orders' | 'pullPayments' | 'transaction' | 'transfers'>;
  readonly assets: AssetCatalogue;
  readonly rates: Pick<RateBook, 'payoutRate'>;
  readonly createPullPayment: Pick<CreatePullPayment, 'run' | 'former'>;
  readonly decideClaim: Pick<DecideClaim, 'approve' | 'reject'>;
  readonly urls: { claimUrl(pull: Pick<PullPayment, 'token'>): string };
}

/** Pull payments and claims of accounts. */
export class ManagePullPayments {
  readonly #deps: ManagePullPaymentsDeps;

  constructor(deps: ManagePullPaymentsDeps) {
    this.#deps = deps;
  }

  /**
   * Pull payments, newest first.
   *
   * @throws TillgateError `INVALID_FIELDS` for a limit out of range or a cursor of another list; `NOT_FOUND` for
   *   another account
   */
  async list(actor: Actor, { accountId, ...page }: AccountListInput): Promise<CursorPage<ManagedPullPayment>> {
    const scope = listScope(actor, accountId);
    const { pullPayments } = this.#deps.storage;
    const read = (query: NewestQuery<PullPaymentId>) => pullPayments.list(scope, query);
    const found = await newestPage(['pull-payments', actor.accountId, scope], page, this.#deps, read, ({ id }) => id);
    return { ...found, items: await this.#managed(found.items) };
  }

  /** @throws TillgateError `NOT_FOUND`, also for a pull payment of another account */
  async find(actor: Actor, id: PullPaymentId): Promise<ManagedPullPayment> {
    return this.#one(await this.#own(actor, id));
  }

  /**
   * The pull payment with the URL of its claim page.
   *
   * @throws TillgateError `NOT_FOUND`, also for a pull payment of another account; `FORBIDDEN` for an admin
   */
  async reveal(actor: Actor, id: PullPaymentId): Promise<ManagedPullPayment> {
    const pull = await this.#own(actor, id);
    requireOwnSecret(actor, pull.accountId);
    await this.#deps.storage.transaction(async (tx) => {
      const { accountId } = pull;
      addAuditRow(this.#deps, tx, actor, { action: 'pull_payment.reveal', accountId, subjectId: id });
    });
    return this.#one(pull, true);
  }

  /** Promises an amount. @throws TillgateError as {@link CreatePullPayment.run} */
  async create(
    actor: Actor,
    input: NewPullPayment,
    idempotency: IdempotencyClaim | null = null,
  ): Promise<ManagedPullPayment> {
    const pull = await this.#deps.createPullPayment.run(actor, input, idempotency, (tx, made) => {
      const { id, accountId, name, currency, amount, autoApprove, orderId } = made;
      const changes = createdWith({ name, currency, amount: amount.toString(), autoApprove, orderId });
      addAuditRow(this.#deps, tx, actor, { action: 'pull_payment.create', accountId, subjectId: id, changes });
    });
    return this.#one(pull, true);
  }

  /**
   * Promises a part of what an order received to its payer. A claim of it waits for the account's approval.
   *
   * @throws TillgateError `NOT_FOUND` for an order of another account; as `promisedUnits` and
   *   {@link CreatePullPayment.run}
   */
  async refund(
    actor: Actor,
    orderId: OrderId,
    { share, lessPercent, ...input }: PromisedRefundInput & Pick<NewPullPayment, 'name' | 'metadata'>,
    idempotency: IdempotencyClaim | null = null,
  ): Promise<ManagedPullPayment> {
    const { storage, assets, rates } = this.#deps;
    const order = await this.#ownOrder(actor, orderId);
    const former = await this.#deps.createPullPayment.former(order.accountId, idempotency);
    if (former !== null) return this.#one(former, true);
    const asset = order.payment === null ? null : assets.find(order.payment.currency);
    if (asset === null) throw nonRefundable('The order has no payment; there is nothing to refund.');
    const refunds = orderRefunds(await refundsOfOrders(storage, [order.id]));
    const units = await promisedUnits(order, asset, refunds, { share, lessPercent }, rates);
    const { accountId } = order;
    const amount = { digits: units, scale: asset.decimals };
    return this.create(actor, { ...input, accountId, currency: asset.currency, amount, orderId }, idempotency);
  }

  /**
   * Ends a pull payment: nothing more can be claimed, claims that wait for approval are rejected, and what is left is
   * released. Payments under way go on.
   *
   * @throws TillgateError `NOT_FOUND`, also for a pull payment of another account
   */
  async archive(actor: Actor, id: PullPaymentId): Promise<ManagedPullPayment> {
    const { storage, clock, ids } = this.#deps;
    const seen = await this.#own(actor, id);
    const pull = await storage.transaction(async (tx) => {
      const archived = await archivePullPayment(tx, seen, { ids, now: clock.now() });
      const changes = { archived: { from: seen.archivedAt !== null, to: true } };
      const { accountId } = archived;
      addAuditRow(this.#deps, tx, actor, { action: 'pull_payment.archive', accountId, subjectId: id, changes });
      return archived;
    });
    return this.#one(pull);
  }

  /**
   * Claims, newest first.
   *
   * @throws TillgateError `INVALID_FIELDS` for a limit out of range or a cursor of another list; `NOT_FOUND` for
   *   another account
   */
  async claims(
    actor: Actor,
    { accountId, pullPaymentId, status, ...page }: ListClaimsInput,
  ): Promise<CursorPage<ManagedClaim>> {
    const scope = listScope(actor, accountId);
    const filter = { pullPaymentId: pullPaymentId ?? null, status: status ?? null };
    const list = ['claims', actor.accountId, scope, filter.pullPaymentId, filter.status];
    const read = (query: NewestQuery<ClaimId>) => this.#deps.storage.pullPayments.claims(scope, filter, query);
    const found = await newestPage(list, page, this.#deps, read, ({ claim }) => claim.id);
    return { ...found, items: await Promise.all(found.items.map((paid) => this.#claim(paid))) };
  }

  /** @throws TillgateError `NOT_FOUND`, also for a claim of another account */
  async findClaim(actor: Actor, id: ClaimId): Promise<ManagedClaim> {
    const found = isId(id) ? await this.#deps.storage.pullPayments.findClaim(id) : null;
    if (found === null) throw recordNotFound();
    requireAccess(actor, found.claim.accountId);
    return this.#claim(found);
  }

  /** @throws TillgateError as {@link DecideClaim.approve} */
  async approve(actor: Actor, id: ClaimId, verifyCode: string | null = null): Promise<ManagedClaim> {
    const note = this.#noted(actor, 'claim.approve');
    return this.#claim(await this.#deps.decideClaim.approve(actor, id, verifyCode, note));
  }

  /** @throws TillgateError as {@link DecideClaim.reject} */
  async reject(actor: Actor, id: ClaimId, reason: string): Promise<ManagedClaim> {
    const note = this.#noted(actor, 'claim.reject');
    return this.#claim(await this.#deps.decideClaim.reject(actor, id, reason, note));
  }

  #noted(actor: Actor, action: AuditAction): Parameters<DecideClaim['approve']>[3] {
    return (tx, { id, accountId, currency, units, toAddress, reason }, transfer) => {
      const paid = transfer === null ? {} : { transferId: transfer.id, status: transfer.status };
      const changes: AuditChanges = createdWith({ currency, units: units.toString(), toAddress, reason, ...paid });
      addAuditRow(this.#deps, tx, actor, { action, accountId, subjectId: id, changes });
    };
  }

  async #ownOrder(actor: Actor, id: OrderId): Promise<Order> {
    const order = isId(id) ? await this.#deps.storage.orders.find(id) : null;
    if (order === null) throw recordNotFound();
    requireAccess(actor, order.accountId);
    return order;
  }

  async #own(actor: Actor, id: PullPaymentId): Promise<PullPayment> {
    const found = isId(id) ? await this.#deps.storage.pullPayments.find(id) : null;
    if (found === null) throw recordNotFound();
    requireAccess(actor, found.accountId);
    return found;
  }

  async #one(pull: PullPayment, withUrl = false): Promise<ManagedPullPayment> {
    const [managed] = await this.#managed([pull], withUrl);
    return present(managed, `pull payment ${pull.id}`);
  }

  async #managed(pulls: readonly PullPayment[], withUrl = false): Promise<readonly ManagedPullPayment[]> {
    const { storage, clock, urls } = this.#deps;
    const unfinished = await storage.pullPayments.unfinished(pulls.map(({ id }) => id));
    const now = clock.now();
    return pulls.map((pull) => ({
      pull,
      state: pullPaymentState(pull, unfinished.has(pull.id), now),
      currency: this.#currency(pull.currency),
      url: withUrl ? urls.claimUrl(pull) : null,
    }));
  }

  async #claim(paid: PaidClaim): Promise<ManagedClaim> {
    const pull = await this.#deps.storage.pullPayments.find(paid.claim.pullPaymentId);
    const { currency } = present(pull, `pull payment of claim ${paid.claim.id}`);
    return { ...paid, promised: this.#currency(currency), now: this.#deps.clock.now() };
  }

  #currency(code: string): PromisedCurrency {
    return present(promisedCurrency(this.#deps.assets, code), `currency ${code}`);
  }
}
