import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { afterEach, beforeEach, test } from 'node:test';
import { Allowance, PrepaidBalances, Quotas, replyHeaders, TillgateError, UsageMeter } from '../../core/index.ts';
import type {
  AppId,
  GatePayment,
  GatePurchase,
  GateSales,
  GatewayRoute,
  ChargeOffer,
  RouteId,
} from '../../core/index.ts';
import { FakeClock } from '../support/fakes.ts';
import { waitFor } from '../support/wait.ts';
import { answerRpc, appView, ask, bothPaths, CALL, HOST, KEY, keyView, OTHER_KEY, routeOf } from './support.ts';
import { startGateway, startNode } from './support.ts';
import type { Answer, Ask, FakeNode, TestGateway } from './support.ts';

const [HTTP, OFF] = ['http.gate.example', 'off.gate.example'];
const UNITS = 10;
const hex = (bytes: number): string => `0x${'1'.repeat(bytes * 2)}`;
const PAYMENT = Buffer.from(
  JSON.stringify({
    x402Version: 2,
    accepted: { scheme: 'exact', network: 'eip155:1', asset: hex(20), extra: { ticket: `77.${'a'.repeat(32)}` } },
    payload: {
      signature: hex(65),
      authorization: {
        ...{ from: hex(20), to: hex(20), nonce: hex(32) },
        ...{ value: '1', validAfter: '0', validBefore: '1' },
      },
    },
  }),
).toString('base64');
const PAID = { 'payment-signature': PAYMENT };

