import { isTillgateError, LIGHTNING_ASSET, assert, present, TillgateError } from '../kernel/index.ts';
import type {
  AssetCatalogue,
  ChainCode,
  Clock,
  CurrencyCode,
  EventBus,
  IdGenerator,
  Lease,
  Logger,
  Metrics,
  PayoutBatchId,
  Storage,
  Transaction,
  TransferId,
} from '../kernel/index.ts';
import type { ChainRegistry, LightningNode } from '../chain/index.ts';
import { estimateRows, feesOf } from './batch-fees.ts';
import type { RowsEstimate } from './batch-fees.ts';
import { isFromBackup } from './epoch.ts';
import type { Epoch } from './epoch.ts';
import type { PayoutFeeEstimator } from './fee-estimator.ts';
import { requirePayments } from './fee-estimator.ts';
import type { NewLightningPayment } from './lightning-payment.ts';
import type { WithdrawalLimits } from './limits.ts';
import type { PayoutBatch, PayoutBatchRow } from './payout-batch.ts';
import { readPayableInvoice } from './request-payment.ts';
import type { MerchantTransfer } from './reserve-transfer.ts';
import { releaseAside } from './set-aside.ts';
import { storeTransfer } from './store-transfer.ts';
import { newTransfer } from './transfer.ts';
import type { WithdrawalSettings } from './withdrawal-settings.ts';
import { alertHeld, heldAbove, lacking } from './withdrawal-rules.ts';

/** The rows that become transfers in one transaction; small, because the balances are locked meanwhile. */
const CHUNK = 50;
/** The approved batches that are read at once. */
const PAGE = 20;
const FROM_BACKUP =
  'Its batch comes from a restored backup: find out whether it was paid since, then approve or reject it.';
const INVOICE_TAKEN = 'Another payment of this till pays the invoice; an invoice is paid only once.';

export interface PayBatchesDeps {
  readonly storage: Storage;
  readonly assets: AssetCatalogue;
  readonly chains: ChainRegistry;
  /** `null` without a Lightning node. */
  readonly lightning: LightningNode | null;
  readonly fees: PayoutFeeEstimator;
  readonly limits?: WithdrawalLimits | undefined;
  readonly withdrawals: WithdrawalSettings;
  readonly longestInvoiceMs?: number | undefined;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly events: EventBus;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** A row with what becomes of it. */
type Prepared =
  | { readonly row: PayoutBatchRow; readonly transfer: MerchantTransfer; readonly payment: NewLightningPayment | null }
  | { readonly row: PayoutBatchRow; readonly problem: string };

/**
 * Turns the rows of approved batches into transfers, in the order of their lines. Each part is one transaction, from
 * stored state, so that it can be killed anywhere: a row that is a transfer is never made one again.
 */
export class PayBatches {
  readonly #deps: PayBatchesDeps;

  constructor(deps: PayBatchesDeps) {
    this.#deps = deps;
  }

