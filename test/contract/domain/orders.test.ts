import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AddressPool, isId, readDecimal, TillgateError } from '../../../core/index.ts';
import type { AccountId, ErrorCode, IdempotencyClaim, HostedOrderInput } from '../../../core/index.ts';
import { buildDomain } from '../../support/domain.ts';
import type { Domain, DomainOptions } from '../../support/domain.ts';
import { FakeChain } from '../../support/fake-chain.ts';
import { eachStorage } from '../../support/each-storage.ts';

const NOBODY = '1000000000000000000' as AccountId;

const hosted = (price = '10', vsCurrency = 'USD'): HostedOrderInput => {
  const vsPrice = readDecimal(price);
  assert.ok(vsPrice);
  return { vsCurrency, vsPrice };
};

const claim = (key: string, bodyHash = 'a'): IdempotencyClaim => ({
  route: '/api/order/pay-info',
  key,
  bodyHash,
  expiresAt: 9_000_000_000_000,
});

eachStorage((engine, open) => {
  const till = (name: string, body: (domain: Domain) => Promise<void>, options?: DomainOptions): void => {
    test(name, async () => {
      const opened = await open();
      try {
        await body(await buildDomain(opened.storage, options));
      } finally {
        await opened.close();
      }
    });
  };

  describe(`creating and reading orders on ${engine}`, () => {
    till('pay-info answers the documented fields', async (domain) => {
      const order = await domain.newOrder({ currency: 'ETH', price: '12.34', vsCurrency: 'EUR' });
      const info = domain.queries.payInfo(order);
      assert.ok(isId(info.order_id));
      assert.deepEqual(info, {
        order_id: order.id,
        status: 'PENDING',
        // 12.34 EUR × 1.1 USD ÷ 2000 USD = 0.006787, exact to 8 decimals
        amount: '0.006787',
        create_time: '2026-03-01T12:00:00',
        vs_currency: 'EUR',
        vs_price: '12.34',
        address: order.payment?.address,
        contract_addr: '',
        pay_url: `https://till.example/checkout/${order.checkoutToken}`,
      });
    });

    till('amounts are rounded up to 8 decimals', async (domain) => {
      const order = await domain.newOrder({ chain: 'BTC', currency: 'BTC', price: '10.01' });
      assert.equal(order.payment?.units, 20_020n);
      const odd = await domain.newOrder({ currency: 'ETH', price: '0.01' });
      assert.equal(odd.payment?.units, 5n * 10n ** 12n);
    });

    const refusals: readonly (readonly [string, Parameters<Domain['newOrder']>[0], ErrorCode])[] = [
      ['an unknown fiat', { vsCurrency: 'XXX' }, 'UNSUPPORTED'],
      ['an unknown coin', { currency: 'DOGE' }, 'UNSUPPORTED'],
      ['a coin on the wrong chain', { chain: 'BTC' }, 'UNSUPPORTED'],
      ['a known coin that is not configured', { chain: 'LTC', currency: 'LTC' }, 'UNSUPPORTED'],
      ['a price of zero', { price: '0' }, 'INVALID_FIELDS'],
      ['more decimals than the fiat has (fault 45)', { price: '1.001' }, 'INVALID_FIELDS'],
      ['decimals of a fiat without any', { price: '1.5', vsCurrency: 'JPY' }, 'INVALID_FIELDS'],
      ['a price above the limit', { price: '1000000.01' }, 'AMOUNT_OUT_OF_RANGE'],
      ['a price above the limit in another fiat', { price: '909091', vsCurrency: 'EUR' }, 'AMOUNT_OUT_OF_RANGE'],
      ['a fiat without a rate', { vsCurrency: 'GBP' }, 'NOT_READY'],
      ['a coin without a rate', { currency: 'ETH' }, 'NOT_READY'],
    ];
    for (const [what, input, code] of refusals) {
      till(`${what} is ${code}`, async (domain) => {
        if (what === 'a coin without a rate') domain.rates.prices.delete('ETH');
        await assert.rejects(domain.newOrder(input), { code });
        assert.equal((await domain.queries.list(domain.principal.accountId, { page: 1, size: 10 })).total, 0);
      });
    }

    till('fixed_encrypt_price takes a stable coin for exactly 1 USD', async (domain) => {
      domain.rates.prices.set('USDT', '0.97');
      const floating = await domain.newOrder();
      const fixed = await domain.newOrder({ fixedEncryptPrice: true });
      assert.equal(floating.payment?.units, 10_309_279n);
      assert.equal(fixed.payment?.units, 10_000_000n);
      assert.equal(fixed.payment.rate.fixed, true);
    });

    till('an idempotency key makes one order, however often it is sent (fault 39)', async (domain) => {
      const vsPrice = readDecimal('10');
      assert.ok(vsPrice);
      const input = { ...hosted(), chain: 'ETH', currency: 'USDT-ERC20', vsPrice };
      const orders = await Promise.all(
        Array.from({ length: 8 }, () => domain.createOrder.inCoin(domain.principal, input, claim('k'))),
      );
      assert.equal(new Set(orders.map(({ id }) => id)).size, 1);
      assert.equal((await domain.queries.list(domain.principal.accountId, { page: 1, size: 10 })).total, 1);
      await assert.rejects(domain.createOrder.inCoin(domain.principal, input, claim('k', 'b')), {
        code: 'IDEMPOTENCY_MISMATCH',
      });
      const next = await domain.newOrder();
      assert.notEqual(next.payment?.address, orders[0]?.payment?.address);
    });

    till('no two orders share an address, whoever asks and however many at once', async (domain) => {
      await domain.addresses.refill('ETH');
      const orders = await Promise.all(Array.from({ length: 40 }, () => domain.newOrder()));
      assert.equal(new Set(orders.map(({ payment }) => payment?.address)).size, 40);
      assert.deepEqual(
        orders.map(({ number }) => number).sort((a, b) => a - b),
        Array.from({ length: 40 }, (_, i) => i + 1),
      );
    });

    till('the address pool is refilled when it runs low, and given back at a graceful stop', async (domain) => {
      assert.equal(await domain.addresses.refill('ETH'), 8);
      assert.equal(await domain.addresses.refill('ETH'), 0);
      await domain.newOrder();
      await domain.addresses.release();
      assert.equal(await domain.storage.chains.poolSize('ETH', 'wallet-ETH'), 7);
      await assert.rejects(domain.addresses.take('DOGE'), { code: 'UNSUPPORTED' });
    });

    till(
      'no address is given out on a chain whose following has not begun: nobody would see it paid',
      async (domain) => {
        const never = new FakeChain(domain.btc.assets, () => domain.clock.now(), { code: 'NEW' });
        const pool = new AddressPool({ chains: new Map([['NEW', never]]), storage: domain.storage });
        await domain.storage.chains.initialise('NEW', 'fake:NEW');
        await assert.rejects(pool.take('NEW'), { code: 'NOT_READY' });
      },
    );

    till(
      'fault 100: no order of a token is made before its contract was checked; of the coin it is',
      async (domain) => {
        let problem: 'NOT_READY' | 'CHAIN_HALTED' | null = 'NOT_READY';
        const verifyAsset = async (currency: string): Promise<void> => {
          if (problem !== null && currency === 'USDT-ERC20') throw new TillgateError(problem, 'not checked');
        };
        Object.assign(domain.eth, { verifyAsset });
        await assert.rejects(domain.newOrder({ currency: 'USDT-ERC20' }), { code: 'NOT_READY' });
        problem = 'CHAIN_HALTED';
        await assert.rejects(domain.newOrder({ currency: 'USDT-ERC20' }), { code: 'NOT_READY', message: /settings/ });
        await domain.newOrder({ currency: 'ETH' });
        problem = null;
        await domain.newOrder({ currency: 'USDT-ERC20' });
      },
    );

    till('lists come newest first, in pages, with the exact total', async (domain) => {
      const made = [];
      for (let i = 0; i < 7; i++) made.push(await domain.newOrder());
      const newest = made.map(({ id }) => id).reverse();
      const first = await domain.queries.list(domain.principal.accountId, { page: 1, size: 3 });
      const last = await domain.queries.list(domain.principal.accountId, { page: 3, size: 3 });
      const past = await domain.queries.list(domain.principal.accountId, { page: 4, size: 3 });
      assert.deepEqual([first.total, first.maxPage], [7, 3]);
      assert.deepEqual(
        first.items.map(({ order_id }) => order_id),
        newest.slice(0, 3),
      );
      assert.deepEqual(
        last.items.map(({ order_id }) => order_id),
        newest.slice(6),
      );
      assert.deepEqual(past.items, []);
      assert.deepEqual((await domain.queries.list(NOBODY, { page: 1, size: 3 })).maxPage, 0);
      for (const page of [
        { page: 0, size: 1 },
        { page: 1, size: 101 },
        { page: 1.5, size: 1 },
        { page: NaN, size: 1 },
        { page: 1, size: -1 },
      ]) {
        await assert.rejects(domain.queries.list(domain.principal.accountId, page), { code: 'INVALID_FIELDS' });
        await assert.rejects(domain.queries.transactions(domain.principal.accountId, page), { code: 'INVALID_FIELDS' });
      }
    });

    till("another account's order, an unknown one and no id at all get the same answer (fault 12)", async (domain) => {
      const order = await domain.newOrder();
      const answers = [];
      for (const [account, id] of [
        [NOBODY, order.id],
        [domain.principal.accountId, '1234567890123456789'],
        [domain.principal.accountId, 'x'],
      ] as const) {
        answers.push(await domain.queries.detail(account, id).catch((error: unknown) => String(error)));
      }
      assert.equal(new Set(answers).size, 1);
      assert.equal(await domain.queries.history('x'), null);
    });

    till(
      'a hosted order has its coin when the payer chose one, and a new choice until something was seen',
      async (domain) => {
        const order = await domain.createOrder.hosted(domain.principal, hosted());
        const blank = await domain.queries.checkout(order.checkoutToken);
        assert.deepEqual([blank.amount, blank.chainName, blank.paymentUri, blank.seen], ['', '', '', false]);
        const detail = await domain.queries.detail(domain.principal.accountId, order.id);
        assert.deepEqual(
          [detail.chain, detail.currency, detail.amount, detail.to_addr, detail.platform],
          ['', '', '', false, 'CHECKOUT'],
        );
        const options = await domain.choosePayment.options(order);
        assert.deepEqual(
          options.map(({ asset }) => asset.currency),
          ['ETH', 'USDT-ERC20', 'BTC'],
        );
        const inEth = await domain.choosePayment.choose(order.checkoutToken, 'ETH', 'ETH');
        const again = await domain.choosePayment.choose(order.checkoutToken, 'ETH', 'ETH');
        const inUsdt = await domain.choosePayment.choose(order.checkoutToken, 'ETH', 'USDT-ERC20');
        assert.deepEqual(again.payment, inEth.payment);
        assert.equal(inUsdt.payment?.address, inEth.payment?.address);
        const next = await domain.newOrder();
        assert.deepEqual(
          [inEth.payment?.address, next.payment?.address],
          ['eth0', 'eth1'],
          'the address that was taken for the second choice is given to the next order',
        );
        domain.eth.mine({ to: inUsdt.payment?.address ?? '', currency: 'USDT-ERC20', units: 4_000_000n, txid: 'part' });
        await domain.follow();
        const view = await domain.queries.checkout(order.checkoutToken);
        assert.deepEqual(
          [view.amount, view.received, view.remaining, view.confirmations, view.confirmationsRequired, view.seen],
          ['10', '4', '6', 1, 3, true],
        );
        domain.eth.mine({ to: inUsdt.payment?.address ?? '', currency: 'USDT-ERC20', units: 1_000_000n, txid: 'more' });
        await domain.follow();
        const { received, confirmations } = await domain.queries.checkout(order.checkoutToken);
        assert.deepEqual([received, confirmations], ['5', 1], 'the youngest part counts');
        await assert.rejects(domain.choosePayment.choose(order.checkoutToken, 'BTC', 'BTC'), {
          code: 'STATE_CONFLICT',
        });
      },
    );

    till('a coin cannot be chosen for an unknown, a direct or an expired order', async (domain) => {
      const direct = await domain.newOrder();
      const order = await domain.createOrder.hosted(domain.principal, hosted());
      await assert.rejects(domain.choosePayment.choose('none', 'ETH', 'ETH'), { code: 'NOT_FOUND' });
      await assert.rejects(domain.queries.checkout('none'), { code: 'NOT_FOUND' });
      await assert.rejects(domain.choosePayment.choose(direct.checkoutToken, 'ETH', 'ETH'), { code: 'STATE_CONFLICT' });
      await assert.rejects(domain.choosePayment.choose(order.checkoutToken, 'ETH', 'DOGE'), { code: 'UNSUPPORTED' });
      domain.clock.advance(30 * 60_000);
      await assert.rejects(domain.choosePayment.choose(order.checkoutToken, 'ETH', 'ETH'), { code: 'STATE_CONFLICT' });
    });

    till('a coin without a rate is not offered', async (domain) => {
      domain.rates.prices.delete('BTC');
      const order = await domain.createOrder.hosted(domain.principal, hosted());
      assert.deepEqual(
        (await domain.choosePayment.options(order)).map(({ asset }) => asset.currency),
        ['ETH', 'USDT-ERC20'],
      );
    });

    till('the payer can leave the address of a refund', async (domain) => {
      const order = await domain.newOrder();
      const blank = await domain.createOrder.hosted(domain.principal, hosted());
      await domain.choosePayment.setRefundAddress(order.checkoutToken, 'eth-mine');
      assert.equal((await domain.queries.checkout(order.checkoutToken)).refundAddress, 'eth-mine');
      await assert.rejects(domain.choosePayment.setRefundAddress(order.checkoutToken, 'bc1'), {
        code: 'INVALID_FIELDS',
      });
      await assert.rejects(domain.choosePayment.setRefundAddress(blank.checkoutToken, 'eth-mine'), {
        code: 'STATE_CONFLICT',
      });
      await assert.rejects(domain.choosePayment.setRefundAddress('none', 'eth-mine'), { code: 'NOT_FOUND' });
    });

    till('fault 125: an address for a refund is left once, until the merchant removes it', async (domain) => {
      const order = await domain.newOrder();
      const leave = (address: string) => domain.choosePayment.setRefundAddress(order.checkoutToken, address);
      await Promise.allSettled([leave('eth-mine'), leave('eth-thief')]);
      const { refundAddress: first } = await domain.queries.checkout(order.checkoutToken);
      const other = first === 'eth-mine' ? 'eth-thief' : 'eth-mine';
      await leave(String(first));
      await assert.rejects(leave(other), { code: 'STATE_CONFLICT' });
      assert.equal((await domain.queries.checkout(order.checkoutToken)).refundAddress, first);
      await domain.orderAdminActions.removeRefundAddress(order.id, 'merchant');
      await assert.rejects(domain.orderAdminActions.removeRefundAddress(order.id, 'merchant'), {
        code: 'STATE_CONFLICT',
      });
      await leave(other);
      const history = await domain.queries.history(order.id);
      assert.deepEqual(
        history?.entries.filter(({ rule }) => rule === 'refund-address').map(({ inputs }) => inputs),
        [{ address: first }, { actor: 'merchant', address: null, former: first }, { address: other }],
      );
    });

    till('fault 125: an address for a refund ends with the choice of another chain', async (domain) => {
      const order = await domain.createOrder.hosted(domain.principal, hosted());
      const { choosePayment } = domain;
      await choosePayment.choose(order.checkoutToken, 'ETH', 'ETH');
      await choosePayment.setRefundAddress(order.checkoutToken, 'eth-mine');
      await choosePayment.choose(order.checkoutToken, 'ETH', 'USDT-ERC20');
      assert.equal((await domain.order(order.id)).refundAddress, 'eth-mine');
      assert.equal((await choosePayment.choose(order.checkoutToken, 'BTC', 'BTC')).refundAddress, null);
      assert.equal((await domain.order(order.id)).refundAddress, null);
    });

    till('an operator accepts an OVERDUE order and cancels an unpaid one; nothing else', async (domain) => {
      const order = await domain.newOrder();
      await assert.rejects(domain.orderAdminActions.resolve(order.id, 'admin'), { code: 'STATE_CONFLICT' });
      await assert.rejects(domain.orderAdminActions.resolve('1', 'admin'), { code: 'NOT_FOUND' });
      const paid = await domain.newOrder();
      domain.eth.mine({ to: paid.payment?.address ?? '', currency: 'USDT-ERC20', units: 1n, txid: 'seen' });
      await domain.follow();
      await assert.rejects(domain.orderAdminActions.terminate(paid.id, 'merchant'), { code: 'STATE_CONFLICT' });
      domain.clock.advance(30 * 60_000);
      await domain.expire();
      assert.equal((await domain.orderAdminActions.resolve(order.id, 'admin')).status, 'RESOLVED');
      await assert.rejects(domain.orderAdminActions.terminate(order.id, 'merchant'), { code: 'STATE_CONFLICT' });
      const history = await domain.queries.history(order.id);
      assert.deepEqual(history?.entries.at(-1)?.inputs, { actor: 'admin', received: '0' });
    });
  });
});
