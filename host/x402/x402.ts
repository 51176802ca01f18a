import { setTimeout as pause } from 'node:timers/promises';
import { header } from '../../adapters/http/messages.ts';
import { RateLimit } from '../../adapters/http/rate-limits.ts';
import { ANYBODY, textOperation } from '../../adapters/http/index.ts';
import type { HttpResponse, Operation } from '../../adapters/http/index.ts';
import { assert, isTillgateError, TillgateError } from '../../core/index.ts';
import type { Authorization, ChargeOffer, ChargeOutcome, RequestCharge, SentAuthorization } from '../../core/index.ts';
import { paymentRequired, paymentResponse, readPayment, requirementsOf } from './payment-headers.ts';
import { PAYMENT_POLL_MS, PAYMENT_WAIT_MS } from './payment-wait.ts';

export interface X402Deps {
  readonly charges: Pick<RequestCharge, 'offer' | 'take' | 'find'>;
  /** The maximum number of authorizations from one client address in a minute. */
  readonly payerWritesPerMinute: () => number;
}

const TOKEN = /^[0-9a-zA-Z_-]{1,128}$/;

/**
 * An order paid by x402 (version 2, scheme `exact`, EIP-3009): 402 with `PAYMENT-REQUIRED`, and with
 * `PAYMENT-SIGNATURE` 200 once the payment is mined, or 202 after 20 s; sending the same signature again returns the
 * outcome.
 */
export function x402Operations({ charges, payerWritesPerMinute }: X402Deps): readonly Operation[] {
  const limit = new RateLimit(payerWritesPerMinute);
  const operation = textOperation({
    id: 'payByX402',
    method: 'GET',
    path: '/checkout/{token}/x402',
    tag: 'Checkout',
    auth: ANYBODY,
    hidden: true,
    summary: 'Pay an order by x402',
    description: 'x402, version 2, scheme exact, tokens with EIP-3009.',
    type: 'application/json',
    handler: async ({ params, request, client, traceId }) => {
      const token = tokenOf(params);
      const sent = header(request.headers, 'payment-signature');
      if (sent !== null) await limit.take(client);
      const reply = sent === null ? await demand(charges, token, '') : await pay(charges, token, sent);
      return { ...reply, headers: { 'X-Trace-Id': traceId, 'Cache-Control': 'no-store', ...reply.headers } };
    },
  });
  return [operation];
}

async function demand(charges: X402Deps['charges'], token: string, error: string): Promise<HttpResponse> {
  return demandOf(await charges.offer(token), token, error);
}

function demandOf(offer: ChargeOffer, token: string, error: string): HttpResponse {
  const said = error === '' ? 'PAYMENT-SIGNATURE header is required' : error;
  const resource = { url: `/checkout/${token}/x402`, description: 'An order' };
  const required = paymentRequired(resource, [requirementsOf(offer)], said);
  return json(402, { error: said }, { 'PAYMENT-REQUIRED': required });
}

async function pay(charges: X402Deps['charges'], token: string, sent: string): Promise<HttpResponse> {
  try {
    return await settle(charges, token, readPayment(sent).sent);
  } catch (error) {
    if (!isTillgateError(error, 'INVALID_FIELDS')) throw error;
    return demand(charges, token, error.message);
  }
}

async function settle(charges: X402Deps['charges'], token: string, sent: SentAuthorization): Promise<HttpResponse> {
  const { network, authorization } = sent;
  await charges.take(token, sent);
  const settled = await outcome(charges, token, authorization);
  return answerOf(settled, paymentResponse(settled, network, authorization.from));
}

/** Waits until the payment is mined or has failed. */
async function outcome(
  charges: X402Deps['charges'],
  token: string,
  authorization: Omit<Authorization, 'currency'>,
): Promise<ChargeOutcome> {
  const until = performance.now() + PAYMENT_WAIT_MS;
  for (;;) {
    const found = await charges.find(token, authorization);
    assert(found !== null, 'a stored authorization is gone');
    if (found.mined || found.status === 'FAILED' || performance.now() >= until) return found;
    await pause(PAYMENT_POLL_MS);
  }
}

function answerOf({ mined, status, txHash, reason }: ChargeOutcome, response: string): HttpResponse {
  const record = { status: mined ? 'paid' : status === 'FAILED' ? 'failed' : 'pending', transaction: txHash, reason };
  return json(mined ? 200 : status === 'FAILED' ? 402 : 202, record, { 'PAYMENT-RESPONSE': response });
}

function json(status: number, body: unknown, headers: Readonly<Record<string, string>>): HttpResponse {
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/** Accepts only tokens in the format that the till makes, so that nothing else reaches the storage. */
function tokenOf({ token = '' }: Readonly<Record<string, string>>): string {
  if (TOKEN.test(token)) return token;
  throw new TillgateError('NOT_FOUND', 'There is no such order.');
}
