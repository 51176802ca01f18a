import { TillgateError } from '../../../core/index.ts';
import type { LightningPayOutcome, LightningPaymentRequest, LightningPaymentView } from '../../../core/index.ts';
import type { LightningRestClient, RestReply } from '../lightning-rest-client.ts';
import { requestedMsat } from '../payment-request.ts';
import { Reply, part } from '../replies.ts';

const MSAT_PER_SAT = 1000n;
/** phoenixd's fixed routing fee: 0.4 % and 4 sat; it takes no limit. */
const FEE_DIVISOR = 250n;
const FIXED_FEE_MSAT = 4_000n;
/** The request returns when the payment has ended, which may take days; its state is polled meanwhile. */
const REQUEST_MS = 7 * 86_400_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;
const SHOWN_MS = 20_000;
/**
 * phoenixd's own answers to a request that it does not execute; a proxy in front of it uses others for a lost request.
 */
const REFUSING: ReadonlySet<number> = new Set([400, 404, 500]);
/** Error reasons of a payment that an earlier request has started or completed. */
const KNOWN = /already (?:been )?paid|in progress|AlreadyPaid|AlreadyInProgress/i;

/** Payments by phoenixd. */
export class PhoenixdPayments {
  readonly #client: LightningRestClient;

  constructor(client: LightningRestClient) {
    this.#client = client;
  }

  /** @param msat - the amount for the receiver. @throws TillgateError `NODE_FAILED` */
  async send(
    { paymentHash, paymentRequest, msat: chosen, maxFeeMsat }: LightningPaymentRequest,
    msat: bigint,
  ): Promise<LightningPayOutcome> {
    // Rounded up: the limit is compared with the maximum fee.
    const fee = (msat + FEE_DIVISOR - 1n) / FEE_DIVISOR + FIXED_FEE_MSAT;
    if (fee > maxFeeMsat)
      return {
        state: 'failed',
        reason: `phoenixd charges ${fee} msat for the route, more than the limit of ${maxFeeMsat} msat`,
      };
    if (chosen !== null && chosen % MSAT_PER_SAT !== 0n)
      return { state: 'failed', reason: 'phoenixd pays only whole satoshis when the payer chooses the amount' };
    const form = new URLSearchParams({
      invoice: paymentRequest,
      ...(chosen === null ? {} : { amountSat: (chosen / MSAT_PER_SAT).toString() }),
    });
    const request = this.#client.request({
      method: 'POST',
      path: '/payinvoice',
      body: form.toString(),
      contentType: 'application/x-www-form-urlencoded',
      timeoutMs: REQUEST_MS,
    });
    return this.#untilKnown(paymentHash, request);
  }

  /** @throws TillgateError `NODE_FAILED` */
  async find(paymentHash: string): Promise<LightningPaymentView | null> {
    const { status, body } = await this.#client.request({
      method: 'GET',
      path: `/payments/outgoingbyhash/${paymentHash}`,
    });
    if (status === 404) return null;
    if (status !== 200) throw this.#client.refusal('to show a payment', body);
    const reply = new Reply(this.#client, 'the request for a payment', body);
    if (reply.hash('paymentHash') !== paymentHash) throw this.#client.malformed('the request for a payment');
    // Earlier releases report any ended payment as paid: only the preimage proves it.
    const preimage = part(body, 'preimage');
    if (typeof preimage === 'string' && preimage !== '')
      return { state: 'settled', msat: amountOf(body), feeMsat: reply.count('fees') };
    const ended = part(body, 'completedAt');
    return ended === undefined || ended === null
      ? { state: 'in-flight' }
      : { state: 'failed', reason: 'phoenixd found no route' };
  }

  async #untilKnown(paymentHash: string, request: Promise<RestReply>): Promise<LightningPayOutcome> {
    const outcome = request.then(
      (reply) => ({ reply, error: null }),
      (error: unknown) => ({ reply: null, error }),
    );
    const shownBy = performance.now() + SHOWN_MS;
    for (let pause = FIRST_PAUSE_MS; performance.now() < shownBy; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const ended = await Promise.race([outcome, sleep(pause)]);
      if (ended !== null) {
        if (ended.reply === null) throw ended.error;
        return this.#afterEnd(paymentHash, ended.reply);
      }
      const view = await this.find(paymentHash);
      if (view !== null) return view;
    }
    throw new TillgateError(
      'NODE_FAILED',
      'phoenixd does not list yet a payment that was requested; its outcome is unknown.',
    );
  }

  async #afterEnd(paymentHash: string, { status, body }: RestReply): Promise<LightningPayOutcome> {
    const view = await this.find(paymentHash);
    const reason = part(body, 'reason');
    if (view !== null) return view.state === 'failed' && typeof reason === 'string' ? { ...view, reason } : view;
    if (REFUSING.has(status)) return { state: 'refused', reason: this.#client.shown(body) };
    if (status !== 200 || typeof reason !== 'string') throw this.#client.refusal('a payment', body);
    // Refused before it started, so it is not listed.
    return KNOWN.test(reason) ? { state: 'in-flight' } : { state: 'failed', reason };
  }
}

/** phoenixd reports what was sent in whole satoshis, so the exact amount is that of the paid invoice. */
function amountOf(body: unknown): bigint | null {
  const invoice = part(body, 'invoice');
  return typeof invoice === 'string' ? requestedMsat(invoice) : null;
}

function sleep(ms: number): Promise<null> {
  return new Promise((resolve) => setTimeout(() => resolve(null), ms).unref());
}
