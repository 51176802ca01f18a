import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { isTillgateError, RequestCharge, TillgateError } from '../../../core/index.ts';
import type { Authorization, Order, ChargeOutcome, Storage, Transfer } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { buildMoney } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { testsOf } from '../../support/storage.ts';

const PAYER = 'eth-payer';
const USDT = 'USDT-ERC20';
const FLOAT = 10n ** 18n;
/** The amount of the orders here, in units of the token, and a twentieth of it in wei: 0.5 US dollars. */
const DUE = 10_000_000n;
const MOST_FEE = 250_000_000_000_000n;
const MINUTE = 60_000;
/** After this time a stuck payout is cancelled at any cost. */
const CANCEL_AFTER_MS = 60 * MINUTE;
let nonces = 0;

/** A payer's authorization for an order. */
function authorization(till: MoneyDomain, given: Partial<Authorization> = {}): Authorization {
  const now = BigInt(Math.floor(till.clock.now() / 1000));
  const nonce = `0x${(nonces += 1).toString(16).padStart(64, '0')}`;
  const signature = `0x${'11'.repeat(65)}`;
  return {
    ...{ currency: USDT, units: DUE, from: PAYER, nonce, signature },
    ...{ validAfter: now - 600n, validBefore: now + 120n },
    ...given,
  };
}

/** The use case of one instance of the till. */
function chargesOf(till: MoneyDomain, storage: Storage = till.storage): RequestCharge {
  const { assets, eth, btc, rateBook, queries, clock, ids, events, metrics } = till;
  const chains = new Map([eth, btc].map((chain) => [chain.code, chain]));
  return new RequestCharge({ storage, assets, chains, rateBook, orderQueries: queries, clock, ids, events, metrics });
}

const request = (
  till: MoneyDomain,
  order: Order,
  signed: Authorization,
  charges = chargesOf(till),
): Promise<ChargeOutcome> => charges.request(order.checkoutToken, order.payment?.address ?? '', signed);

const outcome = (till: MoneyDomain, order: Order, signed: Authorization): Promise<ChargeOutcome | null> =>
  chargesOf(till).find(order.checkoutToken, signed);

