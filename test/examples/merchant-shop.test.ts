import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, test } from 'node:test';
import { createTillgateClient, signTestCallback } from '../../adapters/client/index.ts';
import { run } from '../../examples/merchant-shop/main.ts';
import { openShop } from '../../examples/merchant-shop/shop.ts';
import { freshDirectory, killAll, serve } from '../host/till-process.ts';

const directory = freshDirectory();
afterEach(killAll);
after(() => directory.remove());

test('examples/merchant-shop: a tin of tea is bought, paid, and sent after a verified callback', async () => {
  const url = await serve(directory.path).url();
  const lines: string[] = [];
  const purchase = await run((line) => lines.push(line), { url, demo: join(directory.path, 'data', 'demo.json') });
  assert.equal(purchase.status, 'paid');
  assert.match(purchase.payUrl, /\/checkout\//);
  assert.deepEqual(
    lines.map((line) => line.slice(0, 11).trim()),
    ['bought', 'paid', 'told', 'the page', 'the till'],
  );
  assert.match(lines[3] ?? '', /A tin of tea: paid$/);
  assert.match(lines[4] ?? '', /SUCCESS$/);
});

test('the shop answers 400 to a callback that is not the till’s, and 204 to one that is', async () => {
  const callbackSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const client = createTillgateClient({ baseUrl: 'http://127.0.0.1:1', credentials: { apiKey: 'key' } });
  const shop = await openShop({ client, callbackSecret });
  try {
    for (const [secret, status] of [
      [callbackSecret, 204],
      [`whsec_${Buffer.alloc(32, 8).toString('base64')}`, 400],
    ] as const) {
      const { url, ...rest } = await signTestCallback({
        url: `${shop.url}/callbacks/till`,
        callbackToken: 'cbt',
        callbackSecret: secret,
      });
      assert.equal((await fetch(url, rest)).status, status);
    }
  } finally {
    await shop.close();
  }
});
