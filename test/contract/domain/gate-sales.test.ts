import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GateSales, isTillgateError, readDecimal, RequestCharge, TillgateError } from '../../../core/index.ts';
import type { AppId, ErrorCode, GatePayment, GatePurchase, ChargeOffer, Storage } from '../../../core/index.ts';
import { CryptoDigest } from '../../../adapters/crypto/index.ts';
import { pathsOf } from '../../crash/crash-point.ts';
import { Crash, CrashPoint } from '../../support/crashing.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { FakeVault, SeededRandom } from '../../support/fakes.ts';
import { buildMoney } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { testsOf } from '../../support/storage.ts';

const FLOAT = 10n ** 18n;
const UNITS = 1_000;
const PLANS = ['small'];
/** More calls than a payment makes; the test fails when it is reached, so that no crash point is left out. */
const MOST_CALLS = 120;
const READS = new Set(
  pathsOf(({ storage: { accounts, apps, chains, deposits, orders, prepaid, transfers } }) => [
    ...[accounts.find, apps.keys, chains.state, deposits.byOrder, orders.find, orders.findByCheckoutToken],
    ...[prepaid.gateOffer, transfers.chargeOf, transfers.payoutOf],
  ]),
);
const vault = new FakeVault();
const random = new SeededRandom('gate');
let nonces = 0;

/** The use case of one instance of the till. */
function salesOf(till: MoneyDomain, storage: Storage = till.storage): GateSales {
  const {
    assets,
    eth,
    btc,
    rateBook,
    queries: orderQueries,
    clock,
    ids,
    events,
    metrics,
    createOrder,
    principal,
  } = till;
  const chains = new Map([eth, btc].map((chain) => [chain.code, chain]));
  const charges = new RequestCharge({ storage, assets, chains, rateBook, orderQueries, clock, ids, events, metrics });
  const [cheap, dear] = [readDecimal('10'), readDecimal('9000')];
  assert(cheap !== null && dear !== null);
  return new GateSales({
    ...{ storage, createOrder, charges, assets, chains, rateBook, vault, random, ids, clock },
    digest: new CryptoDigest(),
    orderTimeoutMs: 1_800_000,
    sales: {
      ...{ accountId: principal.accountId, agentsId: principal.accountId, newAppsPrepaid: true },
      plans: [
        { name: 'large', units: 10 * UNITS, vsCurrency: 'USD', vsPrice: dear },
        { name: 'small', units: UNITS, vsCurrency: 'USD', vsPrice: cheap },
      ],
    },
  });
}

async function offered(till: MoneyDomain, sales = salesOf(till)): Promise<ChargeOffer> {
  const offer = (await sales.offer(['large', 'small'], new Set())).find(({ payment }) => payment.chain === 'ETH');
  assert(offer !== undefined);
  return offer;
}

/** A payer's payment for an offer. */
function paymentFor(till: MoneyDomain, offer: ChargeOffer, given: Partial<GatePayment> = {}): GatePayment {
  const now = BigInt(Math.floor(till.clock.now() / 1000));
  const nonce = `0x${(nonces += 1).toString(16).padStart(64, '0')}`;
  const authorization = {
    ...{ units: offer.units, from: 'eth-payer', nonce, signature: `0x${'11'.repeat(65)}` },
    ...{ validAfter: now - 600n, validBefore: now + 120n },
  };
  const { network, asset } = offer.terms;
  const sent = { network, asset: asset.toLowerCase(), to: offer.payment.address.toLowerCase(), authorization };
  const chainsOf = (): readonly string[] => ['ETH'];
  return { ticket: salesOf(till).ticketOf(offer), sent, appId: null, plans: PLANS, chainsOf, ...given };
}

/** Mines and follows, one block every 12 seconds. */
async function blocks(till: MoneyDomain, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    till.clock.advance(12_000);
    till.ethPayments.mine();
    await till.follow();
    await till.payOut();
  }
}

const pay = (till: MoneyDomain, payment: GatePayment, sales = salesOf(till)): Promise<GatePurchase> =>
  sales.pay(payment);
