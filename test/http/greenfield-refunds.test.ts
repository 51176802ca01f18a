import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { checkLedger, formatUnits, merchantActor, OPERATOR, orderRefunds, TillgateError } from '../../core/index.ts';
import type { ClaimId, OrderId, PullPaymentId } from '../../core/index.ts';
import { eachStorage } from '../support/each-storage.ts';
import { connectShop, refusedAs, refusedFields, SHOP_PERMISSIONS, successOf } from '../support/greenfield.ts';
import type { Record_, TestShop } from '../support/greenfield.ts';
import { dataOf } from '../support/http.ts';
import type { TestStorage } from '../support/storage.ts';
import { startTestTill } from '../support/till.ts';
import type { TestTill } from '../support/till.ts';
import { startShop } from './greenfield/shop.ts';
import { waitFor } from '../support/wait.ts';

/** As a plugin asks for it that refunds. */
const REFUNDS = [...SHOP_PERMISSIONS, 'btcpay.store.cancreatenonapprovedpullpayments'];
const MANAGER = [...SHOP_PERMISSIONS, 'btcpay.store.canmanagepullpayments'];
const PAYEE = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const OTHER_PAYEE = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const USDT = 'USDT-ERC20';
/** More than any payment waits for. */
const FINAL = 130;

interface Pull {
  readonly id: string;
  readonly amount: string;
  readonly currency: string;
  readonly viewLink: string | null;
}

