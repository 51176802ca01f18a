import { recordNotFound } from '../access/index.ts';
import {
  formatUnits,
  invalidField,
  isTillgateError,
  present,
  readDecimal,
  stateConflict,
  TillgateError,
  toUnits,
} from '../kernel/index.ts';
import type { Asset, ClaimId, CurrencyCode, Decimal, Transaction } from '../kernel/index.ts';
import { requireChain } from '../chain/index.ts';
import { unitsAtRate } from '../ledger/index.ts';
import type { RateBook, RateEvidence } from '../ledger/index.ts';
import { allowsRefund, lockedRefunds } from '../orders/index.ts';
import type { Order } from '../orders/index.ts';
import { LIGHTNING_ASSET } from '../kernel/index.ts';
import { claimTransfer, priceClaim, publishClaimTransfer, storeClaimTransfer } from './claim-transfer.ts';
import type { ClaimTransferDeps, PricedClaim } from './claim-transfer.ts';
import { lockPullPayment } from './lock-pull-payment.ts';
import { isOpen, MAX_CLAIMS, promisedCurrency, pullPaymentState, unclaimed } from './pull-payment.ts';
import type { Claim, PaidClaim, PromisedCurrency, PullPayment, PullPaymentState } from './pull-payment.ts';
import type { MerchantTransfer } from './reserve-transfer.ts';
import { setAside } from './set-aside.ts';
import type { WithdrawalAddresses } from './withdrawal-addresses.ts';
import { checkLimits, isVerified } from './withdrawal-rules.ts';

/** What a payee claims. */
export interface ClaimInput {
  /** The coin; may be absent where there is only one. */
  readonly currency?: CurrencyCode | null | undefined;
  readonly address: string;
  /** In the pull payment's currency; all that is left by default. */
  readonly amount?: Decimal | null | undefined;
  /** A text that the payee chose for this claim: a repetition with the same key is the same claim. */
  readonly key: string;
}

/** A coin in which an amount can be claimed. */
export interface ClaimableCoin {
  readonly asset: Asset;
  readonly chainName: string;
  /** What all that is left is in this coin; `null` when there is no usable price. */
  readonly units: bigint | null;
  /** The least that is paid in this coin, in its units; 0 for no such limit. */
  readonly least: bigint;
}

/** What the claim page shows. */
export interface ClaimPageView {
  readonly pull: PullPayment;
  readonly state: PullPaymentState;
  readonly currency: PromisedCurrency;
  /** In units of the pull payment's currency. */
  readonly left: bigint;
  readonly coins: readonly ClaimableCoin[];
  /** Newest first. */
  readonly claims: readonly PaidClaim[];
}

export interface ClaimPullPaymentDeps extends ClaimTransferDeps {
  readonly rates: Pick<RateBook, 'prepare' | 'evidence' | 'payoutRate'>;
  readonly addresses: Pick<WithdrawalAddresses, 'read'>;
}

const KEY = /^[\w-]{8,64}$/;

/** Claims of payees, who have nothing but the URL of a claim page. */
export class ClaimPullPayment {
  readonly #deps: ClaimPullPaymentDeps;

  constructor(deps: ClaimPullPaymentDeps) {
    this.#deps = deps;
  }

  /** What the page with this token shows. @throws TillgateError `NOT_FOUND` */
  async page(token: string): Promise<ClaimPageView> {
    const { storage, assets, clock } = this.#deps;
    const pull = await this.#find(token);
    const currency = present(promisedCurrency(assets, pull.currency), `currency ${pull.currency}`);
    const unfinished = (await storage.pullPayments.unfinished([pull.id])).has(pull.id);
    const [coins, claims] = await Promise.all([
      this.#coins(pull, currency),
      storage.pullPayments.claims(
        pull.accountId,
        { pullPaymentId: pull.id, status: null },
        { before: null, limit: MAX_CLAIMS },
      ),
    ]);
    const state = pullPaymentState(pull, unfinished, clock.now());
    return { pull, state, currency, left: unclaimed(pull), coins, claims };
  }

