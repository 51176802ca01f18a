import { TillgateError } from '../../../core/index.ts';
import type { LightningPayOutcome, LightningPaymentRequest, LightningPaymentView } from '../../../core/index.ts';
import type { Reply } from '../replies.ts';
import { isRefusal } from './lnd-client.ts';
import type { LndClient, LndProblem } from './lnd-client.ts';

/** The seconds in which lnd searches a route before the first attempt; running attempts are not limited by it. */
const ROUTING_SECONDS = 60;
/** Timeout of the first message of a payment's stream. */
const ANSWER_MS = 20_000;
/** The node has a payment with this hash: its state is requested then. */
const KNOWN = /payment already exists|payment is in transition|invoice is already paid/;
const UNKNOWN = /payment isn't initiated/;
/** Refusals that no later request changes. After any other the till tries again for a while. */
const HOPELESS =
  /invoice expired|self-payments not allowed|invoice not for current active network|amount must (?:not )?be specified/;
const REASONS: Readonly<Record<string, string>> = {
  FAILURE_REASON_TIMEOUT: 'no route was found in time',
  FAILURE_REASON_NO_ROUTE: 'no route within the fee limit',
  FAILURE_REASON_ERROR: 'permanent error of the payment',
  FAILURE_REASON_INCORRECT_PAYMENT_DETAILS: 'the receiver no longer has the invoice, or expects another amount',
  FAILURE_REASON_INSUFFICIENT_BALANCE: 'insufficient balance in the channels of the node',
  FAILURE_REASON_CANCELED: 'cancelled at the node',
};

/** Payments by lnd's router. */
export class LndPayments {
  readonly #client: LndClient;

  constructor(client: LndClient) {
    this.#client = client;
  }

  /** Starts the payment. Its stream is closed after the first message, which does not stop the payment. */
  async send({ paymentHash, paymentRequest, msat, maxFeeMsat }: LightningPaymentRequest): Promise<LightningPayOutcome> {
    const body = {
      payment_request: paymentRequest,
      ...(msat === null ? {} : { amt_msat: msat.toString() }),
      fee_limit_msat: maxFeeMsat.toString(),
      timeout_seconds: ROUTING_SECONDS,
    };
    const answer = await this.#firstOf('a payment', { method: 'POST', path: '/v2/router/send', body });
    if (answer.problem === null) return this.#viewOf(answer.reply, paymentHash);
    return this.#afterRefusal(answer.problem, paymentHash);
  }

  /** @throws TillgateError `NODE_FAILED` */
  async find(paymentHash: string): Promise<LightningPaymentView | null> {
    // base64url, for bytes in a path.
    const hash = Buffer.from(paymentHash, 'hex').toString('base64').replaceAll('+', '-').replaceAll('/', '_');
    const answer = await this.#firstOf('the state of a payment', {
      method: 'GET',
      path: `/v2/router/track/${encodeURIComponent(hash)}`,
    });
    if (answer.problem === null) return this.#viewOf(answer.reply, paymentHash);
    if (UNKNOWN.test(answer.problem.message)) return null;
    throw this.#client.refusal('to show a payment', answer.problem);
  }

  /** lnd registers a payment before it answers: if it refused one and has none of that hash, nothing was started. */
  async #afterRefusal(problem: LndProblem, paymentHash: string): Promise<LightningPayOutcome> {
    if (!isRefusal(problem)) throw this.#client.refusal('a payment', problem);
    const view = await this.find(paymentHash);
    if (view !== null) return view;
    if (KNOWN.test(problem.message)) return { state: 'in-flight' };
    return { state: HOPELESS.test(problem.message) ? 'failed' : 'refused', reason: this.#client.shown(problem) };
  }

  async #firstOf(
    what: string,
    request: { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: unknown },
  ) {
    const leaving = new AbortController();
    try {
      for await (const answer of this.#client.stream(what, request, leaving.signal, ANSWER_MS)) return answer;
    } finally {
      leaving.abort();
    }
    throw new TillgateError('NODE_FAILED', `The Lightning node closed the stream of ${what} without a message.`);
  }

  #viewOf(payment: Reply, paymentHash: string): LightningPaymentView {
    if (payment.hash('payment_hash') !== paymentHash) throw this.#client.malformed('the request for a payment');
    const status = payment.text('status');
    if (status === 'SUCCEEDED')
      return { state: 'settled', msat: payment.count('value_msat'), feeMsat: payment.count('fee_msat') };
    if (status !== 'FAILED') return { state: 'in-flight' };
    const reason = payment.text('failure_reason');
    return { state: 'failed', reason: REASONS[reason] ?? reason };
  }
}
