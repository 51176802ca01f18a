import type { Account, Principal, SecondFactor } from '../access/index.ts';
import { isDemanded, merchantActor } from '../access/index.ts';
import { invalidField, LIGHTNING_ASSET, present, TillgateError, toUnits } from '../kernel/index.ts';
import type {
  AccountId,
  Asset,
  AssetCatalogue,
  Clock,
  Decimal,
  EventBus,
  IdempotencyClaim,
  IdGenerator,
  Logger,
  Metrics,
  Storage,
  TransferId,
} from '../kernel/index.ts';
import { requireInvoiceText } from './request-payment.ts';
import type { RequestLightningPayment } from './request-payment.ts';
import type { ChainAdapter, ChainRegistry } from '../chain/index.ts';
import { requirePayments } from './fee-estimator.ts';
import type { PayoutFeeEstimator, FeeEstimate } from './fee-estimator.ts';
import { formerTransfer, frozen, matching, reservationOf } from './reserve-transfer.ts';
import type { MerchantTransfer } from './reserve-transfer.ts';
import { newTransfer } from './transfer.ts';
import type { Transfer } from './transfer.ts';
import type { WithdrawalLimits } from './limits.ts';
import type { WithdrawalSettings } from './withdrawal-settings.ts';
import { storeTransfer } from './store-transfer.ts';
import type { RequestByHand, StoredTransfer, StoringContext } from './store-transfer.ts';
import { addressInForce } from './withdrawal-address.ts';
import {
  alertHeld,
  checkLimits,
  heldAbove,
  lacking,
  readWithdrawal,
  requireVerified,
  withdrawalView,
} from './withdrawal-rules.ts';
import type { WithdrawalView } from './withdrawal-view.ts';

/** The body of POST /api/withdraw. */
export interface WithdrawalInput {
  readonly chain: string;
  readonly currency: string;
  readonly amount: Decimal;
  /** The Lightning invoice to pay; only on BLN. */
  readonly lnInvoices?: string | null | undefined;
  readonly verifyCode?: string | null | undefined;
}

export interface RequestWithdrawalDeps {
  readonly storage: Storage;
  readonly assets: AssetCatalogue;
  readonly chains: ChainRegistry;
  readonly fees: PayoutFeeEstimator;
  readonly secondFactor: SecondFactor;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly events: EventBus;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly settings: WithdrawalSettings;
  readonly limits?: WithdrawalLimits;
  /** `null` without a Lightning node. */
  readonly lightning?: RequestLightningPayment | null;
}

/** The estimated cost of a withdrawal, in units of its asset, and its receiver. */
export interface WithdrawalQuote {
  readonly asset: Asset;
  readonly units: bigint;
  readonly feeUnits: bigint;
  readonly toAddress: string;
}

type Asked = Required<Pick<StoringContext, 'idempotency' | 'byHand'>>;

/** Withdraws a merchant's balance to its registered address on the chain or, on Lightning, to an invoice. */
export class RequestWithdrawal {
  readonly #deps: RequestWithdrawalDeps;

  constructor(deps: RequestWithdrawalDeps) {
    this.#deps = deps;
  }