  /**
   * The estimated fee of paying all that is left in a coin, for the page; `null` where it is not known now.
   *
   * @throws TillgateError `NOT_FOUND`
   */
  async feeOf(token: string, { asset, units }: ClaimableCoin): Promise<bigint | null> {
    const { chains, fees } = this.#deps;
    const { accountId } = await this.#find(token);
    const chain = chains.get(asset.chain);
    if (chain?.payments == null || units === null || units === 0n) return null;
    try {
      // The payee's address is not known yet; a payment to the hot wallet costs the same, but for rare contracts.
      return (await fees.estimate(chain, asset, units, chain.payments.hotAddress, accountId)).feeUnits;
    } catch (error) {
      if (!isTillgateError(error)) throw error;
      return null;
    }
  }

  /**
   * Claims an amount: it is paid after the delay of an address where the pull payment approves by itself, otherwise once
   * the account or another person has approved it. Several claims at the same time never get more than was promised.
   *
   * @throws TillgateError `NOT_FOUND`; `INVALID_FIELDS`, `UNSUPPORTED`, `AMOUNT_OUT_OF_RANGE`, `DESTINATION_UNPAYABLE`;
   *   `STATE_CONFLICT` when nothing can be claimed now; `INSUFFICIENT_BALANCE` when the account cannot cover it;
   *   `IDEMPOTENCY_MISMATCH` for a key that was used for another claim; `NOT_READY`, `NODE_FAILED`
   */
  async claim(token: string, input: ClaimInput): Promise<PaidClaim> {
    const pull = await this.#find(token);
    if (!KEY.test(input.key)) throw invalidField('key', 'must have 8 to 64 letters, digits, - or _');
    const former = await this.#deps.storage.pullPayments.claimByKey(pull.id, input.key);
    if (former !== null) return this.#same(former.claim, pull, input);
    this.#requireOpen(pull);
    const claim = await this.#read(pull, input);
    const priced = await priceClaim(this.#deps, claim);
    const { former: first, transfer } = await this.#store(pull, claim, priced);
    if (first !== null) return this.#same(first, pull, input);
    if (transfer !== null) publishClaimTransfer(this.#deps, transfer);
    return this.#paid(claim.id);
  }

  async #find(token: string): Promise<PullPayment> {
    const pull = await this.#deps.storage.pullPayments.findByToken(token);
    if (pull === null) throw recordNotFound();
    return pull;
  }

  async #paid(id: ClaimId): Promise<PaidClaim> {
    return present(await this.#deps.storage.pullPayments.findClaim(id), `claim ${id}`);
  }

  /** A repeated claim. @throws TillgateError `IDEMPOTENCY_MISMATCH` when it asks for something else */
  async #same(claim: Claim, { currency }: PullPayment, input: ClaimInput): Promise<PaidClaim> {
    const { assets, chains } = this.#deps;
    const { decimals } = present(promisedCurrency(assets, currency), `currency ${currency}`);
    const { currency: coin = null, amount = null } = input;
    const isSame =
      (coin === null || coin === claim.currency) &&
      chains.get(claim.chain)?.normaliseAddress(input.address) === claim.toAddress &&
      (amount === null || toUnits(amount, decimals) === claim.amount);
    if (isSame) return this.#paid(claim.id);
    throw new TillgateError('IDEMPOTENCY_MISMATCH', 'This key was used before for another claim; use a new one.');
  }

