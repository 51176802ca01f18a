import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { readDecimal } from '../../../core/index.ts';
import type { Order } from '../../../core/index.ts';
import { buildDomain } from '../../support/domain.ts';
import type { Domain } from '../../support/domain.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { FakeLightning } from '../../support/fake-lightning.ts';
import { testsOf } from '../../support/storage.ts';

/** Sets the price of ETH, in US dollars, that the payer sees. */
async function price(domain: Domain, usd: string): Promise<void> {
  domain.clock.advance(60_000);
  domain.rates.prices.set('ETH', usd);
  await domain.rateBook.refresh();
}

const hosted = (domain: Domain): Promise<Order> => {
  const vsPrice = readDecimal('10000');
  assert.ok(vsPrice);
  return domain.createOrder.hosted(domain.principal, { vsCurrency: 'USD', vsPrice });
};

/** The amount due in 10^-8 ETH. */
const due = ({ payment }: Order): bigint => (payment?.units ?? 0n) / 10n ** 10n;

eachStorage((engine, open) => {
  const till = testsOf(open, buildDomain);

  describe(`fault 346: a payer who chooses a coin again, on ${engine}`, () => {
    till('keeps its first quote while the coin becomes dearer, whatever was chosen in between', async (domain) => {
      await price(domain, '2500');
      const { checkoutToken } = await hosted(domain);
      const choose = (currency: string) => domain.choosePayment.choose(checkoutToken, 'ETH', currency);
      assert.equal(due(await choose('ETH')), 400_000_000n);
      for (const better of ['2550', '2600', '3000']) {
        await price(domain, better);
        await choose('USDT-ERC20');
        assert.equal(due(await choose('ETH')), 400_000_000n, `at ${better}`);
      }
    });

    till('gets a new quote where that asks for more, and keeps that one', async (domain) => {
      await price(domain, '2500');
      const { checkoutToken } = await hosted(domain);
      const choose = (currency: string) => domain.choosePayment.choose(checkoutToken, 'ETH', currency);
      await choose('ETH');
      await price(domain, '2000');
      await choose('USDT-ERC20');
      const dearer = await choose('ETH');
      assert.equal(due(dearer), 500_000_000n);
      assert.equal(dearer.payment?.rate.coin.usd, '2000', 'the evidence is that of the quote');
      await price(domain, '2500');
      await choose('USDT-ERC20');
      const kept = await choose('ETH');
      assert.equal(due(kept), 500_000_000n);
      assert.equal(kept.payment?.rate.coin.usd, '2000');
    });

    till('sees the amount that a choice would ask for', async (domain) => {
      await price(domain, '2500');
      const order = await hosted(domain);
      await domain.choosePayment.choose(order.checkoutToken, 'ETH', 'ETH');
      await price(domain, '3000');
      const other = await domain.choosePayment.choose(order.checkoutToken, 'ETH', 'USDT-ERC20');
      const offered = await domain.choosePayment.options(other);
      const eth = offered.find(({ asset }) => asset.currency === 'ETH');
      assert.equal((eth?.units ?? 0n) / 10n ** 10n, 400_000_000n);
    });

    till('pays the dearer quote with a payment in a coin that was chosen before', async (domain) => {
      await price(domain, '2500');
      const order = await hosted(domain);
      const choose = (currency: string) => domain.choosePayment.choose(order.checkoutToken, 'ETH', currency);
      await choose('ETH');
      await price(domain, '2000');
      await choose('USDT-ERC20');
      await choose('ETH');
      const { payment } = await choose('USDT-ERC20');
      assert.ok(payment);
      domain.eth.mine({ to: payment.address, currency: 'ETH', units: 4n * 10n ** 18n, txid: 'cheap' });
      domain.eth.mineEmpty(8);
      await domain.follow();
      const paid = await domain.order(order.id);
      assert.deepEqual([paid.payment?.currency, due(paid), paid.status], ['ETH', 500_000_000n, 'PENDING']);
      await domain.checkBooks();
    });

    till('gets no cheaper quote by many requests at the same moment', async (domain) => {
      await price(domain, '2000');
      const { checkoutToken, id } = await hosted(domain);
      const choose = (currency: string) => domain.choosePayment.choose(checkoutToken, 'ETH', currency);
      await choose('ETH');
      await price(domain, '2500');
      await Promise.all(['USDT-ERC20', 'ETH', 'USDT-ERC20', 'ETH', 'USDT-ERC20', 'ETH'].map(choose));
      await choose('USDT-ERC20');
      assert.equal(due(await choose('ETH')), 500_000_000n);
      const quoted = (await domain.storage.orders.history(id)).flatMap(({ inputs }) =>
        inputs['currency'] === 'ETH' ? [BigInt(String(inputs['units']))] : [],
      );
      assert.deepEqual(new Set(quoted), new Set([5n * 10n ** 18n]));
    });
  });

  describe(`fault 346: Lightning chosen again on ${engine}`, () => {
    const withNode = testsOf(open, buildDomain, { lightning: (now) => new FakeLightning(now) });

    withNode('is the invoice of before, with the amount that it names', async (domain) => {
      const { checkoutToken } = await hosted(domain);
      const first = await domain.choosePayment.choose(checkoutToken, 'BLN', 'BTC-LN');
      domain.rates.prices.set('BTC', '40000');
      domain.clock.advance(60_000);
      await domain.rateBook.refresh();
      await domain.choosePayment.choose(checkoutToken, 'ETH', 'ETH');
      const again = await domain.choosePayment.choose(checkoutToken, 'BLN', 'BTC-LN');
      assert.equal(again.payment?.address, first.payment?.address);
      assert.equal(again.payment?.units, first.payment?.units);
    });
  });
});
