import { setTimeout as pause } from 'node:timers/promises';
import { header } from '../../adapters/http/messages.ts';
import { RateLimit } from '../../adapters/http/rate-limits.ts';
import { ANYBODY, textOperation } from '../../adapters/http/index.ts';
import type { HttpResponse, Operation } from '../../adapters/http/index.ts';
import { assert, isTillgateError, TillgateError } from '../../core/index.ts';
import type { Authorization, PullOffer, PullOutcome, RequestPull, SentAuthorization } from '../../core/index.ts';
import { paymentRequired, paymentResponse, readPayment, requirementsOf } from './payment-headers.ts';
import { PAYMENT_POLL_MS, PAYMENT_WAIT_MS } from './payment-wait.ts';

export interface X402Deps {
  readonly pulls: Pick<RequestPull, 'offer' | 'take' | 'find'>;
  /** How many authorizations a client's address may send in a minute. */
  readonly payerWritesPerMinute: number;
}

const TOKEN = /^[0-9a-zA-Z_-]{1,128}$/;

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
  const resource = { url: `/checkout/${token}/x402`, description: 'An order' };
  const required = paymentRequired(resource, [requirementsOf(offer)], said);
  return json(402, { error: said }, { 'PAYMENT-REQUIRED': required });
}

async function pay(pulls: X402Deps['pulls'], token: string, sent: string): Promise<HttpResponse> {
  try {
    return await settle(pulls, token, readPayment(sent).sent);
  } catch (error) {
    if (!isTillgateError(error, 'INVALID_FIELDS')) throw error;
    return demand(pulls, token, error.message);
  }
}

async function settle(pulls: X402Deps['pulls'], token: string, sent: SentAuthorization): Promise<HttpResponse> {
  const { network, authorization } = sent;
  await pulls.take(token, sent);
  const settled = await outcome(pulls, token, authorization);
  return answerOf(settled, paymentResponse(settled, network, authorization.from));
}

/** Waits for the block, or the failure. */
async function outcome(
  pulls: X402Deps['pulls'],
  token: string,
  authorization: Omit<Authorization, 'currency'>,
): Promise<PullOutcome> {
  const until = performance.now() + PAYMENT_WAIT_MS;
  for (;;) {
    const found = await pulls.find(token, authorization);
    assert(found !== null, 'a stored authorization is gone');
    if (found.mined || found.status === 'FAILED' || performance.now() >= until) return found;
    await pause(PAYMENT_POLL_MS);
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
