import assert from 'node:assert/strict';
import {
  DEFAULT_PAYOUT_SETTINGS,
  PayoutFeeEstimator,
  PayoutRunner,
  readDecimal,
  refusedFor,
  RequestRefund,
  RequestWithdrawal,
  SecondFactor,
  WithdrawalLimits,
} from '../../core/index.ts';
import type {
  ChainAdapter,
  IdempotencyClaim,
  Lease,
  Order,
  PayingChain,
  PayoutResult,
  PayoutSettings,
  RefundSettings,
  Storage,
  SweepSettings,
  Transfer,
  TransferId,
  WithdrawalSettings,
} from '../../core/index.ts';
import { CryptoDigest } from '../../adapters/crypto/index.ts';
import { presentWithdrawal } from '../../adapters/http/operations/withdrawal-record.ts';
import { buildDomain } from './domain.ts';
import type { Domain, DomainOptions } from './domain.ts';
import type { FakeChain } from './fake-chain.ts';
import { FakePayments } from './fake-payments.ts';
import { FakeVault, SeededRandom } from './fakes.ts';
import { presentedRefunds } from './presented.ts';
import { RealCoins } from './real-coins.ts';
import type { PresentedRefunds } from './presented.ts';

/** The merchants' HTTP record of a withdrawal. */
type WithdrawalRecord = ReturnType<typeof presentWithdrawal>;

/** A {@link Domain} whose merchant may withdraw, and whose chains pay: `eth` by accounts and nonces, `btc` by coins. */
export interface MoneyDomain extends Domain {
  readonly ethPayments: FakePayments;
  readonly btcPayments: FakePayments;
  readonly withdrawal: RequestWithdrawal;
  /** The same use case on another storage, as another instance. */
  newWithdrawal(storage: Storage): RequestWithdrawal;
  readonly refund: PresentedRefunds;
  /** The same use case on another storage. */
  newRefund(storage: Storage): PresentedRefunds;
  readonly secondFactor: SecondFactor;
  /** A runner of another instance of the till, with only the stored state. */
  newRunner(chain?: ChainAdapter, storage?: Storage): PayoutRunner;
  payoutLease(chain?: FakeChain): Promise<Lease>;
  /** Steps the runner of a chain until it is idle. */
  payOut(chain?: FakeChain): Promise<PayoutResult>;
  /** Sends the operator's own coins to the hot wallet and waits until they are booked. */
  float(units: bigint, chain?: FakeChain): Promise<void>;
  /** Pays an order, whose payer left this refund address before, and mines until the merchant may spend it. */
  fund(currency: 'ETH' | 'USDT-ERC20' | 'BTC', price: string, refundAddress?: string | null): Promise<Order>;
  withdraw(amount: string, currency?: string, claim?: IdempotencyClaim | null): Promise<WithdrawalRecord>;
  transfer(id: string): Promise<Transfer>;
  /** Follows and pays, block by block, until nothing is left to do. */
  settle(chain?: FakeChain): Promise<void>;
}

/** Options of a {@link MoneyDomain}. */
export interface MoneyOptions extends DomainOptions {
  readonly withdrawals?: Partial<WithdrawalSettings>;
  readonly refunds?: Partial<RefundSettings>;
  readonly sweeps?: Partial<SweepSettings>;
  /** Uses Bitcoin's own coin selection and fees. */
  readonly realCoins?: boolean;
  readonly payouts?: Partial<PayoutSettings>;
}

/** The destinations of the merchant's withdrawals, by chain. */
export const PAYEE = { ETH: 'eth-merchant', BTC: 'btc-merchant' } as const;

/** The payer's addresses, which also receive refunds, by chain. */
export const PAYER = { ETH: 'eth-payer', BTC: 'btc-payer' } as const;

const CHAIN_OF: Readonly<Record<string, 'ETH' | 'BTC'>> = { ETH: 'ETH', 'USDT-ERC20': 'ETH', BTC: 'BTC' };
let payments = 0;

