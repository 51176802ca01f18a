import { TillgateError } from '../../../core/index.ts';
import type {
  CreatedInvoice,
  DecodedInvoice,
  InvoiceRequest,
  InvoiceView,
  LightningBalance,
  LightningNode,
  LightningPayOutcome,
  LightningPaymentRequest,
  LightningPaymentView,
  SettledInvoice,
  Settlement,
} from '../../../core/index.ts';
import { OWN_INVOICE, checkPayment } from '../check-payment.ts';
import { LightningRestClient } from '../lightning-rest-client.ts';
import { NodeIdentity } from '../node-identity.ts';
import { readPayableRequest } from '../payable-request.ts';
import { asksFor } from '../payment-request.ts';
import { Reply, part } from '../replies.ts';
import { SingleFlight } from '../single-flight.ts';
import { PhoenixdPayments } from './phoenixd-payments.ts';

export interface PhoenixdOptions {
  readonly url: string;
  readonly password: string;
  readonly certificate: string | null;
  /** The required network, a key of `PREFIXES`; `null` for any. */
  readonly network: string | null;
}

const MSAT_PER_SAT = 1000n;
const MEMO_LENGTH = 128;
const PAGE = 100;
/** The maximum of settlements since a cursor, which are sorted in memory. */
const MOST = 100_000;

/**
 * phoenixd by its HTTP interface, since release 0.5.
 *
 * It has invoices in whole satoshis only: a fraction is rounded up. It sends no notifications of settlements.
 */
export class PhoenixdNode implements LightningNode {
  readonly #client: LightningRestClient;
  readonly #identity: NodeIdentity;
  readonly #payments: PhoenixdPayments;
  readonly #paying = new SingleFlight<LightningPayOutcome>();

