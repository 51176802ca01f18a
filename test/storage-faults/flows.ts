import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { AppKeys, Apps, DeliverCallbacks, readDecimal } from '../../core/index.ts';
import type { IdempotencyClaim, Order } from '../../core/index.ts';
import { CryptoDigest, CryptoRandom } from '../../adapters/crypto/index.ts';
import { FakeDeadlines, FakeTransport, FakeVault, SeededRandom } from '../support/fakes.ts';
import { PAYEE } from '../support/money.ts';
import type { MoneyDomain } from '../support/money.ts';
import { waitFor } from '../support/wait.ts';

/** One piece of business: what is done before any failure, its steps, and what must be so afterwards. */
export interface Flow {
  readonly name: string;
  /** So many statements that only some of them fail in the tests of each day, others each time. */
  readonly long?: true;
  prepare(till: MoneyDomain): Promise<Prepared>;
}

/** Each step is repeated until it succeeds: it is what a client or a worker does that tries again. */
export interface Prepared {
  readonly steps: readonly (() => Promise<unknown>)[];
  verify(): Promise<void>;
}

const LINKS = { callbackUrl: 'https://shop.example/paid' };
let count = 0;
const unique = (): string => `${(count += 1)}-${randomBytes(4).toString('hex')}`;

const claim = (till: MoneyDomain, route: string): IdempotencyClaim => ({
  route,
  key: unique(),
  bodyHash: 'body',
  expiresAt: till.clock.now() + 365 * 86_400_000,
});

function create(till: MoneyDomain, key: IdempotencyClaim | null, price = '20'): Promise<Order> {
  const vsPrice = readDecimal(price);
  assert(vsPrice !== null);
  const input = { chain: 'ETH', currency: 'ETH', vsCurrency: 'USD', vsPrice, links: LINKS, enablePostCallback: true };
  return till.createOrder.inCoin(till.principal, input, key);
}

function pay({ eth }: MoneyDomain, order: Order, blocks: number): void {
  assert(order.payment !== null);
  eth.mine({
    to: order.payment.address,
    currency: 'ETH',
    units: order.payment.units,
    txid: `paid-${unique()}`,
    from: 'eth-payer',
  });
  if (blocks > 0) eth.mineEmpty(blocks);
}

/** Follows the chain as a worker does that was just started. */
async function follow(till: MoneyDomain): Promise<void> {
  const follower = till.newFollower();
  await follower.start();
  const lease = await till.lease();
  while ((await follower.step(lease)) === 'advanced');
}

async function paysOut(till: MoneyDomain, id: string): Promise<void> {
  const runner = till.newRunner();
  const lease = await till.payoutLease();
  for (let block = 0; block < 12 && (await till.transfer(id)).status !== 'CONFIRMED'; block++) {
    for (let steps = 0; steps < 20 && (await runner.step(lease)) === 'advanced'; steps++);
    till.clock.advance(1_000);
    till.ethPayments.mine();
    await till.follow();
  }
  const { status, reason } = await till.transfer(id);
  assert.equal(status, 'CONFIRMED', reason ?? '');
}

const orderCreation: Flow = {
  name: 'the creation of an order',
  prepare: async (till) => {
    const key = claim(till, 'pay-info');
    const before = (await till.storage.orders.list(till.principal.accountId, { page: 1, size: 1 })).total;
    return {
      steps: [() => create(till, key)],
      verify: async () =>
        assert.equal(
          (await till.storage.orders.list(till.principal.accountId, { page: 1, size: 1 })).total,
          before + 1,
        ),
    };
  },
};

async function creditedOnce(till: MoneyDomain, { id, payment }: Order): Promise<void> {
  const order = await till.order(id);
  assert.deepEqual([order.status, order.received], ['SUCCESS', payment?.units]);
  assert.equal((await till.storage.callbacks.byOrder(order.id)).length, 1);
}

const credit: Flow = {
  name: 'a deposit: seen, credited, matured',
  long: true,
  prepare: async (till) => {
    const order = await create(till, null);
    pay(till, order, 4);
    return { steps: [() => follow(till)], verify: () => creditedOnce(till, order) };
  },
};

