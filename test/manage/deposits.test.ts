import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { checkLedger, present } from '../../core/index.ts';
import type { ChainAdapter } from '../../core/index.ts';
import { eachStorage } from '../support/each-storage.ts';
import { dataOf } from '../support/http.ts';
import type { TestStorage } from '../support/storage.ts';
import { assertRefused, managed, startFixture } from './fixture.ts';
import type { Fixture, List, Member } from './fixture.ts';

type Fields = Record<string, unknown>;

const DEPOSITS = '/manage/v1/deposits';
const UNKNOWN = '1530217733410816001';
const HOUR = 3_600_000;
const PAYER = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65';

eachStorage((_name, open) => {
  let store: TestStorage;
  let fixture: Fixture;
  let user: Member;
  let admin: Member['client'];
  before(async () => {
    store = await open();
    fixture = await startFixture(store, { sessionTtlSeconds: 10_000_000 });
    user = await fixture.newMember();
    admin = fixture.admin.client;
  });
  after(async () => {
    assert.deepEqual(await checkLedger(store.storage), []);
    await fixture.close();
    await store.close();
  });

  const eth = (): ChainAdapter => present(fixture.till.till.chains.get('ETH'), 'the chain');
  const order = async (): Promise<{ order_id: string; address: string }> =>
    dataOf(
      await fixture.till.merchant.client.post('/api/order/pay-info', {
        chain: 'ETH',
        currency: 'ETH',
        vs_currency: 'USD',
        vs_price: 25,
      }),
    );
  const pay = async (address: string, blocks: number): Promise<string> => {
    const simulator = present(eth().simulator, 'the simulator');
    const txid = await simulator.pay(address, 'ETH', 10n ** 16n);
    if (blocks > 1) await simulator.mine(blocks - 1);
    await fixture.till.work();
    return txid;
  };
  /** A payment that came 30 hours after its order, deep enough to be spendable. */
  const latePayment = async (): Promise<{ deposit: Fields; orderId: string; txid: string }> => {
    const { order_id: orderId, address } = await order();
    fixture.till.clock.advance(30 * HOUR);
    await fixture.till.work();
    const txid = await pay(address, eth().policy.spendableConfirmations);
    const [deposit] = managed<List>(await admin.get(`${DEPOSITS}?status=unassigned`)).items;
    return { deposit: present(deposit, 'a deposit'), orderId, txid };
  };
  const audited = async (action: string, id: string): Promise<Fields> => {
    const rows = managed<List>(await admin.get('/manage/v1/audit?limit=100')).items;
    return present(
      rows.find((row) => row['action'] === action && row['subject'] === id),
      `an audit row of ${action}`,
    );
  };

  describe('deposits that belong to no order', () => {
    test('are listed with the reason, the transaction and the order that the address was given to', async () => {
      const { deposit, orderId, txid } = await latePayment();
      assert.deepEqual(
        [deposit['order'], deposit['tx_hash'], deposit['amount'], deposit['coin'], deposit['status']],
        [orderId, txid, '0.01', 'ETH', 'SPENDABLE'],
      );
      assert.deepEqual([deposit['assignment'], deposit['unassigned_reason']], ['UNASSIGNED', 'late']);
      assertRefused(await admin.get(DEPOSITS), 400, 'status');
      assertRefused(await admin.get(`${DEPOSITS}?status=credited`), 400, 'status');
      assertRefused(await admin.get(`${DEPOSITS}?status=unassigned&limit=101`), 400, 'limit');
    });

    test('are given to an order, with who did it on record', async () => {
      const { deposit, orderId } = await latePayment();
      const id = String(deposit['id']);
      const assigned = managed(await admin.post(`${DEPOSITS}/${id}/assign`, { order: orderId }));
      assert.deepEqual(assigned, { ...deposit, assignment: 'ORDER' });
      const detail = dataOf<Fields>(await fixture.till.merchant.client.get(`/api/v2/order/detail/${orderId}`));
      assert.equal(detail['status'], 'RESOLVED');
      const row = await audited('deposit.assign', id);
      assert.deepEqual(
        [row['actor'], row['changes']],
        [fixture.admin.id, { assignment: { from: 'UNASSIGNED', to: 'ORDER' }, order: { from: null, to: orderId } }],
      );
      // Once only, and not paid back any more.
      assertRefused(await admin.post(`${DEPOSITS}/${id}/assign`, { order: orderId }), 409);
      assertRefused(await admin.post(`${DEPOSITS}/${id}/refund`, { address: PAYER }), 409);
      const { items } = managed<List>(await admin.get(`${DEPOSITS}?status=unassigned&limit=100`));
      assert.ok(items.every((one) => one['id'] !== id));
    });

    test('are paid back by a transfer of their own, with where to on record', async () => {
      const { deposit } = await latePayment();
      const id = String(deposit['id']);
      const transfer = managed(await admin.post(`${DEPOSITS}/${id}/refund`, { address: PAYER.toLowerCase() }));
      assert.deepEqual(
        [transfer['kind'], transfer['status'], transfer['amount'], transfer['to_address'], transfer['deposit']],
        ['return', 'REQUESTED', '0.01', PAYER, id],
      );
      const row = await audited('deposit.refund', id);
      assert.deepEqual(row['changes'], {
        assignment: { from: 'UNASSIGNED', to: 'RETURNING' },
        to_address: { from: null, to: PAYER },
        payout: { from: null, to: transfer['id'] },
      });
      assertRefused(await admin.post(`${DEPOSITS}/${id}/refund`, { address: PAYER }), 409);
      managed(await admin.post(`/manage/v1/payouts/${String(transfer['id'])}/reject`, { reason: 'a mistake' }));
      const again = managed<List>(await admin.get(`${DEPOSITS}?status=unassigned&limit=100`)).items;
      assert.ok(again.some((one) => one['id'] === id));
    });

    test('fault 87: are not paid back to an address that loses them', async () => {
      const { deposit, orderId } = await latePayment();
      const url = `${DEPOSITS}/${String(deposit['id'])}/refund`;
      const own = (await order()).address;
      assertRefused(await admin.post(url, { address: '0x1234' }), 400, 'address');
      assertRefused(await admin.post(url, { address: own }), 400, 'address');
      const chain = eth();
      Object.assign(chain, { destinationProblem: () => 'is the zero address' });
      const refused = assertRefused(await admin.post(url, { address: PAYER }), 400, 'address');
      Object.assign(chain, { destinationProblem: undefined });
      assert.match(refused.msg, /is the zero address/);
      assert.equal((await store.storage.orders.history(orderId as never)).at(-1)?.rule, 'deposit-unassigned');
    });

    test('are for admins, and unknown ones are not found', async () => {
      const { deposit, orderId } = await latePayment();
      const id = String(deposit['id']);
      for (const reply of [
        await user.client.get(`${DEPOSITS}?status=unassigned`),
        await user.client.post(`${DEPOSITS}/${id}/assign`, { order: orderId }),
        await user.client.post(`${DEPOSITS}/${id}/refund`, { address: PAYER }),
        await user.client.post(`${DEPOSITS}/rescan`, { chain: 'ETH', from: 1, to: 1 }),
      ])
        assertRefused(reply, 403);
      assertRefused(await fixture.client.get(`${DEPOSITS}?status=unassigned`), 401);
      assertRefused(await admin.post(`${DEPOSITS}/${UNKNOWN}/assign`, { order: orderId }), 404);
      assertRefused(await admin.post(`${DEPOSITS}/${UNKNOWN}/refund`, { address: PAYER }), 404);
      assertRefused(await admin.post(`${DEPOSITS}/${id}/assign`, { order: UNKNOWN }), 404);
      assertRefused(await admin.post(`${DEPOSITS}/${id}/assign`, {}), 400, 'order');
    });
  });

  describe('blocks that are read again', () => {
    test('fault 77: record what the node left out, once, by block or by transaction', async () => {
      const chain = eth();
      const scan = chain.scan.bind(chain);
      chain.scan = async (from, to, watch, options) => {
        const range = await scan(from, to, watch, options);
        return options?.thorough === true ? range : { ...range, transfers: [] };
      };
      const made = await order();
      const txid = await pay(made.address, 1);
      chain.scan = scan;
      const height = (await chain.head()).height;
      const rescan = async (body: object): Promise<Fields> => managed(await admin.post(`${DEPOSITS}/rescan`, body));
      const first = await rescan({ chain: 'ETH', tx_hash: txid });
      const found = first['found'] as readonly Fields[];
      assert.deepEqual([first['from'], first['to']], [height, height]);
      assert.deepEqual(
        found.map((one) => [one['tx_hash'], one['order'], one['assignment']]),
        [[txid, made.order_id, 'ORDER']],
      );
      const row = await audited('chain.rescan', 'ETH');
      assert.deepEqual((row['changes'] as Fields)['found'], { from: null, to: [found[0]?.['id']] });
      assert.deepEqual((await rescan({ chain: 'ETH', from: height - 1, to: height }))['found'], []);
      await present(chain.simulator, 'the simulator').mine(chain.policy.spendableConfirmations);
      await fixture.till.work();
      const detail = dataOf<Fields>(await fixture.till.merchant.client.get(`/api/v2/order/detail/${made.order_id}`));
      assert.equal(detail['status'], 'SUCCESS');
    });

    test('are a transaction or a range, bounded, and nothing that was not read yet', async () => {
      const refused = async (body: object, path: string): Promise<string> =>
        assertRefused(await admin.post(`${DEPOSITS}/rescan`, body), 400, path).msg;
      const { height } = await eth().head();
      await refused({ from: 1, to: 2 }, 'chain');
      await refused({ chain: 'ETH' }, 'from');
      await refused({ chain: 'ETH', from: 1 }, 'to');
      await refused({ chain: 'ETH', from: 1, to: 1, tx_hash: 'x' }, 'tx_hash');
      await refused({ chain: 'ETH', from: 1.5, to: 2 }, 'from');
      await refused({ chain: 'ETH', from: -1, to: 2 }, 'from');
      await refused({ chain: 'ETH', from: 2, to: 1 }, 'to');
      assert.match(await refused({ chain: 'ETH', from: 1, to: 1_001 }, 'to'), /at most 1000/);
      await refused({ chain: 'ETH', tx_hash: `0x${'ab'.repeat(32)}` }, 'tx_hash');
      assertRefused(await admin.post(`${DEPOSITS}/rescan`, { chain: 'DOGE', from: 1, to: 1 }), 400);
      assertRefused(await admin.post(`${DEPOSITS}/rescan`, { chain: 'ETH', from: height, to: height + 1 }), 409);
    });
  });
});
