import { isDemanded, merchantActor } from '../access/index.ts';
import type { Principal, SecondFactor } from '../access/index.ts';
import {
  DAY_MS,
  formatInstant,
  invalidField,
  LIGHTNING_ASSET,
  present,
  TillgateError,
  toUnits,
} from '../kernel/index.ts';
import type {
  AccountId,
  Clock,
  Deadline,
  Decimal,
  EventBus,
  IdempotencyClaim,
  IdGenerator,
  Logger,
  Metrics,
  Millis,
  Storage,
  TransferId,
} from '../kernel/index.ts';
import type { DecodedInvoice, LightningNode } from '../chain/index.ts';
import { formerTransfer } from './reserve-transfer.ts';
import type { MerchantTransfer } from './reserve-transfer.ts';
import { newTransfer } from './transfer.ts';
import type { WithdrawalLimits } from './limits.ts';
import type { WithdrawalSettings } from './withdrawal-settings.ts';
import { storeTransfer } from './store-transfer.ts';
import type { RequestByHand, StoringContext } from './store-transfer.ts';
import type { WithdrawalView } from './withdrawal-view.ts';
import {
  alertHeld,
  checkLimits,
  heldAbove,
  lacking,
  readWithdrawal,
  requireVerified,
  withdrawalView,
} from './withdrawal-rules.ts';
import type { NewLightningPayment } from './lightning-payment.ts';
import { DEFAULT_LONGEST_INVOICE_MS, maxRoutingFee } from './lightning-settings.ts';
import type { LightningFeeSettings } from './lightning-settings.ts';

/** The input of a withdrawal over Lightning. */
export interface LightningPaymentInput {
  readonly lnInvoices?: string | null | undefined;
  /** May be absent when the invoice has an amount; when both are given, they must be equal. */
  readonly amount?: Decimal | null | undefined;
  readonly verifyCode?: string | null | undefined;
  /** True to require a code whatever the account's security settings are; false by default. */
  readonly codeRequired?: boolean | undefined;
}

export interface RequestLightningPaymentDeps {
  readonly node: LightningNode;
  readonly storage: Storage;
  readonly secondFactor: SecondFactor;
  readonly clock: Clock;
  readonly deadline: Deadline;
  readonly ids: IdGenerator;
  readonly events: EventBus;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly settings: WithdrawalSettings;
  readonly limits?: WithdrawalLimits;
  readonly fees: LightningFeeSettings;
  /** {@link DEFAULT_LONGEST_INVOICE_MS} by default. */
  readonly longestInvoiceMs?: number;
}

type Asked = Required<Pick<StoringContext, 'idempotency' | 'byHand'>>;

/** How long to wait for the outcome, in milliseconds. Most payments end by then; the others say PENDING. */
const OUTCOME_WAIT_MS = 5_000;

/** Withdraws a merchant's balance over Lightning: reserves the amount and the maximum routing fee, then queues it. */
export class RequestLightningPayment {
  readonly #deps: RequestLightningPaymentDeps;

  constructor(deps: RequestLightningPaymentDeps) {
    this.#deps = deps;
  }

