import assert from 'node:assert/strict';
import {
  CheckBatch,
  DEFAULT_LIGHTNING_FEES,
  ManageBatches,
  ManagePayees,
  OPERATOR,
  PayBatches,
  PayoutFeeEstimator,
  WithdrawalAddresses,
  WithdrawalLimits,
} from '../../core/index.ts';
import type {
  AccountId,
  Actor,
  BatchDetail,
  BatchRowInput,
  Lease,
  LightningNode,
  PayoutBatchId,
  ShownBatchRow,
  Storage,
  WithdrawalSettings,
} from '../../core/index.ts';
import { FakeVault } from './fakes.ts';
import type { Domain } from './domain.ts';

/** The payout batches of a domain. */
export interface Batches {
  readonly manage: ManageBatches;
  /** The same use cases on another storage, as another instance. */
  newManage(storage?: Storage): ManageBatches;
  readonly payees: ManagePayees;
  /** The owner of the domain's account, in a session. */
  readonly owner: Actor;
  /** A row of 0.01 ETH to an address of its own. */
  row(reference: string, fields?: Partial<BatchRowInput>): BatchRowInput;
  create(rows: readonly BatchRowInput[], actor?: Actor): Promise<BatchDetail>;
  /** Creates a batch and approves it at the command line. */
  approved(rows: readonly BatchRowInput[]): Promise<PayoutBatchId>;
  rows(id: PayoutBatchId): Promise<readonly ShownBatchRow[]>;
  /** A worker of another instance of the till, with only the stored state. */
  newWorker(storage?: Storage): PayBatches;
  workLease(): Promise<Lease>;
  /** Steps the worker until it is idle. */
  work(): Promise<void>;
}

interface BatchesOptions {
  readonly withdrawals?: Partial<WithdrawalSettings>;
  readonly lightning?: LightningNode;
}

/** Builds the payout batches of a domain. */
export function batchesOf(till: Domain, options: BatchesOptions = {}): Batches {
  const { storage, eth, btc, clock, ids, events, logger, metrics, assets, rateBook, principal } = till;
  const chains = new Map([eth, btc].map((chain) => [chain.code, chain]));
  const fees = new PayoutFeeEstimator({ storage, rates: rateBook, clock });
  const { lightning = null } = options;
  const withdrawals = {
    ...{ min: new Map(), max: new Map(), approveAbove: new Map(), addressHoldMs: 0 },
    ...options.withdrawals,
  };
  const { addressHoldMs, limits = [], approvals = 1 } = withdrawals;
  const shared = { storage, assets, chains, lightning, fees, clock, ids, events, logger, metrics, withdrawals };
  const listed = { vault: new FakeVault(), pageMax: 100 };
  const checks = new CheckBatch({ ...shared, rates: rateBook, lightningFees: DEFAULT_LIGHTNING_FEES });
  const secondFactor = {
    use: async (_account: AccountId, code: string | null) => assert.equal(code, '123456', 'the code'),
  };
  const newManage = (store = storage): ManageBatches =>
    new ManageBatches({
      ...{ ...shared, ...listed, storage: store, checks, secondFactor },
      ...{ approvals, approverHoldMs: addressHoldMs },
    });
  const manage = newManage();
  const payees = new ManagePayees({
    ...{ ...shared, ...listed, addressHoldMs },
    withdrawalAddresses: new WithdrawalAddresses({ ...shared, addressHoldMs }),
  });
  const owner: Actor = { accountId: principal.accountId, role: 'user', ip: null, traceId: null };
  const newWorker = (store = storage): PayBatches =>
    new PayBatches({
      ...{ ...shared, storage: store },
      limits: limits.length === 0 ? undefined : new WithdrawalLimits({ limits, assets, rates: rateBook }),
    });
  const worker = newWorker();
  const workLease = async (): Promise<Lease> => {
    const lease = await storage.leases.acquire('pay-batches', 'test', 60_000);
    assert(lease !== null, 'the lease is held by another');
    return lease;
  };
  const create = (rows: readonly BatchRowInput[], actor = owner): Promise<BatchDetail> =>
    manage.create(actor, { accountId: principal.accountId, rows });
  return {
    manage,
    newManage,
    payees,
    owner,
    create,
    row: (reference, fields) => ({
      ...{ reference, address: `eth-${reference}`, coin: 'ETH', amount: '0.01', fiatAmount: '', fiatCurrency: '' },
      ...fields,
    }),
    async approved(rows) {
      const { batch } = await create(rows);
      await manage.approve(OPERATOR, batch.id);
      return batch.id;
    },
    rows: (id) => storage.batches.rows(id, 0, 10_000),
    newWorker,
    workLease,
    async work() {
      const lease = await workLease();
      for (let steps = 0; steps < 500; steps++) if (!(await worker.step(lease))) return;
      throw new Error('the worker never came to rest');
    },
  };
}
