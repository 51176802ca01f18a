import assert from 'node:assert/strict';
import { describe, mock } from 'node:test';
import { CryptoDigest } from '../../../adapters/crypto/index.ts';
import { DEFAULT_ORDER_SETTINGS, LinkSales, ManageLinks, PAIRING_MS, readDecimal } from '../../../core/index.ts';
import type { Actor, Decimal, LinkVisit, NewLink, Order, PaymentLink, Storage } from '../../../core/index.ts';
import { buildDomain } from '../../support/domain.ts';
import type { Domain } from '../../support/domain.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { FakeVault, SeededRandom } from '../../support/fakes.ts';
import { testsOf } from '../../support/storage.ts';

function decimal(text: string): Decimal {
  const value = readDecimal(text);
  assert(value !== null);
  return value;
}

/** One for the whole file, so that tokens differ. */
const random = new SeededRandom();
const places = { allowPrivateNetworks: true, hosts: null };
const actorOf = ({ principal }: Domain): Actor => ({
  accountId: principal.accountId,
  role: 'user',
  ip: null,
  traceId: null,
});

const manageOf = (till: Domain): ManageLinks =>
  new ManageLinks({
    ...till,
    vault: new FakeVault(),
    random,
    digest: new CryptoDigest(),
    pageMax: 100,
    places,
    queries: { linkUrl: ({ token }) => `https://till.example/l/${token}` },
  });
const salesOf = (till: Domain, storage: Storage = till.storage): LinkSales =>
  new LinkSales({ ...till, settings: DEFAULT_ORDER_SETTINGS, storage, random: random, digest: new CryptoDigest() });

const newLink = async (till: Domain, given: Partial<NewLink> = {}): Promise<PaymentLink> =>
  (await manageOf(till).create(actorOf(till), { title: 'A cup', vsCurrency: 'USD', vsPrice: decimal('20'), ...given }))
    .link;

const visit = (key: string, given: Partial<LinkVisit> = {}): LinkVisit => ({
  key,
  amount: null,
  renew: true,
  ...given,
});
const reason = (why: string) => ({ code: 'STATE_CONFLICT', details: { reason: why } });

let payments = 0;
/** The payer chooses ether and pays, and the block becomes deep enough. */
async function pay(till: Domain, order: Order): Promise<void> {
  await till.choosePayment.choose(order.checkoutToken, 'ETH', 'ETH');
  await send(till, order);
}

async function send(till: Domain, { id }: Order): Promise<void> {
  const { payment } = await till.order(id);
  assert(payment !== null);
  const { address: to, units } = payment;
  till.eth.mine({ to, units, currency: 'ETH', from: 'payer', txid: `link ${(payments += 1)}` });
  till.eth.mineEmpty(20);
  await till.follow();
}

