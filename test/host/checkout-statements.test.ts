import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHost } from '../../host/index.ts';
import { freshDatabase } from '../support/postgres.ts';
import { countStatements } from '../support/statement-counter.ts';
import { Merchant } from './merchant.ts';
import { freshDirectory } from './till-process.ts';

const PAGES = 100;

test('fault 551: a hundred pages of an order that does not change read the database a few times', async (t) => {
  const { url: database, drop } = await freshDatabase();
  const counter = await countStatements(database);
  const directory = freshDirectory();
  const host = createHost(
    {
      mode: 'sandbox',
      listen: { port: 0 },
      database: { client: 'pg', connection: counter.url },
      plugins: [{ use: 'sandbox' }],
    },
    { directory: directory.path },
  );
  t.after(async () => {
    await host.stop();
    await counter.close();
    await drop();
    directory.remove();
  });
  await host.start();
  assert.ok(host.demo !== null);
  const { data } = await new Merchant(host.url, host.demo).payInfo('https://shop.example/hook');
  const page = String(data['pay_url']);
  const show = async (): Promise<void> => {
    const reply = await fetch(page);
    assert.equal(reply.status, 200);
    await reply.text();
  };
  await show();
  const before = new Map(counter.sent);
  const began = performance.now();
  for (let shown = 0; shown < PAGES; shown++) await show();
  // An order that was read this long ago is asked about again.
  const asked = 2 * Math.ceil((performance.now() - began) / 250);
  const often = [...counter.sent]
    .map(([text, count]) => ({ text, count: count - (before.get(text) ?? 0) }))
    .filter(({ count }) => count > Math.max(PAGES / 2, asked));
  assert.deepEqual(often, []);
});
