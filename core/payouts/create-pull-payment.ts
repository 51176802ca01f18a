import { isDemanded, lockLive, merchantActor, targetAccount } from '../access/index.ts';
import type { Actor, SecondFactor } from '../access/index.ts';
import {
  hex,
  invalidField,
  isId,
  LIGHTNING_ASSET,
  present,
  stateConflict,
  TillgateError,
  toUnits,
} from '../kernel/index.ts';
import type {
  AccountId,
  AssetCatalogue,
  Clock,
  CurrencyCode,
  Decimal,
  IdempotencyClaim,
  IdGenerator,
  Millis,
  OrderId,
  PullPaymentId,
  Random,
  Storage,
  Transaction,
  TransferId,
} from '../kernel/index.ts';
import type { ChainRegistry } from '../chain/index.ts';
import {
  allowsRefund,
  isMerchantReference,
  isMetadata,
  lineProblem,
  lockedRefunds,
  METADATA_RULE,
  nameKey,
  REFERENCE_RULE,
} from '../orders/index.ts';
import type { Metadata, Order } from '../orders/index.ts';
import { nonRefundable } from './promised-refund.ts';
import { MAX_OPEN_PULL_PAYMENTS, MAX_PULL_PAYMENT_NAME, promisedCurrency } from './pull-payment.ts';
import type { PromisedCurrency, PullPayment } from './pull-payment.ts';
import { matching } from './reserve-transfer.ts';
import { setAside } from './set-aside.ts';
import { lacking, requireVerified } from './withdrawal-rules.ts';

/** A new pull payment. */
export interface NewPullPayment {
  /** The actor's own account by default. */
  readonly accountId?: AccountId | undefined;
  readonly name: string;
  /** A coin of the till, or a fiat currency. */
  readonly currency: string;
  readonly amount: Decimal;
  /** The coins in which a fiat amount can be claimed; `null` or absent for all that can be paid. */
  readonly coins?: readonly CurrencyCode[] | null | undefined;
  readonly expiresAt?: Millis | null | undefined;
  readonly autoApprove?: boolean | undefined;
  readonly reference?: string | null | undefined;
  readonly metadata?: Metadata | undefined;
  /** The order of which it refunds a part, in the order's own coin. */
  readonly orderId?: OrderId | null | undefined;
  /** A code of the account's second factor. */
  readonly verifyCode?: string | null | undefined;
}

export interface CreatePullPaymentDeps {
  readonly storage: Storage;
  readonly assets: AssetCatalogue;
  readonly chains: ChainRegistry;
  readonly secondFactor: Pick<SecondFactor, 'use'>;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly random: Random;
}

/** Writes the audit row of a new pull payment, in its transaction. */
export type NotePullPayment = (tx: Transaction, pull: PullPayment) => void;

const TOKEN_BYTES = 16;
const CONTROL = /\p{Cc}/u;

/** Promises an amount to whoever has the URL of its claim page. */
export class CreatePullPayment {
  readonly #deps: CreatePullPaymentDeps;

  constructor(deps: CreatePullPaymentDeps) {
    this.#deps = deps;
  }

  /**
   * Promises an amount. An amount in a coin is set aside at once; one in a fiat currency when it is claimed.
   *
   * @throws TillgateError `NOT_FOUND`, `FORBIDDEN` for another account, `INVALID_FIELDS`, `UNSUPPORTED`, `VERIFICATION_REQUIRED`, `VERIFY_CODE_INVALID`;
   *   `STATE_CONFLICT` for an account that is not active, is frozen or has too many, and for an order that has not
   *   received enough; `INSUFFICIENT_BALANCE`, `IDEMPOTENCY_MISMATCH`, `NOT_READY` for a chain that pays nothing
   */
  async run(
    actor: Actor,
    { accountId: wanted, verifyCode = null, ...input }: NewPullPayment,
    idempotency: IdempotencyClaim | null,
    note: NotePullPayment,
  ): Promise<PullPayment> {
    const accountId = targetAccount(actor, wanted);
    // Whoever makes it knows its URL, and could claim another account's balance.
    if (actor.accountId !== null && actor.accountId !== accountId)
      throw new TillgateError('FORBIDDEN', 'Only the account itself, or an operator, can promise its balance.');
    const former = await this.former(accountId, idempotency);
    if (former !== null) return former;
    const currency = this.#currency(input.currency);
    const pull = this.#draft(actor, accountId, currency, input);
    await this.#authorise(actor, pull, verifyCode, idempotency);
    const earlier = await this.#store(pull, currency, idempotency, note);
    return earlier === null ? pull : this.#former(earlier);
  }

