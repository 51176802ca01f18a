import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stateOf } from '../../host/checkout/i18n-text.ts';
import { RECORD_PAGES, sectionsFor } from '../../host/dashboard/app/pages/sections.ts';
import { DASHBOARD_PAGES } from '../browser/dashboard-gallery.ts';
import { SAMPLED } from '../browser/dashboard-samples.ts';
import { GALLERY_PAGES } from '../browser/gallery.ts';
import { SAMPLES } from './checkout-samples.ts';

/** Other looks of a state, for coins whose pages differ. */
const SECOND_LOOKS: readonly string[] = ['waitingBitcoin', 'waitingTron', 'paidItems'];

test('every state of the payer’s page has a picture, which shows that state', () => {
  const samples = Object.entries(SAMPLES).filter(([name]) => !SECOND_LOOKS.includes(name));
  for (const [name, sample] of samples) {
    assert.ok(GALLERY_PAGES.includes(name), name);
    assert.equal(stateOf(sample), name);
  }
  assert.ok(samples.length > 15);
});

test('every page of the dashboard’s menu has a picture, and the record that it shows a sample', () => {
  const names = DASHBOARD_PAGES.map((name) => name.replace(/^dashboard\/[\w-]+\//, ''));
  const words = { list: '', show: '/record', create: '/create', edit: '/edit' } as const;
  for (const { records, routes = [], path } of sectionsFor('admin')) {
    for (const page of records === undefined ? [] : RECORD_PAGES[records])
      assert.ok(names.includes(`${String(records)}${words[page]}`), `${String(records)}: ${page}`);
    for (const route of routes) assert.ok(names.includes(route.slice(1)), route);
    assert.ok(records !== undefined || routes.length > 0 || path === '/', `${path} has no page`);
  }
  for (const [kind, pages] of Object.entries<readonly string[]>(RECORD_PAGES))
    if (pages.includes('show') || pages.includes('edit')) assert.ok(SAMPLED.includes(kind), `no sample of ${kind}`);
});
