import type { FakeInvoice, FakeLightningNode, FakePayment } from './fake-node.ts';
import { serveFake } from './fake-server.ts';
import type { FakeReply, FakeRequest, FakeServer } from './fake-server.ts';
import { readPaymentRequest } from '../../../adapters/lightning/index.ts';

const STATES = { open: 'OPEN', accepted: 'ACCEPTED', settled: 'SETTLED', cancelled: 'CANCELED' } as const;
const STATUSES = { 'in-flight': 'IN_FLIGHT', settled: 'SUCCEEDED', failed: 'FAILED' } as const;
const REASONS = {
  'no-route': 'FAILURE_REASON_NO_ROUTE',
  refused: 'FAILURE_REASON_INCORRECT_PAYMENT_DETAILS',
  balance: 'FAILURE_REASON_INSUFFICIENT_BALANCE',
} as const;
const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');
const seconds = (ms: number): string => Math.floor(ms / 1000).toString();
const ok = (body: unknown): FakeReply => ({ status: 200, body });
const problem = (status: number, code: number, message: string): FakeReply => ({
  status,
  body: { code, message, details: [] },
});

/** The REST interface of lnd 0.20 in front of a fake node. @param macaroon - hexadecimal */
export function serveLnd(node: FakeLightningNode, macaroon: string, tls = true): Promise<FakeServer> {
  return serveFake(
    tls,
    (request) => {
      if (request.headers['grpc-metadata-macaroon'] !== macaroon)
        return problem(500, 2, 'verification failed: signature mismatch after caveat verification');
      return answer(node, request);
    },
    ({ path }) => path === '/v2/router/send',
  );
}

function answer(node: FakeLightningNode, request: FakeRequest): FakeReply {
  const { method, path } = request;
  const last = decodeURIComponent(path.split('/').at(-1) ?? '');
  if (method === 'POST') {
    if (path === '/v1/invoices') return addInvoice(node, JSON.parse(request.body) as Record<string, string>);
    return path === '/v2/router/send' ? send(node, JSON.parse(request.body) as Record<string, string>) : null;
  }
  if (path === '/v1/getinfo')
    return ok({
      identity_pubkey: node.publicKey,
      chains: [{ chain: 'bitcoin', network: node.network }],
      synced_to_chain: true,
    });
  if (path === '/v1/balance/channels')
    return ok({
      // Deprecated by lnd, and read by LNbits.
      balance: (node.localMsat / 1000n).toString(),
      local_balance: amount(node.localMsat),
      remote_balance: amount(node.remoteMsat),
      unsettled_local_balance: amount(sumOf(node.offered)),
      unsettled_remote_balance: amount(sumOf(node.held)),
    });
  if (path === '/v1/invoices/subscribe') return subscribe(node, Number(request.query.get('settle_index') ?? 0));
  if (path === '/v1/invoices')
    return list(
      node,
      Number(request.query.get('index_offset') ?? 0),
      Number(request.query.get('num_max_invoices') ?? 100),
    );
  if (path.startsWith('/v1/invoice/')) return lookUp(node, last);
  if (path.startsWith('/v1/payreq/')) return decode(node, last);
  if (path === '/v2/router/payments') return ends(node);
  return path.startsWith('/v2/router/track/') ? track(node, Buffer.from(last, 'base64url').toString('hex')) : null;
}

const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, msat) => sum + msat, 0n);

function amount(msat: bigint): object {
  return { sat: (msat / 1000n).toString(), msat: msat.toString() };
}

function addInvoice(node: FakeLightningNode, terms: Readonly<Record<string, string>>): FakeReply {
  // An amount in satoshis or in thousandths.
  const value = BigInt(terms['value_msat'] ?? '0') || BigInt(terms['value'] ?? '0') * 1000n;
  const invoice = node.addInvoice({
    msat: value === 0n ? null : value,
    memo: terms['memo'] ?? '',
    expirySeconds: Number(terms['expiry'] ?? 3600),
  });
  return ok({
    r_hash: base64(invoice.paymentHash),
    payment_request: invoice.paymentRequest,
    add_index: String(invoice.addIndex),
    payment_addr: base64(invoice.paymentSecret),
  });
}