  /**
   * Reserves the amount and queues the payment; returns once both are durable.
   *
   * @throws TillgateError `INVALID_FIELDS`, `UNSUPPORTED`, `AMOUNT_OUT_OF_RANGE`, `VERIFICATION_REQUIRED`,
   * `NO_WITHDRAWAL_ADDRESS`, `DESTINATION_UNPAYABLE`, `VERIFY_CODE_INVALID`, `STATE_CONFLICT` (frozen), `INSUFFICIENT_BALANCE`,
   * `IDEMPOTENCY_MISMATCH`, `NOT_READY` (watch-only, no rate), `NODE_FAILED`; on Lightning `INVOICE_INVALID`
   */
  async run(
    principal: Pick<Principal, 'accountId'>,
    input: WithdrawalInput,
    idempotency: IdempotencyClaim | null = null,
    byHand: RequestByHand | null = null,
  ): Promise<WithdrawalView> {
    const { accountId } = principal;
    const { storage, assets, chains, fees, lightning = null } = this.#deps;
    // Checked before the currency is looked up: the error of a missing field takes precedence over an unsupported one.
    if (input.chain === LIGHTNING_ASSET.chain) requireInvoiceText(input.lnInvoices);
    if (lightning !== null && input.chain === LIGHTNING_ASSET.chain) {
      assets.require(input.chain, input.currency);
      return lightning.run(principal, { ...input, codeRequired: true }, idempotency, byHand);
    }
    const former = await formerTransfer(storage, accountId, idempotency);
    if (former !== null) return this.#answer(former);
    const asset = assets.require(input.chain, input.currency);
    const units = requireAmount(input.amount, asset);
    checkLimits(this.#deps.settings, asset, units);
    const { account, toAddress, needsCode } = await this.#terms(accountId, asset);
    requireVerified(account, asset.currency);
    const chain = present(chains.get(asset.chain), `chain ${asset.chain}`);
    const payments = requirePayments(chain);
    if (toAddress === null) throw noAddress(chain);
    const fee = await fees.estimate(chain, asset, units, toAddress, accountId);
    await this.#deps.limits?.prepare(asset);
    if (needsCode)
      await this.#deps.secondFactor.use(accountId, input.verifyCode ?? null, 'verifyCode', {
        by: byHand?.actor ?? merchantActor(accountId),
        idempotency,
      });
    const transfer = this.#newTransfer(accountId, asset, units, { address: payments.hotAddress, toAddress }, fee);
    return this.#store(transfer, { idempotency, byHand });
  }

  /**
   * What a withdrawal of this amount would cost now, and where it would go. Nothing is reserved; the fee is an estimate.
   *
   * @throws TillgateError as {@link run}, except for codes, balances and invoices; `UNSUPPORTED` on Lightning, whose
   *   invoice names the receiver
   */
  async quote(
    accountId: AccountId,
    input: Pick<WithdrawalInput, 'chain' | 'currency' | 'amount'>,
  ): Promise<WithdrawalQuote> {
    const { assets, chains, fees, settings } = this.#deps;
    if (input.chain === LIGHTNING_ASSET.chain)
      throw new TillgateError(
        'UNSUPPORTED',
        'A Lightning invoice names its receiver; its fee is known once it is paid.',
      );
    const asset = assets.require(input.chain, input.currency);
    const units = requireAmount(input.amount, asset);
    checkLimits(settings, asset, units);
    const { account, toAddress } = await this.#terms(accountId, asset);
    requireVerified(account, asset.currency);
    const chain = present(chains.get(asset.chain), `chain ${asset.chain}`);
    requirePayments(chain);
    if (toAddress === null) throw noAddress(chain);
    const { feeUnits } = await fees.estimate(chain, asset, units, toAddress, accountId);
    return { asset, units, feeUnits, toAddress };
  }

  async #store(transfer: MerchantTransfer, asked: Asked): Promise<WithdrawalView> {
    const { events, metrics } = this.#deps;
    const stored = await this.#reserve(transfer, asked);
    if ('former' in stored) return this.#answer(stored.former);
    const { transfer: reserved, left } = stored;
    metrics.count('tillgate_transfers_total', { chain: reserved.chain, kind: reserved.kind, status: reserved.status });
    if (reserved.status === 'HELD') alertHeld(this.#deps, reserved);
    else events.emit('transfer.queued', { chain: reserved.chain });
    return this.#view(reserved, left, null);
  }

  /**
   * Without a limit, concurrent requests share a commit; with one, they are decided one after another. A request in the
   * management API has a commit of its own.
   */
  async #reserve(transfer: MerchantTransfer, asked: Asked): Promise<StoredTransfer> {
    const { storage, ids, limits } = this.#deps;
    const { idempotency, byHand } = asked;
    if (byHand !== null || limits?.concern(transfer.currency) === true) {
      const stored = await storage.transaction((tx) =>
        storeTransfer(tx, transfer, { ids, limits, ...asked }, () => lacking(transfer)),
      );
      return present(stored, `reserve of transfer ${transfer.id}`);
    }
    const outcome = await storage.transfers.reserve(reservationOf(transfer, ids, idempotency));
    if (outcome.kind === 'repeated') return { former: matching(outcome, idempotency) };
    if (outcome.kind === 'frozen') throw frozen(outcome.reason);
    if (outcome.kind === 'lacking') throw lacking(transfer);
    return { transfer, left: outcome.left };
  }

  #newTransfer(
    accountId: AccountId,
    asset: Asset,
    units: bigint,
    { address, toAddress }: { readonly address: string; readonly toAddress: string },
    fee: FeeEstimate,
  ): MerchantTransfer {
    const { clock, ids, settings } = this.#deps;
    const request = {
      id: ids.next() as TransferId,
      kind: 'withdrawal' as const,
      accountId,
      orderId: null,
      chain: asset.chain,
      currency: asset.currency,
      units,
      ...fee,
      sourceAddress: address,
      sourceIndex: null,
      toAddress,
    };
    return heldAbove(settings, asset, newTransfer(request, clock.now()));
  }

  /** The account's permissions and its destination, in three concurrent reads. */
  async #terms(
    accountId: AccountId,
    { chain }: Asset,
  ): Promise<{ readonly account: Account; readonly toAddress: string | null; readonly needsCode: boolean }> {
    const { accounts, wallets, manage } = this.#deps.storage;
    const [account, address, security] = await Promise.all([
      accounts.find(accountId),
      wallets.withdrawalAddress(accountId, chain),
      manage.security(accountId),
    ]);
    return {
      account: present(account, `account ${accountId}`),
      toAddress: addressInForce(address, this.#deps.clock.now()),
      needsCode: isDemanded(security.totpForWithdrawals, this.#deps.clock.now()),
    };
  }

  async #answer(id: TransferId): Promise<WithdrawalView> {
    const { storage } = this.#deps;
    const { transfer, balance } = await readWithdrawal(storage, id);
    const view = await storage.transfers.payoutOf(id);
    return this.#view(
      transfer,
      balance,
      view === null ? null : (view.payout.minedTxid ?? view.attempts.at(-1)?.txid ?? null),
    );
  }

  #view(transfer: Transfer, balance: bigint, txHash: string | null): WithdrawalView {
    return withdrawalView(
      transfer,
      present(this.#deps.assets.find(transfer.currency), `asset ${transfer.currency}`),
      balance,
      txHash,
    );
  }
}

function requireAmount(amount: Decimal, { currency, decimals }: Asset): bigint {
  const units = toUnits(amount, decimals);
  if (units === null) throw invalidField('amount', `must have at most ${decimals} decimals in ${currency}`);
  if (units <= 0n) throw invalidField('amount', 'must be more than 0');
  return units;
}

function noAddress({ name, code }: ChainAdapter): TillgateError {
  return new TillgateError(
    'NO_WITHDRAWAL_ADDRESS',
    `No withdrawal address on ${name} is in force; register one for ${code}, and wait until the change takes effect.`,
  );
}
