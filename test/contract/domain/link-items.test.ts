import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { CryptoDigest } from '../../../adapters/crypto/index.ts';
import {
  DEFAULT_ORDER_SETTINGS,
  FIATS,
  formatUnits,
  LinkSales,
  ManageLinks,
  readDecimal,
  tipOf,
} from '../../../core/index.ts';
import type { Actor, Decimal, Fiat, LinkVisit, NewLink, PaymentLink, TipChoice } from '../../../core/index.ts';
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

const random = new SeededRandom();
const actorOf = ({ principal: { accountId } }: Domain): Actor => ({ accountId, role: 'user', ip: null, traceId: null });

function partsOf(till: Domain): { readonly manage: ManageLinks; readonly sales: LinkSales } {
  const digest = new CryptoDigest();
  const places = { allowPrivateNetworks: true, hosts: null };
  const queries = { linkUrl: ({ token }: { readonly token: string }) => `https://till.example/l/${token}` };
  return {
    manage: new ManageLinks({ ...till, vault: new FakeVault(), random, digest, pageMax: 100, places, queries }),
    sales: new LinkSales({ ...till, settings: DEFAULT_ORDER_SETTINGS, random, digest }),
  };
}

const MENU = [
  { id: 'espresso', name: 'Espresso', price: decimal('2.35') },
  { id: 'cake', name: 'Cake', price: decimal('4') },
];

const newLink = async (till: Domain, given: Partial<NewLink> = {}): Promise<PaymentLink> => {
  const menu = { title: 'Bar', vsCurrency: 'USD', items: MENU, tips: [10, 15, 20], face: 'POINT_OF_SALE' } as const;
  return (await partsOf(till).manage.create(actorOf(till), { ...menu, ...given })).link;
};

interface Chosen {
  readonly items?: Readonly<Record<string, number>>;
  readonly tip?: TipChoice | null;
  readonly amount?: string;
  readonly key?: string;
}

/** What a page of this link sends. */
function chosen(till: Domain, link: PaymentLink, { items = {}, tip = null, amount, key = 'form' }: Chosen): LinkVisit {
  const cart = { offer: partsOf(till).sales.offer(link), quantities: new Map(Object.entries(items)), tip };
  return { key, renew: false, amount: amount === undefined ? null : decimal(amount), cart };
}

const field = (path: string) => (error: { code?: string; details?: { fields?: readonly { path: string }[] } }) => {
  assert.deepEqual([error.code, error.details?.fields?.[0]?.path], ['INVALID_FIELDS', path]);
  return true;
};
const CHANGED = { code: 'STATE_CONFLICT', details: { reason: 'changed' } };
const fiatOf = (code: string): Fiat => {
  const fiat = FIATS.find((each) => each.code === code);
  assert(fiat !== undefined);
  return fiat;
};