/** What is sold here: the till's own sales have tests on real databases. */
class FakeSales implements Pick<GateSales, 'offer' | 'again' | 'pay' | 'ticketOf'> {
  offers = 0;
  readonly payments: GatePayment[] = [];
  /** What comes of the next ones; by default it is credited. */
  onOffer = (): Promise<readonly ChargeOffer[]> => Promise.resolve([this.#offer()]);
  onPay: () => Promise<GatePurchase>;
  readonly #clock: FakeClock;

  constructor(clock: FakeClock, onPay: () => Promise<GatePurchase>) {
    this.#clock = clock;
    this.onPay = onPay;
  }

  offer(): Promise<readonly ChargeOffer[]> {
    this.offers += 1;
    return this.onOffer();
  }

  again = (offer: ChargeOffer): Promise<ChargeOffer | null> => Promise.resolve(offer);
  ticketOf = ({ order }: ChargeOffer): string => `${order.id}.${'b'.repeat(32)}`;

  pay(payment: GatePayment): Promise<GatePurchase> {
    this.payments.push(payment);
    return this.onPay();
  }

  #offer(): ChargeOffer {
    const order = { id: '77', expiresAt: this.#clock.now() + 600_000 };
    const payment = { address: hex(20), currency: 'USDT-ERC20' };
    const terms = { network: 'eip155:1', asset: hex(20), name: 'USDT', version: '2' };
    return { order, payment, units: 1n, terms, secondsLeft: 600 } as unknown as ChargeOffer;
  }
}

bothPaths(
  'a gate that is paid by the request',
  (path) => {
    let node: FakeNode;
    let gate: TestGateway;
    let sales: FakeSales;
    let prepaid: PrepaidBalances;
    let meter: UsageMeter;

    /** What the recorder does. */
    const read = (bought: number): void =>
      prepaid.read(prepaid.asked(), [{ appId: appView().id, bought, used: 0, token: 'abc' }], meter);
    const credited = (): Promise<GatePurchase> => {
      const app = appView({ prepaid: true });
      prepaid.check(app, 1);
      read(UNITS);
      const charge = { status: 'CONFIRMED' as const, txHash: hex(32), mined: true, reason: null };
      const key = { text: KEY } as GatePurchase['key'];
      return Promise.resolve({ appId: app.id, charge, credited: true, key });
    };
    const call = (options: Ask = {}): Promise<Answer> => ask(gate.port, { key: null, ...options });

    beforeEach(async () => {
      node = await startNode((_req, res, body) => {
        res.setHeader('Cache-Control', 'public, max-age=60');
        res.setHeader('PAYMENT-REQUIRED', 'pay the node');
        res.setHeader('Tillgate-Key', 'of the node');
        answerRpc(res, body);
      });
      const clock = new FakeClock();
      meter = new UsageMeter(clock);
      prepaid = new PrepaidBalances((token) => `https://pay.example/top-up/${token}`);
      sales = new FakeSales(clock, credited);
      const route = (host: string, id: string, changes: Partial<GatewayRoute> = {}): GatewayRoute =>
        routeOf([node.url], { host, id: id as RouteId, plans: ['small'], ...changes });
      gate = await startGateway(
        [route(HOST, '1'), route(HTTP, '2', { protocol: 'http' }), route(OFF, '3', { enabled: false })],
        {
          ...{ meter, clock, allowance: new Allowance(new Quotas(clock), prepaid) },
          sales: { sales, orderTimeoutMs: 1_800_000, payerWritesPerMinute: () => 5 },
        },
        path,
      );
      gate.directory.set(KEY, keyView({ app: appView({ prepaid: true }) }));
    });
    afterEach(async () => {
      await gate.close();
      await node.close();
    });

    test('fault 260: the node sees no payment, its own headers of x402 are dropped, and no cache may keep the key', async () => {
      const offered = await call();
      assert.deepEqual([offered.status, node.seen.length], [402, 0]);
      assert.match(offered.text, /"code":-32005.*"reason":"key_missing"/);
      const paid = await call({ headers: PAID });
      assert.equal(paid.status, 200, paid.text);
      assert.deepEqual(
        [paid.headers['tillgate-key'], paid.headers['cache-control'], paid.headers['payment-required']],
        [KEY, 'no-store', undefined],
      );
      assert.notEqual(paid.headers['payment-response'], undefined);
      assert.equal(node.seen[0]?.headers['payment-signature'], undefined);
      assert.equal(node.seen[0]?.headers['authorization'], undefined);
      const own = await ask(gate.port);
      assert.deepEqual([own.headers['tillgate-key'], own.headers['payment-required']], [undefined, undefined]);
    });

    test('requests with a key and something left are served, and their payment is not taken', async () => {
      prepaid.check(appView({ prepaid: true }), 1);
      read(UNITS);
      assert.equal((await ask(gate.port, { headers: PAID })).status, 200);
      assert.equal(sales.payments.length, 0);
    });

    test('an App with nothing left pays with its key in the path, and its body arrives as it was', async () => {
      prepaid.check(appView({ prepaid: true }), 1);
      read(0);
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: ['x'.repeat(100_000)] });
      const keyed = { path: `/${KEY}/`, body };
      const refused = await call(keyed);
      assert.deepEqual([refused.status, node.seen.length], [402, 0]);
      assert.notEqual(refused.headers['payment-required'], undefined);
      assert.notEqual(refused.headers['link'], undefined);
      const paid = await call({ ...keyed, headers: PAID });
      assert.equal(paid.status, 200, paid.text);
      assert.equal(sales.payments[0]?.appId, appView().id);
      assert.deepEqual([node.seen[0]?.body, node.seen[0]?.url], [body, '/']);
    });

    test('fault 255: a payment that is sent again with nothing left is refused, and not taken a second time', async () => {
      assert.equal((await call({ headers: PAID })).status, 200);
      sales.onPay = async () => {
        const purchase = await credited();
        prepaid.check(appView({ prepaid: true }), 1);
        read(0);
        return purchase;
      };
      const again = await call({ headers: PAID });
      assert.equal(again.status, 402, again.text);
      assert.notEqual(again.headers['payment-required'], undefined);
      assert.deepEqual([sales.payments.length, node.seen.length], [2, 1]);
    });

    test('fault 255: a paid request waits until what its App has left was read, and is not admitted before', async () => {
      sales.onPay = async () => ({ ...(await credited()), key: { text: OTHER_KEY } as GatePurchase['key'] });
      const app = appView({ id: '1000000000000000009' as AppId, prepaid: true });
      gate.directory.set(OTHER_KEY, keyView({ app }));
      const reply = call({ headers: PAID });
      let asked: readonly AppId[] = [];
      await waitFor(() => (asked = prepaid.asked()).includes(app.id));
      prepaid.read(asked, [{ appId: app.id, bought: 0, used: 0, token: 'abc' }], meter);
      assert.deepEqual([(await reply).status, node.seen.length], [402, 0]);
    });

    test('a request behind a paid one on the same connection is read from its own first byte', async () => {
      let pay = (): void => undefined;
      sales.onPay = async () => {
        await new Promise<void>((resolve) => (pay = resolve));
        return credited();
      };
      const head = (more: string): string =>
        `POST / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Type: application/json\r\nContent-Length: ${CALL.length}\r\n${more}\r\n`;
      const socket = connect(gate.port, '127.0.0.1');
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.write(`${head(`PAYMENT-SIGNATURE: ${PAYMENT}\r\n`)}${CALL}${head('')}${CALL}`);
      await waitFor(() => sales.payments.length === 1);
      pay();
      await waitFor(() => (text.match(/HTTP\/1\.1/g) ?? []).length === 2);
      socket.destroy();
      assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 402'], text);
      assert.equal(node.seen.length, 1);
    });

    test('a client that goes away while its payment is taken leaves nothing behind', async () => {
      let pay = (): void => undefined;
      sales.onPay = async () => {
        await new Promise<void>((resolve) => (pay = resolve));
        return credited();
      };
      const socket = connect(gate.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(`GET / HTTP/1.1\r\nHost: ${HTTP}\r\nPAYMENT-SIGNATURE: ${PAYMENT}\r\n\r\n`);
      await waitFor(() => sales.payments.length === 1);
      socket.destroy();
      await waitFor(async () => /status="499"/.test(await gate.metrics()));
      pay();
      sales.onPay = credited;
      assert.equal((await call({ host: HTTP, method: 'GET', headers: PAID })).status, 200);
      assert.equal(node.seen.length, 1);
    });

    test('where nothing can be offered the refusal is as ever, soon, and nothing is tried again at once', async () => {
      sales.onOffer = () => Promise.reject(new TillgateError('NODE_FAILED', 'The node is away.'));
      for (const _ of [1, 2, 3]) {
        const { status, headers } = await call();
        assert.deepEqual(
          [status, headers['payment-required'], headers['www-authenticate']],
          [401, undefined, 'Bearer'],
        );
      }
      assert.equal(sales.offers, 1);
    });

    test('fault 258: an offer that takes long is made once for all who ask, and they do not wait for it', async () => {
      sales.onOffer = () => new Promise(() => undefined);
      const replies = await Promise.all(Array.from({ length: 20 }, () => call()));
      assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([401]));
      assert.equal(sales.offers, 1);
    });

    test('a gateway that is off sells nothing', async () => {
      const { status, headers } = await call({ host: OFF, headers: PAID });
      assert.deepEqual([status, headers['payment-required'], sales.payments.length], [401, undefined, 0]);
    });

    test('a payment that cannot be taken now is 503, one that is wrong is 402 with another ticket, and too many are 429', async () => {
      sales.onPay = () => Promise.reject(new TillgateError('NODE_FAILED', 'The node is away.'));
      assert.equal((await call({ headers: PAID })).status, 503);
      sales.onPay = () => Promise.reject(new TillgateError('INVALID_FIELDS', 'The payment is refused.'));
      assert.equal((await call({ headers: PAID })).status, 402);
      const noTicket = { ...(JSON.parse(Buffer.from(PAYMENT, 'base64').toString()) as { accepted: object }) };
      noTicket.accepted = { ...noTicket.accepted, extra: {} };
      const taken = sales.payments.length;
      const without = Buffer.from(JSON.stringify(noTicket)).toString('base64');
      assert.equal((await call({ headers: { 'payment-signature': without } })).status, 402);
      assert.equal(sales.payments.length, taken);
      for (const _ of [1, 2]) assert.equal((await call({ headers: PAID })).status, 402);
      const limited = await call({ headers: PAID });
      assert.equal(limited.status, 429);
      assert.notEqual(limited.headers['retry-after'], undefined);
    });
  },
  ['mixed'],
);

test('fault 260: a node that asks the gateway’s clients for money is not passed on', () => {
  const source = { hostname: 'node.example', secrets: [] };
  const fields = ['PAYMENT-REQUIRED', 'x', 'Payment-Response', 'x', 'Tillgate-Key', 'x', 'X-Other', 'y'];
  assert.deepEqual(replyHeaders(fields, source), ['X-Other', 'y']);
});
