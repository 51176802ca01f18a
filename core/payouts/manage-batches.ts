import {
  addAuditRow,
  createdWith,
  EXPORT_PART,
  listPage,
  listScope,
  lockLive,
  accountNotFound,
  newestPage,
  recordNotFound,
  requireAccess,
  targetAccount,
} from '../access/index.ts';
import type {
  AccountListInput,
  Actor,
  AuditDeps,
  CursorPage,
  CursorRequest,
  ListDeps,
  SecondFactor,
} from '../access/index.ts';
import { assert, eachPage, isId, partOf, present, stateConflict, TillgateError } from '../kernel/index.ts';
import type {
  AccountId,
  EventBus,
  IdempotencyClaim,
  Millis,
  NewestQuery,
  PayoutBatchId,
  Storage,
  Transaction,
  TransferId,
} from '../kernel/index.ts';
import { countApprovers, requireApprover } from './approvers.ts';
import type { BatchRowInput, CheckBatch } from './check-batch.ts';
import { DRAFT_LIFE_MS, MAX_DRAFTS, sumsOf } from './payout-batch.ts';
import type { BatchProgress, BatchStatus, PayoutBatch, PayoutBatchRow, ShownBatchRow } from './payout-batch.ts';
import { matching } from './reserve-transfer.ts';
import { releaseAside, setAside } from './set-aside.ts';
import { DEFAULT_APPROVALS } from './withdrawal-settings.ts';
import { lacking } from './withdrawal-rules.ts';

/** A new batch. No person creates one for another account; the application in whose process the till runs can. */
export interface NewPayoutBatch {
  readonly accountId?: AccountId | undefined;
  readonly name?: string | undefined;
  readonly rows: readonly BatchRowInput[];
}

/** A request for a list of batches. */
export interface ListBatchesInput extends AccountListInput {
  /** `null` or absent for any status. */
  readonly status?: BatchStatus | null | undefined;
}

/** A batch with the state of its rows. */
export interface BatchDetail {
  readonly batch: PayoutBatch;
  readonly progress: BatchProgress;
  /** The number of different persons who must approve it where the account does not list every receiver. */
  readonly approvalsNeeded: number;
}

export interface ManageBatchesDeps extends AuditDeps, ListDeps {
  readonly storage: Storage;
  readonly checks: Pick<CheckBatch, 'run'>;
  readonly secondFactor: Pick<SecondFactor, 'use'>;
  readonly events: Pick<EventBus, 'emit'>;
  /** The number of persons who must approve a batch; {@link DEFAULT_APPROVALS} by default. */
  readonly approvals?: number;
  /** How long an account must have been an admin before its approvals count, in milliseconds. */
  readonly approverHoldMs: Millis;
}

const CANCELLED = 'The batch was cancelled.';

/** Payments to many receivers, which are checked, previewed and approved together (core/decisions/withdrawals-and-refunds.md). */
export class ManageBatches {
  readonly #deps: ManageBatchesDeps;
  readonly #approvalsNeeded: number;

  constructor(deps: ManageBatchesDeps) {
    this.#deps = deps;
    this.#approvalsNeeded = deps.approvals ?? DEFAULT_APPROVALS;
  }

