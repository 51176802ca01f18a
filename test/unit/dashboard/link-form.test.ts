import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bodyOf, changesOf, tipsOf } from '../../../host/dashboard/app/pages/links/link-form.ts';
import type { LinkRecord } from '../../../host/dashboard/app/records.ts';

const END = '2026-12-24T18:00:00Z';
const former: LinkRecord = {
  ...{ id: '1', account: '2', url: 'https://pay.example/l/x', face: 'LINK', state: 'open', sold: 0, open: 0 },
  ...{
    title: 'Tea',
    description: 'A cup',
    currency: 'USD',
    price: '5',
    min_price: null,
    max_price: null,
    items: [],
    tips: [],
  },
  ...{ coins: ['ETH'], max_sales: 3, expires_at: END, active: true, return_url: 'https://shop.example/' },
  ...{ callback_url: null, timeout_callback: null, enable_post_callback: true, fixed_encrypt_price: false },
  ...{ reference_prefix: null, metadata: {}, devices: [], version: 1, created_at: END, updated_at: END },
};

describe('the form of a payment link', () => {
  test('makes a link of what was typed', () => {
    const form = { title: 'Tea', face: 'LINK', price: '', coins: [], max_sales: null, expires_at: new Date(END) };
    assert.deepEqual(bodyOf(form), { title: 'Tea', face: 'LINK', expires_at: '2026-12-24T18:00:00.000Z' });
  });

  test('a fixed price has no limits: those that were typed before it are left out', () => {
    const limits = { min_price: '1', max_price: '9' };
    assert.deepEqual(bodyOf({ title: 'Tea', price: '5', ...limits }), { title: 'Tea', price: '5' });
    assert.deepEqual(bodyOf({ title: 'Tea', price: '', ...limits }), { title: 'Tea', ...limits });
    const open = { ...former, price: null, ...limits };
    const changes = changesOf(open, { ...open, price: '5' });
    assert.deepEqual(changes, { price: '5', min_price: null, max_price: null });
  });

  test('a link with items has no amount; tips are written as percentages in a row', () => {
    const items = [{ name: 'Tea', price: '5' }];
    const form = { title: 'Bar', price: '5', min_price: '1', items, tips: '10, 15; 20 %' };
    assert.deepEqual(bodyOf(form), { title: 'Bar', items, tips: [10, 15, 20] });
    assert.deepEqual(changesOf(former, { ...former, items, tips: '10' }), { price: null, items, tips: [10] });
    const bar = { ...former, price: null, items: [{ id: 'tea', name: 'Tea', price: '5' }], tips: [10] };
    assert.deepEqual(changesOf(bar, { ...bar, tips: '10' }), {});
    assert.deepEqual(changesOf(bar, { ...bar, items: [], tips: '' }), { items: [], tips: [] });
    assert.deepEqual(tipsOf('ten, 1.5'), [Number.NaN, Number.NaN]);
  });

  test('sends nothing of a form that was not touched', () => {
    assert.deepEqual(changesOf(former, { ...former }), {});
  });

  test('sends what was changed, and null for what was emptied', () => {
    const form = { ...former, title: 'Cake', price: null, coins: [], max_sales: null, expires_at: null };
    const expected = { title: 'Cake', price: null, coins: null, max_sales: null, expires_at: null };
    assert.deepEqual(changesOf(former, form), expected);
    assert.deepEqual(changesOf(former, { ...former, return_url: '' }), { return_url: null });
  });

  test('an emptied text is an empty text, which the API takes for a description and refuses for a title', () => {
    assert.deepEqual(changesOf(former, { ...former, title: null, description: null }), { title: '', description: '' });
  });

  test('never sends what cannot be changed', () => {
    assert.deepEqual(
      changesOf(former, { ...former, face: 'POINT_OF_SALE', currency: 'EUR', url: 'x', active: false }),
      {},
    );
  });
});