eachStorage((_name, open) => {
  let store: TestStorage;
  let till: TestTill;
  let shop: TestShop;
  let manager: TestShop;
  before(async () => {
    store = await open();
    till = await startTestTill(store, { settings: { callbacks: { allowPrivateNetworks: true } } });
    shop = await newShop();
    manager = await connectShop(till, MANAGER, shop.merchant);
  });
  after(async () => {
    assert.deepEqual(await checkLedger(store.storage), []);
    await till.close();
    await store.close();
  });

  const newShop = async (permissions: readonly string[] = REFUNDS): Promise<TestShop> => {
    const made = await connectShop(till, permissions);
    await store.storage.accounts.update(made.merchant.account.id, {
      ...{ verifiedCurrencies: ['*'], modifiedAt: till.clock.now() },
    });
    return made;
  };
  const final = async (): Promise<void> => {
    dataOf(await till.client.post('/sandbox/v1/blocks', { chain: 'ETH', count: FINAL }));
    await till.work();
  };
  /** An invoice of 10 EUR that was paid in USDT, with what the order received. */
  const sold = async ({ by = shop, amount }: { readonly by?: TestShop; readonly amount?: string } = {}) => {
    const asked = { amount: '10.00', currency: 'EUR', checkout: { paymentMethods: [`${USDT}-CHAIN`] } };
    const { id } = successOf<{ id: string }>(await by.client.post(`${by.path}/invoices`, asked));
    const order = async () => {
      const found = await store.storage.orders.findByCheckoutToken(id);
      assert.ok(found !== null);
      return found;
    };
    const first = await order();
    till.clock.advance(1_000);
    dataOf(await till.client.post('/sandbox/v1/pay', { order_id: first.id, ...(amount !== undefined && { amount }) }));
    await till.work();
    await final();
    return { id, order, received: (await order()).received };
  };
  const refund = (id: string, fields: object, by = shop) =>
    by.client.post(`${by.path}/invoices/${id}/refund`, { name: 'A refund', ...fields });
  const units = (amount: string): bigint => BigInt(Math.round(Number(amount) * 1e6));
  const promise = async (fields: object = {}, by = shop): Promise<Pull & { readonly link: string }> => {
    const asked = { name: 'A refund', amount: '2', currency: USDT, ...fields };
    const pull = successOf<Pull>(await by.client.post(`${by.path}/pull-payments`, asked));
    const link = new URL(pull.viewLink ?? '').pathname.split('/').at(-1) ?? '';
    assert.match(link, /^[0-9a-f]{32}$/);
    return { ...pull, link };
  };
  const claimed = (id: string, fields: object = {}, client = till.client) =>
    client.post(`/api/v1/pull-payments/${id}/payouts`, { destination: PAYEE, ...fields });
  /** A claim that a session's actor has promised to pay without an approval. */
  const autoApproved = async () => {
    const actor = merchantActor(shop.merchant.account.id);
    const input = { name: 'Prize', currency: USDT, amount: { digits: 1n, scale: 0 }, autoApprove: true };
    return (await till.till.manage.pullPayments.create(actor, input)).pull;
  };

  describe('refunds of shop plugins', () => {
    test('each variant promises what it means, in the coin of the payment, at the claim page', async () => {
      const sale = await sold();
      const asked = async (fields: object): Promise<Pull> => {
        const pull = successOf<Pull>(await refund(sale.id, fields));
        assert.equal(pull.currency, USDT);
        successOf(await manager.client.request('DELETE', `${shop.path}/pull-payments/${pull.id}`));
        return pull;
      };
      const all = await asked({ refundVariant: 'RateThen' });
      assert.equal(units(all.amount), sale.received);
      assert.equal((await till.client.get(new URL(all.viewLink ?? '').pathname)).status, 200);
      for (const refundVariant of ['Fiat', 'CurrentRate', 'fiat']) {
        const { amount } = await asked({ refundVariant });
        assert.ok(units(amount) <= sale.received && units(amount) > (sale.received * 99n) / 100n, amount);
      }
      const custom = { refundVariant: 'Custom', customCurrency: 'EUR' };
      const part = units((await asked({ ...custom, customAmount: '4.00' })).amount);
      assert.ok(part > (sale.received * 39n) / 100n && part <= (sale.received * 40n) / 100n, `${part}`);
      assert.equal((await asked({ ...custom, customCurrency: USDT, customAmount: 1.5 })).amount, '1.5');
      const less = await asked({ refundVariant: 'RateThen', subtractPercentage: '2.5' });
      assert.equal(units(less.amount), (sale.received * 975n) / 1000n);
      for (const method of [{ payoutMethodId: `${USDT}-CHAIN` }, { paymentMethod: 'usdt_erc20' }])
        await asked({ refundVariant: 'RateThen', ...method });
      await asked({ RefundVariant: 'RateThen', PayoutMethods: ['BTC-CHAIN', USDT], Name: null, Description: 'a\nb' });
    });

    test('the surplus alone is refunded of an invoice that was overpaid, and refused of any other', async () => {
      const exact = await sold();
      assert.deepEqual(refusedFields(await refund(exact.id, { refundVariant: 'OverpaidAmount' })), ['refundVariant']);
      const due = formatUnits((await exact.order()).payment?.units ?? 0n, 6);
      const over = await sold({ amount: String(Number(due) + 3) });
      const { amount } = successOf<Pull>(await refund(over.id, { refundVariant: 'OverpaidAmount' }));
      assert.equal(units(amount), over.received - ((await over.order()).payment?.units ?? 0n));
    });

    test('fault 477: nothing is refunded twice, nor above what was received, also by ten requests at once', async () => {
      const sale = await sold();
      const half = formatUnits(sale.received / 2n + 1n, 6);
      const custom = { refundVariant: 'Custom', customCurrency: USDT };
      successOf(await refund(sale.id, { ...custom, customAmount: half }));
      assert.deepEqual(refusedFields(await refund(sale.id, { ...custom, customAmount: half })), ['customAmount']);
      assert.deepEqual(refusedFields(await refund(sale.id, { ...custom, customCurrency: 'EUR', customAmount: '6' })), [
        'customAmount',
      ]);
      const rest = successOf<Pull>(await refund(sale.id, { refundVariant: 'RateThen' }));
      assert.equal(units(rest.amount) + units(half), sale.received);
      refusedAs(await refund(sale.id, { refundVariant: 'RateThen' }), 409, 'non-refundable');

      const other = await sold();
      const replies = await Promise.all(
        Array.from({ length: 10 }, () => refund(other.id, { refundVariant: 'RateThen' })),
      );
      assert.deepEqual(
        replies.map(({ status }) => status).sort((a, b) => a - b),
        [200, ...Array.from({ length: 9 }, () => 409)],
      );
      const { id } = await other.order();
      const promised = orderRefunds(await store.storage.pullPayments.promisedRefunds([id]));
      assert.equal(promised.units, other.received);
    });

    test('a repetition with the same key is the same refund, also when nothing is left', async () => {
      const { id } = await sold();
      const again = () =>
        shop.client.request('POST', `${shop.path}/invoices/${id}/refund`, {
          body: JSON.stringify({ refundVariant: 'RateThen' }),
          headers: { 'Content-Type': 'application/json', 'Idempotency-Key': `refund of ${id}` },
        });
      const first = successOf<Pull>(await again());
      assert.deepEqual(successOf<Pull>(await again()), first);
    });

    test('a whole refund that is paid ends the order; its invoice stays settled', async () => {
      const sale = await sold();
      const pull = successOf<Pull>(await refund(sale.id, { refundVariant: 'RateThen' }));
      const actor = merchantActor(shop.merchant.account.id);
      const link = new URL(pull.viewLink ?? '').pathname.split('/').at(-1) ?? '';
      const { id } = successOf<{ id: string }>(await claimed(link));
      await till.till.manage.pullPayments.approve(actor, id as ClaimId);
      till.clock.advance(25 * 3_600_000);
      await paid(id);
      assert.equal((await sale.order()).status, 'REFUNDED');
      const { status } = successOf(await shop.client.get(`${shop.path}/invoices/${sale.id}`));
      assert.equal(status, 'Settled');
      const payout = successOf(await manager.client.get(`/api/v1/payouts/${id}`));
      assert.equal(payout['state'], 'Completed');
      assert.match(JSON.stringify(payout['paymentProof']), /0x[0-9a-f]{64}/);
    });

    test('fault 478: only a key with the permission refunds, and only invoices of its own store', async () => {
      const { id } = await sold();
      const variant = { refundVariant: 'RateThen' };
      const seller = await connectShop(till, SHOP_PERMISSIONS, shop.merchant);
      const refused = refusedAs(await refund(id, variant, seller), 403, 'missing-permission');
      assert.equal(refused.missingPermission, 'btcpay.store.cancreatenonapprovedpullpayments');
      const { apiKey } = await till.accounts.createCredential.run(shop.merchant.account.id, 'pos', {
        scopes: ['read', 'create'],
      });
      const plain = { ...shop, client: till.client.with({ Authorization: `token ${apiKey}` }) };
      refusedAs(await refund(id, variant, plain), 403, 'missing-permission');
      const stranger = await newShop();
      refusedAs(await refund(id, variant, stranger), 404, 'invoice-not-found');
      refusedAs(await stranger.client.post(`${shop.path}/invoices/${id}/refund`, variant), 403, 'missing-permission');
      refusedAs(await refund('0'.repeat(32), variant), 404, 'invoice-not-found');
    });

    test('wrong terms are refused by their names', async () => {
      const { id } = await sold();
      const custom = { refundVariant: 'Custom', customCurrency: 'EUR', customAmount: '1' };
      for (const [fields, path] of [
        [{}, 'refundVariant'],
        [{ refundVariant: 'Everything' }, 'refundVariant'],
        [{ refundVariant: 'RateThen', customAmount: '1' }, 'customAmount'],
        [{ refundVariant: 'RateThen', customCurrency: 'EUR' }, 'customCurrency'],
        [{ ...custom, customAmount: '0' }, 'customAmount'],
        [{ ...custom, customAmount: null }, 'customAmount'],
        [{ ...custom, customAmount: '1.005' }, 'customAmount'],
        [{ ...custom, customAmount: '-1' }, 'customAmount'],
        [{ ...custom, customCurrency: 'USD' }, 'customCurrency'],
        [{ ...custom, customCurrency: 'BTC' }, 'customCurrency'],
        [{ refundVariant: 'RateThen', subtractPercentage: '101' }, 'subtractPercentage'],
        [{ refundVariant: 'RateThen', subtractPercentage: 100 }, 'subtractPercentage'],
        [{ refundVariant: 'Fiat', payoutMethodId: 'BTC' }, 'payoutMethodId'],
        [{ refundVariant: 'Fiat', payoutMethods: ['BTC-LN'] }, 'payoutMethods'],
        [{ refundVariant: 'Fiat', name: '\u202Ename' }, 'name'],
        [{ refundVariant: 'Fiat', description: 'x'.repeat(501) }, 'description'],
      ] as const)
        assert.deepEqual(refusedFields(await refund(id, fields)), [path], JSON.stringify(fields));
      const unpaid = successOf<{ id: string }>(
        await shop.client.post(`${shop.path}/invoices`, { amount: '10', currency: 'EUR' }),
      );
      refusedAs(await refund(unpaid.id, { refundVariant: 'RateThen' }), 409, 'non-refundable');
    });

    test('without a usable rate the variant is refused', async (t) => {
      const { id } = await sold();
      t.mock.method(till.till.manage.pullPayments, 'refund', () => {
        throw new TillgateError('NOT_READY', 'There is no usable price of USDT at the moment; retry later.');
      });
      assert.deepEqual(refusedFields(await refund(id, { refundVariant: 'Fiat' })), ['refundVariant']);
    });

    test('a refund of money that is not final yet is refused, and nothing is promised', async () => {
      const poor = await newShop();
      const { id } = successOf<{ id: string }>(
        await poor.client.post(`${poor.path}/invoices`, {
          ...{ amount: '10', currency: 'EUR', checkout: { paymentMethods: [USDT] } },
        }),
      );
      const order = await store.storage.orders.findByCheckoutToken(id);
      till.clock.advance(1_000);
      dataOf(await till.client.post('/sandbox/v1/pay', { order_id: order?.id }));
      await till.work();
      assert.deepEqual(refusedFields(await refund(id, { refundVariant: 'RateThen' }, poor)), ['refundVariant']);
      assert.deepEqual(await store.storage.pullPayments.promisedRefunds([order?.id as OrderId]), []);
    });
  });

  /** Runs the worker that signs, and mines, until a claim is paid. */
  const paid = async (id: string): Promise<void> => {
    const actor = merchantActor(shop.merchant.account.id);
    const runner = till.till.payouts.get('ETH');
    const lease = await store.storage.leases.acquire('payout:ETH', 'test', 1e12);
    assert.ok(runner !== undefined && lease !== null);
    await waitFor(
      async () => {
        while ((await runner.step(lease)) === 'advanced');
        await final();
        return (await till.till.manage.pullPayments.findClaim(actor, id as ClaimId)).transfer?.status === 'CONFIRMED';
      },
      { describe: `the payment of claim ${id}` },
    );
  };

  describe('pull payments of shop plugins', () => {
    test('are made in fiat and in coins, listed without their links, and archived', async () => {
      await sold();
      const fiat = await promise({
        ...{ amount: '4.00', currency: 'eur', paymentMethods: ['usdt_erc20', 'XYZ'], payoutMethods: null },
        ...{ description: 'came\nbroken', expiresAt: null, startsAt: null, BOLT11Expiration: null, period: null },
      });
      assert.deepEqual([fiat.amount, fiat.currency], ['4', 'EUR']);
      const coin = await promise({ expiresAt: Math.floor(till.clock.now() / 1000) + 3600 });
      const list = async (query: string): Promise<readonly Record_[]> =>
        successOf(await manager.client.get(`${shop.path}/pull-payments${query}`));
      const mine = (await list('')).filter(({ id }) => id === fiat.id || id === coin.id);
      assert.deepEqual(
        mine.map(({ id, viewLink, description }) => [id, viewLink, description]),
        [
          [coin.id, null, ''],
          [fiat.id, null, 'came broken'],
        ],
      );
      assert.deepEqual(successOf(await manager.client.request('DELETE', `/api/v1/pull-payments/${fiat.id}`)), {});
      assert.ok(!(await list('?includeArchived=False')).some(({ id }) => id === fiat.id));
      const archived = (await list('?includeArchived=true')).find(({ id }) => id === fiat.id);
      assert.equal(archived?.['archived'], true);
      const headers = { 'Content-Length': '25', 'Content-Type': 'application/json' };
      const byPhp = { headers, body: '{"includeArchived":false}' };
      const listed = await manager.client.request('GET', `${shop.path}/pull-payments`, byPhp);
      assert.ok(successOf<readonly Record_[]>(listed).some(({ id }) => id === coin.id));
      refusedAs(await shop.client.get(`${shop.path}/pull-payments`), 403, 'missing-permission');
      refusedAs(
        await shop.client.request('DELETE', `${shop.path}/pull-payments/${coin.id}`),
        403,
        'missing-permission',
      );
    });

    test('fault 479: the id of a pull payment claims nothing and shows nothing; its link does', async () => {
      await sold();
      const pull = await promise();
      const stranger = await newShop(MANAGER);
      for (const client of [till.client, stranger.client]) {
        for (const path of ['', '/payouts', '/payouts/1'])
          assert.equal((await client.get(`/api/v1/pull-payments/${pull.id}${path}`)).status, 404, path);
        assert.equal((await claimed(pull.id, {}, client)).status, 404);
        refusedAs(await claimed('0'.repeat(32), {}, client), 404, 'pullpayment-not-found');
      }
      const seller = await connectShop(till, SHOP_PERMISSIONS, shop.merchant);
      refusedAs(await seller.client.get(`/api/v1/pull-payments/${pull.id}`), 404, 'pullpayment-not-found');
      refusedAs(await claimed(pull.id, {}, seller.client), 403, 'missing-permission');
      const own = successOf<Pull>(await manager.client.get(`/api/v1/pull-payments/${pull.id}`));
      assert.deepEqual([own.id, own.viewLink], [pull.id, null]);
      const byLink = successOf<Pull>(await till.client.get(`/api/v1/pull-payments/${pull.link}`));
      assert.deepEqual([byLink.id, byLink.viewLink], [pull.link, pull.viewLink]);
      assert.ok(!JSON.stringify(byLink).includes(pull.id));
      const first = successOf(await claimed(pull.link, { amount: '1.5', payoutMethodId: USDT }));
      assert.deepEqual(
        [first['destination'], first['state'], first['originalAmount'], first['payoutAmount'], first['pullPaymentId']],
        [PAYEE, 'AwaitingApproval', '1.5', null, pull.link],
      );
      const listed = successOf<readonly Record_[]>(await till.client.get(`/api/v1/pull-payments/${pull.link}/payouts`));
      assert.deepEqual(
        listed.map(({ destination }) => destination),
        ['0x7099…79C8'],
      );
      const bad = till.client.with({ Authorization: 'token nobody' });
      assert.equal((await bad.get(`/api/v1/pull-payments/${pull.link}`)).status, 401);
    });

    test('fault 500: ten claims at once never take more than was promised', async () => {
      await sold();
      const pull = await promise({ amount: '3' });
      const replies = await Promise.all(
        Array.from({ length: 10 }, () => claimed(pull.link, { amount: '1' }, manager.client)),
      );
      const good = replies.filter(({ status }) => status === 200);
      assert.equal(good.length, 3, replies.map(({ status, text }) => `${status} ${text}`).join('\n'));
      const found = await till.till.manage.pullPayments.find(
        merchantActor(shop.merchant.account.id),
        pull.id as PullPaymentId,
      );
      assert.equal(found.pull.claimed, found.pull.amount);
    });

    test('claims without a key are limited in a minute', async () => {
      const pull = await promise({ currency: 'EUR' });
      const statuses: number[] = [];
      for (let at = 0; at < 20; at++) statuses.push((await claimed(pull.link, { destination: 'nowhere' })).status);
      assert.ok(statuses.includes(429), statuses.join());
    });

    test('fault 501: no key makes, claims or approves what is paid without a person', async () => {
      await sold();
      const asked = { amount: '1', currency: USDT, autoApproveClaims: true };
      const { missingPermission } = refusedAs(
        await shop.client.post(`${shop.path}/pull-payments`, asked),
        403,
        'missing-permission',
      );
      assert.equal(missingPermission, 'btcpay.store.cancreatepullpayments');
      const paths = refusedFields(await manager.client.post(`${shop.path}/pull-payments`, asked));
      assert.deepEqual(paths, ['autoApproveClaims']);

      const auto = await autoApproved();
      refusedAs(await claimed(auto.id, {}, manager.client), 403, 'link-required');
      const hidden = successOf<Pull>(await manager.client.get(`/api/v1/pull-payments/${auto.id}`));
      assert.equal(hidden.viewLink, null);
      assert.ok(!JSON.stringify(hidden).includes(auto.token));

      const pull = await promise();
      const { id } = successOf<{ id: string }>(await claimed(pull.id, {}, shop.client));
      const approve = (by: TestShop, body: object = { revision: 0 }) =>
        by.client.post(`${shop.path}/payouts/${id}`, body);
      refusedAs(await approve(shop), 403, 'missing-permission');
      refusedAs(await approve(manager), 403, 'code-required');
      assert.deepEqual(refusedFields(await approve(manager, { revision: 1 })), ['revision']);
      const actor = merchantActor(shop.merchant.account.id);
      assert.equal(
        (await till.till.manage.pullPayments.findClaim(actor, id as ClaimId)).claim.status,
        'AWAITING_APPROVAL',
      );
      const stranger = await newShop(MANAGER);
      for (const method of ['GET', 'POST', 'DELETE'] as const)
        assert.equal((await stranger.client.request(method, `/api/v1/payouts/${id}`)).status, 404, method);
    });

    test('a key cancels a claim, whose amount can be claimed again', async () => {
      await sold();
      const pull = await promise();
      const { id } = successOf<{ id: string }>(await claimed(pull.link));
      refusedAs(await claimed(pull.link), 409, 'state-conflict');
      refusedAs(await shop.client.request('DELETE', `${shop.path}/payouts/${id}`), 403, 'missing-permission');
      const cancelled = successOf(await manager.client.request('DELETE', `${shop.path}/payouts/${id}`));
      assert.equal(cancelled['state'], 'Cancelled');
      refusedAs(await manager.client.request('DELETE', `${shop.path}/payouts/${id}`), 409, 'state-conflict');
      refusedAs(await manager.client.post(`${shop.path}/payouts/${id}`, {}), 409, 'invalid-state');
      const again = successOf<{ id: string }>(await claimed(pull.link, { destination: OTHER_PAYEE }));
      const ids = async (query: string): Promise<readonly unknown[]> =>
        successOf<readonly Record_[]>(await manager.client.get(`${shop.path}/payouts${query}`)).map((one) => one['id']);
      const [shown, all] = [await ids(''), await ids('?includeCancelled=true')];
      assert.deepEqual([shown.includes(id), all.includes(id)], [false, true]);
      assert.ok(shown.includes(again.id));
      const path = `/api/v1/pull-payments/${pull.id}/payouts`;
      const ofPull = successOf<readonly Record_[]>(await manager.client.get(`${path}?includeCancelled=true`));
      assert.deepEqual(
        ofPull.map((one) => one['id']),
        [again.id, id],
      );
      assert.equal(successOf(await manager.client.get(`${path}/${id}`))['state'], 'Cancelled');
    });

    test('a repetition of a claim with the same key is the same claim', async () => {
      await sold();
      const pull = await promise();
      const send = () =>
        till.client.request('POST', `/api/v1/pull-payments/${pull.link}/payouts`, {
          body: JSON.stringify({ destination: PAYEE }),
          headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'the first' },
        });
      assert.deepEqual(successOf(await send()), successOf(await send()));
    });

    test('wrong terms are refused by their names', async () => {
      await sold();
      const later = Math.floor(till.clock.now() / 1000) + 60;
      for (const [fields, path] of [
        [{ amount: null }, 'amount'],
        [{ amount: '0' }, 'amount'],
        [{ amount: '1000000' }, 'amount'],
        [{ amount: '1.001', currency: 'EUR' }, 'amount'],
        [{ currency: null }, 'currency'],
        [{ currency: 'XYZ' }, 'currency'],
        [{ currency: 'BTC-LN' }, 'currency'],
        [{ startsAt: later }, 'startsAt'],
        [{ expiresAt: 1 }, 'expiresAt'],
        [{ payoutMethods: ['BTC-CHAIN'] }, 'payoutMethods'],
        [{ currency: 'EUR', paymentMethods: ['BTC-LN', 'XYZ'] }, 'paymentMethods'],
        [{ name: 'x'.repeat(101) }, 'name'],
      ] as const) {
        const reply = await shop.client.post(`${shop.path}/pull-payments`, { amount: '1', currency: USDT, ...fields });
        assert.deepEqual(refusedFields(reply), [path], JSON.stringify(fields));
      }
      const pull = await promise({ currency: 'EUR' });
      for (const [fields, path] of [
        [{ destination: null }, 'destination'],
        [{ destination: 'nowhere', payoutMethodId: USDT }, 'destination'],
        [{ payoutMethodId: 'XYZ' }, 'payoutMethodId'],
        [{ paymentMethod: 'BTC-LN' }, 'paymentMethod'],
        [{}, 'payoutMethodId'],
        [{ payoutMethodId: USDT, amount: '3' }, 'amount'],
        [{ payoutMethodId: USDT, amount: '0.001' }, 'amount'],
      ] as const)
        assert.deepEqual(refusedFields(await claimed(pull.id, fields, manager.client)), [path], JSON.stringify(fields));
    });

    test('an account that demands a code for payouts promises nothing by a key', async () => {
      const careful = await newShop();
      const { security } = till.till.manage;
      await security.enrol(OPERATOR, careful.merchant.account.id, true);
      await security.update(OPERATOR, careful.merchant.account.id, { totpForWithdrawals: true });
      const asked = { amount: '1', currency: 'EUR' };
      refusedAs(await careful.client.post(`${careful.path}/pull-payments`, asked), 403, 'code-required');
    });
  });

  describe('events of payouts', () => {
    test('fault 502: go to the webhooks that ask for them, from the claim to its payment, and to no other', async (t) => {
      const asks = await startShop();
      t.after(() => asks.close());
      await sold();
      const hook = (path: string, specificEvents: readonly string[]) =>
        shop.client.post(`${shop.path}/webhooks`, {
          url: `${asks.url}${path}`,
          authorizedEvents: { everything: false, specificEvents },
        });
      successOf(await hook('/payouts', ['PayoutCreated', 'PayoutApproved', 'PayoutUpdated']));
      successOf(await hook('/invoices', ['InvoiceSettled']));
      const pull = await promise();
      const { id } = successOf<{ id: string }>(await claimed(pull.link));
      await till.till.manage.pullPayments.approve(merchantActor(shop.merchant.account.id), id as ClaimId);
      till.clock.advance(25 * 3_600_000);
      await paid(id);
      const refused = successOf<{ id: string }>(await claimed((await promise()).link));
      successOf(await manager.client.request('DELETE', `${shop.path}/payouts/${refused.id}`));
      await till.work();
      const told = asks
        .received()
        .map(({ path, raw }) => ({ path, body: JSON.parse(raw) as Record_ }))
        .map(({ path, body }) => [path, body['type'], body['payoutState'], body['payoutId'], body['pullPaymentId']]);
      const of = (payout: string) =>
        told.filter((one) => one[3] === payout).map(([path, ...rest]) => [path, rest[0], rest[1]]);
      assert.deepEqual(of(id), [
        ['/payouts', 'PayoutCreated', 'AwaitingApproval'],
        ['/payouts', 'PayoutApproved', 'AwaitingPayment'],
        ['/payouts', 'PayoutUpdated', 'InProgress'],
        ['/payouts', 'PayoutUpdated', 'Completed'],
      ]);
      assert.deepEqual(of(refused.id), [
        ['/payouts', 'PayoutCreated', 'AwaitingApproval'],
        ['/payouts', 'PayoutUpdated', 'Cancelled'],
      ]);
      assert.ok(told.every(([path, , , , pullPaymentId]) => path === '/payouts' && pullPaymentId !== undefined));
    });
  });
});
