import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { checkLedger, OPERATOR } from '../../core/index.ts';
import type { AccountId, ChainPayments, TransferId } from '../../core/index.ts';
import { assertRefused, managed, stepUp } from '../manage/fixture.ts';
import { establishAdmin } from '../support/established-admin.ts';
import { dataOf } from '../support/http.ts';
import type { HttpClient } from '../support/http.ts';
import { eachStorage } from '../support/each-storage.ts';
import type { TestStorage } from '../support/storage.ts';
import { startTestTill } from '../support/till.ts';
import type { TestMerchant, TestTill } from '../support/till.ts';

const OWN = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const HOT = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

interface Admin {
  readonly id: AccountId;
  readonly client: HttpClient;
}
interface Detail {
  readonly status: string;
  readonly reason: string | null;
  readonly approvals: readonly { readonly account: string | null; readonly counts: boolean }[];
  readonly approvals_needed: number;
}

eachStorage((engine, open) => {
  describe(`fault 110: who takes the money out piece by piece, and who approves it, on ${engine}`, () => {
    let store: TestStorage;
    let till: TestTill;
    const clients: HttpClient[] = [];
    before(async () => {
      store = await open();
      const limits = [{ currency: 'USD', window: '24h', perAccount: '30' }];
      till = await startTestTill(store, { settings: { withdrawals: { limits, approvals: 2 } } });
      const chain = till.till.chains.get('ETH') as {
        payments: ChainPayments | null;
        assets: readonly ChainPayments['feeAsset'][];
      };
      // Requests need a price and what the hot wallet holds; nothing is signed here.
      chain.payments = {
        model: 'account',
        feeAsset: chain.assets.find(({ currency }) => currency === 'ETH'),
        hotAddress: HOT,
        maxLines: 1,
        dust: () => 1n,
        price: async () => ({ feeUnits: 200_000_000_000_000n, coins: [], terms: '' }),
        balance: async () => 10n ** 30n,
      } as unknown as ChainPayments;
    });
    after(async () => {
      for (const client of clients) client.close();
      assert.deepEqual(await checkLedger(store.storage), []);
      await till.close();
      await store.close();
    });

    const login = async (email: string, password: string): Promise<HttpClient> => {
      const reply = await till.client.post('/manage/v1/session', { email, password });
      const client = till.client.with({
        Authorization: `Bearer ${managed<{ access_token: string }>(reply).access_token}`,
      });
      clients.push(client);
      await stepUp(client, { password });
      return client;
    };
    const admin = async (): Promise<Admin> => {
      const [email, password] = [`admin-${clients.length}@example.com`, 'a password for a test'];
      const { id } = await till.accounts.createAccount.run({ email, password, role: 'admin' });
      await establishAdmin(store.storage, id);
      return { id, client: await login(email, password) };
    };
    /** A merchant with 125 USDT that may be withdrawn. */
    const merchant = async (): Promise<TestMerchant> => {
      const shop = await till.newMerchant();
      for (let orders = 0; orders < 5; orders++) {
        const order = dataOf<{ order_id: string }>(
          await shop.client.post('/api/order/pay-info', {
            chain: 'ETH',
            currency: 'USDT-ERC20',
            vs_currency: 'USD',
            vs_price: 25,
          }),
        );
        dataOf(await till.client.post('/sandbox/v1/pay', { order_id: order.order_id }));
      }
      dataOf(await till.client.post('/sandbox/v1/blocks', { chain: 'ETH', count: 1 }));
      await till.work();
      const { id } = shop.account;
      await store.storage.accounts.update(id, { verifiedCurrencies: ['*'], modifiedAt: till.clock.now() });
      await till.till.manage.addresses.register(OPERATOR, { accountId: id, chain: 'ETH', address: OWN }, true);
      return shop;
    };
    const withdraw = async (shop: TestMerchant, amount: number): Promise<TransferId> => {
      const body = { chain: 'ETH', currency: 'USDT-ERC20', amount };
      return dataOf<{ tx_id: TransferId }>(await shop.client.post('/api/withdraw', body)).tx_id;
    };
    const path = (id: string, verb = ''): string => `/manage/v1/payouts/${id}${verb}`;
    const statusOf = async (id: TransferId): Promise<string | undefined> =>
      (await store.storage.transfers.find(id))?.status;
    const held = async (): Promise<TransferId> => {
      const id = await withdraw(await merchant(), 31);
      assert.equal(await statusOf(id), 'HELD');
      return id;
    };

    test('five withdrawals below every threshold: what goes beyond the limit of the window is held', async () => {
      const shop = await merchant();
      const statuses: unknown[] = [];
      for (const amount of [10, 10, 10, 10, 10]) statuses.push(await statusOf(await withdraw(shop, amount)));
      assert.deepEqual(statuses, ['REQUESTED', 'REQUESTED', 'REQUESTED', 'HELD', 'HELD']);
      const atOnce = await merchant();
      const ids = await Promise.all(Array.from({ length: 10 }, () => withdraw(atOnce, 10)));
      const all = await Promise.all(ids.map(statusOf));
      assert.equal(all.filter((status) => status === 'REQUESTED').length, 3);
    });

    test('two different admins approve: not one twice, not the owner, and each leaves an audit row', async () => {
      const [first, second] = [await admin(), await admin()];
      const id = await held();
      const one = managed<Detail>(await first.client.request('POST', path(id, '/approve')));
      assert.deepEqual([one.status, one.approvals_needed], ['HELD', 2]);
      assert.deepEqual(
        one.approvals.map(({ account: by, counts }) => [by, counts]),
        [[first.id, true]],
      );
      assertRefused(await first.client.request('POST', path(id, '/approve')), 409);
      assert.equal(await statusOf(id), 'HELD');
      const two = managed<Detail>(await second.client.request('POST', path(id, '/approve')));
      assert.equal(two.status, 'REQUESTED');
      const shown = managed<Detail>(await first.client.get(path(id)));
      assert.deepEqual(
        shown.approvals.map(({ account: by }) => by),
        [first.id, second.id],
      );
      const rows = (await store.storage.audit.list(null, { before: null, limit: 100 })).filter(
        ({ subjectId }) => subjectId === id,
      );
      assert.deepEqual(
        rows.map(({ action, actorId }) => [action, actorId]),
        [
          ['withdrawal.approve', second.id],
          ['withdrawal.approve', first.id],
        ],
      );
      assertRefused(await second.client.request('POST', path(id, '/approve')), 409);
    });

    test('fault 354: an admin is one person, also with another one that it makes, or whose password it has set', async () => {
      const [one, two] = [await admin(), await admin()];
      const sleeper = await admin();
      await till.till.manage.passwords.reset(OPERATOR, sleeper.id, 'a password that another has set');
      till.clock.advance(1_000);
      const id = await held();
      till.clock.advance(1_000);
      managed(await one.client.request('POST', path(id, '/approve')));
      const [email, first, own] = ['puppet@example.com', 'a temporary pass phrase 1', 'another long pass phrase 2'];
      const made = managed<{ id: AccountId }>(
        await one.client.post('/manage/v1/accounts', { email, password: first, role: 'admin' }),
        201,
      );
      const puppet = await login(email, first);
      managed(await puppet.post('/manage/v1/password', { current: first, new: own }));
      const refused = assertRefused(await (await login(email, own)).request('POST', path(id, '/approve')), 403);
      assert.match(JSON.stringify(refused), /after this was asked for/);
      // Made before, but not long ago.
      const { approve } = till.till.manage.withdrawals;
      const as = (accountId: AccountId) =>
        approve.call(till.till.manage.withdrawals, { accountId, role: 'admin', ip: null, traceId: null }, id);
      await assert.rejects(as(sleeper.id), /a short while ago: it approves from 20/);
      // However long it waits: it was made after this one was asked for.
      till.clock.advance(till.config.withdrawals.addressHoldMs * 2);
      await assert.rejects(as(made.id), /after this was asked for/);
      assert.equal(await statusOf(id), 'HELD');
      assert.equal((await as(two.id)).transfer.status, 'REQUESTED');
    });

    const TAKEN_OVER = {
      'who got a second factor from another person': (id) => till.till.manage.security.enrol(OPERATOR, id, true),
      'who was a merchant until then': async (id) => {
        for (const role of ['user', 'admin'] as const) await till.till.manage.accounts.update(OPERATOR, id, { role });
      },
      'who was disabled until then': async (id) => {
        for (const status of ['disabled', 'active'] as const)
          await till.till.manage.accounts.update(OPERATOR, id, { status });
      },
    } as const satisfies Readonly<Record<string, (id: AccountId) => Promise<unknown>>>;
    for (const [who, takeOver] of Object.entries(TAKEN_OVER))
      test(`fault 354: an admin ${who} approves from the end of the hold, and only what was asked for later`, async () => {
        const [first, other] = [await admin(), await admin()];
        const before = await held();
        till.clock.advance(1_000);
        await takeOver(other.id);
        till.clock.advance(1_000);
        const later = await held();
        const actor = { accountId: other.id, role: 'admin', ip: null, traceId: null } as const;
        const approve = (id: TransferId) => till.till.manage.withdrawals.approve(actor, id);
        await assert.rejects(approve(before), /after this was asked for/);
        await assert.rejects(approve(later), /a short while ago: it approves from 20/);
        till.clock.advance(till.config.withdrawals.addressHoldMs);
        await assert.rejects(approve(before), /after this was asked for/);
        assert.equal((await approve(later)).transfer.status, 'HELD');
        for (const [id, left] of [
          [later, 'REQUESTED'],
          [before, 'HELD'],
        ] as const)
          assert.equal(
            (await till.till.manage.withdrawals.approve({ ...actor, accountId: first.id }, id)).transfer.status,
            left,
          );
      });

    test('fault 354: an approval that was given counts no more once the account was taken over', async () => {
      const [taken, second, third] = [await admin(), await admin(), await admin()];
      const id = await held();
      till.clock.advance(1_000);
      managed(await taken.client.request('POST', path(id, '/approve')));
      await till.till.manage.passwords.reset(OPERATOR, taken.id, 'a password that another has set');
      assert.equal(managed<Detail>(await second.client.request('POST', path(id, '/approve'))).status, 'HELD');
      assert.equal(managed<Detail>(await third.client.request('POST', path(id, '/approve'))).status, 'REQUESTED');
    });

    test('an admin approves no payment of its own account, in the core as over HTTP', async () => {
      const owner = await merchant();
      await store.storage.accounts.update(owner.account.id, { role: 'admin', modifiedAt: till.clock.now() });
      const client = await login(owner.email, owner.password);
      const id = await withdraw(owner, 31);
      assertRefused(await client.request('POST', path(id, '/approve')), 403);
      const actor = { accountId: owner.account.id, role: 'admin', ip: null, traceId: null } as const;
      await assert.rejects(till.till.manage.withdrawals.approve(actor, id), /Another admin/);
      assert.deepEqual(await store.storage.transfers.approvals(id), []);
    });

    for (const how of ['disabled', 'demoted'] as const) {
      test(`the approval of an admin who was ${how} since does not count`, async () => {
        const [gone, second, third] = [await admin(), await admin(), await admin()];
        const id = await held();
        managed(await gone.client.request('POST', path(id, '/approve')));
        const change = how === 'disabled' ? ({ status: 'disabled' } as const) : ({ role: 'user' } as const);
        await store.storage.accounts.update(gone.id, { ...change, modifiedAt: till.clock.now() });
        assert.equal(managed<Detail>(await second.client.request('POST', path(id, '/approve'))).status, 'HELD');
        assert.equal(managed<Detail>(await third.client.request('POST', path(id, '/approve'))).status, 'REQUESTED');
      });
    }

    test('approvals at the same time pay it once; those of an earlier hold do not count for a later one', async () => {
      const admins = [await admin(), await admin(), await admin(), await admin()];
      const id = await held();
      const replies = await Promise.all(admins.map(({ client }) => client.request('POST', path(id, '/approve'))));
      assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 200, 409, 409]);
      assert.equal(await statusOf(id), 'REQUESTED');
      // Before it is signed the account is frozen: it is held again.
      till.clock.advance(1000);
      const updatedAt = till.clock.now();
      await store.storage.transaction((tx) =>
        tx.transfers.move(id, 'REQUESTED', 'HELD', { reason: 'Frozen.', updatedAt }),
      );
      const again = managed<Detail>(await (admins[0] as Admin).client.request('POST', path(id, '/approve')));
      assert.equal(again.status, 'HELD');
      assert.deepEqual(again.approvals.map(({ counts }) => counts).sort(), [false, false, true]);
      assert.equal(
        managed<Detail>(await (admins[3] as Admin).client.request('POST', path(id, '/approve'))).status,
        'REQUESTED',
      );
    });

    test('the command line is one approver, however often it is used', async () => {
      const id = await held();
      const { withdrawals } = till.till.manage;
      assert.equal((await withdrawals.approve(OPERATOR, id)).transfer.status, 'HELD');
      await assert.rejects(withdrawals.approve(OPERATOR, id), /already/);
      assert.equal(
        managed<Detail>(await (await admin()).client.request('POST', path(id, '/approve'))).status,
        'REQUESTED',
      );
    });
  });
});