  /**
   * Reserves durably before it returns, then waits a moment for the payment's outcome. In the record, `amount` leaves
   * the balance and `obtained` is what the invoice gets.
   *
   * @throws TillgateError `INVALID_FIELDS`, `INVOICE_INVALID`, `AMOUNT_OUT_OF_RANGE`, `VERIFICATION_REQUIRED`,
   *   `VERIFY_CODE_INVALID`, `STATE_CONFLICT` (frozen, or the till already paid the invoice), `INSUFFICIENT_BALANCE`,
   *   `IDEMPOTENCY_MISMATCH`, `NODE_FAILED`
   */
  async run(
    { accountId }: Pick<Principal, 'accountId'>,
    input: LightningPaymentInput,
    idempotency: IdempotencyClaim | null = null,
    byHand: RequestByHand | null = null,
  ): Promise<WithdrawalView> {
    const { storage, settings } = this.#deps;
    const former = await formerTransfer(storage, accountId, idempotency);
    if (former !== null) return this.#answer(former);
    const { text, invoice } = await readPayableInvoice(this.#deps, input.lnInvoices);
    const msat = agreedAmount(invoice, input.amount ?? null);
    checkLimits(settings, LIGHTNING_ASSET, msat);
    await this.#authorise(accountId, input, { idempotency, byHand });
    const transfer = this.#newTransfer(accountId, text, msat);
    const { paymentHash, expiresAt } = invoice;
    return this.#store(
      transfer,
      {
        paymentHash,
        transferId: transfer.id,
        paymentRequest: text,
        msat: invoice.msat === null ? msat : null,
        expiresAt,
      },
      { idempotency, byHand },
    );
  }

  async #authorise(
    accountId: AccountId,
    { verifyCode = null, codeRequired = false }: LightningPaymentInput,
    { idempotency, byHand }: Asked,
  ): Promise<void> {
    const { accounts, manage } = this.#deps.storage;
    const [account, security] = await Promise.all([accounts.find(accountId), manage.security(accountId)]);
    requireVerified(present(account, `account ${accountId}`), LIGHTNING_ASSET.currency);
    if (codeRequired || isDemanded(security.totpForWithdrawals, this.#deps.clock.now()))
      await this.#deps.secondFactor.use(accountId, verifyCode, 'verifyCode', {
        by: byHand?.actor ?? merchantActor(accountId),
        idempotency,
      });
  }

  #newTransfer(accountId: AccountId, paymentRequest: string, msat: bigint): MerchantTransfer {
    const { clock, ids, settings, fees } = this.#deps;
    const maxFeeUnits = maxRoutingFee(fees, msat);
    const request = {
      id: ids.next() as TransferId,
      kind: 'withdrawal' as const,
      accountId,
      orderId: null,
      chain: LIGHTNING_ASSET.chain,
      currency: LIGHTNING_ASSET.currency,
      units: msat + maxFeeUnits,
      feeUnits: maxFeeUnits,
      maxFeeUnits,
      sourceAddress: '',
      sourceIndex: null,
      toAddress: paymentRequest,
    };
    return heldAbove(settings, LIGHTNING_ASSET, newTransfer(request, clock.now()));
  }

  async #store(transfer: MerchantTransfer, payment: NewLightningPayment, asked: Asked): Promise<WithdrawalView> {
    const { storage, ids, limits, metrics } = this.#deps;
    await limits?.prepare(LIGHTNING_ASSET);
    const stored = await storage.transaction(async (tx) => {
      const done = await storeTransfer(tx, transfer, { ids, limits, ...asked }, () => lacking(transfer));
      if (done !== null && 'former' in done) return done;
      if (!(await tx.lightning.addPayment(payment))) {
        throw new TillgateError(
          'STATE_CONFLICT',
          'Another withdrawal pays this invoice; an invoice is paid only once. Ask the receiver for a new one.',
        );
      }
      return present(done, `reserve of transfer ${transfer.id}`);
    });
    if ('former' in stored) return this.#answer(stored.former);
    const { id, chain, kind, status } = stored.transfer;
    metrics.count('tillgate_transfers_total', { chain, kind, status });
    if (status === 'HELD') alertHeld(this.#deps, stored.transfer);
    else await this.#outcome(id);
    return this.#answer(id);
  }

  /** Triggers the payer and waits a moment, so that the reply usually has an outcome. */
  #outcome(id: TransferId): Promise<void> {
    const { events, deadline } = this.#deps;
    const signal = deadline(OUTCOME_WAIT_MS);
    return new Promise((resolve) => {
      const end = (): void => {
        unsubscribe();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const unsubscribe = events.on('transfer.status', ({ transferId, to }) => {
        if (transferId === id && (to === 'CONFIRMED' || to === 'FAILED')) end();
      });
      signal.addEventListener('abort', end);
      events.emit('transfer.queued', { chain: LIGHTNING_ASSET.chain });
    });
  }

  async #answer(id: TransferId): Promise<WithdrawalView> {
    const { storage } = this.#deps;
    const { transfer, balance } = await readWithdrawal(storage, id);
    return withdrawalView(
      transfer,
      LIGHTNING_ASSET,
      balance,
      (await storage.lightning.paymentOf(id))?.paymentHash ?? null,
    );
  }
}