eachStorage((engine, open) => {
  const domain = testsOf(open, buildDomain);

  describe(`payment links, on ${engine}`, () => {
    domain('a link that may be sold twice is sold twice, and is then sold out', async (till) => {
      const { token } = await newLink(till, { maxSales: 2 });
      const sales = salesOf(till);
      const [first, second] = [await sales.order(token, visit('a')), await sales.order(token, visit('b'))];
      assert.equal((await sales.find(token)).state, 'reserved');
      await assert.rejects(sales.order(token, visit('c')), reason('reserved'));
      await pay(till, first);
      assert.equal((await till.order(first.id)).status, 'SUCCESS');
      await pay(till, second);
      assert.equal((await sales.find(token)).state, 'sold-out');
      await assert.rejects(sales.order(token, visit('c')), reason('sold-out'));
      await till.checkBooks();
    });

    domain('an order has the price, the addresses and the names of its link', async (till) => {
      const link = await newLink(till, {
        ...{ referencePrefix: 'cup ', metadata: { table: '7' }, returnUrl: 'https://shop.example/thanks' },
        ...{ callbackUrl: 'https://shop.example/paid', enablePostCallback: true },
      });
      const order = await salesOf(till).order(link.token, visit('a', { amount: decimal('1') }));
      assert.deepEqual([order.vsCurrency, order.vsPrice, order.linkId], ['USD', 2_000n, link.id]);
      assert.equal(order.merchantReference, `cup ${order.id}`);
      assert.deepEqual(order.metadata, { table: '7' });
      assert.equal(order.links.succeedUrl, 'https://shop.example/thanks');
      assert.equal(order.links.callbackUrl, 'https://shop.example/paid');
      assert.deepEqual([order.enablePostCallback, order.credentialId], [true, null]);
    });

    domain('the same visitor finds the order again while it is open, and gets a new one afterwards', async (till) => {
      const { token } = await newLink(till);
      const sales = salesOf(till);
      const made = await Promise.all([1, 2, 3].map(() => sales.order(token, visit('a'))));
      assert.equal(new Set(made.map(({ id }) => id)).size, 1);
      const [first] = made;
      assert(first !== undefined);
      assert.notEqual((await sales.order(token, visit('b'))).id, first.id);
      await pay(till, first);
      const next = await sales.order(token, visit('a'));
      assert.notEqual(next.id, first.id);
      assert.equal((await sales.order(token, visit('a'))).id, next.id);
      assert.equal((await sales.order(token, visit('a', { renew: false }))).id, first.id);
    });

    domain('a chosen amount stays inside its bounds', async (till) => {
      const { token } = await newLink(till, { vsPrice: null, minPrice: decimal('5'), maxPrice: decimal('50') });
      const sales = salesOf(till);
      const ask = (text: string) => sales.order(token, visit(text, { amount: decimal(text) }));
      for (const text of ['4.99', '50.01']) await assert.rejects(ask(text), { code: 'AMOUNT_OUT_OF_RANGE' });
      for (const text of ['5.001', '0']) await assert.rejects(ask(text), { code: 'INVALID_FIELDS' });
      await assert.rejects(sales.order(token, visit('none')), { code: 'INVALID_FIELDS' });
      assert.deepEqual([(await ask('5')).vsPrice, (await ask('50')).vsPrice], [500n, 5_000n]);
    });

    domain(
      'an order that expires gives its place back; a late payment of it is a late payment like any other',
      async (till) => {
        const { token, id } = await newLink(till, { maxSales: 1 });
        const sales = salesOf(till);
        const slow = await sales.order(token, visit('slow'));
        await till.choosePayment.choose(slow.checkoutToken, 'ETH', 'ETH');
        till.clock.advance(1_800_001);
        till.eth.mineEmpty(1);
        await till.expire();
        const quick = await sales.order(token, visit('quick'));
        await pay(till, quick);
        assert.equal((await sales.find(token)).state, 'sold-out');
        await send(till, slow);
        assert.equal((await till.order(slow.id)).status, 'RESOLVED');
        assert.deepEqual(await till.storage.links.counts(id, 10, till.clock.now()), { open: 0, sold: 2 });
        await till.checkBooks();
      },
    );

    domain('fault 233: two instances sell the last place once', async (till) => {
      const { token, id } = await newLink(till, { maxSales: 1 });
      const [one, two] = [salesOf(till), salesOf(till)];
      const asked = Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? one : two).order(token, visit(`${at}`)));
      const results = await Promise.allSettled(asked);
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
      assert.deepEqual(await till.storage.links.counts(id, 10, till.clock.now()), { open: 1, sold: 0 });
    });

    domain('a link that was switched off, or whose time is over, makes no order', async (till) => {
      const sales = salesOf(till);
      const timed = await newLink(till, { expiresAt: till.clock.now() + 1_000 });
      const off = await newLink(till);
      await manageOf(till).deactivate(actorOf(till), off.id);
      await assert.rejects(sales.order(off.token, visit('a')), reason('ended'));
      await sales.order(timed.token, visit('a'));
      till.clock.advance(1_000);
      await assert.rejects(sales.order(timed.token, visit('a')), reason('ended'));
      await assert.rejects(sales.order('unknown', visit('a')), { code: 'NOT_FOUND' });
    });

    domain('a link of a disabled account makes no order', async (till) => {
      const { token } = await newLink(till);
      await till.storage.accounts.update(till.principal.accountId, {
        status: 'disabled',
        modifiedAt: till.clock.now(),
      });
      await assert.rejects(salesOf(till).order(token, visit('a')), reason('ended'));
    });

    domain(
      'a change of the link while an order of it is made decides: the order is made from the new one',
      async (till) => {
        const link = await newLink(till);
        const manage = manageOf(till);
        let changes = 0;
        const createOrder = {
          ofLink: async (...given: Parameters<Domain['createOrder']['ofLink']>) => {
            if ((changes += 1) === 1) await manage.update(actorOf(till), link.id, 1, { vsPrice: decimal('30') });
            return till.createOrder.ofLink(...given);
          },
        };
        const sales = new LinkSales({
          ...till,
          settings: DEFAULT_ORDER_SETTINGS,
          createOrder,
          random: random,
          digest: new CryptoDigest(),
        });
        assert.equal((await sales.order(link.token, visit('a'))).vsPrice, 3_000n);
        assert.equal(changes, 2);
      },
    );

    domain(
      'an instance that dies after the order was committed leaves one order, which its visitor finds again',
      async (till) => {
        const { token, id } = await newLink(till, { maxSales: 1 });
        const createOrder = {
          ofLink: async (...given: Parameters<Domain['createOrder']['ofLink']>) => {
            await till.createOrder.ofLink(...given);
            throw new Error('killed');
          },
        };
        const dying = new LinkSales({
          ...till,
          settings: DEFAULT_ORDER_SETTINGS,
          createOrder,
          random,
          digest: new CryptoDigest(),
        });
        await assert.rejects(dying.order(token, visit('a')), /killed/);
        const [left] = await salesOf(till).salesSince((await salesOf(till).find(token)).link, 0);
        assert.equal((await salesOf(till).order(token, visit('a'))).id, left?.id);
        assert.deepEqual(await till.storage.links.counts(id, 10, till.clock.now()), { open: 1, sold: 0 });
      },
    );

    domain('only the coins of the link are offered and taken', async (till) => {
      const { token } = await newLink(till, { coins: ['BTC'] });
      const order = await salesOf(till).order(token, visit('a'));
      const options = await till.choosePayment.options(order);
      assert.deepEqual(
        options.map(({ asset }) => asset.currency),
        ['BTC'],
      );
      await assert.rejects(till.choosePayment.choose(order.checkoutToken, 'ETH', 'ETH'), { code: 'UNSUPPORTED' });
      await till.choosePayment.choose(order.checkoutToken, 'BTC', 'BTC');
    });

    domain('a point of sale with one coin has it chosen for each order, at the present rate', async (till) => {
      const sales = salesOf(till);
      const one = await newLink(till, { face: 'POINT_OF_SALE', vsPrice: null, coins: ['ETH'] });
      const { order, refused } = await sales.charge(one.token, visit('a', { amount: decimal('20'), renew: false }));
      assert.equal(refused, null);
      assert.deepEqual([order.payment?.currency, order.payment?.units], ['ETH', 10n ** 16n]);
      await send(till, order);
      assert.equal((await till.order(order.id)).status, 'SUCCESS');
      for (const coins of [['ETH', 'BTC'], null]) {
        const several = await newLink(till, { face: 'POINT_OF_SALE', vsPrice: null, coins });
        const sale = await sales.charge(several.token, visit('a', { amount: decimal('20'), renew: false }));
        assert.deepEqual([sale.order.payment, sale.refused], [null, null]);
      }
      await till.checkBooks();
    });

    domain(
      'fault 297: a sale whose coin was not chosen, for want of a rate or by a kill, is chosen when it comes again',
      async (till) => {
        const { token } = await newLink(till, { face: 'POINT_OF_SALE', coins: ['ETH'] });
        const charged = (sales: LinkSales) => sales.charge(token, visit('a', { renew: false }));
        const killed = { choose: async () => Promise.reject(new Error('killed')) };
        const dying = new LinkSales({
          ...till,
          settings: DEFAULT_ORDER_SETTINGS,
          choosePayment: killed,
          random,
          digest: new CryptoDigest(),
        });
        await assert.rejects(charged(dying), /killed/);
        till.rates.prices.delete('ETH');
        const first = await charged(salesOf(till));
        assert.deepEqual([first.order.payment, first.refused], [null, 'NOT_READY']);
        till.rates.prices.set('ETH', '2000');
        till.clock.advance(60_000);
        const second = await charged(salesOf(till));
        assert.deepEqual([second.order.id, second.refused], [first.order.id, null]);
        assert.equal(second.order.payment?.currency, 'ETH');
        assert.deepEqual(await charged(salesOf(till)), second);
      },
    );

    domain('fault 296: the same choice, sent twice while the rate changes, keeps its first amount', async (till) => {
      const { token } = await newLink(till, { face: 'POINT_OF_SALE', coins: ['ETH'] });
      const { checkoutToken, id } = await salesOf(till).order(token, visit('a'));
      const { rateBook, choosePayment } = till;
      let first: Order | null = null;
      const quoted = mock.method(rateBook, 'quote', async (...given: Parameters<typeof rateBook.quote>) => {
        quoted.mock.restore();
        const quote = await rateBook.quote(...given);
        first = await choosePayment.choose(checkoutToken, 'ETH', 'ETH');
        return { ...quote, units: quote.units + 1n };
      });
      const second = await choosePayment.choose(checkoutToken, 'ETH', 'ETH');
      assert.deepEqual(second.payment, (first as Order | null)?.payment);
      assert.deepEqual((await till.order(id)).payment, second.payment);
    });

    domain('fault 235: a pairing code pairs one device, once and in time', async (till) => {
      const manage = manageOf(till);
      const sales = salesOf(till);
      const link = await newLink(till, { face: 'POINT_OF_SALE', vsPrice: null });
      const client = { ip: null, traceId: null };
      const used = await manage.pair(actorOf(till), link.id);
      const secret = await sales.pair(link.token, used.code, client);
      const now = async () => (await sales.find(link.token)).link;
      assert.equal(sales.isPaired(await now(), secret), true);
      assert.equal(sales.isPaired(await now(), used.code), false);
      await assert.rejects(sales.pair(link.token, used.code, client), { code: 'STATE_CONFLICT' });
      const late = await manage.pair(actorOf(till), link.id);
      till.clock.advance(PAIRING_MS);
      await assert.rejects(sales.pair(link.token, late.code, client), { code: 'STATE_CONFLICT' });
      const replaced = await manage.pair(actorOf(till), link.id);
      await manage.pair(actorOf(till), link.id);
      await assert.rejects(sales.pair(link.token, replaced.code, client), { code: 'STATE_CONFLICT' });
      await manage.unpair(actorOf(till), link.id);
      assert.equal(sales.isPaired(await now(), secret), false);
      const plain = await newLink(till);
      await assert.rejects(manage.pair(actorOf(till), plain.id), { code: 'INVALID_FIELDS' });
      await assert.rejects(sales.pair(plain.token, 'code', client), { code: 'NOT_FOUND' });
    });

    domain('fields that cannot be are refused by name', async (till) => {
      const refused = async (given: Partial<NewLink>, path: string) =>
        assert.rejects(newLink(till, given), (error: { details?: { fields?: readonly { path: string }[] } }) => {
          assert.equal(error.details?.fields?.[0]?.path, path);
          return true;
        });
      await refused({ title: ' ' }, 'title');
      await refused({ title: 'a\nb' }, 'title');
      await refused({ description: 'a\0b' }, 'description');
      await refused({ vsPrice: decimal('0.001') }, 'vsPrice');
      await refused({ minPrice: decimal('1') }, 'vsPrice');
      await refused({ vsPrice: null, minPrice: decimal('2'), maxPrice: decimal('1') }, 'minPrice');
      await refused({ maxSales: 0 }, 'maxSales');
      await refused({ expiresAt: till.clock.now() }, 'expiresAt');
      await refused({ coins: [] }, 'coins');
      await refused({ returnUrl: 'javascript:alert(1)' }, 'returnUrl');
      await refused({ callbackUrl: 'ftp://shop.example/' }, 'callbackUrl');
      await refused({ referencePrefix: ' x' }, 'referencePrefix');
      await assert.rejects(newLink(till, { coins: ['DOGE'] }), { code: 'UNSUPPORTED' });
      await assert.rejects(newLink(till, { vsCurrency: 'XXX' }), { code: 'UNSUPPORTED' });
    });
  });
});
