import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ChainFollower, readDecimal, TillgateError, TopUps } from '../../../core/index.ts';
import type { AccountId, App, AppId, Order, PlanSales, Storage, TopUp } from '../../../core/index.ts';
import { pathsOf } from '../../crash/crash-point.ts';
import { Crash, CrashPoint } from '../../support/crashing.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { buildMoney } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { leaveRefundAddress } from '../../support/refund-address.ts';
import { testsOf } from '../../support/storage.ts';

const ETHER = 10n ** 18n;
const DAY = 86_400_000;
const UNITS = 1_000;
/** The seller's ether is worth 2,000 US dollars. */
const PRICE = '2000';
/** More calls than a purchase makes; the test fails when it is reached, so that no crash point is left out. */
const MOST_CALLS = 120;
const READS = new Set(
  pathsOf(({ storage: { accounts, chains, deposits, orders, prepaid } }) => [
    ...[accounts.find, chains.state, chains.block, deposits.byOrder, deposits.due, deposits.dueOrders, deposits.owners],
    ...[deposits.find, deposits.watched, orders.find, prepaid.countOpen, prepaid.find],
  ]),
);

function decimal(text: string) {
  const value = readDecimal(text);
  assert(value !== null);
  return value;
}

const salesOf = (till: MoneyDomain): PlanSales => ({
  accountId: till.principal.accountId,
  agentsId: till.principal.accountId,
  newAppsPrepaid: true,
  plans: [
    { name: 'starter', units: UNITS, vsCurrency: 'USD', vsPrice: decimal(PRICE) },
    { name: 'tiny', units: 1, vsCurrency: 'USD', vsPrice: decimal('0.000001') },
  ],
});

interface Parts {
  readonly sales?: PlanSales | null;
  readonly storage?: Storage;
  readonly createOrder?: MoneyDomain['createOrder'];
}

const topUpsOf = (till: MoneyDomain, { sales = salesOf(till), ...parts }: Parts = {}): TopUps =>
  new TopUps({
    storage: parts.storage ?? till.storage,
    createOrder: parts.createOrder ?? till.createOrder,
    queries: { payUrl: ({ checkoutToken }) => `https://till.example/checkout/${checkoutToken}` },
    clock: till.clock,
    orderTimeoutMs: 1_800_000,
    sales,
    baseUrl: { url: 'https://till.example' },
  });

async function newApp(till: MoneyDomain): Promise<AppId> {
  const id = till.ids.next() as AppId;
  const now = till.clock.now();
  const app: App = {
    ...{ id, accountId: till.principal.accountId, name: 'wallet', enabled: true, version: 1, providerId: null },
    ...{
      chains: ['ETH'],
      admissionMode: null,
      quota: null,
      limits: null,
      prepaid: true,
      buyer: null,
      createdAt: now,
      modifiedAt: now,
    },
  };
  await till.storage.transaction(async (tx) => {
    await tx.apps.create(app);
    await tx.prepaid.open(id, `token-${id}`);
  });
  return id;
}

const buy = async (till: MoneyDomain, app: AppId, topUps = topUpsOf(till)): Promise<TopUp> =>
  topUps.buy(await topUps.find(app), 'starter');
const boughtOf = async (till: MoneyDomain, app: AppId): Promise<number> => (await topUpsOf(till).find(app)).left;
const statesOf = async (till: MoneyDomain, app: AppId) =>
  (await topUpsOf(till).purchases(app)).map(({ state, orderStatus }) => `${state} ${orderStatus}`);

let payments = 0;
/** The payer chooses ether and pays some of it, in a block of its own. */
async function pay(till: MoneyDomain, { order }: { order: Order }, units = ETHER): Promise<void> {
  await till.choosePayment.choose(order.checkoutToken, 'ETH', 'ETH');
  await send(till, order.id, units);
}

async function send(till: MoneyDomain, id: string, units: bigint): Promise<void> {
  const to = (await till.order(id)).payment?.address;
  assert(to !== undefined);
  till.eth.mine({ to, units, currency: 'ETH', from: 'eth-payer', txid: `top-up ${(payments += 1)}` });
  till.eth.mineEmpty(5);
}