  /** The pull payment that was made with an idempotency key. @throws TillgateError `IDEMPOTENCY_MISMATCH` */
  async former(accountId: AccountId, idempotency: IdempotencyClaim | null): Promise<PullPayment | null> {
    const former = idempotency === null ? null : await this.#deps.storage.transfers.claimed(accountId, idempotency);
    return former === null ? null : this.#former(matching(former, idempotency));
  }

  async #former(id: TransferId): Promise<PullPayment> {
    const found = await this.#deps.storage.pullPayments.find(String(id) as PullPaymentId);
    return present(found, `pull payment ${id}`);
  }

  #currency(code: string): PromisedCurrency {
    const { assets, chains } = this.#deps;
    const currency = promisedCurrency(assets, code);
    if (currency === null)
      throw new TillgateError(
        'UNSUPPORTED',
        `The currency ${code} is neither a coin nor a fiat currency of this till.`,
      );
    if (currency.fiat === null) requirePayable(assets, chains, code);
    return currency;
  }

  #draft(
    actor: Actor,
    accountId: AccountId,
    { code, decimals, fiat }: PromisedCurrency,
    input: Omit<NewPullPayment, 'accountId' | 'verifyCode'>,
  ): PullPayment {
    const { ids, random, clock } = this.#deps;
    const now = clock.now();
    const { expiresAt = null, autoApprove = false, reference = null, metadata = {}, orderId = null } = input;
    const amount = toUnits(input.amount, decimals);
    if (amount === null) throw invalidField('amount', `must have at most ${decimals} decimals in ${code}`);
    if (amount <= 0n) throw invalidField('amount', 'must be more than 0');
    if (expiresAt !== null && expiresAt <= now) throw invalidField('expiresAt', 'must be in the future');
    if (reference !== null && !isMerchantReference(reference))
      throw invalidField('reference', `must be ${REFERENCE_RULE}`);
    if (!isMetadata(metadata)) throw invalidField('metadata', `must be ${METADATA_RULE}`);
    const name = readName(input.name);
    return {
      id: ids.next() as PullPaymentId,
      accountId,
      token: hex(random.bytes(TOKEN_BYTES)),
      name,
      currency: code,
      amount,
      coins: fiat === null ? null : this.#coins(input.coins ?? null),
      expiresAt,
      autoApprove,
      reference,
      metadata,
      orderId,
      requestedBy: actor.program === undefined ? actor.accountId : null,
      claimed: 0n,
      asideUnits: fiat === null ? amount : 0n,
      archivedAt: null,
      releasedAt: null,
      createdAt: now,
    };
  }

  #coins(coins: readonly CurrencyCode[] | null): readonly CurrencyCode[] | null {
    if (coins === null) return null;
    if (coins.length === 0) throw invalidField('coins', 'must not be empty; leave it out for all');
    const { assets, chains } = this.#deps;
    for (const coin of coins) requirePayable(assets, chains, coin);
    return [...new Set(coins)];
  }

  /**
   * A person's session has had a step-up. A credential needs a code where the account demands one for withdrawals; and
   * always for a promise that approves by itself, because its claim page pays to any address.
   */
  async #authorise(
    actor: Actor,
    { accountId, autoApprove }: PullPayment,
    verifyCode: string | null,
    idempotency: IdempotencyClaim | null,
  ): Promise<void> {
    if (actor.program === undefined || actor.accountId === null) return;
    const { storage, clock, secondFactor } = this.#deps;
    const { totpForWithdrawals } = await storage.manage.security(accountId);
    if (!autoApprove && !isDemanded(totpForWithdrawals, clock.now())) return;
    await secondFactor.use(accountId, verifyCode, 'verifyCode', { by: merchantActor(accountId), idempotency });
  }

  /** @returns the earlier pull payment of the same idempotency key; `null` when this one is stored */
  #store(
    pull: PullPayment,
    { fiat }: PromisedCurrency,
    idempotency: IdempotencyClaim | null,
    note: NotePullPayment,
  ): Promise<TransferId | null> {
    const { storage, ids, clock } = this.#deps;
    return storage.transaction(async (tx) => {
      // A key is claimed for a record of any kind.
      const id = String(pull.id) as TransferId;
      const former = idempotency === null ? null : await tx.transfers.claim(pull.accountId, idempotency, id);
      if (former !== null) return matching(former, idempotency);
      const order = pull.orderId === null ? null : await lockOrder(tx, pull, pull.orderId);
      const account = await lockLive(tx, pull.accountId);
      if (account.status !== 'active') throw stateConflict(`The account is ${account.status}.`);
      if (fiat === null && order === null) requireVerified(account, pull.currency);
      await refuseOthersName(tx, pull);
      if ((await tx.pullPayments.countOpen(pull.accountId, MAX_OPEN_PULL_PAYMENTS)) >= MAX_OPEN_PULL_PAYMENTS)
        throw stateConflict(`An account has at most ${MAX_OPEN_PULL_PAYMENTS} pull payments that can be claimed.`);
      if (order !== null) await requireRefundable(tx, order, pull);
      if (fiat === null) {
        const { accountId, currency, amount: units } = pull;
        const aside = { accountId, currency, units, reference: `pull-payment:${pull.id}:set-aside` };
        await setAside(tx, aside, { ids, now: clock.now() }, () => lacking(pull));
      }
      await tx.pullPayments.add(pull);
      note(tx, pull);
      return null;
    });
  }
}

