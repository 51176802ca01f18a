import type {
  CreatedInvoice,
  DecodedInvoice,
  InvoiceRequest,
  InvoiceState,
  InvoiceView,
  LightningBalance,
  LightningNode,
  LightningPayOutcome,
  LightningPaymentRequest,
  LightningPaymentView,
  Logger,
  Settlement,
} from '../../../core/index.ts';
import { OWN_INVOICE, checkPayment } from '../check-payment.ts';
import { NodeIdentity } from '../node-identity.ts';
import { readPayableRequest } from '../payable-request.ts';
import { asksFor, bareRequest, invoiceRefused } from '../payment-request.ts';
import type { Reply } from '../replies.ts';
import { retry } from '../retry.ts';
import { SingleFlight } from '../single-flight.ts';
import { LndClient } from './lnd-client.ts';
import type { LndAccess } from './lnd-client.ts';
import { LndPayments } from './lnd-payments.ts';
import { LndSettlements, placeOf, settlementOf } from './lnd-settlements.ts';

export interface LndOptions extends LndAccess {
  /** The required network, a key of `PREFIXES`; `null` for any. */
  readonly network: string | null;
  /** Invoices include route hints, so that they can be paid through unannounced channels. */
  readonly privateChannels: boolean;
}

const STATES: Readonly<Record<string, InvoiceState>> = {
  OPEN: 'open',
  ACCEPTED: 'accepted',
  SETTLED: 'settled',
  CANCELED: 'cancelled',
};
const NO_INVOICE = /unable to locate invoice|there are no existing invoices/;
/** The node is starting, or the macaroon lacks a permission: not an answer to the request. */
const NOT_NOW = /starting|not (?:yet )?ready|locked|macaroon|permission|HTTP \d/i;
const IDLE_MS = 300_000;

/** lnd by its REST interface, since release 0.18. */
export class LndNode implements LightningNode {
  readonly #client: LndClient;
  readonly #privateChannels: boolean;
  readonly #logger: Logger;
  readonly #identity: NodeIdentity;
  readonly #payments: LndPayments;
  readonly #settlements: LndSettlements;
  readonly #paying = new SingleFlight<LightningPayOutcome>();
  readonly #listeners = new Set<() => void>();
  readonly #closing = new AbortController();
  #following = false;

