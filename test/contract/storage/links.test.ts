import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ORDER_STATUSES } from '../../../core/index.ts';
import type { LinkId, LinkPlace, OrderStatus, PaymentLink, Storage } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { claim, deposit, newOrder, nextId, NOW, storedAccount, storedOrder } from './fixtures.ts';

async function storedLink(storage: Storage, given: Partial<PaymentLink> = {}): Promise<PaymentLink> {
  const id = nextId() as LinkId;
  const link: PaymentLink = {
    id,
    accountId: given.accountId ?? (await storedAccount(storage)).id,
    token: `token-${id}`,
    face: 'LINK',
    title: 'A cup — “large” ☕',
    description: 'two\nlines',
    vsCurrency: 'EUR',
    price: 10n ** 30n + 1n,
    minPrice: null,
    maxPrice: null,
    items: [{ id: 'cup', name: 'A cup “large” ☕', price: 2n ** 70n }],
    tips: [10, 15],
    coins: ['ETH', 'BTC'],
    maxSales: 2,
    expiresAt: NOW + 1,
    active: true,
    returnUrl: 'https://shop.example/thanks',
    callbackUrl: 'https://shop.example/paid',
    timeoutCallback: null,
    enablePostCallback: true,
    fixedEncryptPrice: false,
    referencePrefix: 'cup-',
    metadata: { table: '7' },
    pairing: null,
    devices: [],
    version: 1,
    createdAt: NOW,
    updatedAt: NOW,
    ...given,
  };
  await storage.transaction((tx) => tx.links.add(link));
  return link;
}

const placeOf = ({ id, version }: PaymentLink, given: Partial<LinkPlace> = {}): LinkPlace => ({
  linkId: id,
  version,
  maxSales: null,
  maxOpen: 100,
  ...given,
});

const orderOf = (link: PaymentLink, status: OrderStatus = 'PENDING') => ({ linkId: link.id, status, payment: null });

const create = (storage: Storage, link: PaymentLink, given: Partial<LinkPlace> = {}) =>
  storage.orders.create({ ...newOrder(link.accountId, orderOf(link)), place: placeOf(link, given) });

