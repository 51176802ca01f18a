import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  InvoiceFollower,
  InvoicePayer,
  LIGHTNING_ASSET,
  readDecimal,
  RequestLightningPayment,
  SecondFactor,
  WithdrawalLimits,
} from '../../core/index.ts';
import type {
  IdempotencyClaim,
  Lease,
  LightningDeps,
  Order,
  Storage,
  Transfer,
  TransferId,
  WithdrawalSettings,
} from '../../core/index.ts';
import { CryptoDigest } from '../../adapters/crypto/index.ts';
import { presentWithdrawal } from '../../adapters/http/operations/withdrawal-record.ts';
import { buildDomain } from './domain.ts';
import type { Domain, DomainOptions } from './domain.ts';
import { FakeLightning, requestOf } from './fake-lightning.ts';
import { FakeVault, SeededRandom } from './fakes.ts';

/** A {@link Domain} with a Lightning node, whose merchant may withdraw. */
export interface LightningDomain extends Domain {
  readonly node: FakeLightning;
  readonly secondFactor: SecondFactor;
  readonly payment: RequestLightningPayment;
  /** The workers of another instance of the till, with only the stored state. */
  newWork(deps?: Partial<LightningDeps>): { readonly follower: InvoiceFollower; readonly payer: InvoicePayer };
  workLease(name: 'follow' | 'payout'): Promise<Lease>;
  /** Follows the invoices until nothing is left to do. */
  followInvoices(): Promise<void>;
  payInvoices(): Promise<void>;
  invoiceOrder(price?: string): Promise<Order>;
  /** Gives the merchant at least this balance. */
  fund(price: string): Promise<void>;
  /** An invoice of another receiver. */
  foreignInvoice(msat: bigint | null, seconds?: number): { readonly paymentHash: string; readonly text: string };
  withdraw(
    invoice: string,
    amount?: string | null,
    claim?: IdempotencyClaim | null,
  ): Promise<ReturnType<typeof presentWithdrawal>>;
  transfer(id: string): Promise<Transfer>;
}

/** Options of a {@link LightningDomain}. */
export interface LightningOptions extends DomainOptions {
  readonly withdrawals?: Partial<WithdrawalSettings>;
}

/** Builds a {@link LightningDomain}. */
export async function buildLightning(given: Storage, options: LightningOptions = {}): Promise<LightningDomain> {
  let made: FakeLightning | null = null;
  const domain = await buildDomain(given, { ...options, lightning: (now) => (made = new FakeLightning(now)) });
  assert(made !== null);
  const node: FakeLightning = made;
  const { storage, assets, clock, ids, events, logger, metrics, rateBook, stateMachine, latePayments, principal } =
    domain;
  const secondFactor = new SecondFactor({
    storage,
    vault: new FakeVault(),
    random: new SeededRandom(),
    digest: new CryptoDigest(),
    clock,
    ids,
    issuer: 'Test',
  });
  const settings = {
    min: new Map(),
    max: new Map(),
    approveAbove: new Map(),
    addressHoldMs: 0,
    ...options.withdrawals,
  };
  const limited =
    settings.limits === undefined
      ? {}
      : { limits: new WithdrawalLimits({ limits: settings.limits, assets, rates: rateBook }) };
  const fees = { maxFeeBps: 100, minFeeSats: 10 };
  // The test steps the payer itself, so nothing waits for an outcome.
  const deadline = (): AbortSignal => AbortSignal.timeout(0);
  const payment = new RequestLightningPayment({
    node,
    storage,
    secondFactor,
    clock,
    deadline,
    ids,
    events,
    metrics,
    logger,
    settings,
    fees,
    ...limited,
  });
  await storage.accounts.update(principal.accountId, { verifiedCurrencies: ['*'], modifiedAt: clock.now() });
  const newWork: LightningDomain['newWork'] = (deps = {}) => {
    const all = { node, storage, stateMachine, latePayments, clock, ids, events, logger, metrics, ...deps };
    return { follower: new InvoiceFollower(all), payer: new InvoicePayer(all) };
  };
  const work = newWork();
  await work.follower.start();
  const workLease: LightningDomain['workLease'] = async (name) => {
    const lease = await storage.leases.acquire(`${name}:${LIGHTNING_ASSET.chain}`, 'test', 60_000);
    assert(lease !== null, 'the lease is held by another');
    return lease;
  };
  const untilIdle = async (step: () => Promise<boolean>): Promise<void> => {
    for (let steps = 0; steps < 100; steps++) if (!(await step())) return;
    throw new Error('the work never came to rest');
  };
  const followInvoices = async (): Promise<void> => {
    const lease = await workLease('follow');
    await untilIdle(() => work.follower.step(lease));
  };
  const payInvoices = async (): Promise<void> => {
    const lease = await workLease('payout');
    await untilIdle(() => work.payer.step(lease));
  };
  const invoiceOrder = async (price = '10'): Promise<Order> => {
    const vsPrice = readDecimal(price);
    assert(vsPrice !== null);
    const links = { callbackUrl: 'https://shop.example/paid', timeoutCallback: 'https://shop.example/late' };
    return domain.createOrder.lightning(principal, { vsCurrency: 'USD', vsPrice, links });
  };
  let foreign = 0;
  return {
    ...domain,
    node,
    secondFactor,
    payment,
    newWork,
    workLease,
    followInvoices,
    payInvoices,
    invoiceOrder,
    async fund(price) {
      const order = await invoiceOrder(price);
      assert(order.payment !== null);
      node.settle(order.payment.address);
      await followInvoices();
    },
    foreignInvoice(msat, seconds = 3600) {
      const paymentHash = createHash('sha256')
        .update(`receiver ${(foreign += 1)}`)
        .digest('hex');
      return { paymentHash, text: requestOf({ paymentHash, msat, expiresAt: clock.now() + seconds * 1000 }) };
    },
    async withdraw(invoice, amount = null, claim = null) {
      const value = amount === null ? null : readDecimal(amount);
      return presentWithdrawal(await payment.run(principal, { lnInvoices: invoice, amount: value }, claim));
    },
    async transfer(id) {
      const transfer = await storage.transfers.find(id as TransferId);
      assert(transfer !== null, `transfer ${id}`);
      return transfer;
    },
  };
}