/** The stored transfer of an authorization. */
async function chargeOf(till: MoneyDomain, signed: Authorization): Promise<Transfer> {
  const key = `${signed.currency} ${signed.from} ${signed.nonce}`;
  const charge = await till.storage.transfers.chargeOf('ETH', key);
  assert(charge !== null);
  return charge;
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

const sentCharges = (till: MoneyDomain): number =>
  [...till.ethPayments.sent.values()].filter(({ content }) => content.lines.some(({ charge }) => charge)).length;

/** The fees charged to merchants for authorizations, in units of the token. */
async function chargedFees(till: MoneyDomain): Promise<bigint> {
  const balances = await till.storage.ledger.balances('fees:network');
  return balances.find(({ currency }) => currency === USDT)?.units ?? 0n;
}

/** Pays an order by an ordinary transfer. */
async function paysItself(till: MoneyDomain, { payment }: Order): Promise<void> {
  assert(payment !== null);
  till.eth.mine({ to: payment.address, currency: USDT, units: payment.units, txid: `own${nonces}`, from: PAYER });
  await blocks(till, 8);
}

const refused = (code: 'INVALID_FIELDS' | 'STATE_CONFLICT') => (error: unknown) => isTillgateError(error, code);

eachStorage((engine, open) => {
  const money = testsOf(open, buildMoney, { payouts: { cancelAfterMs: CANCEL_AFTER_MS } });
  /** A test with coins for the network's fees, and a merchant who has tokens to pay them with. */
  const charging = (name: string, body: (till: MoneyDomain, order: Order) => Promise<void>): void =>
    money(name, async (till) => {
      await till.float(FLOAT);
      await till.fund(USDT, '100');
      // Until its tokens are swept and nothing else is pending.
      await blocks(till, 25);
      await body(till, await till.newOrder());
    });

  describe(`orders paid by an authorization, on ${engine}`, () => {
    charging(
      'fault 264: one that comes to two instances at once is one transfer, sent and charged once',
      async (till, order) => {
        const signed = authorization(till);
        till.ethPayments.fee = MOST_FEE / 10n;
        const instances = [chargesOf(till), chargesOf(till)];
        const replies = await Promise.all(
          [...instances, ...instances].map((each) => request(till, order, signed, each)),
        );
        assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set(['REQUESTED']));
        await blocks(till, 10);
        assert.equal((await outcome(till, order, signed))?.status, 'CONFIRMED');
        assert.equal((await till.order(order.id)).status, 'SUCCESS');
        assert.deepEqual(till.ethPayments.paidTo(order.payment?.address ?? '', USDT), [DUE]);
        assert.equal(sentCharges(till), 1);
        assert.equal(await chargedFees(till), DUE / 200n);
      },
    );

    charging(
      'fault 265: one whose tokens are gone when it is to be signed fails, and nothing is sent',
      async (till, order) => {
        const signed = authorization(till);
        await request(till, order, signed);
        till.ethPayments.objection = ({ charge }) =>
          charge === undefined ? null : new TillgateError('STATE_CONFLICT', 'The network would revert the payment.');
        await blocks(till, 1);
        assert.deepEqual(await outcome(till, order, signed), {
          ...{ status: 'FAILED', txHash: null, mined: false },
          reason: 'The network would revert the payment.',
        });
        assert.deepEqual([sentCharges(till), await chargedFees(till)], [0, 0n]);
        await paysItself(till, order);
        assert.equal((await till.order(order.id)).status, 'SUCCESS');
      },
    );

    charging(
      'fault 274: one that is used elsewhere before its block costs its merchant the gas, and the next one pays',
      async (till, order) => {
        const first = authorization(till);
        till.ethPayments.fee = MOST_FEE / 10n;
        await request(till, order, first);
        await till.payOut();
        till.ethPayments.usedNonces.add(first.nonce);
        await assert.rejects(request(till, order, authorization(till)), refused('STATE_CONFLICT'));
        await blocks(till, 8);
        assert.match((await outcome(till, order, first))?.reason ?? '', /mined without effect/);
        assert.equal(await chargedFees(till), DUE / 200n);
        assert.equal((await till.order(order.id)).status, 'PENDING');
        await request(till, order, authorization(till));
        await blocks(till, 10);
        assert.equal((await till.order(order.id)).status, 'SUCCESS');
        assert.equal(await chargedFees(till), DUE / 100n);
        await assert.rejects(request(till, order, authorization(till)), refused('STATE_CONFLICT'));
      },
    );

    charging('fault 275: one that expires while payouts are stopped is never signed', async (till, order) => {
      const signed = authorization(till);
      await request(till, order, signed);
      await till.storage.transfers.replacePayoutStop('ETH', null, 'A test.');
      await blocks(till, 9);
      await till.storage.transfers.replacePayoutStop('ETH', 'A test.', null);
      await till.payOut();
      assert.match((await outcome(till, order, signed))?.reason ?? '', /expires before it could be mined/);
      assert.deepEqual([sentCharges(till), await chargedFees(till)], [0, 0n]);
    });

    charging(
      'fault 276: one that is signed and expires before a node has it is not sent; a cancel takes its nonce',
      async (till, order) => {
        const signed = authorization(till);
        await request(till, order, signed);
        till.ethPayments.broken = true;
        await till.payOut();
        assert.equal((await chargeOf(till, signed)).status, 'SIGNED');
        till.clock.advance(120_000);
        till.ethPayments.broken = false;
        await till.payOut();
        assert.equal(sentCharges(till), 0);
        await blocks(till, 25);
        assert.match((await outcome(till, order, signed))?.reason ?? '', /expired before it was mined/);
        assert.equal(sentCharges(till), 0);
        await till.withdraw('50', USDT);
        await blocks(till, 10);
        assert.equal((await chargeOf(till, signed)).status, 'FAILED');
      },
    );

    charging(
      'fault 277: its fee is raised no further than its bound; when it has expired a cancel takes its place',
      async (till, order) => {
        const signed = authorization(till, { validBefore: authorization(till).validBefore + 480n });
        till.ethPayments.fee = MOST_FEE / 3n;
        await request(till, order, signed);
        await till.payOut();
        till.ethPayments.unminable = ({ lines }) => lines.some(({ charge }) => charge);
        const attempts = async () =>
          (await till.storage.transfers.payoutOf((await chargeOf(till, signed)).id))?.attempts ?? [];
        await blocks(till, 49);
        const fees = (await attempts()).map(({ feeUnits }) => feeUnits);
        assert.deepEqual(
          fees,
          [1n, 2n, 3n].map((times) => times * till.ethPayments.fee),
        );
        assert(fees.every((fee) => fee <= MOST_FEE));
        // It has expired: for a while, a cancel must not cost more either.
        till.ethPayments.cancelFee = MOST_FEE + 1n;
        await blocks(till, 10);
        assert.equal((await attempts()).length, 3);
        till.ethPayments.cancelFee = MOST_FEE;
        await blocks(till, 1);
        assert.equal((await attempts()).at(-1)?.kind, 'cancel');
        await blocks(till, 25);
        assert.equal((await outcome(till, order, signed))?.status, 'FAILED');
        assert((await chargedFees(till)) <= DUE / 20n);
        await paysItself(till, order);
        assert.equal((await till.order(order.id)).status, 'SUCCESS');
      },
    );

    charging('fault 277: at the latest after some time it is cancelled whatever that costs', async (till, order) => {
      const signed = authorization(till);
      till.ethPayments.fee = MOST_FEE;
      await request(till, order, signed);
      await till.payOut();
      till.ethPayments.unminable = ({ lines }) => lines.some(({ charge }) => charge);
      await blocks(till, 12);
      till.clock.advance(CANCEL_AFTER_MS);
      await blocks(till, 25);
      assert.equal((await outcome(till, order, signed))?.status, 'FAILED');
    });

    charging(
      'fault 278: an order takes no more once three of its authorizations came to nothing',
      async (till, order) => {
        till.ethPayments.reverts = ({ charge }) => charge !== undefined;
        for (let at = 0; at < 3; at++) {
          await request(till, order, authorization(till));
          await blocks(till, 8);
        }
        await assert.rejects(request(till, order, authorization(till)), refused('STATE_CONFLICT'));
        assert.equal(sentCharges(till), 3);
        await paysItself(till, order);
        assert.equal((await till.order(order.id)).status, 'SUCCESS');
      },
    );

    charging('fault 279: one that expires before the second block from now is refused', async (till, order) => {
      const now = BigInt(Math.floor(till.clock.now() / 1000));
      await assert.rejects(
        request(till, order, authorization(till, { validBefore: now + 29n })),
        refused('INVALID_FIELDS'),
      );
      assert.equal((await request(till, order, authorization(till, { validBefore: now + 30n }))).status, 'REQUESTED');
      await till.payOut();
    });
  });
});