  constructor({ url, password, certificate, network }: PhoenixdOptions) {
    const authorization = `Basic ${Buffer.from(`:${password}`).toString('base64')}`;
    this.#client = new LightningRestClient({ url, headers: { authorization }, certificate });
    this.#payments = new PhoenixdPayments(this.#client);
    this.#identity = new NodeIdentity(network, async () => {
      const info = await this.#get('getinfo', '/getinfo');
      return { network: info.text('chain'), key: info.text('nodeId') };
    });
  }

  identify(): Promise<string> {
    return this.#identity.identify();
  }

  async createInvoice({ msat, memo, expirySeconds }: InvoiceRequest): Promise<CreatedInvoice> {
    // Rounded up, so that the invoice is never below the amount due.
    const sats = (msat + MSAT_PER_SAT - 1n) / MSAT_PER_SAT;
    const form = new URLSearchParams({
      amountSat: sats.toString(),
      description: memo.slice(0, MEMO_LENGTH),
      expirySeconds: expirySeconds.toString(),
    });
    const { status, body } = await this.#client.request({
      method: 'POST',
      path: '/createinvoice',
      body: form.toString(),
      contentType: 'application/x-www-form-urlencoded',
    });
    if (status !== 200) throw this.#client.refusal('an invoice', body);
    const reply = new Reply(this.#client, 'the request for an invoice', body);
    const created = { paymentHash: reply.hash('paymentHash'), paymentRequest: reply.text('serialized') };
    const { network } = await this.#identity.self();
    if (!asksFor(created, sats * MSAT_PER_SAT, network)) throw this.#client.malformed('the request for an invoice');
    return created;
  }

  async invoice(paymentHash: string): Promise<InvoiceView | null> {
    const { status, body } = await this.#client.request({ method: 'GET', path: `/payments/incoming/${paymentHash}` });
    if (status === 404) return null;
    if (status !== 200) throw this.#client.refusal('to show an invoice', body);
    const settled = settledOf(new Reply(this.#client, 'the request for an invoice', body));
    if (settled !== null) return { state: 'settled', settled };
    return { state: part(body, 'isExpired') === true ? 'cancelled' : 'open', settled: null };
  }

  async settledAfter(cursor: string | null, limit: number): Promise<readonly Settlement[]> {
    // From the time of the last one, because one millisecond may have several settlements.
    const [from = '0', ...known] = (cursor ?? '0').split(' ');
    const found = new Map<string, SettledInvoice>();
    for (let offset = 0; ; offset += PAGE) {
      const page = (
        await this.#get('its settled invoices', `/payments/incoming?from=${from}&limit=${PAGE}&offset=${offset}`)
      ).list();
      // Newest first: a settlement that arrives meanwhile moves others to a later page, so none is missed.
      for (const one of page) {
        const settled = part(one.body, 'paymentHash') === undefined ? null : settledOf(one);
        if (settled !== null) found.set(settled.paymentHash, settled);
      }
      if (page.length < PAGE) break;
      if (found.size > MOST)
        throw new TillgateError(
          'NODE_FAILED',
          'phoenixd has settled more invoices since the last poll than can be sorted.',
        );
    }
    const ordered = [...found.values()]
      .filter(({ settledAt, paymentHash }) => settledAt > Number(from) || !known.includes(paymentHash))
      .sort(byTime);
    return ordered.slice(0, limit).map((settled, at) => ({ ...settled, cursor: cursorAt(ordered, at, from, known) }));
  }

  async hasSettledAfter(cursor: string | null): Promise<boolean> {
    return (await this.settledAfter(cursor, 1)).length > 0;
  }

  async remembers(cursor: string): Promise<boolean> {
    const last = cursor.split(' ').at(-1) ?? '';
    const { status, body } = await this.#client.request({ method: 'GET', path: `/payments/incoming/${last}` });
    if (status === 404) return false;
    if (status !== 200) throw this.#client.refusal('to show an invoice', body);
    return settledOf(new Reply(this.#client, 'the request for an invoice', body)) !== null;
  }

  async decode(paymentRequest: string): Promise<DecodedInvoice> {
    return readPayableRequest(paymentRequest, (await this.#identity.self()).network);
  }

  pay(request: LightningPaymentRequest): Promise<LightningPayOutcome> {
    return this.#paying.run(request.paymentHash, async () => {
      const self = await this.#identity.self();
      const invoice = checkPayment(request, self);
      if (invoice.payee === self.key) return OWN_INVOICE;
      return (
        (await this.#payments.find(request.paymentHash)) ??
        this.#payments.send(request, invoice.msat ?? request.msat ?? 0n)
      );
    });
  }

  payment(paymentHash: string): Promise<LightningPaymentView | null> {
    return this.#payments.find(paymentHash);
  }

  async balance(): Promise<LightningBalance> {
    const channels = (await this.#get('its channels', '/getinfo')).list('channels');
    const sum = (name: string): bigint =>
      channels.reduce(
        (total, channel) => total + (part(channel.body, name) === undefined ? 0n : channel.count(name)),
        0n,
      );
    return {
      localMsat: sum('balanceSat') * MSAT_PER_SAT,
      remoteMsat: sum('inboundLiquiditySat') * MSAT_PER_SAT,
      // Balances are rounded down to satoshis; payments under way are not shown.
      unsettledMsat: BigInt(channels.length) * (MSAT_PER_SAT - 1n),
    };
  }

  watch(): () => void {
    return () => undefined;
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  async #get(what: string, path: string): Promise<Reply> {
    const { status, body } = await this.#client.request({ method: 'GET', path });
    if (status !== 200) throw this.#client.refusal(what, body);
    return new Reply(this.#client, what, body);
  }
}

function settledOf(payment: Reply): SettledInvoice | null {
  if (part(payment.body, 'isPaid') !== true) return null;
  return {
    paymentHash: payment.hash('paymentHash'),
    msat: payment.count('receivedSat') * MSAT_PER_SAT,
    settledAt: Number(payment.count('completedAt')),
  };
}

function byTime(a: SettledInvoice, b: SettledInvoice): number {
  return a.settledAt - b.settledAt || (a.paymentHash < b.paymentHash ? -1 : 1);
}

/** The cursor of a settlement, with those of the same millisecond before it. */
function cursorAt(ordered: readonly SettledInvoice[], at: number, from: string, known: readonly string[]): string {
  const moment = ordered[at]?.settledAt ?? 0;
  const same = ordered.slice(0, at + 1).filter(({ settledAt }) => settledAt === moment);
  const before = moment === Number(from) ? known : [];
  return [moment, ...before, ...same.map(({ paymentHash }) => paymentHash)].join(' ');
}