eachStorage((engine, open) => {
  const money = testsOf(open, buildMoney);

  describe(`plans sold by the till, on ${engine}`, () => {
    money('an App has its units when the order is paid, and not before', async (till) => {
      const app = await newApp(till);
      const topUp = await buy(till, app);
      assert.equal(topUp.payUrl, `https://till.example/checkout/${topUp.order.checkoutToken}`);
      assert.equal(topUp.order.accountId, till.principal.accountId);
      assert.equal(topUp.order.links.succeedUrl, `https://till.example/top-up/token-${app}`);
      await pay(till, topUp);
      assert.equal(await boughtOf(till, app), 0);
      await till.follow();
      assert.equal(await boughtOf(till, app), UNITS);
      assert.deepEqual(await statesOf(till, app), ['CREDITED SUCCESS']);
      await pay(till, await buy(till, app));
      await till.follow();
      assert.equal(await boughtOf(till, app), 2 * UNITS);
      assert.equal(await till.balance('available', 'ETH'), 2n * ETHER);
      await till.checkBooks();
    });

    money('too little buys nothing, until the rest comes late or the seller accepts it', async (till) => {
      const [app, accepted] = [await newApp(till), await newApp(till)];
      const [late, short] = [await buy(till, app), await buy(till, accepted)];
      await pay(till, late, ETHER / 2n);
      await pay(till, short, ETHER / 2n);
      await till.follow();
      till.clock.advance(DAY / 2);
      await till.expire();
      assert.deepEqual(await statesOf(till, app), ['OPEN PARTIAL']);
      assert.equal(await boughtOf(till, app), 0);
      await send(till, late.order.id, ETHER / 2n);
      await till.follow();
      await till.orderAdminActions.resolve(short.order.id, 'operator');
      for (const each of [app, accepted]) {
        assert.deepEqual(await statesOf(till, each), ['CREDITED RESOLVED']);
        assert.equal(await boughtOf(till, each), UNITS);
      }
    });

    money('fault 161: a refund takes the units away, used or not', async (till) => {
      const app = await newApp(till);
      const topUp = await buy(till, app);
      await pay(till, topUp);
      till.eth.mineEmpty(30);
      await till.follow();
      await leaveRefundAddress(till, topUp.order.id, 'eth-payer');
      await till.refund.run(till.principal, topUp.order.id);
      const used = { appId: app, hour: 0, route: 'a', method: 'eth_call', units: 7 };
      const rows = [{ ...used, requests: 7, errors: 0, bytesIn: 0, bytesOut: 0 }];
      await till.storage.usage.add({ instance: 'one', number: 1, rows });
      assert.equal(await boughtOf(till, app), UNITS - 7);
      await till.settle();
      assert.deepEqual(await statesOf(till, app), ['TAKEN_BACK REFUNDED']);
      assert.equal(await boughtOf(till, app), -7);
    });

    money('fault 161: a payment that a reorganisation removes for good takes them away too', async (till) => {
      const app = await newApp(till);
      await pay(till, await buy(till, app));
      await till.follow();
      till.eth.drop(6);
      till.eth.mineEmpty(7);
      await till.follow();
      till.clock.advance(2 * DAY);
      await till.expire();
      assert.deepEqual(await statesOf(till, app), ['TAKEN_BACK TERMINATED']);
      assert.equal(await boughtOf(till, app), 0);
    });

    money('what cannot be bought says why', async (till) => {
      const app = await newApp(till);
      const view = await topUpsOf(till).find(app);
      await assert.rejects(topUpsOf(till).buy(view, 'huge'), {
        code: 'INVALID_FIELDS',
        details: { fields: [{ path: 'plan', message: 'must be one of starter, tiny' }] },
      });
      await assert.rejects(topUpsOf(till).buy(view, 'tiny'), TillgateError);
      await assert.rejects(topUpsOf(till, { sales: null }).buy(view, 'starter'), { code: 'NOT_READY' });
      const nobody = { ...salesOf(till), accountId: till.ids.next() as AccountId };
      await assert.rejects(topUpsOf(till, { sales: nobody }).buy(view, 'starter'), { code: 'NOT_READY' });
      await assert.rejects(topUpsOf(till).find(till.ids.next() as AppId), { code: 'NOT_FOUND' });
      await assert.rejects(topUpsOf(till).findByToken('unknown'), { code: 'NOT_FOUND' });
      for (let n = 0; n < 20; n++) await buy(till, app);
      await assert.rejects(buy(till, app), { code: 'STATE_CONFLICT' });
      till.clock.advance(1_800_001);
      await buy(till, app);
    });
  });

  describe(`a purchase killed between any two calls, on ${engine}`, () => {
    for (const when of ['before', 'after'] as const) {
      test(`fault 160: killed ${when} a call's effect: what was paid for is there, once`, async () => {
        const opened = await open();
        try {
          const till = await buildMoney(opened.storage);
          let at = 1;
          while (await crashAt(till, at, when === 'after')) {
            at += 1;
            assert.ok(at < MOST_CALLS, 'the run never ends');
          }
          assert.ok(at > 10, `only ${at} calls were seen`);
        } finally {
          await opened.close();
        }
      });
    }
  });
});

/** @returns false when the units were there before the crash point */
async function crashAt(till: MoneyDomain, at: number, after: boolean): Promise<boolean> {
  const app = await newApp(till);
  const point = new CrashPoint(at, after, READS);
  const storage = point.watch(till.storage, 'storage');
  const { createOrder } = till;
  const topUps = topUpsOf(till, { storage, createOrder: point.watch(createOrder, 'createOrder') });
  // The buyer tries again until there is an answer.
  const topUp = (await survived(() => buy(till, app, topUps))) ?? (await buy(till, app));
  await pay(till, topUp);
  const { stateMachine, latePayments, clock, ids, events, logger, metrics } = till;
  const follower = new ChainFollower(till.eth, {
    storage,
    stateMachine,
    latePayments,
    clock,
    ids,
    events,
    logger,
    metrics,
  });
  const lease = await till.lease();
  await survived(async () => {
    await follower.start();
    for (let steps = 0; steps < 100 && (await follower.step(lease)) === 'advanced'; steps++);
  });
  await till.follow();
  assert.equal((await till.order(topUp.order.id)).status, 'SUCCESS', `killed at call ${at}`);
  assert.equal(await boughtOf(till, app), UNITS, `killed at call ${at}`);
  await till.checkBooks();
  return point.crashed;
}

async function survived<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Crash) return null;
    throw error;
  }
}
