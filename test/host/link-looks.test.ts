import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findLanguage } from '../../host/checkout/languages.ts';
import { NO_BRAND } from '../../host/checkout/brands.ts';
import { present } from '../../core/index.ts';
import { LinkGallery } from '../browser/link-gallery.ts';

describe('what the pages of links and points of sale show', () => {
  const gallery = new LinkGallery(() => Promise.resolve({ ...NO_BRAND, name: 'Corner Shop & Söhne' }));
  async function pageOf(name: string, tag = 'en'): Promise<string> {
    const language = present(findLanguage(tag), 'the language');
    return String(present(await gallery.reply(name, language), 'the page').body);
  }

  test('a point of sale asks for satoshi over Lightning, and warns of no other coin: a payment request takes none', async () => {
    const html = await pageOf('point-of-sale-lightning');
    assert.match(html, /13,500 sat/);
    assert.doesNotMatch(html, /BTC-LN|Send only/);
    assert.match(await pageOf('point-of-sale-coin'), /Send only USDT on Ethereum/);
  });

  test('a sale whose payment was seen says so without its script too', async () => {
    assert.match(
      await pageOf('point-of-sale-seen'),
      /class="card sale seen"[^]*Payment detected, awaiting confirmation</,
    );
    assert.match(await pageOf('point-of-sale-coin'), /class="card sale waiting"[^]*Awaiting payment</);
    assert.match(await pageOf('point-of-sale-paid'), /class="card sale paid"[^]*Paid</);
  });

  test('what a merchant wrote keeps its own direction of writing on a page from right to left', async () => {
    const html = await pageOf('branded-link', 'ar');
    assert.match(html, /dir="rtl"/);
    for (const text of [
      'Corner Shop &amp; Söhne',
      'Summer concert',
      'One seat in the third row.\nDoors open at seven.',
    ])
      assert.ok(html.includes(`<bdi>${text}</bdi>`), text);
    assert.doesNotMatch(await pageOf('link', 'ar'), /Corner Shop/, 'a page without a brand names the till');
    assert.match(await pageOf('point-of-sale-sale', 'ar'), /<bdi>Coffee bar<\/bdi>/);
  });
});
