import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { AccountId, Callback, WebhookEndpoint } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { buildMoney } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { testsOf } from '../../support/storage.ts';
import { dataIn, eventsFor, subscribe, typesOf } from '../../support/subscribe.ts';
import { merchant } from '../storage/money-out-fixtures.ts';
import { assign, latePayment } from './late-payment.ts';

const EVENTS = ['deposit.*'];

const subscribed = ({ storage, principal }: MoneyDomain): Promise<WebhookEndpoint> =>
  subscribe(storage, principal.accountId, { events: EVENTS });

/** An endpoint of an admin. */
async function operators({ storage, clock }: MoneyDomain): Promise<WebhookEndpoint> {
  const id: AccountId = await merchant(storage);
  await storage.accounts.update(id, { role: 'admin', modifiedAt: clock.now() });
  return subscribe(storage, id, { events: EVENTS });
}

const statusesOf = (events: readonly Callback[]): readonly unknown[] => events.map((event) => dataIn(event)['status']);

eachStorage((engine, open) => {
  const money = testsOf(open, buildMoney);

  describe(`what webhook endpoints receive of deposits on ${engine}`, () => {
    money('is each step of one, and of its reorganisation, with the deposit as it is then', async (till) => {
      const [own, others] = [await subscribed(till), await operators(till)];
      const order = await till.newOrder({ currency: 'ETH', price: '2000' });
      assert.ok(order.payment);
      till.eth.mine({ to: order.payment.address, currency: 'ETH', units: order.payment.units, txid: 'p' });
      await till.follow();
      till.eth.mineEmpty(till.eth.policy.spendableConfirmations);
      await till.follow();
      const steps = ['deposit.seen', 'deposit.credited', 'deposit.spendable'];
      const events = await eventsFor(till.storage, own);
      assert.deepEqual([typesOf(events), statusesOf(events)], [steps, ['SEEN', 'CREDITED', 'SPENDABLE']]);
      assert.deepEqual(new Set(events.map((event) => dataIn(event)['order'])), new Set([order.id]));
      assert.deepEqual([dataIn(events[0]!)['amount'], dataIn(events[0]!)['tx_hash']], ['1', 'p']);
      till.eth.drop(till.eth.policy.spendableConfirmations + 1);
      till.eth.mineEmpty(till.eth.policy.spendableConfirmations + 2);
      await till.follow();
      assert.deepEqual(typesOf(await eventsFor(till.storage, own)), [...steps, 'deposit.orphaned']);
      assert.deepEqual(await eventsFor(till.storage, others), [], 'operators hear of what is nobody’s');
    });

    money(
      'fault 201: is nothing of one that belongs to no order, which the operators hear of, until it is the account’s',
      async (till) => {
        const [own, admins] = [await subscribed(till), await operators(till)];
        const { deposit, order } = await latePayment(till);
        assert.deepEqual(await eventsFor(till.storage, own), []);
        const told = await eventsFor(till.storage, admins);
        assert.deepEqual(typesOf(told), ['deposit.unassigned']);
        assert.deepEqual(
          [dataIn(told[0]!)['id'], dataIn(told[0]!)['unassigned_reason'], told[0]?.accountId],
          [deposit.id, 'late', admins.accountId],
        );
        await assign(till, deposit, order);
        const events = await eventsFor(till.storage, own);
        assert.deepEqual(typesOf(events), ['deposit.spendable']);
        assert.equal(dataIn(events[0]!)['assignment'], 'ORDER');
        assert.equal((await eventsFor(till.storage, admins)).length, 1);
      },
    );

    money(
      'fault 379: is nothing of one that is too little to be credited',
      async (till) => {
        const own = await subscribed(till);
        const order = await till.newOrder({ chain: 'BTC', currency: 'BTC', price: '10' });
        till.btc.mine({ to: order.payment?.address ?? '', currency: 'BTC', units: 600n, txid: 'dust' });
        till.btc.mineEmpty(till.btc.policy.spendableConfirmations);
        await till.follow(till.btc);
        assert.deepEqual(
          (await till.storage.deposits.byOrder(order.id)).map(({ status }) => status),
          ['DUST'],
        );
        assert.deepEqual(await eventsFor(till.storage, own), []);
      },
      { btcMinDeposit: 680n },
    );

    money('is nothing for an admin who is none any more', async (till) => {
      const admins = await operators(till);
      await till.storage.accounts.update(admins.accountId, { status: 'disabled', modifiedAt: till.clock.now() });
      await latePayment(till);
      assert.deepEqual(await eventsFor(till.storage, admins), []);
    });
  });
});
