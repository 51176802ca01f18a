import { assert, invalidField, isId, isTillgateError, present, stateConflict, TillgateError } from '../kernel/index.ts';
import type {
  AccountId,
  AlsoRecord,
  Asset,
  AssetCatalogue,
  Clock,
  DepositId,
  EntryId,
  EventBus,
  IdGenerator,
  Logger,
  Metrics,
  OrderId,
  Storage,
  Transaction,
  TransferId,
} from '../kernel/index.ts';
import { assignEntry, owedUnits, requireChain, requirePayableAddress } from '../chain/index.ts';
import { postEntry } from '../ledger/index.ts';
import type { OrderStateMachine } from '../orders/index.ts';
import type { ChainRegistry, Deposit } from '../chain/index.ts';
import { alertHeld, heldAbove, newTransfer, requirePayments, wrongAddress } from '../payouts/index.ts';
import type {
  FeeEstimate,
  PayoutFeeEstimator,
  Transfer,
  WithdrawalLimits,
  WithdrawalSettings,
} from '../payouts/index.ts';
import { recordTransaction, refreshOrder } from './credit-deposit.ts';

export interface UnassignedDepositsDeps {
  readonly storage: Storage;
  readonly assets: AssetCatalogue;
  readonly chains: ChainRegistry;
  readonly fees: PayoutFeeEstimator;
  readonly stateMachine: OrderStateMachine;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly events: EventBus;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly withdrawals: Pick<WithdrawalSettings, 'approveAbove'>;
  readonly limits: WithdrawalLimits;
}

/** An operator's decisions about unassigned deposits. Of two concurrent decisions about one deposit, one succeeds. */
export class UnassignedDeposits {
  readonly #deps: UnassignedDepositsDeps;

  constructor(deps: UnassignedDepositsDeps) {
    this.#deps = deps;
  }