const boughtOf = async (till: MoneyDomain, app: AppId): Promise<number> =>
  (await till.storage.prepaid.find(app))?.bought ?? 0;
const sentCharges = (till: MoneyDomain): number =>
  [...till.ethPayments.sent.values()].filter(({ content }) => content.lines.some(({ charge }) => charge)).length;
const refused = (code: ErrorCode) => (error: unknown) => isTillgateError(error, code);
const apps = (till: MoneyDomain): Promise<number> => till.storage.apps.countOf(till.principal.accountId);

eachStorage((engine, open) => {
  const money = testsOf(open, buildMoney);
  /** A test with coins for the network's fees, and a seller who has tokens to pay them with. */
  const selling = (name: string, body: (till: MoneyDomain) => Promise<void>): void =>
    money(name, async (till) => {
      await till.float(FLOAT);
      await till.fund('USDT-ERC20', '100');
      await blocks(till, 25);
      await body(till);
    });

  describe(`plans that are paid at the gate, on ${engine}`, () => {
    selling('the cheapest plan is offered, and a payment makes an App with its key and its units', async (till) => {
      const offer = await offered(till);
      assert.equal(offer.units, 10_000_000n);
      const payment = paymentFor(till, offer);
      const first = await pay(till, payment);
      assert.deepEqual([first.credited, first.charge.status], [false, 'REQUESTED']);
      await blocks(till, 10);
      const paid = await pay(till, payment);
      assert.deepEqual([paid.credited, paid.appId, paid.key?.text], [true, first.appId, first.key?.text]);
      const app = await till.storage.apps.find(paid.appId);
      assert.deepEqual([app?.prepaid, app?.chains, app?.accountId], [true, ['ETH'], till.principal.accountId]);
      assert.deepEqual([await boughtOf(till, paid.appId), await apps(till), sentCharges(till)], [UNITS, 1, 1]);
      await till.checkBooks();
    });

    selling(
      'fault 254: the same signature with another ticket, or the ticket with another signature, gets no key',
      async (till) => {
        const offer = await offered(till);
        const payment = paymentFor(till, offer);
        await pay(till, payment);
        await blocks(till, 10);
        const seen = paymentFor(till, offer, { sent: payment.sent });
        const other = { ...paymentFor(till, offer), ticket: payment.ticket };
        for (const forged of [seen, other]) await assert.rejects(pay(till, forged), refused('INVALID_FIELDS'));
      },
    );

    selling(
      'fault 256: of payments that come to two instances at once one takes the offer, and nothing of the other is stored',
      async (till) => {
        const offer = await offered(till);
        const payments = Array.from({ length: 4 }, () => paymentFor(till, offer));
        const outcomes = await Promise.allSettled(payments.map((each) => pay(till, each)));
        assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
        assert.equal(await apps(till), 1);
        await blocks(till, 10);
        assert.deepEqual(
          [sentCharges(till), till.ethPayments.paidTo(offer.payment.address, 'USDT-ERC20')],
          [1, [offer.units]],
        );
        assert.equal(await salesOf(till).again(offer), null);
      },
    );

    selling('fault 257: one payment that comes to two instances at once makes one App', async (till) => {
      const payment = paymentFor(till, await offered(till));
      const purchases = await Promise.all(Array.from({ length: 4 }, () => pay(till, payment)));
      assert.equal(new Set(purchases.map(({ key }) => key?.text)).size, 1);
      await blocks(till, 10);
      assert.deepEqual([await apps(till), sentCharges(till), await boughtOf(till, purchases[0]!.appId)], [1, 1, UNITS]);
    });

    selling(
      'an App that is there pays for itself: no other App is served by it, and no second payment goes beside it',
      async (till) => {
        const { appId } = await pay(till, paymentFor(till, await offered(till)));
        const other = await pay(till, paymentFor(till, await offered(till)));
        const early = paymentFor(till, await offered(till), { appId });
        await assert.rejects(pay(till, early), refused('STATE_CONFLICT'));
        await blocks(till, 10);
        const payment = paymentFor(till, await offered(till), { appId });
        const begun = await pay(till, payment);
        assert.equal(begun.key, null);
        await assert.rejects(pay(till, paymentFor(till, await offered(till), { appId })), refused('STATE_CONFLICT'));
        await blocks(till, 10);
        assert.equal((await pay(till, payment)).credited, true);
        for (const wrong of [null, other.appId])
          await assert.rejects(pay(till, { ...payment, appId: wrong }), refused('INVALID_FIELDS'));
        assert.deepEqual([await boughtOf(till, appId), await boughtOf(till, other.appId)], [2 * UNITS, UNITS]);
      },
    );

    selling('a payment that comes to nothing buys nothing, and another one may follow', async (till) => {
      const payment = paymentFor(till, await offered(till));
      const { appId } = await pay(till, payment);
      till.ethPayments.objection = ({ charge }) =>
        charge === undefined ? null : new TillgateError('STATE_CONFLICT', 'The network would revert the payment.');
      await blocks(till, 1);
      const failed = await pay(till, payment);
      assert.deepEqual([failed.credited, failed.charge.status, await boughtOf(till, appId)], [false, 'FAILED', 0]);
      till.ethPayments.objection = () => null;
      const next = paymentFor(till, await offered(till), { appId });
      await pay(till, next);
      await blocks(till, 10);
      assert.deepEqual([(await pay(till, next)).credited, await boughtOf(till, appId)], [true, UNITS]);
    });

    selling(
      'fault 259: a payment for an order that the gate does not offer, or for a plan of other routes, is refused',
      async (till) => {
        const offer = await offered(till);
        const order = await till.newOrder();
        const { ticket } = paymentFor(till, offer);
        const forged = { ...paymentFor(till, offer), ticket: ticket.replace(offer.order.id, order.id) };
        const elsewhere = paymentFor(till, offer, { plans: ['large'] });
        const { sent } = paymentFor(till, offer);
        const chain = paymentFor(till, offer, { sent: { ...sent, network: 'eip155:5' } });
        const token = paymentFor(till, offer, { sent: { ...sent, asset: 'dai-erc20' } });
        for (const each of [forged, elsewhere, chain, token, paymentFor(till, offer, { ticket: 'x' })])
          await assert.rejects(pay(till, each), refused('INVALID_FIELDS'));
        assert.deepEqual([await apps(till), (await salesOf(till).again(offer))?.units], [0, offer.units]);
      },
    );
  });

  describe(`a payment at the gate killed between any two calls, on ${engine}`, () => {
    for (const when of ['before', 'after'] as const)
      test(`fault 257: killed ${when} a call's effect: the same payment makes one App, and is credited once`, async () => {
        const opened = await open();
        try {
          const till = await buildMoney(opened.storage);
          await till.float(FLOAT);
          await till.fund('USDT-ERC20', '100');
          await blocks(till, 25);
          let at = 1;
          while (await crashAt(till, at, when === 'after')) {
            at += 1;
            assert.ok(at < MOST_CALLS, 'the run never ends');
          }
          // The transaction, and the wait until every instance has the key.
          assert.equal(at, 3, 'a payment is stored by one call');
        } finally {
          await opened.close();
        }
      });
  });
});

/** @returns false when the payment completed before the crash point */
async function crashAt(till: MoneyDomain, at: number, after: boolean): Promise<boolean> {
  const payment = paymentFor(till, await offered(till));
  const before = await apps(till);
  const point = new CrashPoint(at, after, READS);
  const crashing = salesOf(till, point.watch(till.storage, 'storage'));
  await pay(till, payment, crashing).catch((error: unknown) => assert(error instanceof Crash, String(error)));
  const { appId, key } = await pay(till, payment);
  await blocks(till, 10);
  const paid = await pay(till, payment);
  assert.deepEqual([paid.credited, paid.appId, paid.key?.text], [true, appId, key?.text], `killed at call ${at}`);
  assert.deepEqual([await boughtOf(till, appId), await apps(till)], [UNITS, before + 1], `killed at call ${at}`);
  await till.checkBooks();
  return point.crashed;
}
