import { randomUUID } from 'node:crypto';
import type {
  Clock,
  CreatedInvoice,
  DecodedInvoice,
  InvoiceRequest,
  InvoiceView,
  LightningBalance,
  LightningNode,
  LightningPayOutcome,
  LightningPaymentRequest,
  LightningPaymentView,
  Logger,
  SettledInvoice,
  Settlement,
} from '../../../core/index.ts';
import { OWN_INVOICE, checkPayment } from '../check-payment.ts';
import { NodeIdentity } from '../node-identity.ts';
import { readPayableRequest } from '../payable-request.ts';
import { asksFor, bareRequest, invoiceRefused } from '../payment-request.ts';
import { part } from '../replies.ts';
import type { Reply } from '../replies.ts';
import { retry } from '../retry.ts';
import { SingleFlight } from '../single-flight.ts';
import { ClnClient } from './cln-client.ts';
import type { ClnAccess } from './cln-client.ts';
import { ClnPayments } from './cln-payments.ts';

export interface ClnOptions extends ClnAccess {
  /** The required network, a key of `PREFIXES`; `null` for any. */
  readonly network: string | null;
}

/** Core Lightning's network names that differ from lnd's. */
const NETWORKS: Readonly<Record<string, string>> = { bitcoin: 'mainnet' };
/** `waitanyinvoice` timed out without a settled invoice. */
const NOTHING_NEW = 904;
/** States of a channel that can carry payments; a splice in progress does not interrupt them. */
const OPEN_STATES: ReadonlySet<string> = new Set(['CHANNELD_NORMAL', 'CHANNELD_AWAITING_SPLICE']);
const WAIT_SECONDS = 30;
const WAIT_MS = 60_000;

/** Core Lightning by CLNRest, since release 24.11. */
export class ClnNode implements LightningNode {
  readonly #client: ClnClient;
  readonly #logger: Logger;
  readonly #identity: NodeIdentity;
  readonly #payments: ClnPayments;
  readonly #paying = new SingleFlight<LightningPayOutcome>();
  readonly #listeners = new Set<() => void>();
  readonly #closing = new AbortController();
  #waiting = false;
  /** The latest settle index seen; higher ones are new. */
  #latest = 0n;