eachStorage((_name, open) => {
  test('an order comes back with what was bought, and is found by its claim for as long as that is kept', async (t) => {
    const { storage } = await open(t);
    const link = await storedLink(storage);
    const cart = { lines: [{ id: 'cup', name: 'A cup ☕', price: 2n ** 70n, quantity: 3 }], tip: 2n ** 65n };
    const held = claim('sale');
    const made = await storage.orders.create({
      ...newOrder(link.accountId, { ...orderOf(link), cart }, held),
      place: placeOf(link),
    });
    assert(made.kind === 'created');
    assert.deepEqual((await storage.orders.find(made.order.id))?.cart, cart);
    const found = async (name: Partial<typeof held>, now = NOW, accountId = link.accountId) =>
      (await storage.orders.findByClaim(accountId, { ...held, ...name }, now))?.id ?? null;
    assert.equal(await found({}), made.order.id);
    assert.equal(await found({ key: 'other' }), null);
    assert.equal(await found({ route: 'other' }), null);
    assert.equal(await found({}, held.expiresAt), null);
    assert.equal(await found({}, NOW, (await storedAccount(storage)).id), null);
  });

  test('a link comes back as it was stored, by its id and its token', async (t) => {
    const { storage } = await open(t);
    const link = await storedLink(storage);
    const chosen = await storedLink(storage, {
      ...{
        price: null,
        minPrice: 1n,
        maxPrice: 10n ** 20n,
        items: [],
        tips: [],
        coins: null,
        maxSales: null,
        expiresAt: null,
      },
      ...{
        returnUrl: null,
        callbackUrl: null,
        referencePrefix: null,
        metadata: {},
        face: 'POINT_OF_SALE',
        active: false,
      },
      ...{ pairing: { hash: 'h', until: NOW }, devices: [{ id: '1' as never, hash: 'd', pairedAt: NOW }] },
    });
    for (const each of [link, chosen]) {
      assert.deepEqual(await storage.links.find(each.id), each);
      assert.deepEqual(await storage.links.findByToken(each.token), each);
    }
    assert.equal(await storage.links.findByToken('\0'), null);
    assert.equal(await storage.links.find('404' as LinkId), null);
  });

  test('links are listed newest first, of an account and of all, after a position', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const made = [];
    for (let n = 0; n < 5; n++) made.push(await storedLink(storage, { accountId, createdAt: NOW + Math.floor(n / 2) }));
    const foreign = await storedLink(storage, { createdAt: NOW - 1 });
    const ids = made.map(({ id }) => id).reverse();
    const listed = async (...asked: Parameters<Storage['links']['list']>): Promise<readonly LinkId[]> =>
      (await storage.links.list(...asked)).map(({ id }) => id);
    assert.deepEqual(await listed(accountId, null, 10), ids);
    assert.deepEqual(await listed(null, null, 10), [...ids, foreign.id]);
    const after = { createdAt: made[3]?.createdAt ?? 0, id: ids[1] as LinkId };
    assert.deepEqual(await listed(accountId, after, 2), ids.slice(2, 4));
    assert.equal(await storage.transaction((tx) => tx.links.countOf(accountId)), 5);
  });

  test('a change is stored for the version that was read, and for no other', async (t) => {
    const { storage } = await open(t);
    const link = await storedLink(storage);
    const changed = { ...link, title: 'Tea', price: null, active: false, updatedAt: NOW + 5 };
    assert.equal(await storage.transaction((tx) => tx.links.update(changed)), true);
    assert.deepEqual(await storage.links.find(link.id), { ...changed, version: 2 });
    assert.equal(await storage.transaction((tx) => tx.links.update({ ...link, title: 'Coffee' })), false);
    assert.deepEqual(await storage.transaction((tx) => tx.links.lock(link.id)), { ...changed, version: 2 });
  });

  test('orders of a link are counted, and found by it in every status', async (t) => {
    const { storage } = await open(t);
    const link = await storedLink(storage);
    const other = await storedLink(storage, { accountId: link.accountId });
    for (const status of [...ORDER_STATUSES, 'PENDING', 'SUCCESS', 'SUCCESS'] as const)
      await storedOrder(storage, link.accountId, orderOf(link, status));
    await storedOrder(storage, link.accountId, orderOf(other));
    await storedOrder(storage, link.accountId);
    assert.deepEqual(await storage.links.counts(link.id, 100, NOW), { open: 2, sold: 4 });
    assert.deepEqual(await storage.links.counts(link.id, 3, NOW), { open: 2, sold: 3 });
    const search = { statuses: ORDER_STATUSES, currencies: null, from: null, to: null, traces: null, after: null };
    const found = async (accountId: PaymentLink['accountId'] | null, linkId: LinkId) =>
      (await storage.orders.search({ ...search, accountId, linkId, limit: 50 })).length;
    assert.equal(await found(link.accountId, link.id), ORDER_STATUSES.length + 3);
    assert.equal(await found(null, other.id), 1);
    assert.equal(await found((await storedAccount(storage)).id, link.id), 0);
  });

  test('fault 233: of many visitors at once as many get an order as the link has sales left', async (t) => {
    const { storage } = await open(t);
    const link = await storedLink(storage);
    await storedOrder(storage, link.accountId, orderOf(link, 'SUCCESS'));
    for (const gone of ['OVERDUE', 'TERMINATED', 'PARTIAL', 'REFUNDED'] as const)
      await storedOrder(storage, link.accountId, orderOf(link, gone));
    const made = await Promise.all(Array.from({ length: 12 }, () => create(storage, link, { maxSales: 4 })));
    assert.equal(made.filter(({ kind }) => kind === 'created').length, 3);
    assert.ok(
      made.every((each) => each.kind === 'created' || (each.kind === 'no-place' && each.why === 'no-sale-left')),
    );
    assert.deepEqual(await storage.links.counts(link.id, 100, NOW), { open: 3, sold: 1 });
  });

  test('fault 233: three instances sell the last place of each of many links once', async (t) => {
    const { storage, another } = await open(t);
    const instances = [storage, await another(), await another()];
    const { id: accountId } = await storedAccount(storage);
    for (let round = 0; round < 12; round++) {
      const link = await storedLink(storage, { accountId });
      const made = await Promise.all(instances.map((each) => create(each, link, { maxSales: 1 })));
      assert.equal(made.filter(({ kind }) => kind === 'created').length, 1);
      assert.deepEqual(await storage.links.counts(link.id, 9, NOW), { open: 1, sold: 0 });
    }
  });

  test('fault 234: a link has no more open orders than it may', async (t) => {
    const { storage } = await open(t);
    const link = await storedLink(storage);
    const made = await Promise.all(Array.from({ length: 8 }, () => create(storage, link, { maxOpen: 5 })));
    assert.equal(made.filter(({ kind }) => kind === 'created').length, 5);
    assert.deepEqual(
      made.flatMap((each) => (each.kind === 'no-place' ? [each.why] : [])),
      ['too-many-open', 'too-many-open', 'too-many-open'],
    );
  });

  test('fault 349: a place ends with the deadline of its order, unless a payment was seen in time', async (t) => {
    const { storage } = await open(t);
    const link = await storedLink(storage);
    const over = { ...orderOf(link), expiresAt: NOW - 1 };
    await storedOrder(storage, link.accountId, over);
    const [paid, late] = [
      await storedOrder(storage, link.accountId, over),
      await storedOrder(storage, link.accountId, over),
    ];
    const counted = () => storage.links.counts(link.id, 9, NOW);
    assert.deepEqual(await counted(), { open: 0, sold: 0 });
    await storage.transaction(async (tx) => {
      await tx.deposits.add(deposit(paid, { paidAt: paid.expiresAt }));
      await tx.deposits.add(deposit(late, { paidAt: late.expiresAt + 1 }));
    });
    assert.deepEqual(await counted(), { open: 1, sold: 0 });
    assert.equal((await create(storage, link, { maxSales: 2 })).kind, 'created');
    assert.equal((await create(storage, link, { maxSales: 2 })).kind, 'no-place');
  });

  test('an order of a link that was changed meanwhile is not stored', async (t) => {
    const { storage } = await open(t);
    const link = await storedLink(storage);
    await storage.transaction((tx) => tx.links.update({ ...link, active: false }));
    assert.deepEqual(await create(storage, link), { kind: 'no-place', why: 'link-changed' });
    assert.deepEqual(await storage.links.counts(link.id, 9, NOW), { open: 0, sold: 0 });
    assert.equal((await create(storage, { ...link, version: 2 })).kind, 'created');
  });

  test('whoever holds the last place and asks again with the same key gets the same order', async (t) => {
    const { storage } = await open(t);
    const link = await storedLink(storage);
    const first = {
      ...newOrder(link.accountId, orderOf(link), claim('visitor')),
      place: placeOf(link, { maxSales: 1 }),
    };
    assert.equal((await storage.orders.create(first)).kind, 'created');
    const again = {
      ...newOrder(link.accountId, orderOf(link), claim('visitor')),
      place: placeOf(link, { maxSales: 1 }),
    };
    const outcome = await storage.orders.create(again);
    assert.deepEqual(outcome.kind === 'repeated' && outcome.orderId, first.order.id);
    assert.equal((await create(storage, link, { maxSales: 1 })).kind, 'no-place');
  });
});