  #requireOpen(pull: PullPayment): void {
    if (!isOpen(pull, this.#deps.clock.now()))
      throw stateConflict(
        pull.archivedAt === null ? 'The time to claim it has passed.' : 'It was withdrawn; nothing can be claimed.',
      );
    if (unclaimed(pull) === 0n) throw stateConflict('All of it has been claimed.');
  }

  /** The coins in which a pull payment can be claimed now. */
  async #coins(pull: PullPayment, currency: PromisedCurrency): Promise<readonly ClaimableCoin[]> {
    const { assets, chains, rates, settings } = this.#deps;
    const payable = await this.#payable(pull);
    if (currency.fiat !== null)
      await Promise.all(
        [currency.fiat.code, ...payable.map(({ symbol }) => symbol)].map((symbol) => rates.prepare(symbol)),
      );
    return payable.map((asset) => {
      const rate = currency.fiat === null ? null : rates.evidence(asset, currency.fiat, false);
      const left = unclaimed(pull);
      const units =
        currency.fiat === null ? left : rate === null ? null : unitsAtRate(left, currency.fiat, asset, rate);
      const least = pull.orderId === null ? settings.min.get(asset.currency) : undefined;
      return {
        asset,
        chainName: assets.chainName(chains.get(asset.chain)?.code ?? asset.chain),
        units,
        least: least === undefined ? 0n : leastUnits(least, asset),
      };
    });
  }

  /** The coins of a pull payment that this till can pay and its account may pay out. */
  async #payable({ accountId, currency, coins, orderId }: PullPayment): Promise<readonly Asset[]> {
    const { storage, assets, chains } = this.#deps;
    const account = present(await storage.accounts.find(accountId), `account ${accountId}`);
    const named = assets.find(currency) === null ? coins : [currency];
    return assets
      .enabled()
      .filter((asset) => named === null || named.includes(asset.currency))
      .filter(({ chain }) => chain !== LIGHTNING_ASSET.chain && chains.get(chain)?.payments != null)
      .filter((asset) => orderId !== null || isVerified(account, asset.currency));
  }

  async #read(pull: PullPayment, input: ClaimInput): Promise<Claim> {
    const { assets, chains, settings, addresses, ids, clock } = this.#deps;
    const currency = present(promisedCurrency(assets, pull.currency), `currency ${pull.currency}`);
    const asset = await this.#chosen(pull, input.currency ?? null);
    requireChain(chains, asset.chain);
    const toAddress = await addresses.read(asset.chain, input.address);
    const amount = amountOf(pull, currency, input.amount ?? null);
    const { units, rate } = await this.#convert(amount, currency, asset);
    if (units === 0n)
      throw new TillgateError('AMOUNT_OUT_OF_RANGE', `The amount is less than the smallest unit of ${asset.currency}.`);
    if (pull.orderId === null) checkLimits(settings, asset, units);
    return {
      id: ids.next() as ClaimId,
      pullPaymentId: pull.id,
      accountId: pull.accountId,
      key: input.key,
      chain: asset.chain,
      currency: asset.currency,
      toAddress,
      amount,
      units,
      rate,
      status: pull.autoApprove ? 'APPROVED' : 'AWAITING_APPROVAL',
      reason: null,
      transferId: null,
      createdAt: clock.now(),
      decidedAt: null,
    };
  }

  async #chosen(pull: PullPayment, wanted: CurrencyCode | null): Promise<Asset> {
    const payable = await this.#payable(pull);
    if (payable.length === 0) throw notNow();
    const only = payable.length === 1 ? payable[0] : undefined;
    if (wanted === null && only === undefined) throw invalidField('currency', 'is required');
    const found = wanted === null ? only : payable.find(({ currency }) => currency === wanted);
    if (found === undefined)
      throw invalidField('currency', `must be one of ${payable.map(({ currency }) => currency).join(', ')}`);
    return found;
  }

  /** A fiat amount at the present prices, rounded down. @throws TillgateError `NOT_READY` without a usable price */
  async #convert(
    amount: bigint,
    { fiat }: PromisedCurrency,
    asset: Asset,
  ): Promise<{ readonly units: bigint; readonly rate: RateEvidence | null }> {
    if (fiat === null) return { units: amount, rate: null };
    const rate = await this.#deps.rates.payoutRate(asset, fiat);
    return { units: unitsAtRate(amount, fiat, asset, rate), rate };
  }

  async #store(
    seen: PullPayment,
    draft: Claim,
    priced: PricedClaim,
  ): Promise<{ readonly former: Claim | null; readonly transfer: MerchantTransfer | null }> {
    const { storage, clock } = this.#deps;
    return storage.transaction(async (tx) => {
      const { pull, order } = await lockPullPayment(tx, seen);
      const former = await tx.pullPayments.claimByKey(pull.id, draft.key);
      if (former !== null) return { former, transfer: null };
      await this.#requireClaimable(tx, pull, order, draft);
      const now = clock.now();
      const account = present(await tx.accounts.lockShared(pull.accountId), `account ${pull.accountId}`);
      if (account.status !== 'active' || (pull.orderId === null && !isVerified(account, draft.currency)))
        throw notNow();
      if ((await tx.transfers.findFreeze(pull.accountId)) !== null) throw notNow();
      const notBefore = now + this.#deps.settings.addressHoldMs;
      const transfer = pull.autoApprove
        ? await claimTransfer(tx, this.#deps, { pull, claim: draft, account }, priced, { now, notBefore })
        : null;
      await this.#setAside(tx, pull, draft);
      const claim = transfer === null ? draft : { ...draft, transferId: transfer.id, decidedAt: now };
      await tx.pullPayments.addClaim(claim);
      if (transfer !== null) await storeClaimTransfer(tx, this.#deps, transfer);
      return { former: null, transfer };
    });
  }

  /** Checked again under the locks: another claim may have taken the rest. */
  async #requireClaimable(tx: Transaction, pull: PullPayment, order: Order | null, { amount }: Claim): Promise<void> {
    this.#requireOpen(pull);
    if (amount > unclaimed(pull)) throw tooMuch();
    if ((await tx.pullPayments.countClaims(pull.id)) >= MAX_CLAIMS)
      throw stateConflict(`At most ${MAX_CLAIMS} claims are accepted; ask the sender for another page.`);
    if (order === null) return;
    // A reorganisation may have removed what the order received.
    const refunds = await lockedRefunds(tx, order.id);
    if (!allowsRefund(order.status) || refunds.units > order.received) throw notNow();
  }

  /** Takes the units from what is set aside; the rest of them is set aside now. */
  async #setAside(tx: Transaction, pull: PullPayment, { id, currency, units, amount }: Claim): Promise<void> {
    const { ids, clock } = this.#deps;
    const taken = pull.asideUnits < units ? pull.asideUnits : units;
    const missing = units - taken;
    if (missing > 0n) {
      const { accountId } = pull;
      const aside = { accountId, currency, units: missing, reference: `claim:${id}:set-aside` };
      await setAside(tx, aside, { ids, now: clock.now() }, lackingForPayee);
    }
    await tx.pullPayments.update(pull.id, { claimed: pull.claimed + amount, asideUnits: pull.asideUnits - taken });
  }
}