/** An invoice that may be paid, and its text without a URI scheme. */
export interface PayableInvoice {
  readonly text: string;
  readonly invoice: DecodedInvoice;
}

/**
 * Reads an invoice that may be paid now.
 *
 * @throws TillgateError `INVALID_FIELDS` for no text; `INVOICE_INVALID` for one that cannot be paid; `NODE_FAILED`
 */
export async function readPayableInvoice(
  {
    node,
    clock,
    storage,
    longestInvoiceMs = DEFAULT_LONGEST_INVOICE_MS,
  }: Pick<RequestLightningPaymentDeps, 'node' | 'clock' | 'longestInvoiceMs'> & {
    readonly storage: Pick<Storage, 'deposits'>;
  },
  given: string | null | undefined,
): Promise<PayableInvoice> {
  const text = requireInvoiceText(given);
  if (text.startsWith('lnurl') || text.includes('@')) {
    throw new TillgateError(
      'INVOICE_INVALID',
      'LNURLs and Lightning addresses cannot be paid here: ask the receiver for a BOLT11 invoice.',
    );
  }
  const invoice = await node.decode(text);
  requirePayableNow(invoice, clock.now(), longestInvoiceMs);
  const [own] = await storage.deposits.owners(LIGHTNING_ASSET.chain, [invoice.paymentHash]);
  if (own !== undefined)
    throw new TillgateError('INVOICE_INVALID', 'The invoice was issued by this till, which cannot pay itself.');
  return { text, invoice };
}

/** The text of an invoice without a URI scheme. @throws TillgateError `INVALID_FIELDS` when there is none */
export function requireInvoiceText(given: string | null | undefined): string {
  const text = (given ?? '')
    .trim()
    .toLowerCase()
    .replace(/^lightning:/, '');
  if (text === '') throw invalidField('lnInvoices', 'must be a Lightning invoice');
  return text;
}

function requirePayableNow({ expiresAt }: DecodedInvoice, now: Millis, longestMs: number): void {
  if (expiresAt <= now)
    throw new TillgateError('INVOICE_INVALID', 'The invoice has expired; ask the receiver for a new one.');
  if (expiresAt - now > longestMs)
    throw new TillgateError(
      'INVOICE_INVALID',
      `The invoice is valid until ${formatInstant(expiresAt)}, and at most ${Math.floor(longestMs / DAY_MS)} days are accepted; ask the receiver for one that expires sooner.`,
    );
}

/** The amount of the invoice, or of the request; when both have one, they must be equal. */
function agreedAmount({ msat }: DecodedInvoice, amount: Decimal | null): bigint {
  const wanted = amount === null ? null : toUnits(amount, LIGHTNING_ASSET.decimals);
  if (amount !== null && wanted === null)
    throw invalidField(
      'amount',
      `must have at most ${LIGHTNING_ASSET.decimals} decimals in ${LIGHTNING_ASSET.currency}`,
    );
  if (wanted !== null && wanted <= 0n) throw invalidField('amount', 'must be more than 0');
  if (msat === null && wanted === null) throw invalidField('amount', 'is required, because the invoice has no amount');
  if (msat !== null && wanted !== null && msat !== wanted)
    throw new TillgateError(
      'INVOICE_INVALID',
      'The amount differs from that of the invoice: omit it, or give the same amount.',
    );
  return present(msat ?? wanted, 'amount of the payment');
}
