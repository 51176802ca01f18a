import assert from 'node:assert/strict';
import {
  ClaimPullPayment,
  CreatePullPayment,
  DecideClaim,
  ExpirePullPayments,
  ManagePullPayments,
  PayoutFeeEstimator,
  present,
  readDecimal,
  WithdrawalAddresses,
  WithdrawalLimits,
} from '../../core/index.ts';
import type {
  AccountId,
  Actor,
  Claim,
  ClaimInput,
  Decimal,
  NewPullPayment,
  PaidClaim,
  PullPayment,
  Storage,
  Transfer,
} from '../../core/index.ts';
import { FakeVault, SeededRandom } from './fakes.ts';
import { buildMoney } from './money.ts';
import type { MoneyDomain, MoneyOptions } from './money.ts';

/** The delay of an address that nobody has checked. */
export const HOLD_MS = 24 * 3_600_000;
/** An address of a payee. */
export const PAYEE_ADDRESS = 'eth-payee';

/** The use cases of pull payments on one storage. */
export interface ClaimUseCases {
  readonly create: CreatePullPayment;
  readonly claims: ClaimPullPayment;
  readonly decide: DecideClaim;
  readonly manage: ManagePullPayments;
  readonly expirePulls: ExpirePullPayments;
}

/** A {@link MoneyDomain} whose merchant promises amounts. */
export interface ClaimsDomain extends MoneyDomain, ClaimUseCases {
  /** The merchant, in a session of its own. */
  readonly shop: Actor;
  /** An admin of long standing, who is neither the owner nor the requester. */
  readonly admin: Actor;
  /** The same use cases on another storage, as another instance. */
  useCases(storage: Storage): ClaimUseCases;
  /** A pull payment of the merchant: 0.5 ETH by default. */
  promise(input?: Partial<Omit<NewPullPayment, 'amount'>> & { amount?: string }, actor?: Actor): Promise<PullPayment>;
  /** Claims of a pull payment: all that is left to {@link PAYEE_ADDRESS} by default, with a new key each time. */
  claim(pull: PullPayment, input?: Partial<Omit<ClaimInput, 'amount'>> & { amount?: string }): Promise<PaidClaim>;
  /** The pull payment as it is stored now. */
  pull(pull: PullPayment): Promise<PullPayment>;
  paid(claim: Claim): Promise<PaidClaim>;
  /** The transfer that pays a claim. */
  paying(claim: Claim): Promise<Transfer>;
  /** The merchant's balance `claims`. */
  aside(currency?: string): Promise<bigint>;
}

/** Options of a {@link ClaimsDomain}. */
export type ClaimsOptions = MoneyOptions;

/** A decimal of a test. */
export const decimal = (text: string): Decimal => present(readDecimal(text), text);

let keys = 0;

/** Builds a {@link ClaimsDomain}. An address is delayed for {@link HOLD_MS}. */
export async function buildClaims(given: Storage, options: ClaimsOptions = {}): Promise<ClaimsDomain> {
  const withdrawals = { addressHoldMs: HOLD_MS, ...options.withdrawals };
  const till = await buildMoney(given, { ...options, withdrawals });
  const { eth, btc, assets, clock, ids, events, metrics, logger, rateBook, principal, secondFactor } = till;
  const chains = new Map([eth, btc].map((chain) => [chain.code, chain]));
  const settings = { min: new Map(), max: new Map(), approveAbove: new Map(), ...withdrawals };
  const limited =
    settings.limits === undefined
      ? {}
      : { limits: new WithdrawalLimits({ limits: settings.limits, assets, rates: rateBook }) };
  const random = new SeededRandom();
  const useCases = (storage: Storage): ClaimUseCases => {
    const fees = new PayoutFeeEstimator({ storage, rates: rateBook, clock, feeBudget: options.sweeps?.feeBudget });
    const common = { storage, assets, chains, fees, clock, ids, events, metrics, logger, settings, ...limited };
    const addresses = new WithdrawalAddresses({ ...common, addressHoldMs: settings.addressHoldMs });
    const create = new CreatePullPayment({ ...common, secondFactor, random });
    const decide = new DecideClaim({ ...common, secondFactor, approverHoldMs: settings.addressHoldMs });
    return {
      create,
      decide,
      claims: new ClaimPullPayment({ ...common, rates: rateBook, addresses }),
      expirePulls: new ExpirePullPayments(common),
      manage: new ManagePullPayments({
        ...common,
        rates: rateBook,
        vault: new FakeVault(),
        pageMax: 100,
        createPullPayment: create,
        decideClaim: decide,
        urls: { claimUrl: ({ token }) => `https://till.example/claim/${token}` },
      }),
    };
  };
  const own = useCases(till.storage);
  const admin = await newAdmin(till);
  const shop: Actor = { accountId: principal.accountId, role: 'user', ip: null, traceId: null };
  const { pullPayments } = till.storage;
  return {
    ...till,
    ...own,
    useCases,
    shop,
    admin,
    async promise({ amount = '0.5', ...input } = {}, actor = shop) {
      const made = { name: 'Prize', currency: 'ETH', ...input, amount: decimal(amount) };
      return (await own.manage.create(actor, made)).pull;
    },
    claim(pull, { amount, ...input } = {}) {
      const key = `test-key-${(keys += 1)}`;
      const wanted = amount === undefined ? {} : { amount: decimal(amount) };
      return own.claims.claim(pull.token, { address: PAYEE_ADDRESS, key, ...input, ...wanted });
    },
    async pull({ id }) {
      return present(await pullPayments.find(id), `pull payment ${id}`);
    },
    async paid({ id }) {
      return present(await pullPayments.findClaim(id), `claim ${id}`);
    },
    async paying({ id }) {
      const paid = present(await pullPayments.findClaim(id), `claim ${id}`);
      assert(paid.transfer !== null, `claim ${id} is not paid by a transfer`);
      return paid.transfer;
    },
    async aside(currency = 'ETH') {
      const balances = await till.storage.ledger.balances(`merchant:${principal.accountId}:claims`);
      return balances.find((balance) => balance.currency === currency)?.units ?? 0n;
    },
  };
}

/** An admin account whose approvals count. */
async function newAdmin({ storage, principal }: MoneyDomain): Promise<Actor> {
  const shop = present(await storage.accounts.find(principal.accountId), 'the merchant');
  const id = '7000000000000000001' as AccountId;
  await storage.accounts.create({ ...shop, id, email: 'admin@example.com', role: 'admin', adminSince: 0 });
  return { accountId: id, role: 'admin', ip: null, traceId: null };
}
