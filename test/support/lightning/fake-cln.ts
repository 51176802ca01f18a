import { readPaymentRequest } from '../../../adapters/lightning/index.ts';
import type { FakeInvoice, FakeLightningNode, FakePayment } from './fake-node.ts';
import { serveFake } from './fake-server.ts';
import type { FakeReply, FakeServer } from './fake-server.ts';

type Parameters = Readonly<Record<string, string | number | undefined>>;

const seconds = (ms: number): number => Math.floor(ms / 1000);
const ok = (body: unknown): FakeReply => ({ status: 201, body });
const problem = (code: number, message: string): FakeReply => ({ status: 500, body: { code, message } });
const NETWORKS: Readonly<Record<string, string>> = { mainnet: 'bitcoin' };

/** The CLNRest interface of Core Lightning 25 in front of a fake node. */
export function serveCln(node: FakeLightningNode, rune: string): Promise<FakeServer> {
  return serveFake(
    true,
    async ({ method, path, body, headers }) => {
      if (headers.rune !== rune)
        return { status: 401, body: { code: 1501, message: 'Not authorized: Not derived from master' } };
      const command = COMMANDS[path.replace('/v1/', '')];
      if (method !== 'POST' || command === undefined)
        return { status: 404, body: { code: -32601, message: `Unknown command '${path}'` } };
      return command(node, JSON.parse(body) as Parameters);
    },
    ({ path }) => path === '/v1/xpay',
  );
}

const COMMANDS: Readonly<
  Record<string, (node: FakeLightningNode, parameters: Parameters) => FakeReply | Promise<FakeReply>>
> = {
  getinfo: (node) => ok({ id: node.publicKey, network: NETWORKS[node.network] ?? node.network }),
  listpeerchannels: (node) => {
    const toUs = node.offered.reduce((sum, msat) => sum + msat, node.localMsat);
    const htlcs = [
      ...node.offered.map((msat) => ({ direction: 'out', amount_msat: Number(msat) })),
      ...node.held.map((msat) => ({ direction: 'in', amount_msat: Number(msat) })),
    ];
    const channel = { to_us_msat: Number(toUs), total_msat: Number(toUs + node.remoteMsat) };
    return ok({
      channels: [
        { state: 'CHANNELD_NORMAL', ...channel, htlcs },
        { state: 'CHANNELD_AWAITING_LOCKIN', ...channel },
        { state: 'ONCHAIN', ...channel, htlcs },
      ],
    });
  },
  invoice: (node, { amount_msat: msat, description, expiry }) => {
    const made = node.addInvoice({ msat: BigInt(msat ?? 0), memo: String(description), expirySeconds: Number(expiry) });
    return ok({
      payment_hash: made.paymentHash,
      expires_at: seconds(made.createdAt) + made.expirySeconds,
      bolt11: made.paymentRequest,
      payment_secret: made.paymentSecret,
      created_index: made.addIndex,
    });
  },
  listinvoices: (node, { payment_hash: hash }) => {
    const invoice = node.invoices.get(String(hash));
    return ok({ invoices: invoice === undefined ? [] : [written(invoice)] });
  },
  waitanyinvoice: (node, { lastpay_index: last = 0, timeout }) => nextPaid(node, Number(last), Number(timeout)),
  decode: (node, { string: text }) => {
    try {
      const { paymentHash, payee, msat, description } = readPaymentRequest(String(text), node.network);
      return ok({
        type: 'bolt11 invoice',
        valid: true,
        payee,
        payment_hash: paymentHash,
        description,
        ...(msat === null ? {} : { amount_msat: Number(msat) }),
      });
    } catch {
      return problem(-32602, 'string: invalid token');
    }
  },
  listpays: (node, { payment_hash: hash }) => {
    const payment = node.payments.get(String(hash));
    // A payment of which no part was ever sent is in no list.
    return ok({
      pays:
        payment === undefined || (payment.state === 'failed' && !payment.attempted) ? [] : [writtenPayment(payment)],
    });
  },
  xpay: pay,
};

function written(invoice: FakeInvoice): object {
  const expired = invoice.state === 'cancelled' || invoice.createdAt + invoice.expirySeconds * 1000 < Date.now();
  const paid = {
    pay_index: invoice.settleIndex,
    amount_received_msat: Number(invoice.receivedMsat),
    paid_at: seconds(invoice.settledAt),
    payment_preimage: invoice.preimage,
  };
  return {
    label: `l${invoice.addIndex}`,
    bolt11: invoice.paymentRequest,
    payment_hash: invoice.paymentHash,
    status: invoice.state === 'settled' ? 'paid' : expired ? 'expired' : 'unpaid',
    description: invoice.memo,
    expires_at: seconds(invoice.createdAt) + invoice.expirySeconds,
    created_index: invoice.addIndex,
    ...(invoice.state === 'settled' ? paid : {}),
  };
}

function nextPaid(node: FakeLightningNode, last: number, timeoutSeconds: number): FakeReply | Promise<FakeReply> {
  const [next] = node.settledAfter(last);
  if (next !== undefined) return ok(written(next));
  const none = problem(904, 'Timed out while waiting for invoice to be paid');
  if (timeoutSeconds === 0) return none;
  return new Promise((resolve) => {
    const end = (reply: FakeReply): void => {
      clearTimeout(timer);
      node.off('invoice', told);
      resolve(reply);
    };
    const told = (invoice: FakeInvoice): void => {
      if (invoice.settleIndex > last) end(ok(written(invoice)));
    };
    const timer = setTimeout(() => end(none), timeoutSeconds * 1000).unref();
    node.on('invoice', told);
  });
}

function writtenPayment(payment: FakePayment): object {
  const { paymentHash, msat, feeMsat, state, createdAt, paymentRequest } = payment;
  const common = {
    payment_hash: paymentHash,
    bolt11: paymentRequest,
    created_at: seconds(createdAt),
    created_index: 1,
  };
  if (state === 'settled')
    return {
      ...common,
      status: 'complete',
      preimage: payment.preimage,
      amount_msat: Number(msat),
      amount_sent_msat: Number(msat + feeMsat),
    };
  return {
    ...common,
    status: state === 'failed' ? 'failed' : 'pending',
    amount_sent_msat: state === 'failed' ? 0 : Number(msat + feeMsat),
  };
}

/** Answers when the payment has ended. */
async function pay(
  node: FakeLightningNode,
  { invstring, amount_msat: chosen, maxfee }: Parameters,
): Promise<FakeReply> {
  let payment: FakePayment;
  try {
    payment = node.pay(String(invstring), chosen === undefined ? null : BigInt(chosen), BigInt(maxfee ?? 5000));
  } catch (error) {
    const { message } = error as Error;
    return problem(/expired/.test(message) ? 207 : /already paid/.test(message) ? 219 : -1, message);
  }
  await ended(node, payment);
  if (payment.state === 'settled') {
    return ok({
      payment_preimage: payment.preimage,
      failed_parts: 0,
      successful_parts: 1,
      amount_msat: Number(payment.msat),
      amount_sent_msat: Number(payment.msat + payment.feeMsat),
    });
  }
  return payment.reason === 'refused'
    ? problem(203, 'Destination said it doesn’t know invoice: incorrect_or_unknown_payment_details')
    : problem(205, 'Could not find a route');
}

function ended(node: FakeLightningNode, payment: FakePayment): Promise<void> {
  return new Promise((resolve) => {
    const told = (changed: FakePayment): void => {
      if (changed !== payment || payment.state === 'in-flight') return;
      node.off('payment', told);
      resolve();
    };
    node.on('payment', told);
    told(payment);
  });
}
