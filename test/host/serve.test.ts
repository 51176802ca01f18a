import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { freshDatabase } from '../support/postgres.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { waitFor } from '../support/wait.ts';
import { Merchant, isGenuine, readDemo, startReceiver } from './merchant.ts';
import type { ReceivedCallback } from './merchant.ts';
import { freshDirectory, killAll, run, serve } from './till-process.ts';

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

afterEach(killAll);

async function payThrough(
  directory: string,
  url: string,
  receiver: Receiver,
): Promise<{ orderId: string; callback: ReceivedCallback }> {
  const demo = readDemo(directory);
  const merchant = new Merchant(url, demo);
  const order = await merchant.payInfo(`${receiver.url}/paid`);
  assert.equal(order.code, 0, order.message);
  const orderId = String(order.data['order_id']);
  assert.equal((await merchant.pay(orderId)).code, 0);
  await waitFor(async () => (await merchant.status(orderId)) === 'SUCCESS', {
    timeoutMs: 30_000,
    describe: `order ${orderId} to be SUCCESS`,
  });
  const callback = await waitFor(() => receiver.received.find(({ body }) => body.includes(orderId)), {
    describe: 'the callback',
  });
  assert.ok(isGenuine(callback, demo.callback_secret), 'the callback is signed with the callback secret');
  return { orderId, callback };
}

describe('a till with no configuration at all', () => {
  const directory = freshDirectory();
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
  });
  after(async () => {
    await receiver.close();
    directory.remove();
  });

  test('takes a signed order, is paid, calls back signed, and ends 0 within 10 s of SIGTERM', async () => {
    const till = serve(directory.path);
    const url = await till.url();
    const demo = readDemo(directory.path);
    for (const line of [
      `API-Key: ${demo.api_key}`,
      `API-Token: ${demo.api_token}`,
      `Signing-Secret: ${demo.signing_secret}`,
      `Dashboard: http://localhost:${new URL(url).port}/dashboard`,
      `E-mail: ${demo.email}`,
      `Password: ${demo.password}`,
    ]) {
      await waitFor(() => till.out.includes(line), { describe: 'the credentials on standard output' });
    }
    assert.equal(statSync(join(directory.path, 'data', 'demo.json')).mode & 0o777, 0o600);
    assert.equal(statSync(join(directory.path, 'data', 'master.key')).mode & 0o777, 0o600);
    const { callback } = await payThrough(directory.path, url, receiver);
    assert.equal(callback.method, 'POST');
    assert.equal((JSON.parse(callback.body) as { status: string }).status, 'SUCCESS');
    const asked = performance.now();
    const { code, err } = await till.signal('SIGTERM');
    assert.equal(code, 0, err);
    assert.ok(performance.now() - asked < 10_000);
    for (const secret of [demo.api_key, demo.api_token, demo.signing_secret, demo.callback_secret, demo.password]) {
      assert.ok(!err.includes(secret), 'fault 73: no secret in the log');
    }
  });

  test('fault 35: after kill -9 a new start keeps the merchant, the order and goes on', async () => {
    const first = serve(directory.path);
    const demo = readDemo(directory.path);
    const before = new Merchant(await first.url(), demo);
    const order = await before.payInfo(`${receiver.url}/killed`);
    const orderId = String(order.data['order_id']);
    assert.equal((await before.pay(orderId)).code, 0);
    await first.signal('SIGKILL');

    const second = serve(directory.path);
    const merchant = new Merchant(await second.url(), demo);
    assert.deepEqual(readDemo(directory.path), demo, 'the merchant is made once');
    await waitFor(async () => (await merchant.status(orderId)) === 'SUCCESS', {
      timeoutMs: 15_000,
      describe: 'the paid order to be SUCCESS',
    });
    await waitFor(() => receiver.received.some(({ body }) => body.includes(orderId)), { describe: 'its callback' });

    const shown = await run(directory.path, ['order', 'show', orderId]);
    assert.equal(shown.code, 0, shown.err);
    assert.match(shown.out, /PENDING → SUCCESS {2}by paid-in-time/);
    const listed = await run(directory.path, ['order', 'list', '--q', orderId, '--status', 'SUCCESS', '--json']);
    const { items, next_cursor } = JSON.parse(listed.out) as { items: Record<string, unknown>[]; next_cursor: unknown };
    assert.deepEqual([items.map(({ id }) => id), next_cursor], [[orderId], null]);
    const none = await run(directory.path, ['order', 'list', '--q', orderId, '--status', 'OVERDUE']);
    assert.deepEqual([none.code, none.out], [0, 'There are no orders.\n']);
    // A command runs beside the server. The first check reads everything, the next one what came since.
    const checks = [];
    for (const how of [[], [], ['--full']]) {
      const { code, out, err } = await run(directory.path, ['ledger', 'check', ...how, '--json']);
      const { ok, breaches, full, postings } = JSON.parse(out) as Record<string, unknown>;
      assert.deepEqual([code, ok, breaches], [0, true, []], err);
      checks.push({ full, read: Number(postings) > 0 });
    }
    assert.deepEqual(checks, [
      { full: true, read: true },
      { full: false, read: false },
      { full: true, read: true },
    ]);

    const refused = await serve(directory.path).ended();
    assert.equal(refused.code, 1, 'a second server on one SQLite file is refused');
    assert.match(refused.err, /another server/i);
    assert.equal((await second.signal('SIGTERM')).code, 0);
  });
});