  /**
   * Assigns a confirmed deposit to an order: its amount, less the cost of failed returns, moves to the merchant's
   * balance, with a transaction row, and the order's rules are applied. An assigned deposit counts whenever it arrived.
   *
   * @param actor - the operator, for the order's history
   * @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` for a deposit that is not unassigned, not confirmed or spent,
   *   and for an order that is paid on another chain
   */
  async assign(id: string, orderId: string, actor: string, also: AlsoRecord<Deposit>): Promise<Deposit> {
    const { storage, stateMachine, events } = this.#deps;
    const seen = await this.#find(id);
    const [deposit, moves] = await storage.transaction(async (tx) => {
      await holdBlock(tx, seen);
      for (const each of [...new Set([seen.orderId, orderId])].sort()) await tx.orders.lock(each as OrderId);
      const order = isId(orderId) ? await tx.orders.lock(orderId as OrderId) : null;
      if (order === null) throw new TillgateError('NOT_FOUND', 'There is no such order.');
      const former = requireDecidable(await tx.deposits.lock(seen.id), ['CREDITED', 'SPENDABLE']);
      if (order.payment?.chain !== former.chain)
        throw stateConflict(`The order is not paid on ${former.chain}; refund the deposit instead.`);
      const now = this.#deps.clock.now();
      const owner = { orderId: order.id, accountId: order.accountId };
      const assigned: Deposit = { ...former, ...owner, assignment: 'ORDER' };
      assert(await tx.deposits.reassign(former.id, 'UNASSIGNED', 'ORDER', owner), `deposit ${id} changed while locked`);
      const units = owedUnits(assigned);
      const part = former.status === 'CREDITED' ? 'pending' : 'available';
      const entry = assignEntry(this.#deps.ids.next() as EntryId, now, assigned, part);
      assert(await postEntry(tx, entry), `deposit ${id} is assigned twice`);
      await recordTransaction(tx, order, assigned, now, units);
      const { txid, currency } = assigned;
      await tx.orders.addHistory({
        orderId: order.id,
        at: now,
        from: order.status,
        to: order.status,
        rule: 'deposit-assigned',
        inputs: { actor, depositId: former.id, txid, currency, units: units.toString() },
        rate: null,
      });
      const current = await refreshOrder(tx, order, now);
      const context = { now, scannedPastDeadline: false };
      const made = await stateMachine.settle(tx, current.order, current.deposits, context);
      also(tx, assigned);
      return [assigned, made] as const;
    });
    stateMachine.publish(moves);
    events.emit('order.payment', { orderId: deposit.orderId });
    return deposit;
  }

  /**
   * Returns a spendable deposit to an address as a payout, less the network's fee and the cost of failed returns. When
   * that fails, the deposit is unassigned again. The address is not registered, so a transfer above the approval amount
   * or beyond the limits is HELD, unless an operator requests it at the command line.
   *
   * @param requestedBy - the admin who requests it in the management API; `null` for the command line
   * @throws TillgateError `NOT_FOUND`; `INVALID_FIELDS` for text that is no address of the chain;
   *   `DESTINATION_UNPAYABLE`; `STATE_CONFLICT` for a deposit that is not unassigned or not spendable, or does not
   *   cover the fee; `NOT_READY` (watch-only, no rate), `NODE_FAILED`
   */
  async refund(
    id: string,
    address: string,
    also: AlsoRecord<Transfer>,
    requestedBy: AccountId | null = null,
  ): Promise<Transfer> {
    const { storage, chains, fees, limits, assets, clock, ids, events, metrics } = this.#deps;
    const seen = requireDecidable(await this.#find(id), ['SPENDABLE']);
    const chain = requireChain(chains, seen.chain);
    const payments = requirePayments(chain);
    const asset: Asset = present(assets.find(seen.currency), `asset ${seen.currency}`);
    const toAddress = chain.normaliseAddress(address);
    if (toAddress === null) throw invalidField('address', wrongAddress(chain, address));
    await requirePayableAddress(chain, toAddress, 'address', storage);
    const units = owedUnits(seen);
    await limits.prepare(asset);
    const fee = await estimate(() => fees.estimate(chain, asset, units, toAddress));
    const request = {
      id: ids.next() as TransferId,
      kind: 'return' as const,
      accountId: null,
      orderId: null,
      depositId: seen.id,
      ...(requestedBy === null ? {} : { requestedBy }),
      chain: seen.chain,
      currency: seen.currency,
      units,
      ...fee,
      sourceAddress: payments.hotAddress,
      sourceIndex: null,
      toAddress,
    };
    const asked = newTransfer(request, clock.now());
    const bounded = requestedBy === null ? asked : heldAbove(this.#deps.withdrawals, asset, asked);
    const transfer = await storage.transaction(async (tx) => {
      await holdBlock(tx, seen);
      await tx.orders.lock(seen.orderId);
      const former = requireDecidable(await tx.deposits.lock(seen.id), ['SPENDABLE']);
      if (owedUnits(former) !== units)
        throw stateConflict('The remaining amount of the deposit changed during the request; try again.');
      assert(
        await tx.deposits.reassign(former.id, 'UNASSIGNED', 'RETURNING', {}),
        `deposit ${id} changed while locked`,
      );
      const made = requestedBy === null ? bounded : await limits.hold(tx, bounded);
      assert(await tx.transfers.add(made), `deposit ${id} is returned twice`);
      also(tx, made);
      return made;
    });
    metrics.count('tillgate_transfers_total', { chain: seen.chain, kind: transfer.kind, status: transfer.status });
    if (transfer.status === 'HELD') alertHeld(this.#deps, transfer);
    else events.emit('transfer.queued', { chain: seen.chain });
    return transfer;
  }

  async #find(id: string): Promise<Deposit> {
    const deposit = isId(id) ? await this.#deps.storage.deposits.find(id as DepositId) : null;
    if (deposit === null) throw new TillgateError('NOT_FOUND', 'There is no such deposit.');
    return deposit;
  }
}

/** Locks the chain's cursor, so that no reorganisation happens now, and checks that the block still exists. */
async function holdBlock(tx: Transaction, { chain, blockHeight, blockHash }: Deposit): Promise<void> {
  if (!(await tx.chains.holds(chain, { height: blockHeight, hash: blockHash })))
    throw stateConflict('The block of the deposit is not part of the chain at the moment; try again later.');
}

function requireDecidable(deposit: Deposit | null, statuses: readonly Deposit['status'][]): Deposit {
  if (deposit === null) throw new TillgateError('NOT_FOUND', 'There is no such deposit.');
  if (deposit.assignment !== 'UNASSIGNED')
    throw stateConflict(
      deposit.assignment === 'ORDER'
        ? `The deposit belongs to order ${deposit.orderId}.`
        : 'The deposit is being refunded, or was refunded.',
    );
  if (!statuses.includes(deposit.status))
    throw stateConflict(`The deposit is ${deposit.status}; it has to be ${statuses.join(' or ')} first.`);
  if (owedUnits(deposit) === 0n)
    throw stateConflict('The deposit has no amount left: the fees of its failed refunds used it up.');
  return deposit;
}

/** The request has no amount, so an amount below the fee is a conflict with the deposit's state. */
async function estimate(priced: () => Promise<FeeEstimate>): Promise<FeeEstimate> {
  try {
    return await priced();
  } catch (error) {
    if (isTillgateError(error, 'AMOUNT_OUT_OF_RANGE'))
      throw stateConflict('The remaining amount of the deposit does not cover the network fee at the moment.');
    throw error;
  }
}
