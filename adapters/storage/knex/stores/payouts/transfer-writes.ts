import { assert } from '../../../../../core/index.ts';
import type {
  AccountId,
  Attempt,
  ChainCode,
  CoinPlace,
  CurrencyCode,
  DepositId,
  FrozenCoin,
  IdempotencyClaim,
  Millis,
  NewHolding,
  OrderId,
  Payout,
  PayoutChanges,
  PayoutBatchId,
  PayoutId,
  PayoutStatus,
  Recorder,
  RequestedUnits,
  TakenCoins,
  Transfer,
  TransferApproval,
  TransferChanges,
  TransferId,
  TransferStatus,
  TransferWrites,
  WithdrawalFreeze,
} from '../../../../../core/index.ts';
import { assignments, insertion, names } from '../../rows/columns.ts';
import {
  APPROVAL_COLUMNS,
  ATTEMPT_COLUMNS,
  PAYOUT_COLUMNS,
  payoutChange,
  payoutOf,
  TRANSFER_COLUMNS,
  transferChange,
  transferOf,
} from '../../rows/transfer-row.ts';
import { FREEZE_COLUMNS, freezeOf } from '../../rows/wallet-row.ts';
import type { Session } from '../../session.ts';
import { claimTransfer } from '../kernel/claims.ts';
import type { ClaimedTransfer } from '../kernel/claims.ts';
import { addGas } from './gas-balances.ts';
import { approvalsOf, lockRequests, requestedSince } from './requested-units.ts';
import { dropFrozen, freezeCoins, frozenUnits, thawCoins } from './frozen-coins.ts';
import { payoutStop, replacePayoutStop, setPayoutStop } from './payout-stops.ts';
import {
  addHolding,
  dropHolding,
  lockTaken,
  ownerOfChange,
  passTaken,
  settleHoldings,
  takeHoldings,
} from './holding-writes.ts';

/** Transfer writes of one transaction. */
export class SqlTransferWrites implements TransferWrites {
  readonly #session: Session;
  readonly #record: Recorder;

  constructor(session: Session, record: Recorder) {
    this.#session = session;
    this.#record = record;
  }

  async add(transfer: Transfer): Promise<boolean> {
    const { run, tables } = this.#session;
    const { sql, bindings } = insertion(tables.transfers, TRANSFER_COLUMNS, [transfer]);
    // On a conflict with any unique index this form waits for the other transaction and does not abort this one.
    const added = (await run(`${sql} ON CONFLICT DO NOTHING RETURNING id`, bindings)).length > 0;
    if (added) this.#record({ type: 'transfer.added', transfer, row: null });
    return added;
  }

  async refundsOf(orderId: OrderId): Promise<readonly Transfer[]> {
    const { run, tables } = this.#session;
    const sql = `SELECT ${names(TRANSFER_COLUMNS)} FROM ${tables.transfers} WHERE order_id = ? AND kind = 'refund' ORDER BY id`;
    return (await run(sql, [orderId])).map(transferOf);
  }

  async failedCharges(orderId: OrderId): Promise<number> {
    const { run, tables } = this.#session;
    const sql = `SELECT COUNT(*) AS charges FROM ${tables.transfers}
      WHERE order_id = ? AND authorization_key IS NOT NULL AND payout_id IS NOT NULL AND status = 'FAILED'`;
    const [row] = await run(sql, [orderId]);
    return Number(row?.['charges'] ?? 0);
  }