  /**
   * Makes one pass over the approved batches.
   *
   * @returns true when rows became transfers, so that it is to be run again at once
   * @throws TillgateError `LEASE_LOST`; any error of the database
   */
  async step(lease: Lease): Promise<boolean> {
    const { storage, logger } = this.#deps;
    const epoch = await storage.epochs.current();
    // Rows that wait in a restored backup may have been paid since.
    if (epoch.status === 'pending') return false;
    let advanced = false;
    for (let after: PayoutBatchId | null = null; ;) {
      const page: readonly PayoutBatch[] = await storage.batches.approved(after, PAGE);
      for (const batch of page) {
        try {
          if (await this.#advance(lease, batch, epoch)) advanced = true;
        } catch (error) {
          // A frozen account, a node or a rate that does not answer delays its own batch only.
          const waits = (['STATE_CONFLICT', 'NODE_FAILED', 'NOT_READY'] as const).some((code) =>
            isTillgateError(error, code),
          );
          if (!waits) throw error;
          const reason = error instanceof Error ? error.message : 'unknown';
          logger.warn('a payout batch waits', { batch: batch.id, reason });
        }
      }
      after = page.at(-1)?.id ?? null;
      if (page.length < PAGE) return advanced;
    }
  }

  /** @returns true when rows of the batch became transfers */
  async #advance(lease: Lease, batch: PayoutBatch, epoch: Epoch): Promise<boolean> {
    const { storage } = this.#deps;
    const rows = await storage.batches.waitingRows(batch.id, CHUNK);
    if (rows.length === 0) {
      await this.#finish(lease, batch.id);
      return false;
    }
    const prepared = await this.#prepare(batch, rows, isFromBackup(epoch, batch.createdAt));
    const made = await storage.transaction((tx) => this.#store(tx, lease, batch, prepared));
    this.#publish(made);
    return true;
  }

  /** Ends a batch whose transfers have all ended. */
  async #finish(lease: Lease, id: PayoutBatchId): Promise<void> {
    const { storage, clock } = this.#deps;
    await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      const batch = await tx.batches.lock(id);
      if (batch?.status !== 'APPROVED' || (await tx.batches.hasLiveTransfers(id))) return;
      if ((await tx.batches.waitingRows(id, 1)).length > 0) return;
      const now = clock.now();
      const changes = { finishedAt: now, updatedAt: now };
      assert(await tx.batches.move(id, 'APPROVED', 'DONE', changes), `payout batch ${id} changed while locked`);
    });
  }

  /** Reads present fees and invoices, before the transaction. */
  async #prepare(
    { accountId, createdBy }: PayoutBatch,
    rows: readonly PayoutBatchRow[],
    fromBackup: boolean,
  ): Promise<readonly Prepared[]> {
    const { assets, limits, clock, ids, withdrawals } = this.#deps;
    const estimates = new Map<CurrencyCode, RowsEstimate | null>();
    const prepared: Prepared[] = [];
    for (const row of rows) {
      const { chain, currency, units, toAddress } = row;
      const asset = assets.find(currency);
      // A plugin was removed since: the batch waits until it is back, and delays no other.
      if (asset === null || !this.#pays(chain))
        throw new TillgateError('NOT_READY', `${currency} cannot be paid out by this installation any more.`);
      if (!estimates.has(currency)) {
        await limits?.prepare(asset);
        const same = rows.filter((each) => each.currency === currency);
        estimates.set(currency, await this.#estimate(accountId, same));
      }
      const id = ids.next() as TransferId;
      const read = chain === LIGHTNING_ASSET.chain ? await this.#readInvoice(row, id) : { payment: null };
      if ('problem' in read) {
        prepared.push({ row, problem: read.problem });
        continue;
      }
      const request = {
        ...{ id, kind: 'payout' as const, accountId, orderId: null, batchId: row.batchId, requestedBy: createdBy },
        ...{ chain, currency, units, toAddress, sourceAddress: this.#sourceOf(chain), sourceIndex: null },
        ...this.#feesOf(row, estimates.get(currency) ?? null),
      };
      const asked = heldAbove(withdrawals, asset, newTransfer(request, clock.now()));
      const transfer = fromBackup ? { ...asked, status: 'HELD' as const, reason: FROM_BACKUP } : asked;
      prepared.push({ row, transfer, payment: read.payment });
    }
    return prepared;
  }

  /** `null` while there is no estimate: the fees of the preview are used. */
  async #estimate(accountId: PayoutBatch['accountId'], rows: readonly PayoutBatchRow[]): Promise<RowsEstimate | null> {
    const [first] = rows;
    if (first === undefined || first.chain === LIGHTNING_ASSET.chain) return null;
    try {
      const asset = present(this.#deps.assets.find(first.currency), `asset ${first.currency}`);
      return await estimateRows(this.#deps, asset, accountId, rows);
    } catch (error) {
      if (!isTillgateError(error)) throw error;
      this.#deps.logger.info('the fees of a payout batch are those of its preview', { reason: error.message });
      return null;
    }
  }

  #feesOf(
    { feeUnits, maxFeeUnits, units }: PayoutBatchRow,
    found: RowsEstimate | null,
  ): Pick<PayoutBatchRow, 'feeUnits' | 'maxFeeUnits'> {
    const previewed = { feeUnits, maxFeeUnits };
    if (found === null || found.estimate === null) return previewed;
    return feesOf(found.estimate, units, found.dust) ?? previewed;
  }

  #pays(chain: ChainCode): boolean {
    return chain === LIGHTNING_ASSET.chain || (this.#deps.chains.get(chain)?.payments ?? null) !== null;
  }

  #sourceOf(chain: ChainCode): string {
    if (chain === LIGHTNING_ASSET.chain) return '';
    return requirePayments(present(this.#deps.chains.get(chain), `chain ${chain}`)).hotAddress;
  }

  /** The invoice is read again, because it may have expired since the preview. */
  async #readInvoice(
    { toAddress, units, feeUnits }: PayoutBatchRow,
    transferId: TransferId,
  ): Promise<{ readonly payment: NewLightningPayment } | { readonly problem: string }> {
    const { lightning: node, storage, clock, longestInvoiceMs } = this.#deps;
    if (node === null) return { problem: 'The till has no Lightning node any more.' };
    try {
      const deps = { node, storage, clock, ...(longestInvoiceMs === undefined ? {} : { longestInvoiceMs }) };
      const { text, invoice } = await readPayableInvoice(deps, toAddress);
      const { paymentHash, msat, expiresAt } = invoice;
      const own = msat === null ? units - feeUnits : null;
      return { payment: { paymentHash, transferId, paymentRequest: text, msat: own, expiresAt } };
    } catch (error) {
      if (!isTillgateError(error, 'INVOICE_INVALID')) throw error;
      return { problem: error.message };
    }
  }

  /** @returns the transfers that were stored */
  async #store(
    tx: Transaction,
    lease: Lease,
    { id, accountId }: PayoutBatch,
    prepared: readonly Prepared[],
  ): Promise<readonly MerchantTransfer[]> {
    await tx.leases.check(lease);
    // Before the batch: the order in which an approval and a cancellation lock them.
    await tx.accounts.lockShared(accountId);
    const batch = await tx.batches.lock(id);
    if (batch?.status !== 'APPROVED') return [];
    const made: MerchantTransfer[] = [];
    for (const each of prepared) {
      if ('problem' in each) await this.#drop(tx, batch, each.row, each.problem);
      else if (each.payment !== null && (await tx.lightning.hasPayment(each.payment.paymentHash)))
        await this.#drop(tx, batch, each.row, INVOICE_TAKEN);
      else made.push(await this.#request(tx, each.row, each.transfer, each.payment));
    }
    return made;
  }

  /** Requests the transfer of a row. The account and the batch are locked. */
  async #request(
    tx: Transaction,
    { line, batchId }: PayoutBatchRow,
    asked: MerchantTransfer,
    payment: NewLightningPayment | null,
  ): Promise<MerchantTransfer> {
    const { ids, limits } = this.#deps;
    const stored = await storeTransfer(tx, asked, { ids, limits, idempotency: null }, () => lacking(asked));
    assert(stored !== null && 'transfer' in stored, `transfer ${asked.id} is stored`);
    // Only the holder of the lease and a cancellation, which ends the batch, take rows.
    assert(await tx.batches.assign(batchId, line, asked.id), `row ${line} of payout batch ${batchId} was taken`);
    if (payment !== null) assert(await tx.lightning.addPayment(payment), `invoice of transfer ${asked.id} was taken`);
    return stored.transfer;
  }

  /** Gives up a row that cannot be paid, and gives its amount back. */
  async #drop(tx: Transaction, { id, accountId }: PayoutBatch, row: PayoutBatchRow, problem: string): Promise<void> {
    const { ids, clock } = this.#deps;
    const { line, currency, units } = row;
    if (!(await tx.batches.drop(id, line, problem))) return;
    const reference = `payout-batch:${id}:dropped:${line}`;
    await releaseAside(tx, { accountId, currency, units, reference }, { ids, now: clock.now() });
  }

  #publish(made: readonly MerchantTransfer[]): void {
    const { events, metrics } = this.#deps;
    for (const transfer of made) {
      const { chain, kind, status } = transfer;
      metrics.count('tillgate_transfers_total', { chain, kind, status });
      if (status === 'HELD') alertHeld(this.#deps, transfer);
    }
    for (const chain of new Set(made.map((transfer) => transfer.chain))) events.emit('transfer.queued', { chain });
  }
}
