import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findLanguage } from '../../host/checkout/languages.ts';
import { NO_BRAND } from '../../host/checkout/brands.ts';
import { present } from '../../core/index.ts';
import { LinkGallery } from '../browser/link-gallery.ts';

describe('what the pages of links and counters show', () => {
  const gallery = new LinkGallery(() => Promise.resolve(NO_BRAND));
  async function pageOf(name: string, tag = 'en'): Promise<string> {
    const language = present(findLanguage(tag), 'the language');
    return String(present(await gallery.reply(name, language), 'the page').body);
  }

  test('a counter asks for satoshi over Lightning, and warns of no other coin: a payment request takes none', async () => {
    const html = await pageOf('counter-lightning');
    assert.match(html, /13,500 sat/);
    assert.doesNotMatch(html, /BTC-LN|Send only/);
    assert.match(await pageOf('counter-coin'), /Send only USDT-ERC20 on Ethereum/);
  });

  test('a sale whose payment was seen says so without its script too', async () => {
    assert.match(await pageOf('counter-seen'), /class="card sale seen"[^]*Payment seen, being confirmed</);
    assert.match(await pageOf('counter-coin'), /class="card sale waiting"[^]*Waiting for the payment</);
    assert.match(await pageOf('counter-paid'), /class="card sale paid"[^]*Paid</);
  });

  test('what a merchant wrote keeps its own direction of writing on a page from right to left', async () => {
    const html = await pageOf('link', 'ar');
    assert.match(html, /dir="rtl"/);
    for (const text of [
      'Corner Shop &amp; Söhne',
      'Summer concert',
      'One seat in the third row.\nDoors open at seven.',
    ])
      assert.ok(html.includes(`<bdi>${text}</bdi>`), text);
    assert.match(await pageOf('counter-sale', 'ar'), /<bdi>Coffee bar<\/bdi>/);
  });
});