/** Builds a {@link MoneyDomain}. */
export async function buildMoney(given: Storage, options: MoneyOptions = {}): Promise<MoneyDomain> {
  const refunds = { addressHoldMs: 0, lateAddress: 'wait', ...options.refunds } as const;
  const domain = await buildDomain(given, { ...options, refundHoldMs: refusedFor(refunds) });
  const { storage, eth, btc, assets, clock, ids, events, logger, metrics, rateBook, stateMachine, principal } = domain;
  const ethPayments = new FakePayments(eth, 'account');
  const btcPayments = options.realCoins === true ? new RealCoins(btc) : new FakePayments(btc, 'utxo');
  if (options.eth === undefined) eth.payments = ethPayments;
  btc.payments = btcPayments;
  const chains = new Map([eth, btc].map((chain) => [chain.code, chain]));
  const fees = new PayoutFeeEstimator({ storage, rates: rateBook, clock, feeBudget: options.sweeps?.feeBudget });
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
  const sweeps = { maxFeeBps: 5_000, cold: new Map(), ...options.sweeps };
  const newWithdrawal = (store = storage): RequestWithdrawal =>
    new RequestWithdrawal({
      storage: store,
      assets,
      chains,
      fees,
      secondFactor,
      clock,
      ids,
      events,
      metrics,
      logger,
      settings,
      ...limited,
    });
  const withdrawal = newWithdrawal();
  const newRefund = (store = storage): PresentedRefunds =>
    presentedRefunds(
      new RequestRefund({
        storage: store,
        assets,
        chains,
        fees,
        clock,
        ids,
        events,
        metrics,
        logger,
        ...limited,
        rates: rateBook,
        secondFactor,
        settings: refunds,
        withdrawals: settings,
      }),
    );
  await storage.accounts.update(principal.accountId, { verifiedCurrencies: ['*'], modifiedAt: clock.now() });
  await storage.transaction(async (tx) => {
    for (const [chain, address] of Object.entries(PAYEE)) {
      const record = {
        accountId: principal.accountId,
        chain,
        formerAddress: null,
        address,
        activeFrom: clock.now(),
        updatedAt: clock.now(),
      };
      await tx.wallets.saveWithdrawalAddress(record);
    }
  });
  const newRunner = (chain: ChainAdapter = eth, store = storage): PayoutRunner =>
    new PayoutRunner(
      chain as PayingChain,
      { storage: store, assets, rates: rateBook, stateMachine, clock, ids, events, logger, metrics },
      sweeps,
      { ...DEFAULT_PAYOUT_SETTINGS, ...options.payouts },
    );
  const runners = new Map<FakeChain, PayoutRunner>();
  const payoutLease = async (chain = eth): Promise<Lease> => {
    const lease = await storage.leases.acquire(`payout:${chain.code}`, 'test', 60_000);
    assert(lease !== null, 'the lease is held by another');
    return lease;
  };
  const payOut = async (chain = eth): Promise<PayoutResult> => {
    const runner = runners.get(chain) ?? newRunner(chain);
    runners.set(chain, runner);
    const lease = await payoutLease(chain);
    for (let steps = 0; steps < 500; steps++) {
      const result = await runner.step(lease);
      if (result !== 'advanced') return result;
    }
    throw new Error('the runner never came to rest');
  };
  const floatOf = async (currency: string, chain: FakeChain): Promise<bigint> => {
    const balances = await storage.ledger.balances(`operator:${chain.code}`);
    return balances.find((balance) => balance.currency === currency)?.units ?? 0n;
  };
  const paymentsOf = (chain: FakeChain): FakePayments => (chain === eth ? ethPayments : btcPayments);
  return {
    ...domain,
    ethPayments,
    btcPayments,
    withdrawal,
    newWithdrawal,
    refund: newRefund(),
    newRefund,
    secondFactor,
    newRunner,
    payoutLease,
    payOut,
    async float(units, chain = eth) {
      const [native] = chain.assets;
      const { hotAddress } = paymentsOf(chain);
      assert(native !== undefined);
      const { currency } = native;
      const before = await floatOf(currency, chain);
      if (chain === eth) ethPayments.fund(hotAddress, currency, units);
      else btc.mine({ to: hotAddress, currency, units, txid: `float${(payments += 1)}` });
      // The check of coins runs beside the runner; the step after it uses its result.
      for (let look = 0; look < 3; look++) {
        chain.mineEmpty(chain.policy.spendableConfirmations + 1);
        await domain.follow(chain);
        await payOut(chain);
      }
      assert.equal((await floatOf(currency, chain)) - before, units, 'the float is booked');
    },
    async fund(currency, price, refundAddress = PAYER[CHAIN_OF[currency] ?? 'ETH']) {
      const code = CHAIN_OF[currency] ?? 'ETH';
      const chain = code === 'ETH' ? eth : btc;
      const order = await domain.newOrder({ chain: code, currency, price });
      assert(order.payment !== null);
      if (refundAddress !== null) {
        await domain.choosePayment.setRefundAddress(order.checkoutToken, refundAddress);
        // The address must be left before the payment, not at the same time.
        clock.advance(1);
      }
      chain.mine({
        to: order.payment.address,
        currency,
        units: order.payment.units,
        txid: `paid${(payments += 1)}`,
        from: code === 'ETH' ? PAYER.ETH : null,
      });
      chain.mineEmpty(chain.policy.spendableConfirmations + 4);
      await domain.follow(chain);
      return domain.order(order.id);
    },
    async withdraw(amount, currency = 'ETH', claim = null) {
      const value = readDecimal(amount);
      assert(value !== null);
      return presentWithdrawal(
        await withdrawal.run(principal, { chain: CHAIN_OF[currency] ?? 'ETH', currency, amount: value }, claim),
      );
    },
    async transfer(id) {
      const transfer = await storage.transfers.find(id as TransferId);
      assert(transfer !== null, `transfer ${id}`);
      return transfer;
    },
    async settle(chain = eth) {
      for (let round = 0; round < 60; round++) {
        clock.advance(1_000);
        paymentsOf(chain).mine();
        await domain.follow(chain);
        await payOut(chain);
      }
    },
  };
}
