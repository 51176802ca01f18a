import { raiseAlert } from '../alerts/raise-alert.ts';
import type { Account } from '../accounts/account.ts';
import type { Principal } from '../auth/principal.ts';
import type { Asset, AssetCatalogue, CurrencyCode } from '../kernel/asset.ts';
import { formatUnits, parseUnits, toUnits } from '../kernel/decimal.ts';
import type { Decimal } from '../kernel/decimal.ts';
import { invalidField, TillgateError } from '../kernel/errors.ts';
import { present } from '../kernel/guard.ts';
import type { AccountId, TransferId } from '../kernel/ids.ts';
import { formatTimestamp } from '../kernel/time.ts';
import { merchantAccount } from '../ledger/entry.ts';
import type { SecondFactor } from '../manage/second-factor.ts';
import type { ChainAdapter, ChainRegistry } from '../ports/chain-adapter.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventBus } from '../ports/events.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { IdempotencyClaim } from '../ports/order-store.ts';
import type { Storage } from '../ports/storage.ts';
import type { TransactionStatus } from '../transactions/transaction.ts';
import { requirePayments } from '../transfers/fee-desk.ts';
import type { FeeDesk, FeeEstimate } from '../transfers/fee-desk.ts';
import { claimTransfer, formerTransfer, reserveTransfer } from '../transfers/reserve-transfer.ts';
import type { MerchantTransfer } from '../transfers/reserve-transfer.ts';
import { newTransfer, obtainedUnits } from '../transfers/transfer.ts';
import type { Transfer, TransferStatus } from '../transfers/transfer.ts';
import type { WithdrawalSettings } from './settings.ts';
import { addressInForce } from './withdrawal-address.ts';
import type { WithdrawalRecord } from './withdrawal-record.ts';

/** The body of POST /api/withdraw. */
export interface WithdrawalInput {
  readonly chain: string;
  readonly currency: string;
  readonly amount: Decimal;
  readonly lnInvoices: string | null;
  readonly verifyCode: string | null;
}

/** What {@link RequestWithdrawal} needs. */
export interface RequestWithdrawalDeps {
  readonly storage: Storage;
  readonly assets: AssetCatalogue;
  readonly chains: ChainRegistry;
  readonly fees: FeeDesk;
  readonly secondFactor: SecondFactor;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly events: EventBus;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly settings: WithdrawalSettings;
}

/** How a transfer stands in the merchant's transactions. */
const WIRE_STATUS: Readonly<Record<TransferStatus, TransactionStatus>> = {
  HELD: 'PENDING',
  REQUESTED: 'PENDING',
  SIGNED: 'PENDING',
  BROADCAST: 'PENDING',
  CONFIRMED: 'SUCCESS',
  FAILED: 'FAILED',
};

/** Withdraws a merchant's balance to the address that is registered for the chain (endpoint 11). */
export class RequestWithdrawal {
  readonly #deps: RequestWithdrawalDeps;

  constructor(deps: RequestWithdrawalDeps) {
    this.#deps = deps;
  }

  /**
   * Reserves the amount and queues the payment; nothing is answered before that is durable.
   *
   * @throws TillgateError `INVALID_FIELDS`, `UNSUPPORTED`, `AMOUNT_OUT_OF_RANGE`, `VERIFICATION_REQUIRED`,
   * `NO_WITHDRAWAL_ADDRESS`, `VERIFY_CODE_INVALID`, `STATE_CONFLICT` (frozen), `INSUFFICIENT_BALANCE`,
   * `IDEMPOTENCY_MISMATCH`, `NOT_READY` (watch-only, no rate), `NODE_FAILED`
   */
  async run({ accountId }: Principal, input: WithdrawalInput, idempotency: IdempotencyClaim | null): Promise<WithdrawalRecord> {
    const { storage, assets, chains, fees } = this.#deps;
    const former = await formerTransfer(storage, accountId, idempotency);
    if (former !== null) return this.#answer(former);
    const asset = assets.require(input.chain, input.currency);
    const units = requireAmount(input.amount, asset);
    this.#checkLimits(asset, units);
    const { account, toAddress, needsCode } = await this.#terms(accountId, asset);
    requireVerified(account, asset.currency);
    const chain = present(chains.get(asset.chain), `chain ${asset.chain}`);
    const payments = requirePayments(chain);
    if (toAddress === null) throw noAddress(chain);
    const fee = await fees.estimate(chain, asset, units, toAddress);
    if (needsCode) await this.#deps.secondFactor.use(accountId, input.verifyCode, 'verify_code');
    const transfer = this.#newTransfer(accountId, asset, units, { address: payments.hotAddress, toAddress }, fee);
    return this.#store(transfer, idempotency);
  }