  lockRequests(): Promise<void> {
    return lockRequests(this.#session);
  }

  requestedSince(time: Millis, accountId: AccountId | null): Promise<readonly RequestedUnits[]> {
    return requestedSince(this.#session, time, accountId);
  }

  async addApproval(approval: TransferApproval): Promise<boolean> {
    const { run, tables } = this.#session;
    const { sql, bindings } = insertion(tables.transferApprovals, APPROVAL_COLUMNS, [approval]);
    return (await run(`${sql} ON CONFLICT DO NOTHING RETURNING transfer_id`, bindings)).length > 0;
  }

  approvals(id: TransferId): Promise<readonly TransferApproval[]> {
    return approvalsOf(this.#session.run, this.#session.tables, id);
  }

  async lock(id: TransferId): Promise<Transfer | null> {
    const { run, tables, dialect } = this.#session;
    const [row] = await run(
      `SELECT ${names(TRANSFER_COLUMNS)} FROM ${tables.transfers} WHERE id = ? ${dialect.forUpdate}`,
      [id],
    );
    return row === undefined ? null : transferOf(row);
  }

  async lockReturn(id: DepositId): Promise<Transfer | null> {
    const { run, tables, dialect } = this.#session;
    const [row] = await run(
      `SELECT ${names(TRANSFER_COLUMNS)} FROM ${tables.transfers}
       WHERE deposit_id = ? AND deposit_id IS NOT NULL AND status <> 'FAILED' ${dialect.forUpdate}`,
      [id],
    );
    return row === undefined ? null : transferOf(row);
  }

  async move(id: TransferId, from: TransferStatus, to: TransferStatus, changes: TransferChanges): Promise<boolean> {
    const { run, tables } = this.#session;
    const { sql, bindings } = assignments([['status', to], ...transferChange(changes)]);
    const where = 'WHERE id = ? AND status = ? RETURNING id';
    const moved = (await run(`UPDATE ${tables.transfers} SET ${sql} ${where}`, [...bindings, id, from])).length > 0;
    if (moved) this.#record({ type: 'transfer.moved', id, to });
    if (moved && to === 'FAILED') await this.#freeReference(id);
    return moved;
  }

  /** The reference of a row whose payment has failed can be paid by another row. */
  async #freeReference(id: TransferId): Promise<void> {
    const { run, tables } = this.#session;
    await run(`UPDATE ${tables.batchRows} SET held_reference = NULL WHERE transfer_id = ?`, [id]);
  }

  async update(id: TransferId, status: TransferStatus, changes: TransferChanges): Promise<boolean> {
    const { run, tables } = this.#session;
    const { sql, bindings } = assignments(transferChange(changes));
    return (
      (
        await run(`UPDATE ${tables.transfers} SET ${sql} WHERE id = ? AND status = ? RETURNING id`, [
          ...bindings,
          id,
          status,
        ])
      ).length > 0
    );
  }

  claim(
    accountId: AccountId,
    claim: IdempotencyClaim,
    id: TransferId | PayoutBatchId,
  ): Promise<ClaimedTransfer | null> {
    return claimTransfer(this.#session.run, this.#session.tables, accountId, claim, id);
  }

  async openPayout(payout: Payout): Promise<boolean> {
    if (payout.nonce !== null && !(await this.#useNonce(payout.chain, payout.sourceAddress, payout.nonce)))
      return false;
    const { sql, bindings } = insertion(this.#session.tables.payouts, PAYOUT_COLUMNS, [payout]);
    await this.#session.run(sql, bindings);
    return true;
  }

  async lockPayout(id: PayoutId): Promise<Payout | null> {
    const { run, tables, dialect } = this.#session;
    const [row] = await run(
      `SELECT ${names(PAYOUT_COLUMNS)} FROM ${tables.payouts} WHERE id = ? ${dialect.forUpdate}`,
      [id],
    );
    return row === undefined ? null : payoutOf(row);
  }

  async updatePayout(id: PayoutId, changes: PayoutChanges): Promise<void> {
    const { run, tables } = this.#session;
    const { sql, bindings } = assignments([['id', id], ...payoutChange(changes)]);
    const changed = await run(`UPDATE ${tables.payouts} SET ${sql} WHERE id = ? RETURNING id`, [...bindings, id]);
    assert(changed.length === 1, `payout ${id} to be changed does not exist`);
  }

  async closePayout(id: PayoutId, to: Exclude<PayoutStatus, 'LIVE'>, changes: PayoutChanges): Promise<boolean> {
    const { run, tables } = this.#session;
    const { sql, bindings } = assignments([['status', to], ...payoutChange(changes)]);
    return (
      (
        await run(`UPDATE ${tables.payouts} SET ${sql} WHERE id = ? AND status = 'LIVE' RETURNING id`, [
          ...bindings,
          id,
        ])
      ).length > 0
    );
  }

  async unminePayouts(chain: ChainCode, height: number): Promise<void> {
    const { run, tables } = this.#session;
    await run(
      `UPDATE ${tables.payouts} SET mined_height = NULL WHERE chain = ? AND status = 'DONE' AND mined_height > ?`,
      [chain, height],
    );
  }

  async addAttempt(attempt: Attempt): Promise<void> {
    const { run, tables } = this.#session;
    const marks = ATTEMPT_COLUMNS.map(() => '?').join(', ');
    // Without a LIVE payout the chain is NULL, and the row is refused.
    await run(
      `INSERT INTO ${tables.payoutAttempts} (${names(ATTEMPT_COLUMNS)}, chain)
       VALUES (${marks}, (SELECT chain FROM ${tables.payouts} WHERE id = ? AND status = 'LIVE'))`,
      [...ATTEMPT_COLUMNS.map(({ of }) => of(attempt)), attempt.payoutId],
    );
  }

  takeHoldings(chain: ChainCode, refs: readonly string[], payoutId: PayoutId): Promise<boolean> {
    return takeHoldings(this.#session, chain, refs, payoutId);
  }

  ownerOfChange(payoutId: PayoutId, payer: AccountId | null): Promise<AccountId | null> {
    return ownerOfChange(this.#session, payoutId, payer);
  }

  settleHoldings(payoutId: PayoutId, to: 'SPENT' | 'FREE'): Promise<void> {
    return settleHoldings(this.#session, payoutId, to);
  }

  addHolding(holding: NewHolding): Promise<boolean> {
    return addHolding(this.#session, holding);
  }

  lockTaken(place: CoinPlace): Promise<readonly TakenCoins[]> {
    return lockTaken(this.#session, place);
  }

  passTaken(chain: ChainCode, taken: TakenCoins, ref: string): Promise<void> {
    return passTaken(this.#session, chain, taken, ref);
  }

  addGas(chain: ChainCode, address: string, change: bigint): Promise<void> {
    return addGas(this.#session, chain, address, change);
  }

  dropHolding(chain: ChainCode, ref: string): Promise<boolean> {
    return dropHolding(this.#session, chain, ref);
  }

  freezeCoins(place: CoinPlace, reason: string, at: Millis): Promise<readonly FrozenCoin[]> {
    return freezeCoins(this.#session, place, reason, at);
  }

  thawCoins(place: CoinPlace): Promise<readonly FrozenCoin[]> {
    return thawCoins(this.#session, place);
  }

  dropFrozen(chain: ChainCode, ref: string): Promise<boolean> {
    return dropFrozen(this.#session, chain, ref);
  }

  frozenUnits(owner: AccountId | null, currency: CurrencyCode): Promise<bigint> {
    return frozenUnits(this.#session.run, this.#session.tables, owner, currency);
  }

  async setNonce(chain: ChainCode, address: string, nonce: number): Promise<void> {
    const { run, tables } = this.#session;
    const { payerNonces } = tables;
    await run(
      `INSERT INTO ${payerNonces} (chain, address, next_nonce) VALUES (?, ?, ?)
       ON CONFLICT (chain, address) DO UPDATE SET next_nonce = excluded.next_nonce WHERE ${payerNonces}.next_nonce < excluded.next_nonce`,
      [chain, address, nonce],
    );
  }

  async freeze(freeze: WithdrawalFreeze): Promise<void> {
    const { run, tables } = this.#session;
    // The lock for a change that leaves the key unchanged: it excludes signing for the account, but not orders that
    // refer to it.
    await run(`UPDATE ${tables.accounts} SET modified_at = modified_at WHERE id = ?`, [freeze.accountId]);
    const { sql, bindings } = insertion(tables.withdrawalFreezes, FREEZE_COLUMNS, [freeze]);
    await run(
      `${sql} ON CONFLICT (account_id) DO UPDATE SET reason = excluded.reason, frozen_at = excluded.frozen_at`,
      bindings,
    );
  }

  findPayoutStop(chain: ChainCode): Promise<string | null> {
    return payoutStop(this.#session.run, this.#session.tables, chain);
  }

  setPayoutStop(chain: ChainCode, reason: string): Promise<void> {
    return setPayoutStop(this.#session.run, this.#session, chain, reason);
  }

  replacePayoutStop(chain: ChainCode, from: string | null, to: string | null): Promise<boolean> {
    return replacePayoutStop(this.#session.run, this.#session, chain, [from, to]);
  }

  async findFreeze(accountId: AccountId): Promise<WithdrawalFreeze | null> {
    const { run, tables } = this.#session;
    const [row] = await run(`SELECT ${names(FREEZE_COLUMNS)} FROM ${tables.withdrawalFreezes} WHERE account_id = ?`, [
      accountId,
    ]);
    return row === undefined ? null : freezeOf(row);
  }

  async unfreeze(accountId: AccountId): Promise<boolean> {
    const { run, tables } = this.#session;
    return (
      (await run(`DELETE FROM ${tables.withdrawalFreezes} WHERE account_id = ? RETURNING account_id`, [accountId]))
        .length > 0
    );
  }

  /** When two open a payout for one nonce, the later waits for the counter's row and finds it changed. */
  async #useNonce(chain: ChainCode, address: string, nonce: number): Promise<boolean> {
    const { run, tables } = this.#session;
    const { payerNonces } = tables;
    const moved = await run(
      `INSERT INTO ${payerNonces} (chain, address, next_nonce) VALUES (?, ?, ?)
       ON CONFLICT (chain, address) DO UPDATE SET next_nonce = excluded.next_nonce
       WHERE ${payerNonces}.next_nonce = excluded.next_nonce - 1 RETURNING next_nonce`,
      [chain, address, nonce + 1],
    );
    return moved.length > 0;
  }
}