const reorganisation: Flow = {
  name: 'a reorganisation that takes a credit back, and the payment again',
  long: true,
  prepare: async (till) => {
    const order = await create(till, null);
    pay(till, order, 0);
    await till.follow();
    await creditedOnce(till, order);
    till.eth.drop(1);
    till.eth.mineEmpty(2);
    return {
      steps: [
        () => follow(till),
        async () => {
          assert.equal((await till.order(order.id)).received, 0n);
          pay(till, order, 4);
        },
        () => follow(till),
      ],
      verify: () => creditedOnce(till, order),
    };
  },
};

const delivery: Flow = {
  name: 'the delivery of a callback',
  prepare: async (till) => {
    const order = await create(till, null);
    pay(till, order, 4);
    await till.follow();
    const transport = new FakeTransport();
    const { storage, clock, logger, metrics } = till;
    // The claim of an attempt that could not be recorded lapses after three times the time-out, by the database's clock.
    const settings = { scheduleMs: [1_000], timeoutMs: 10, allowPrivateNetworks: true };
    const deps = {
      storage,
      transport,
      vault: new FakeVault(),
      digest: new CryptoDigest(),
      random: new SeededRandom(),
      clock,
      deadline: new FakeDeadlines().after,
      logger,
      metrics,
      settings,
    };
    const [row] = await storage.callbacks.byOrder(order.id);
    assert(row !== undefined);
    return {
      steps: [
        async () => {
          const courier = new DeliverCallbacks(deps);
          await waitFor(async () => {
            await courier.run();
            await courier.drain();
            clock.advance(10_000);
            return (await storage.callbacks.find(row.id))?.status === 'DELIVERED';
          });
        },
      ],
      verify: async () => {
        assert.deepEqual(
          (await storage.callbacks.byOrder(order.id)).map(({ id, status }) => [id, status]),
          [[row.id, 'DELIVERED']],
        );
        assert.ok(transport.sent.some(({ body }) => body === row.body));
        assert.equal(
          new Set(transport.sent.filter(({ body }) => body === row.body).map(({ headers }) => headers['webhook-id']))
            .size,
          1,
        );
      },
    };
  },
};

const withdrawal: Flow = {
  name: 'a withdrawal: asked for, signed, sent, confirmed',
  long: true,
  prepare: async (till) => {
    await till.fund('ETH', '20');
    const paid = till.ethPayments.paidTo(PAYEE.ETH, 'ETH').length;
    const key = claim(till, 'withdraw');
    let id = '';
    return {
      steps: [async () => (id = (await till.withdraw('0.005', 'ETH', key)).tx_id), () => paysOut(till, id)],
      verify: async () => assert.equal(till.ethPayments.paidTo(PAYEE.ETH, 'ETH').length, paid + 1),
    };
  },
};

const refund: Flow = {
  name: 'a refund: asked for, paid, booked',
  long: true,
  prepare: async (till) => {
    const order = await till.fund('ETH', '20');
    const paid = till.ethPayments.paidTo('eth-payer', 'ETH').length;
    const key = claim(till, 'refund');
    return {
      steps: [
        () => till.refund.run(till.principal, order.id, key),
        async () => paysOut(till, (await till.storage.transfers.refundOf(order.id))?.id ?? ''),
      ],
      verify: async () => {
        assert.equal(till.ethPayments.paidTo('eth-payer', 'ETH').length, paid + 1);
        assert.equal((await till.order(order.id)).status, 'REFUNDED');
      },
    };
  },
};

const rotation: Flow = {
  name: 'the rotation of a key',
  prepare: async (till) => {
    const deps = {
      storage: till.storage,
      vault: new FakeVault(),
      random: new CryptoRandom(),
      ids: till.ids,
      clock: till.clock,
    };
    const { app, key } = await new Apps(deps).create({
      accountId: till.principal.accountId,
      name: 'shop',
      chains: ['ETH'],
    });
    const keys = new AppKeys(deps);
    return {
      steps: [
        async () => {
          // Whoever got no answer looks first whether it happened.
          if ((await keys.list(app.id)).some(({ key: { id }, state }) => state === 'active' && id !== key.key.id))
            return;
          await keys.rotate(app.id);
        },
      ],
      verify: async () =>
        assert.deepEqual(
          (await keys.list(app.id)).map(({ state }) => state),
          ['active', 'grace'],
        ),
    };
  },
};

export const FLOWS: readonly Flow[] = [orderCreation, credit, reorganisation, delivery, withdrawal, refund, rotation];