  /**
   * Batches, newest first.
   *
   * @throws TillgateError `INVALID_FIELDS` for a limit out of range or a cursor of another list; `NOT_FOUND` for
   *   another account
   */
  async list(actor: Actor, { accountId, status = null, ...page }: ListBatchesInput): Promise<CursorPage<PayoutBatch>> {
    const scope = listScope(actor, accountId);
    const list = ['payout-batches', actor.accountId, scope, status];
    const read = (query: NewestQuery<PayoutBatchId>) => this.#deps.storage.batches.list(status, query, scope);
    return newestPage(list, page, this.#deps, read, ({ id }) => id);
  }

  /** @throws TillgateError `NOT_FOUND`, also for a batch of another account */
  async find(actor: Actor, id: PayoutBatchId): Promise<BatchDetail> {
    return this.#detail(await this.#own(actor, id));
  }

  /** Rows, in the order of their lines. @throws TillgateError `INVALID_FIELDS`; `NOT_FOUND` */
  async rows(actor: Actor, id: PayoutBatchId, page: CursorRequest): Promise<CursorPage<ShownBatchRow>> {
    await this.#own(actor, id);
    return listPage(
      ['payout-batch-rows', actor.accountId, id],
      page,
      this.#deps,
      async (limit, after: { readonly id: PayoutBatchId; readonly line: number } | null) =>
        partOf(await this.#deps.storage.batches.rows(id, after?.line ?? 0, limit + 1), limit, ({ line }) => ({
          id,
          line,
        })),
    );
  }

  /** Every row, in parts. @throws TillgateError `NOT_FOUND` */
  async exportRows(actor: Actor, id: PayoutBatchId): Promise<AsyncIterable<readonly ShownBatchRow[]>> {
    await this.#own(actor, id);
    const { batches } = this.#deps.storage;
    return eachPage(async (after: number | null) =>
      partOf(await batches.rows(id, after ?? 0, EXPORT_PART + 1), EXPORT_PART, ({ line }) => line),
    );
  }

  /**
   * Checks every row and stores a draft, for which nothing is set aside.
   *
   * @param firstLine - the line of the first row
   * @throws TillgateError as {@link CheckBatch.run}; `NOT_FOUND` for another account; `STATE_CONFLICT` for an account
   *   with {@link MAX_DRAFTS}; `IDEMPOTENCY_MISMATCH`
   */
  async create(
    actor: Actor,
    { accountId: wanted, name = '', rows: inputs }: NewPayoutBatch,
    { firstLine = 1, idempotency = null }: CreateContext = {},
  ): Promise<BatchDetail> {
    const { storage, clock, ids, checks } = this.#deps;
    const accountId = targetAccount(actor, wanted);
    const account = await storage.accounts.find(accountId);
    const isAllowed = accountId === actor.accountId || actor.accountId === null;
    if (account === null || !isAllowed) throw accountNotFound();
    const former = idempotency === null ? null : await storage.transfers.claimed(accountId, idempotency);
    if (former !== null) return this.#former(actor, former, idempotency);
    const checked = await checks.run(account, inputs, firstLine);
    const now = clock.now();
    const id = ids.next() as PayoutBatchId;
    const batch: PayoutBatch = {
      ...{ id, accountId, name, status: 'DRAFT', createdBy: actor.program === undefined ? actor.accountId : null },
      ...{ sums: sumsOf(checked), approvals: [], listed: false },
      ...{ createdAt: now, updatedAt: now, approvedAt: null, finishedAt: null },
    };
    const rows = checked.map((row): PayoutBatchRow => ({ ...row, batchId: id, transferId: null, problem: null }));
    const repeated = await storage.transaction(async (tx) => {
      await lockLive(tx, accountId);
      const claimed = idempotency === null ? null : await tx.transfers.claim(accountId, idempotency, id);
      if (claimed !== null) return claimed;
      if ((await tx.batches.draftsOf(accountId)) >= MAX_DRAFTS)
        throw stateConflict(`An account has at most ${MAX_DRAFTS} drafts: approve or cancel one first.`);
      // Checked again under the account's lock, which every new batch takes.
      if (
        (
          await tx.batches.usedReferences(
            accountId,
            rows.map(({ reference }) => reference),
          )
        ).size > 0
      )
        throw stateConflict('Another batch was created meanwhile with one of these references; each is paid once.');
      await tx.batches.add(batch, rows);
      const changes = createdWith({ name, rows: rows.length, sums: this.#sumWords(batch) });
      addAuditRow(this.#deps, tx, actor, { action: 'payout_batch.create', accountId, subjectId: id, changes });
      return null;
    });
    return repeated === null ? this.#detail(batch) : this.#former(actor, repeated, idempotency);
  }

  /**
   * Approves a draft, whose amounts are then set aside and paid. Where the account lists every receiver, its owner may
   * approve; otherwise as many other persons as held payments need.
   *
   * @param verifyCode - required of a credential
   * @throws TillgateError `NOT_FOUND`; `FORBIDDEN`; `VERIFY_CODE_INVALID`; `STATE_CONFLICT` when it is no draft, is too
   *   old, was approved by the same person, or the account may not pay; `INSUFFICIENT_BALANCE`
   */
  async approve(actor: Actor, id: PayoutBatchId, verifyCode: string | null = null): Promise<BatchDetail> {
    const { storage, secondFactor, events } = this.#deps;
    const found = await this.#own(actor, id);
    const isOwner = actor.accountId === found.accountId;
    if (isOwner) {
      await this.#requireListed(found);
      if (actor.program !== undefined) await secondFactor.use(found.accountId, verifyCode, 'verifyCode', { by: actor });
    }
    const batch = await storage.transaction(async (tx) => {
      // Locked first: what is listed, the status and a freeze of the account then stay as they are read.
      const account = await tx.accounts.lock(found.accountId);
      const draft = present(await tx.batches.lock(id), `payout batch ${id}`);
      this.#requireDraft(draft);
      if (account?.status !== 'active') throw stateConflict(`The account is ${account?.status ?? 'unknown'}.`);
      if (isOwner) await this.#requireListedIn(tx, draft);
      return isOwner ? this.#start(tx, actor, draft, true) : this.#addApproval(tx, actor, draft);
    });
    if (batch.status === 'APPROVED') events.emit('batch.approved', { batchId: id });
    return this.#detail(batch);
  }

  /**
   * Cancels a draft, or the rows of an approved batch that are no transfers yet.
   *
   * @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` when it is over, or nothing is left to cancel
   */
  async cancel(actor: Actor, id: PayoutBatchId): Promise<BatchDetail> {
    const { storage, clock, ids } = this.#deps;
    const { accountId } = await this.#own(actor, id);
    const batch = await storage.transaction(async (tx) => {
      await tx.accounts.lock(accountId);
      const former = present(await tx.batches.lock(id), `payout batch ${id}`);
      const { status } = former;
      if (status !== 'DRAFT' && status !== 'APPROVED') throw stateConflict(`The batch is ${status}.`);
      const now = clock.now();
      if (status === 'DRAFT') await tx.batches.removeRows(id);
      else {
        const dropped = await tx.batches.dropWaiting(id, CANCELLED);
        if (dropped.length === 0)
          throw stateConflict('Every row is a payout already; an admin rejects those that are not signed.');
        for (const { currency, units } of sumsOf(dropped))
          await releaseAside(
            tx,
            { accountId, currency, units, reference: `payout-batch:${id}:cancelled:${currency}` },
            { ids, now },
          );
      }
      const changes = { finishedAt: now, updatedAt: now };
      assert(await tx.batches.move(id, status, 'CANCELLED', changes), `payout batch ${id} changed while locked`);
      const moved = { status: { from: status, to: 'CANCELLED' } };
      addAuditRow(this.#deps, tx, actor, { action: 'payout_batch.cancel', accountId, subjectId: id, changes: moved });
      return { ...former, ...changes, status: 'CANCELLED' as const };
    });
    return this.#detail(batch);
  }

  /** Adds the approval of another person; the last one that is needed starts the payments. */
  async #addApproval(tx: Transaction, actor: Actor, draft: PayoutBatch): Promise<PayoutBatch> {
    const { clock, approverHoldMs: holdMs } = this.#deps;
    const { id, accountId, createdAt, createdBy } = draft;
    const now = clock.now();
    const asked = { accountId, requestedBy: createdBy, createdAt };
    await requireApprover(tx, asked, actor.accountId, { now, holdMs });
    const isRepeated = draft.approvals.some(({ approverId }) => approverId === actor.accountId);
    const approvals = isRepeated ? draft.approvals : [...draft.approvals, { approverId: actor.accountId, at: now }];
    const approvers = approvals.map(({ approverId }) => approverId);
    const count = await countApprovers(tx, asked, approvers, { now, holdMs });
    if (count >= this.#approvalsNeeded) return this.#start(tx, actor, { ...draft, approvals }, false);
    if (isRepeated) throw stateConflict('You have approved it already; another admin has to approve it as well.');
    const changes = { approvals, updatedAt: now };
    assert(await tx.batches.update(id, 'DRAFT', changes), `payout batch ${id} changed while locked`);
    const counted = { approvals: { from: draft.approvals.length, to: approvals.length } };
    addAuditRow(this.#deps, tx, actor, { action: 'payout_batch.approve', accountId, subjectId: id, changes: counted });
    return { ...draft, ...changes };
  }

  /** Sets the sums aside, so that the rows can be paid. */
  async #start(tx: Transaction, actor: Actor, draft: PayoutBatch, listed: boolean): Promise<PayoutBatch> {
    const { clock, ids } = this.#deps;
    const { id, accountId } = draft;
    const now = clock.now();
    for (const { currency, units } of draft.sums) {
      const reference = `payout-batch:${id}:set-aside:${currency}`;
      await setAside(tx, { accountId, currency, units, reference }, { ids, now }, () => lacking({ currency }));
    }
    const approvals = listed ? [...draft.approvals, { approverId: actor.accountId, at: now }] : draft.approvals;
    const changes = { approvals, listed, approvedAt: now, updatedAt: now };
    assert(await tx.batches.move(id, 'DRAFT', 'APPROVED', changes), `payout batch ${id} changed while locked`);
    const audited = { status: { from: 'DRAFT', to: 'APPROVED' }, listed: { from: null, to: listed } };
    addAuditRow(this.#deps, tx, actor, { action: 'payout_batch.approve', accountId, subjectId: id, changes: audited });
    return { ...draft, ...changes, status: 'APPROVED' };
  }

  /** Checked before a code is used up. */
  async #requireListed(batch: PayoutBatch): Promise<void> {
    this.#requireDraft(batch);
    await this.#deps.storage.transaction((tx) => this.#requireListedIn(tx, batch));
  }

  async #requireListedIn(tx: Transaction, batch: PayoutBatch): Promise<void> {
    const count = await tx.batches.unlistedRows(batch, this.#deps.clock.now());
    if (count === 0) return;
    const rows = count === 1 ? '1 row pays an address' : `${count} rows pay addresses`;
    throw new TillgateError(
      'FORBIDDEN',
      `Another person must approve this: ${rows} that the account does not list, or whose hold is not over.`,
    );
  }

  #requireDraft({ status, createdAt }: PayoutBatch): void {
    if (status !== 'DRAFT') throw stateConflict(`The batch is ${status}; only a draft can be approved.`);
    if (this.#deps.clock.now() - createdAt > DRAFT_LIFE_MS)
      throw stateConflict(
        'The draft is older than 7 days, and its rates and fees are out of date: cancel it and create it again.',
      );
  }

  async #former(
    actor: Actor,
    former: { readonly transferId: TransferId; readonly bodyHash: string },
    claim: IdempotencyClaim | null,
  ): Promise<BatchDetail> {
    // The scope of the key includes the operation, so the record is a batch.
    return this.find(actor, matching(former, claim) as string as PayoutBatchId);
  }

  async #own(actor: Actor, id: PayoutBatchId): Promise<PayoutBatch> {
    const batch = isId(id) ? await this.#deps.storage.batches.find(id) : null;
    if (batch === null) throw recordNotFound();
    requireAccess(actor, batch.accountId);
    return batch;
  }

  async #detail(batch: PayoutBatch): Promise<BatchDetail> {
    const progress = await this.#deps.storage.batches.progress(batch.id);
    return { batch, progress, approvalsNeeded: this.#approvalsNeeded };
  }

  #sumWords({ sums }: PayoutBatch): readonly string[] {
    return sums.map(({ currency, units }) => `${units} ${currency}`);
  }
}

/** The request that creates a batch. */
export interface CreateContext {
  readonly firstLine?: number;
  readonly idempotency?: IdempotencyClaim | null;
}

declare module '../kernel/events.ts' {
  interface DomainEvents {
    /** A payout batch has rows to pay. */
    'batch.approved': { readonly batchId: PayoutBatchId };
  }
}
