import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stateOf } from '../../host/checkout/i18n-text.ts';
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