  constructor(options: ClnOptions, clock: Clock, logger: Logger) {
    this.#client = new ClnClient(options);
    this.#logger = logger;
    this.#payments = new ClnPayments(this.#client, clock, () => this.#changed());
    this.#identity = new NodeIdentity(options.network, async () => {
      const info = await this.#client.get('getinfo', {});
      return { network: NETWORKS[info.text('network')] ?? info.text('network'), key: info.text('id') };
    });
  }

  identify(): Promise<string> {
    return this.#identity.identify();
  }

  async createInvoice({ msat, memo, expirySeconds }: InvoiceRequest): Promise<CreatedInvoice> {
    const reply = await this.#client.get('invoice', {
      amount_msat: Number(msat),
      label: `tillgate-${randomUUID()}`,
      description: memo,
      expiry: expirySeconds,
    });
    const created = { paymentHash: reply.hash('payment_hash'), paymentRequest: reply.text('bolt11') };
    const { network } = await this.#identity.self();
    if (!asksFor(created, msat, network)) throw this.#client.malformed('the request for an invoice');
    return created;
  }

  async invoice(paymentHash: string): Promise<InvoiceView | null> {
    const [invoice] = (await this.#client.get('listinvoices', { payment_hash: paymentHash })).list('invoices');
    if (invoice === undefined) return null;
    const status = invoice.text('status');
    if (status === 'paid') return { state: 'settled', settled: settledOf(invoice) };
    if (status !== 'unpaid' && status !== 'expired') throw this.#client.malformed('the request for an invoice');
    return { state: status === 'expired' ? 'cancelled' : 'open', settled: null };
  }

  async settledAfter(cursor: string | null, limit: number): Promise<readonly Settlement[]> {
    const settled: Settlement[] = [];
    for (let last = cursor === null ? 0n : placeOf(cursor).index; settled.length < limit;) {
      const { reply, problem } = await this.#client.ask('waitanyinvoice', { lastpay_index: Number(last), timeout: 0 });
      if (problem !== null) {
        if (problem.code === NOTHING_NEW) break;
        throw this.#client.refusal('waitanyinvoice', problem.message);
      }
      const index = reply.count('pay_index');
      if (index <= last) throw this.#client.malformed('waitanyinvoice');
      last = index;
      if (index > this.#latest) this.#latest = index;
      const one = settledOf(reply);
      settled.push({ ...one, cursor: `${index} ${one.paymentHash}` });
    }
    return settled;
  }

  async hasSettledAfter(cursor: string | null): Promise<boolean> {
    return (await this.settledAfter(cursor, 1)).length > 0;
  }

  /** A node whose paid invoices are deleted (`autoclean`, `delinvoice`) looks like one that lost its data. */
  async remembers(cursor: string): Promise<boolean> {
    const { index, paymentHash } = placeOf(cursor);
    const [invoice] = (await this.#client.get('listinvoices', { payment_hash: paymentHash })).list('invoices');
    return invoice?.text('status') === 'paid' && invoice.count('pay_index') === index;
  }

  async decode(paymentRequest: string): Promise<DecodedInvoice> {
    const invoice = readPayableRequest(paymentRequest, (await this.#identity.self()).network);
    const { reply, problem } = await this.#client.ask('decode', {
      string: bareRequest(paymentRequest),
    });
    if (problem !== null || part(reply.body, 'valid') !== true) throw invoiceRefused('cannot be read by the node');
    const msat = part(reply.body, 'amount_msat') === undefined ? null : reply.count('amount_msat');
    if (
      reply.text('payment_hash') !== invoice.paymentHash ||
      reply.text('payee') !== invoice.payee ||
      msat !== invoice.msat
    )
      throw invoiceRefused('is decoded differently by the node');
    return invoice;
  }

  pay(request: LightningPaymentRequest): Promise<LightningPayOutcome> {
    return this.#paying.run(request.paymentHash, async () => {
      const self = await this.#identity.self();
      const { payee } = checkPayment(request, self);
      if (payee === self.key) return OWN_INVOICE;
      return this.#payments.pay(request);
    });
  }

  payment(paymentHash: string): Promise<LightningPaymentView | null> {
    return this.#payments.find(paymentHash);
  }

  async balance(): Promise<LightningBalance> {
    const channels = (await this.#client.get('listpeerchannels', {}))
      .list('channels')
      .filter((channel) => OPEN_STATES.has(channel.text('state')));
    const htlcs = channels.flatMap((channel) =>
      part(channel.body, 'htlcs') === undefined ? [] : channel.list('htlcs'),
    );
    const sum = (parts: readonly Reply[], name: string): bigint =>
      parts.reduce((total, each) => total + each.count(name), 0n);
    // The node's own balance still includes unsettled outgoing payments.
    const [own, total] = [sum(channels, 'to_us_msat'), sum(channels, 'total_msat')];
    const offered = htlcs.filter((htlc) => htlc.text('direction') === 'out');
    return {
      localMsat: own - sum(offered, 'amount_msat'),
      remoteMsat: total - own,
      unsettledMsat: sum(htlcs, 'amount_msat'),
    };
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (!this.#waiting) {
      this.#waiting = true;
      retry(
        (alive) => this.#waitForInvoice(alive),
        this.#closing.signal,
        (error) => this.#logger.warn('waiting for paid invoices failed, retrying', { reason: error.message }),
      );
    }
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    this.#closing.abort();
    await this.#client.close();
  }

  async #waitForInvoice(alive: () => void): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const { reply, problem } = await this.#client.ask(
        'waitanyinvoice',
        { lastpay_index: Number(this.#latest), timeout: WAIT_SECONDS },
        WAIT_MS,
      );
      if (problem !== null && problem.code !== NOTHING_NEW)
        throw this.#client.refusal('waitanyinvoice', problem.message);
      alive();
      if (reply === null) continue;
      this.#latest = reply.count('pay_index');
      this.#changed();
    }
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** The settlement that a cursor names: its pay index and its payment hash. */
function placeOf(cursor: string): { readonly index: bigint; readonly paymentHash: string } {
  const [index = '', paymentHash = ''] = cursor.split(' ');
  return { index: BigInt(index), paymentHash };
}

function settledOf(invoice: Reply): SettledInvoice {
  return {
    paymentHash: invoice.hash('payment_hash'),
    msat: invoice.count('amount_received_msat'),
    settledAt: Number(invoice.count('paid_at')) * 1000,
  };
}