eachStorage((engine, open) => {
  const domain = testsOf(open, buildDomain);

  describe(`items and tips of payment links, on ${engine}`, () => {
    domain(
      'fault 507: the price of an order is computed from the items of the link, and kept with it',
      async (till) => {
        const link = await newLink(till);
        const { sales } = partsOf(till);
        const { order } = await sales.charge(
          link.token,
          chosen(till, link, { items: { espresso: 2, cake: 1 }, tip: { percent: 15 }, amount: '0.01' }),
        );
        // 8.70 and 15 % of it: 1.305, rounded half up.
        assert.equal(order.vsPrice, 1_001n);
        const lines = [
          { id: 'espresso', name: 'Espresso', price: 235n, quantity: 2 },
          { id: 'cake', name: 'Cake', price: 400n, quantity: 1 },
        ];
        assert.deepEqual((await till.order(order.id)).cart, { lines, tip: 131n });
        const own = await sales.order(
          link.token,
          chosen(till, link, { items: { cake: 1 }, tip: { amount: decimal('0.5') } }),
        );
        assert.deepEqual([own.vsPrice, own.cart?.tip], [450n, 50n]);
        await till.checkBooks();
      },
    );

    domain('fault 507: what a page may not choose is refused by name, and makes no order', async (till) => {
      const link = await newLink(till);
      const { sales } = partsOf(till);
      const refused = (given: Chosen, path: string) =>
        assert.rejects(sales.order(link.token, chosen(till, link, given)), field(path));
      await refused({}, 'items');
      await refused({ items: { espresso: 0 } }, 'items');
      await refused({ items: { water: 1 } }, 'items');
      for (const quantity of [-1, 1.5, 100, NaN, 2 ** 53]) await refused({ items: { cake: quantity } }, 'items');
      await refused({ items: { cake: 1 }, tip: { percent: 11 } }, 'tip');
      await refused({ items: { cake: 1 }, tip: { percent: -10 } }, 'tip');
      await refused({ items: { cake: 1 }, tip: { amount: decimal('4.01') } }, 'tip');
      await refused({ items: { cake: 1 }, tip: { amount: decimal('0.001') } }, 'tip');
      const plain = await newLink(till, { tips: [] });
      const tipped = chosen(till, plain, { items: { cake: 1 }, tip: { amount: decimal('1') } });
      await assert.rejects(sales.order(plain.token, tipped), field('tip'));
      // Without the offer of a page there is no sale at a link with items, and with one there is none without items.
      await assert.rejects(sales.order(link.token, { key: 'a', renew: false, amount: decimal('1') }), CHANGED);
      const single = await newLink(till, { items: [], tips: [], vsPrice: decimal('1') });
      await assert.rejects(sales.order(single.token, chosen(till, single, {})), CHANGED);
      for (const { id } of [link, plain, single])
        assert.deepEqual(await till.storage.links.counts(id, 9, till.clock.now()), { open: 0, sold: 0 });
    });

    domain('fault 508: a page with former prices or tips makes no order', async (till) => {
      const link = await newLink(till);
      const { manage, sales } = partsOf(till);
      const before = chosen(till, link, { items: { cake: 1 } });
      const { link: dearer } = await manage.update(actorOf(till), link.id, 1, {
        items: [{ id: 'cake', name: 'Cake', price: decimal('5') }],
      });
      await assert.rejects(sales.order(link.token, before), CHANGED);
      assert.equal((await sales.order(link.token, chosen(till, dearer, { items: { cake: 1 } }))).vsPrice, 500n);
      await manage.update(actorOf(till), link.id, 2, { tips: [] });
      await assert.rejects(sales.order(link.token, chosen(till, dearer, { items: { cake: 2 } })), CHANGED);
    });

    domain(
      'fault 509: a charge that is sent again is one sale, also after its items were changed or removed',
      async (till) => {
        const link = await newLink(till);
        const { manage, sales } = partsOf(till);
        const visit = chosen(till, link, { items: { espresso: 1, cake: 1 }, tip: { percent: 10 } });
        const made = await Promise.all(Array.from({ length: 5 }, () => sales.charge(link.token, visit)));
        assert.equal(new Set(made.map(({ order }) => order.id)).size, 1);
        await manage.update(actorOf(till), link.id, 1, { items: [{ name: 'Tea', price: decimal('9') }] });
        assert.equal((await sales.charge(link.token, visit)).order.id, made[0]?.order.id);
        await manage.update(actorOf(till), link.id, 2, { items: [], tips: [] });
        assert.equal((await sales.charge(link.token, visit)).order.id, made[0]?.order.id);
        await manage.deactivate(actorOf(till), link.id);
        assert.equal((await sales.charge(link.token, visit)).order.id, made[0]?.order.id);
        assert.deepEqual(await till.storage.links.counts(link.id, 9, till.clock.now()), { open: 1, sold: 0 });
      },
    );

    domain('another choice on the same form is another sale', async (till) => {
      const link = await newLink(till);
      const { sales } = partsOf(till);
      const ids = [];
      for (const given of [
        { items: { cake: 1 } },
        { items: { cake: 2 } },
        { items: { cake: 1 }, tip: { percent: 10 } },
        { items: { cake: 1 }, tip: { amount: decimal('0.4') } },
        { items: { cake: 1 }, key: 'another form' },
      ])
        ids.push((await sales.order(link.token, chosen(till, link, given))).id);
      assert.equal(new Set(ids).size, ids.length);
    });

    domain(
      'a tip is added to a fixed price and to a chosen amount, whose limits are those of the amount alone',
      async (till) => {
        const { sales } = partsOf(till);
        const fixed = await newLink(till, { items: [], vsPrice: decimal('20') });
        const paid = await sales.order(fixed.token, chosen(till, fixed, { tip: { percent: 20 } }));
        assert.deepEqual([paid.vsPrice, paid.cart], [2_400n, { lines: [], tip: 400n }]);
        const open = await newLink(till, { items: [], maxPrice: decimal('10') });
        const given = await sales.order(open.token, chosen(till, open, { amount: '10', tip: { percent: 10 } }));
        assert.deepEqual([given.vsPrice, given.cart?.tip], [1_100n, 100n]);
        await assert.rejects(sales.order(open.token, chosen(till, open, { amount: '11' })), {
          code: 'AMOUNT_OUT_OF_RANGE',
        });
        assert.equal((await sales.order(open.token, chosen(till, open, { amount: '3' }))).cart, null);
      },
    );

    domain(
      'items and tips that cannot be are refused by name; a list is replaced, and items keep their ids',
      async (till) => {
        const { manage } = partsOf(till);
        const refused = (given: Partial<NewLink>, path: string) => assert.rejects(newLink(till, given), field(path));
        const item = (given: object) => ({ items: [{ name: 'Tea', price: decimal('1'), ...given }] });
        await refused(item({ name: ' ' }), 'items.0.name');
        await refused(item({ name: 'x'.repeat(61) }), 'items.0.name');
        await refused(item({ name: 'a\nb' }), 'items.0.name');
        await refused(item({ name: 'a\u202eb' }), 'items.0.name');
        await refused(item({ id: '' }), 'items.0.id');
        await refused(item({ id: 'x'.repeat(33) }), 'items.0.id');
        await refused(item({ id: 'a b' }), 'items.0.id');
        await refused(item({ price: decimal('0') }), 'items.0.price');
        await refused(item({ price: decimal('0.001') }), 'items.0.price');
        await refused({ items: [...MENU, ...MENU] }, 'items.2.id');
        await refused({ items: Array.from({ length: 51 }, () => ({ name: 'Tea', price: decimal('1') })) }, 'items');
        for (const bound of [{ vsPrice: decimal('1') }, { minPrice: decimal('1') }, { maxPrice: decimal('1') }])
          await refused(bound, 'items');
        for (const tips of [[0], [101], [1.5], [15, 10], [10, 10], [1, 2, 3, 4, 5]]) await refused({ tips }, 'tips');
        const link = await newLink(till);
        const { link: next } = await manage.update(actorOf(till), link.id, 1, {
          items: [{ name: 'Tea', price: decimal('1') }, MENU[1] ?? assert.fail()],
        });
        assert.deepEqual([next.items.length, next.items[1]?.id, next.tips], [2, 'cake', [10, 15, 20]]);
        assert.match(next.items[0]?.id ?? '', /^\d+$/);
      },
    );

    domain('amounts are exact in currencies without decimals, with two and with three', async (till) => {
      const { sales } = partsOf(till);
      till.rates.prices.set('KWD', '3.25');
      for (const [code, price, total, tip] of [
        ['JPY', '333', 1_149n, 150n],
        ['EUR', '3.33', 1_149n, 150n],
        ['KWD', '3.333', 11_499n, 1_500n],
      ] as const) {
        const items = [{ id: 'one', name: 'One', price: decimal(price) }];
        const link = await newLink(till, { vsCurrency: code, items });
        const order = await sales.order(link.token, chosen(till, link, { items: { one: 3 }, tip: { percent: 15 } }));
        assert.deepEqual([order.vsPrice, order.cart?.tip], [total, tip], code);
      }
    });
  });
});

describe('a tip', () => {
  const amounts = fc.bigInt({ min: 1n, max: 10n ** 30n });
  test('is a percentage rounded half up', () => {
    fc.assert(
      fc.property(amounts, fc.integer({ min: 1, max: 100 }), (base, percent) => {
        const tip = tipOf([percent], { percent }, base, fiatOf('USD'));
        const error = tip * 100n - base * BigInt(percent);
        assert.ok(error > -50n && error <= 50n);
      }),
    );
  });

  test('of an own amount is at most the amount, in the decimals of every currency', () => {
    for (const fiat of FIATS) {
      const own = (units: bigint) => ({ amount: decimal(formatUnits(units, fiat.decimals)) });
      assert.equal(tipOf([10], own(7n), 7n, fiat), 7n, fiat.code);
      assert.throws(() => tipOf([10], own(8n), 7n, fiat), field('tip'));
      assert.throws(() => tipOf([10], { amount: decimal(`0.${'0'.repeat(fiat.decimals)}1`) }, 7n, fiat), field('tip'));
    }
  });
});
