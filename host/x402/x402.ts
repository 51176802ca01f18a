import { setTimeout as pause } from 'node:timers/promises';
import { header } from '../../adapters/http/messages.ts';
import { RateLimit } from '../../adapters/http/rate-limits.ts';
import { ANYBODY, textOperation } from '../../adapters/http/index.ts';
import type { HttpResponse, Operation } from '../../adapters/http/index.ts';
import { assert, isTillgateError, TillgateError } from '../../core/index.ts';
import type { Authorization, PullOffer, PullOutcome, RequestPull } from '../../core/index.ts';
import { paymentRequired, paymentResponse, readPayment, requirementsOf } from './payment-headers.ts';
import type { SentPayment } from './payment-headers.ts';

export interface X402Deps {
  readonly pulls: Pick<RequestPull, 'offer' | 'request' | 'find'>;
  /** How many authorizations a client's address may send in a minute. */
  readonly payerWritesPerMinute: number;
}

const TOKEN = /^[0-9a-zA-Z_-]{1,128}$/;
/** A request waits so long for the block; then it is answered with 202. */
const WAIT_MS = 20_000;
const POLL_MS = 250;

/**
 * An order paid by x402 (version 2, scheme `exact`, EIP-3009): 402 with `PAYMENT-REQUIRED`, and with `PAYMENT-SIGNATURE` 200
 * once the payment is mined, or 202 after 20 s; the same signature again asks for the outcome.
 */
export function x402Operations({ pulls, payerWritesPerMinute }: X402Deps): readonly Operation[] {
  const limit = new RateLimit(payerWritesPerMinute);
  const operation = textOperation({
    id: 'payByX402',
    method: 'GET',
    path: '/checkout/{token}/x402',
    tag: 'Checkout',
    auth: ANYBODY,
    hidden: true,
    summary: 'Pay an order by x402',
    description: 'x402, version 2, scheme exact, tokens with EIP-3009 (decisions, section 16).',
    type: 'application/json',
    handler: async ({ params, request, client, traceId }) => {
      const token = tokenOf(params);
      const sent = header(request.headers, 'payment-signature');
      if (sent !== null) await limit.take(client);
      const reply = sent === null ? await demand(pulls, token, '') : await pay(pulls, token, sent);
      return { ...reply, headers: { 'X-Trace-Id': traceId, 'Cache-Control': 'no-store', ...reply.headers } };
    },
  });
  return [operation];
}

async function demand(pulls: X402Deps['pulls'], token: string, error: string): Promise<HttpResponse> {
  return demandOf(await pulls.offer(token), token, error);
}

function demandOf(offer: PullOffer, token: string, error: string): HttpResponse {
  const said = error === '' ? 'PAYMENT-SIGNATURE header is required' : error;
  const required = paymentRequired(`/checkout/${token}/x402`, [requirementsOf(offer)], said);
  return json(402, { error: said }, { 'PAYMENT-REQUIRED': required });
}

async function pay(pulls: X402Deps['pulls'], token: string, sent: string): Promise<HttpResponse> {
  try {
    return await settle(pulls, token, readPayment(sent));
  } catch (error) {
    if (!isTillgateError(error, 'INVALID_FIELDS')) throw error;
    return demand(pulls, token, error.message);
  }
}

async function settle(pulls: X402Deps['pulls'], token: string, sent: SentPayment): Promise<HttpResponse> {
  const { network, authorization } = sent;
  if ((await pulls.find(token, authorization)) === null) await begin(pulls, token, sent, authorization);
  const settled = await outcome(pulls, token, authorization);
  return answerOf(settled, paymentResponse(settled, network, authorization.from));
}

async function begin(
  pulls: X402Deps['pulls'],
  token: string,
  sent: SentPayment,
  authorization: SentPayment['authorization'],
): Promise<void> {
  try {
    const offer = await pulls.offer(token);
    requireSame(offer, sent);
    const { address, currency } = offer.payment;
    const to = sent.to === address.toLowerCase() ? address : sent.to;
    await pulls.request(token, to, { ...authorization, currency });
  } catch (error) {
    // The same one came to another instance, and has paid the order meanwhile.
    if ((await pulls.find(token, authorization)) === null) throw error;
  }
}

/** The chain and the token that the payer has signed for, which the authorization itself does not name. */
function requireSame({ terms }: PullOffer, { network, asset }: SentPayment): void {
  const same = terms.network === network && terms.asset.toLowerCase() === asset;
  if (!same) throw new TillgateError('INVALID_FIELDS', `The order is paid with ${terms.asset} on ${terms.network}.`);
}

/** Waits for the block, or the failure. */
async function outcome(
  pulls: X402Deps['pulls'],
  token: string,
  authorization: Omit<Authorization, 'currency'>,
): Promise<PullOutcome> {
  const until = performance.now() + WAIT_MS;
  for (;;) {
    const found = await pulls.find(token, authorization);
    assert(found !== null, 'a stored authorization is gone');
    if (found.mined || found.status === 'FAILED' || performance.now() >= until) return found;
    await pause(POLL_MS);
  }
}

function answerOf({ mined, status, txHash, reason }: PullOutcome, response: string): HttpResponse {
  const record = { status: mined ? 'paid' : status === 'FAILED' ? 'failed' : 'pending', transaction: txHash, reason };
  return json(mined ? 200 : status === 'FAILED' ? 402 : 202, record, { 'PAYMENT-RESPONSE': response });
}

function json(status: number, body: unknown, headers: Readonly<Record<string, string>>): HttpResponse {
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/** Nothing but what the till made itself reaches the storage as a token. */
function tokenOf({ token = '' }: Readonly<Record<string, string>>): string {
  if (TOKEN.test(token)) return token;
  throw new TillgateError('NOT_FOUND', 'There is no such order.');
}