describe('two hosts on one PostgreSQL database', () => {
  const [one, two] = [freshDirectory(), freshDirectory()];
  let database: FreshDatabase;
  let receiver: Receiver;
  let environment: Readonly<Record<string, string>>;
  before(async () => {
    database = await freshDatabase();
    receiver = await startReceiver();
    environment = {
      TILLGATE_DATABASE_URL: database.url,
      TILLGATE_MASTER_KEY: Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64'),
    };
  });
  after(async () => {
    await receiver.close();
    await database.drop();
    one.remove();
    two.remove();
  });

  test('fault 370: a third with other bounds of money does not start beside them, and starts once both have ended', async (t) => {
    const three = freshDirectory();
    t.after(() => three.remove());
    three.write('tillgate.config.json', { mode: 'sandbox', withdrawals: { approvals: 2 } });
    const both = [serve(one.path, environment), serve(two.path, environment)];
    await Promise.all(both.map((till) => till.url()));
    const refused = await serve(three.path, environment).ended();
    assert.equal(refused.code, 1, refused.out);
    assert.doesNotMatch(refused.out, /listens on/);
    assert.match(refused.err, /Another running instance of this database has other settings: withdrawals\.approvals\./);
    const doctor = async (path: string): Promise<string> => {
      const { out, err } = await run(path, ['doctor'], environment);
      return out + err;
    };
    assert.match(await doctor(three.path), /other settings: withdrawals\.approvals\./);
    assert.equal((await both[0]?.signal('SIGTERM'))?.code, 0);
    assert.match(await doctor(three.path), /other settings: withdrawals\.approvals\./, 'one of them still runs');
    assert.equal((await both[1]?.signal('SIGTERM'))?.code, 0);
    const third = serve(three.path, environment);
    await third.url();
    assert.equal((await third.signal('SIGTERM')).code, 0);
  });

  test('share the work; when one is killed the other goes on', async () => {
    const first = serve(one.path, environment);
    const second = serve(two.path, environment);
    const urls = await Promise.all([first.url(), second.url()]);
    assert.deepEqual(readDemo(one.path), readDemo(two.path), 'both know the one demo merchant');
    const paid = await Promise.all(
      urls.map((url, index) => payThrough(index === 0 ? one.path : two.path, url, receiver)),
    );
    for (const { orderId } of paid) {
      assert.equal(
        receiver.received.filter(({ body }) => body.includes(orderId)).length,
        1,
        'one callback for each order',
      );
    }
    await first.signal('SIGKILL');
    const merchant = new Merchant(urls[1] ?? '', readDemo(two.path));
    const order = await merchant.payInfo(`${receiver.url}/after`);
    await merchant.pay(order.data['order_id']);
    await waitFor(async () => (await merchant.status(order.data['order_id'])) === 'SUCCESS', {
      timeoutMs: 40_000,
      describe: 'the other host to take over',
    });
    const asked = performance.now();
    assert.equal((await second.signal('SIGTERM')).code, 0);
    assert.ok(performance.now() - asked < 10_000);
  });
});