  async #store(transfer: MerchantTransfer, idempotency: IdempotencyClaim | null): Promise<WithdrawalRecord> {
    const { storage, ids, events, metrics } = this.#deps;
    const { former, left } = await storage.transaction(async (tx) => {
      const claimed = await claimTransfer(tx, transfer, idempotency);
      const reserved = claimed === null ? await reserveTransfer(tx, transfer, ids, () => this.#lacking(transfer)) : null;
      return { former: claimed, left: reserved };
    });
    if (former !== null) return this.#answer(former);
    metrics.count('tillgate_transfers_total', { chain: transfer.chain, kind: transfer.kind, status: transfer.status });
    if (transfer.status === 'HELD') raiseAlert(this.#deps, 'approval', `withdrawal ${transfer.id}`, 'A withdrawal waits for an operator to approve it.');
    else events.emit('transfer.queued', { chain: transfer.chain });
    return this.#record(transfer, present(left, `reserve of transfer ${transfer.id}`), null);
  }

  #newTransfer(
    accountId: AccountId,
    { chain, currency, decimals }: Asset,
    units: bigint,
    { address, toAddress }: { readonly address: string; readonly toAddress: string },
    fee: FeeEstimate,
  ): MerchantTransfer {
    const { clock, ids, settings } = this.#deps;
    const threshold = settings.approveAbove.get(currency);
    const held = threshold !== undefined && units > present(parseUnits(threshold, decimals), `withdrawals.approveAbove of ${currency}`);
    const request = {
      id: ids.next() as TransferId,
      kind: 'withdrawal' as const,
      accountId,
      orderId: null,
      chain,
      currency,
      units,
      ...fee,
      sourceAddress: address,
      sourceIndex: null,
      toAddress,
    };
    const transfer = newTransfer(request, clock.now());
    return held ? { ...transfer, status: 'HELD', reason: 'Waits for an operator to approve it.' } : transfer;
  }

  #checkLimits({ currency, decimals }: Asset, units: bigint): void {
    const { min, max } = this.#deps.settings;
    const [least, most] = [min.get(currency), max.get(currency)];
    const below = least !== undefined && units < present(parseUnits(least, decimals), `withdrawals.min of ${currency}`);
    const above = most !== undefined && units > present(parseUnits(most, decimals), `withdrawals.max of ${currency}`);
    if (!below && !above) return;
    const bounds = [least === undefined ? '' : `at least ${least}`, most === undefined ? '' : `at most ${most}`].filter((bound) => bound !== '');
    throw new TillgateError('AMOUNT_OUT_OF_RANGE', `A withdrawal of ${currency} must be ${bounds.join(' and ')}.`);
  }

  /** What the account may do and where its money goes: three reads at once. */
  async #terms(accountId: AccountId, { chain }: Asset): Promise<{ readonly account: Account; readonly toAddress: string | null; readonly needsCode: boolean }> {
    const { accounts, wallets, manage } = this.#deps.storage;
    const [account, address, security] = await Promise.all([accounts.find(accountId), wallets.withdrawalAddress(accountId, chain), manage.security(accountId)]);
    return {
      account: present(account, `account ${accountId}`),
      toAddress: addressInForce(address, this.#deps.clock.now()),
      needsCode: security.totpForWithdrawals,
    };
  }

  #lacking({ currency }: Transfer): TillgateError {
    return new TillgateError('INSUFFICIENT_BALANCE', `The available balance of ${currency} is less than the amount.`);
  }

  async #answer(id: TransferId): Promise<WithdrawalRecord> {
    const { storage } = this.#deps;
    const transfer = present(await storage.transfers.find(id), `transfer ${id}`);
    const account = merchantAccount(present(transfer.accountId, `account of transfer ${id}`), 'available');
    const balance = (await storage.ledger.balances(account)).find(({ currency }) => currency === transfer.currency)?.units ?? 0n;
    const view = await storage.transfers.bundleOf(id);
    return this.#record(transfer, balance, view === null ? null : (view.bundle.minedTxid ?? view.attempts.at(-1)?.txid ?? null));
  }

  #record(transfer: Transfer, balance: bigint, txHash: string | null): WithdrawalRecord {
    const { decimals } = present(this.#deps.assets.find(transfer.currency), `asset ${transfer.currency}`);
    return {
      user_id: present(transfer.accountId, `account of transfer ${transfer.id}`),
      tx_id: transfer.id,
      type: 'WITHDRAW',
      status: WIRE_STATUS[transfer.status],
      chain: transfer.chain,
      currency: transfer.currency,
      amount: formatUnits(transfer.units, decimals),
      fee: formatUnits(transfer.feeUnits, decimals),
      obtained: formatUnits(obtainedUnits(transfer), decimals),
      balance: formatUnits(balance, decimals),
      to_addr: transfer.toAddress,
      tx_hash: txHash,
      update_time: formatTimestamp(transfer.updatedAt),
    };
  }
}

function requireVerified({ verifiedCurrencies }: Account, currency: CurrencyCode): void {
  if (verifiedCurrencies.some((covered) => covered === '*' || covered === currency)) return;
  throw new TillgateError('VERIFICATION_REQUIRED', `The account must pass business verification before ${currency} can be withdrawn.`);
}

function requireAmount(amount: Decimal, { currency, decimals }: Asset): bigint {
  const units = toUnits(amount, decimals);
  if (units === null) throw invalidField('amount', `must have at most ${decimals} decimals in ${currency}`);
  if (units <= 0n) throw invalidField('amount', 'must be more than 0');
  return units;
}

function noAddress({ name, code }: ChainAdapter): TillgateError {
  return new TillgateError('NO_WITHDRAWAL_ADDRESS', `No withdrawal address on ${name} is in force; register one for ${code}, and wait until its change holds.`);
}