  constructor(options: LndOptions, logger: Logger) {
    this.#client = new LndClient(options);
    this.#privateChannels = options.privateChannels;
    this.#logger = logger;
    this.#payments = new LndPayments(this.#client);
    this.#settlements = new LndSettlements(this.#client, logger, () => this.#changed());
    this.#identity = new NodeIdentity(options.network, async () => {
      const info = await this.#client.get('its identity', { method: 'GET', path: '/v1/getinfo' });
      const [chain] = info.list('chains');
      if (chain === undefined) throw this.#client.malformed('the request for its network');
      return { network: chain.text('network'), key: info.text('identity_pubkey') };
    });
  }

  identify(): Promise<string> {
    return this.#identity.identify();
  }

  async createInvoice({ msat, memo, expirySeconds }: InvoiceRequest): Promise<CreatedInvoice> {
    const body = {
      value_msat: msat.toString(),
      memo,
      expiry: expirySeconds.toString(),
      private: this.#privateChannels,
    };
    const reply = await this.#client.get('an invoice', { method: 'POST', path: '/v1/invoices', body });
    const created = {
      paymentHash: Buffer.from(reply.text('r_hash'), 'base64').toString('hex'),
      paymentRequest: reply.text('payment_request'),
    };
    const { network } = await this.#identity.self();
    if (!asksFor(created, msat, network)) throw this.#client.malformed('the request for an invoice');
    return created;
  }

  async invoice(paymentHash: string): Promise<InvoiceView | null> {
    const { reply, problem } = await this.#client.ask('an invoice', {
      method: 'GET',
      path: `/v1/invoice/${paymentHash}`,
    });
    if (problem !== null) {
      if (NO_INVOICE.test(problem.message)) return null;
      throw this.#client.refusal('to show an invoice', problem);
    }
    const state = STATES[reply.text('state')];
    const settled = settlementOf(reply)?.settlement ?? null;
    if (state === undefined || (settled !== null && settled.paymentHash !== paymentHash))
      throw this.#client.malformed('the request for an invoice');
    return { state, settled: settled && { paymentHash, msat: settled.msat, settledAt: settled.settledAt } };
  }

  settledAfter(cursor: string | null, limit: number): Promise<readonly Settlement[]> {
    return this.#settlements.after(cursor, limit);
  }

  hasSettledAfter(cursor: string | null): Promise<boolean> {
    return this.#settlements.has(cursor);
  }

  /** lnd never deletes a settled invoice, nor gives it another settle index. */
  async remembers(cursor: string): Promise<boolean> {
    const { index, paymentHash } = placeOf(cursor);
    const { reply, problem } = await this.#client.ask('an invoice', {
      method: 'GET',
      path: `/v1/invoice/${paymentHash}`,
    });
    if (problem === null) return settlementOf(reply)?.index === index;
    if (NO_INVOICE.test(problem.message)) return false;
    throw this.#client.refusal('to show an invoice', problem);
  }

  async decode(paymentRequest: string): Promise<DecodedInvoice> {
    const invoice = readPayableRequest(paymentRequest, (await this.#identity.self()).network);
    const request = encodeURIComponent(bareRequest(paymentRequest));
    const { reply, problem } = await this.#client.ask('a payment request', {
      method: 'GET',
      path: `/v1/payreq/${request}`,
    });
    // The paying node must be able to decode it, whatever is decoded here.
    if (problem !== null)
      throw NOT_NOW.test(problem.message)
        ? this.#client.refusal('to read a payment request', problem)
        : invoiceRefused('cannot be read by the node');
    if (!agrees(reply, invoice)) throw invoiceRefused('is decoded differently by the node');
    return invoice;
  }

  pay(request: LightningPaymentRequest): Promise<LightningPayOutcome> {
    return this.#paying.run(request.paymentHash, async () => {
      const self = await this.#identity.self();
      const { paymentHash, payee } = checkPayment(request, self);
      if (payee === self.key) return OWN_INVOICE;
      return (await this.#payments.find(paymentHash)) ?? this.#payments.send(request);
    });
  }

  payment(paymentHash: string): Promise<LightningPaymentView | null> {
    return this.#payments.find(paymentHash);
  }

  async balance(): Promise<LightningBalance> {
    const reply = await this.#client.get('its balance', { method: 'GET', path: '/v1/balance/channels' });
    const of = (name: string): bigint => reply.count(name, 'msat');
    return {
      localMsat: of('local_balance'),
      remoteMsat: of('remote_balance'),
      unsettledMsat: of('unsettled_local_balance') + of('unsettled_remote_balance'),
    };
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#settlements.follow();
    if (!this.#following) {
      this.#following = true;
      retry(
        (alive) => this.#followPayments(alive),
        this.#closing.signal,
        (error) => this.#logger.warn('payment stream failed, retrying', { reason: error.message }),
      );
    }
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    this.#settlements.close();
    this.#closing.abort();
    await this.#client.close();
  }

  async #followPayments(alive: () => void): Promise<void> {
    const request = { method: 'GET', path: '/v2/router/payments?no_inflight_updates=true' } as const;
    for await (const { problem } of this.#client.stream('its payments', request, this.#closing.signal, IDLE_MS)) {
      if (problem !== null) throw this.#client.refusal('to stream payments', problem);
      alive();
      this.#changed();
    }
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

function agrees(reply: Reply, { paymentHash, msat, payee }: DecodedInvoice): boolean {
  return (
    reply.text('payment_hash') === paymentHash &&
    reply.text('destination') === payee &&
    reply.count('num_msat') === (msat ?? 0n)
  );
}