/** @throws TillgateError `UNSUPPORTED` for an unknown coin and for Lightning; `NOT_READY` for a chain that pays nothing */
function requirePayable(assets: AssetCatalogue, chains: ChainRegistry, currency: CurrencyCode): void {
  const asset = assets.enabled().find((one) => one.currency === currency);
  if (asset === undefined || asset.chain === LIGHTNING_ASSET.chain)
    throw new TillgateError('UNSUPPORTED', `The coin ${currency} cannot be claimed from this till.`);
  const chain = chains.get(asset.chain);
  if (chain?.payments == null)
    throw new TillgateError('NOT_READY', `${chain?.name ?? asset.chain} is watch-only in this installation.`);
}

/** @throws TillgateError `INVALID_FIELDS` */
function readName(name: string): string {
  if (name.trim() === '' || name.length > MAX_PULL_PAYMENT_NAME || CONTROL.test(name))
    throw invalidField('name', `must be 1 to ${MAX_PULL_PAYMENT_NAME} characters without control characters`);
  const problem = lineProblem(name);
  if (problem !== null) throw invalidField('name', problem);
  return name;
}

/** Another account's brand as a heading would be taken for that account's page. @throws TillgateError `INVALID_FIELDS` */
async function refuseOthersName({ branding }: Transaction, { name, accountId }: PullPayment): Promise<void> {
  const owner = await branding.ownerOfName(nameKey(name));
  if (owner !== null && owner !== accountId) throw invalidField('name', 'is the name of another merchant');
}

/** @throws TillgateError `NOT_FOUND` for an order of another account */
async function lockOrder(tx: Transaction, { accountId }: PullPayment, id: OrderId): Promise<Order> {
  const order = isId(id) ? await tx.orders.lock(id) : null;
  if (order?.accountId === accountId) return order;
  throw new TillgateError('NOT_FOUND', 'orderId: there is no such order', {
    fields: [{ path: 'orderId', message: 'there is no such order' }],
  });
}

/** @throws TillgateError `STATE_CONFLICT` when the order has not received as much, less what is refunded or promised */
async function requireRefundable(tx: Transaction, order: Order, { currency, amount }: PullPayment): Promise<void> {
  if (!allowsRefund(order.status)) throw stateConflict(`The order is ${order.status}; there is nothing to refund.`);
  if (order.payment?.currency !== currency)
    throw invalidField('vsCurrency', 'must be the coin in which the order was paid');
  const { units } = await lockedRefunds(tx, order.id);
  if (amount > order.received - units)
    throw nonRefundable('The amount is more than what the order received, less what is refunded or promised.');
}