/** @throws TillgateError `INVALID_FIELDS`, `AMOUNT_OUT_OF_RANGE` */
function amountOf(pull: PullPayment, { code, decimals }: PromisedCurrency, wanted: Decimal | null): bigint {
  const left = unclaimed(pull);
  if (wanted === null) return left;
  const amount = toUnits(wanted, decimals);
  if (amount === null) throw invalidField('amount', `must have at most ${decimals} decimals in ${code}`);
  if (amount <= 0n) throw invalidField('amount', 'must be more than 0');
  if (amount > left)
    throw new TillgateError('AMOUNT_OUT_OF_RANGE', `At most ${formatUnits(left, decimals)} ${code} can be claimed.`);
  return amount;
}

function leastUnits(least: string, { currency, decimals }: Asset): bigint {
  const amount = present(readDecimal(least), `withdrawals.min of ${currency}`);
  return present(toUnits(amount, decimals), `withdrawals.min of ${currency}`);
}

const tooMuch = (): TillgateError =>
  new TillgateError('AMOUNT_OUT_OF_RANGE', 'Another claim has taken a part of it meanwhile; see what is left.');
/** A payee learns no reason that concerns the account alone. */
const notNow = (): TillgateError => stateConflict('Nothing of it can be claimed at the moment; ask the sender.');
const lackingForPayee = (): TillgateError =>
  new TillgateError('INSUFFICIENT_BALANCE', 'The sender cannot pay this amount at the moment; ask the sender.');
