import { once } from 'node:events';
import { FakeRefusal } from './fake-node.ts';
import type { FakeInvoice, FakeLightningNode, FakePayment } from './fake-node.ts';
import { serveFake } from './fake-server.ts';
import type { FakeReply, FakeRequest, FakeServer } from './fake-server.ts';

const ok = (body: unknown): FakeReply => ({ status: 200, body });
const sats = (msat: bigint): number => Number(msat / 1000n);
const UNKNOWN: FakeReply = { status: 404, body: 'Unknown endpoint (check api doc)' };
/** The price of a route through phoenixd's only peer: 0.4 % and 4 sat. */
const price = (msat: bigint): bigint => msat / 250n + 4_000n;

/** The HTTP interface of phoenixd 0.6 in front of a fake node. */
export function servePhoenixd(node: FakeLightningNode, password: string): Promise<FakeServer> {
  const authorization = `Basic ${Buffer.from(`:${password}`).toString('base64')}`;
  return serveFake(
    false,
    (request) => {
      if (request.headers.authorization !== authorization)
        return {
          status: 401,
          body: 'Invalid authentication (use basic auth with the http password set in phoenix.conf)',
        };
      return answer(node, request);
    },
    ({ path }) => path === '/payinvoice',
  );
}

function answer(node: FakeLightningNode, { method, path, query, body }: FakeRequest): FakeReply | Promise<FakeReply> {
  const hash = path.split('/').at(-1) ?? '';
  if (method === 'POST')
    return path === '/createinvoice'
      ? create(node, new URLSearchParams(body))
      : path === '/payinvoice'
        ? pay(node, new URLSearchParams(body))
        : UNKNOWN;
  if (path === '/getinfo')
    return ok({
      nodeId: node.publicKey,
      channels: [{ state: 'Normal', balanceSat: sats(node.localMsat), inboundLiquiditySat: sats(node.remoteMsat) }],
      chain: node.network,
      version: '0.6.2',
    });
  if (path === '/payments/incoming') return incoming(node, query);
  if (path.startsWith('/payments/incoming/')) {
    const invoice = node.invoices.get(hash);
    return invoice === undefined ? UNKNOWN : ok(written(invoice));
  }
  if (!path.startsWith('/payments/outgoingbyhash/')) return UNKNOWN;
  const payment = node.payments.get(hash);
  return payment === undefined ? UNKNOWN : ok(writtenPayment(payment));
}

function create(node: FakeLightningNode, form: URLSearchParams): FakeReply {
  const description = form.get('description') ?? '';
  if (description.length > 128)
    return { status: 400, body: 'Request parameter description is too long (max 128 characters)' };
  const amount = form.get('amountSat');
  const invoice = node.addInvoice({
    msat: amount === null ? null : BigInt(amount) * 1000n,
    memo: description,
    expirySeconds: Number(form.get('expirySeconds') ?? 3600),
  });
  return ok({ amountSat: Number(amount), paymentHash: invoice.paymentHash, serialized: invoice.paymentRequest });
}

function written(invoice: FakeInvoice): object {
  const paid = invoice.state === 'settled';
  return {
    type: 'incoming_payment',
    subType: 'lightning',
    paymentHash: invoice.paymentHash,
    description: invoice.memo,
    invoice: invoice.paymentRequest,
    isPaid: paid,
    isExpired:
      !paid && (invoice.state === 'cancelled' || invoice.createdAt + invoice.expirySeconds * 1000 < Date.now()),
    receivedSat: paid ? sats(invoice.receivedMsat) : 0,
    fees: 0,
    createdAt: invoice.createdAt,
    ...(paid ? { preimage: invoice.preimage, completedAt: invoice.settledAt } : {}),
  };
}

/** The newest payments first. */
function incoming(node: FakeLightningNode, query: URLSearchParams): FakeReply {
  const [from, limit, offset] = [
    Number(query.get('from') ?? 0),
    Number(query.get('limit') ?? 20),
    Number(query.get('offset') ?? 0),
  ];
  const paid = [...node.invoices.values()].filter(({ state, settledAt }) => state === 'settled' && settledAt >= from);
  return ok(
    paid
      .sort((a, b) => b.settledAt - a.settledAt)
      .slice(offset, offset + limit)
      .map(written),
  );
}

function writtenPayment(payment: FakePayment): object {
  const done = payment.state === 'settled';
  return {
    type: 'outgoing_payment',
    paymentId: '00000000-0000-4000-8000-000000000000',
    paymentHash: payment.paymentHash,
    isPaid: done,
    sent: sats(payment.msat + payment.feeMsat),
    fees: Number(payment.feeMsat),
    invoice: payment.paymentRequest,
    createdAt: payment.createdAt,
    ...(done ? { preimage: payment.preimage } : {}),
    ...(payment.state === 'in-flight' ? {} : { completedAt: payment.endedAt }),
  };
}

async function pay(node: FakeLightningNode, form: URLSearchParams): Promise<FakeReply> {
  const [text, amount] = [form.get('invoice') ?? '', form.get('amountSat')];
  let payment: FakePayment;
  try {
    payment = node.pay(text, amount === null ? null : BigInt(amount) * 1000n, 2n ** 62n);
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof FakeRefusal) return { status: 400, body: message };
    if (/amount must/.test(message)) return { status: 400, body: 'Request parameter amountSat is missing' };
    return ok({
      type: 'payment_failed',
      reason: /already paid/.test(message)
        ? 'this invoice has already been paid'
        : /transition/.test(message)
          ? 'another payment is in progress for that invoice'
          : message,
    });
  }
  while (payment.state === 'in-flight') await once(node, 'payment');
  if (payment.state === 'failed')
    return ok({
      type: 'payment_failed',
      paymentHash: payment.paymentHash,
      reason: 'recipient unreachable, or no route',
    });
  return ok({
    type: 'payment_sent',
    recipientAmountSat: sats(payment.msat),
    routingFeeSat: sats(price(payment.msat)),
    paymentHash: payment.paymentHash,
    paymentPreimage: payment.preimage,
  });
}