function written(invoice: FakeInvoice): object {
  return {
    memo: invoice.memo,
    r_preimage: base64(invoice.preimage),
    r_hash: base64(invoice.paymentHash),
    value_msat: (invoice.msat ?? 0n).toString(),
    settled: invoice.state === 'settled',
    creation_date: seconds(invoice.createdAt),
    settle_date: seconds(invoice.settledAt),
    payment_request: invoice.paymentRequest,
    expiry: String(invoice.expirySeconds),
    add_index: String(invoice.addIndex),
    settle_index: String(invoice.settleIndex),
    amt_paid_msat: invoice.state === 'settled' ? invoice.receivedMsat.toString() : '0',
    state: STATES[invoice.state],
  };
}

function lookUp(node: FakeLightningNode, hash: string): FakeReply {
  const invoice = node.invoices.get(hash);
  return invoice === undefined ? problem(404, 5, 'unable to locate invoice') : ok(written(invoice));
}

function list(node: FakeLightningNode, offset: number, most: number): FakeReply {
  const page = [...node.invoices.values()].filter(({ addIndex }) => addIndex > offset).slice(0, most);
  return ok({
    invoices: page.map(written),
    first_index_offset: String(page[0]?.addIndex ?? 0),
    last_index_offset: String(page.at(-1)?.addIndex ?? 0),
  });
}

/** Streams the events after an index (none for index 0), then new invoices and settlements. */
function subscribe(node: FakeLightningNode, index: number): FakeReply {
  return {
    follow: (write) => {
      for (const invoice of index === 0 ? [] : node.settledAfter(index)) write({ result: written(invoice) });
      const told = (invoice: FakeInvoice): void => {
        if (invoice.state === 'open' || invoice.state === 'settled') write({ result: written(invoice) });
      };
      node.on('invoice', told);
      return () => void node.off('invoice', told);
    },
  };
}

function decode(node: FakeLightningNode, text: string): FakeReply {
  try {
    const { paymentHash, payee, msat, description } = readPaymentRequest(text, node.network);
    return ok({
      destination: payee,
      payment_hash: paymentHash,
      num_satoshis: ((msat ?? 0n) / 1000n).toString(),
      num_msat: (msat ?? 0n).toString(),
      description,
    });
  } catch (error) {
    return problem(500, 2, (error as Error).message);
  }
}

function writtenPayment(payment: FakePayment): object {
  return {
    result: {
      payment_hash: payment.paymentHash,
      payment_preimage: payment.preimage.padStart(64, '0'),
      value_msat: payment.msat.toString(),
      fee_msat: payment.feeMsat.toString(),
      status: STATUSES[payment.state],
      failure_reason: payment.state === 'failed' ? REASONS[payment.reason] : 'FAILURE_REASON_NONE',
      htlcs: [],
    },
  };
}

function send(node: FakeLightningNode, terms: Readonly<Record<string, string>>): FakeReply {
  const chosen = BigInt(terms['amt_msat'] ?? '0');
  try {
    const { paymentHash } = node.pay(
      terms['payment_request'] ?? '',
      chosen === 0n ? null : chosen,
      BigInt(terms['fee_limit_msat'] ?? '0'),
    );
    return track(node, paymentHash);
  } catch (error) {
    const { message } = error as Error;
    const known = /transition|already/.test(message);
    return problem(known ? 409 : 500, known ? 6 : 2, message);
  }
}

function track(node: FakeLightningNode, hash: string): FakeReply {
  const payment = node.payments.get(hash);
  if (payment === undefined) return problem(404, 5, "payment isn't initiated");
  return {
    follow: (write, end) => {
      const told = (changed: FakePayment): void => {
        if (changed !== payment) return;
        write(writtenPayment(payment));
        if (payment.state !== 'in-flight') end();
      };
      node.on('payment', told);
      told(payment);
      return () => void node.off('payment', told);
    },
  };
}

function ends(node: FakeLightningNode): FakeReply {
  return {
    follow: (write) => {
      const told = (payment: FakePayment): void => {
        if (payment.state !== 'in-flight') write(writtenPayment(payment));
      };
      node.on('payment', told);
      return () => void node.off('payment', told);
    },
  };
}
