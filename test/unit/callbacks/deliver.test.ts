import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  CALLBACK_SCHEDULE_MS,
  DeliverCallbacks,
  newWebhookSecret,
  outboxRows,
  standardHeaders,
  TillgateError,
  webhookContext,
} from '../../../core/index.ts';
import type { AccountId, Callback, CallbackOutcome, WebhookEndpoint, WebhookId } from '../../../core/index.ts';
import {
  answered,
  FakeDeadlines,
  FakeTransport,
  MemoryLogger,
  MemoryMetrics,
  PlainDigest,
} from '../../support/fakes.ts';
import { Fixture } from '../accounts/fixture.ts';
import { MemoryCallbacks } from './memory-callbacks.ts';
import { MemoryWebhooks } from './memory-webhooks.ts';
import type { SampleOptions } from './sample.ts';
import { sample } from './sample.ts';

const TIMEOUT = 15_000;

class Courier extends Fixture {
  readonly callbacks = new MemoryCallbacks();
  readonly webhooks = new MemoryWebhooks();
  override readonly storage = { accounts: this.accounts, callbacks: this.callbacks, webhooks: this.webhooks };
  readonly transport = new FakeTransport();
  readonly digest = new PlainDigest();
  readonly deadlines = new FakeDeadlines();
  readonly deadline = this.deadlines.after;
  readonly logger = new MemoryLogger();
  readonly metrics = new MemoryMetrics();
  settings = { scheduleMs: CALLBACK_SCHEDULE_MS, timeoutMs: TIMEOUT, allowPrivateNetworks: false };
  #count = 0;

  deliver(): DeliverCallbacks {
    return new DeliverCallbacks(this);
  }

  async queue(options: SampleOptions = {}): Promise<Callback> {
    this.#count += 1;
    const accountId = options.accountId ?? (await this.merchant()).account.id;
    const callback = sample({
      id: `4${String(this.#count).padStart(17, '0')}`,
      orderId: `3${String(this.#count).padStart(17, '0')}`,
      now: this.clock.now(),
      ...options,
      accountId,
    });
    this.callbacks.add(callback);
    return callback;
  }

  outcomes(outcome: string): number {
    return this.metrics.counted('tillgate_callbacks_total', { outcome });
  }
}

const settled = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

describe('one pass of delivery', () => {
  test('sends what is due, signed, and records it', async () => {
    const courier = new Courier();
    const { account, keys } = await courier.merchant();
    const callback = await courier.queue({ accountId: account.id, credentialId: keys.credentialId, post: true });
    assert.equal(await courier.deliver().run(), 1);
    const [sent] = courier.transport.sent;
    assert.deepEqual([sent?.method, sent?.url, sent?.body], ['POST', callback.url, callback.body]);
    assert.equal(sent?.headers['API-Key'], keys.apiKey);
    assert.equal(sent?.headers['API-Token'], keys.callbackToken);
    assert.equal(sent?.headers['webhook-id'], callback.id);
    const row = courier.callbacks.get(callback.id);
    assert.deepEqual([row.status, row.attempts, row.deliveredAt], ['DELIVERED', 1, courier.clock.now()]);
    assert.deepEqual(courier.callbacks.made, [
      { callbackId: callback.id, at: courier.clock.now(), durationMs: 12, httpStatus: 200, error: null },
    ]);
    assert.equal(courier.outcomes('delivered'), 1);
  });

  test('leaves what is not due, and has nothing to do afterwards', async () => {
    const courier = new Courier();
    await courier.queue({ now: courier.clock.now() + 1 });
    assert.equal(await courier.deliver().run(), 0);
    courier.clock.advance(1);
    const deliver = courier.deliver();
    assert.deepEqual([await deliver.run(), await deliver.run()], [1, 0]);
    await deliver.drain();
  });

  test('fault 106: one whose receiver has too many connections is no attempt, and is sent when its claim has lapsed', async () => {
    const courier = new Courier();
    courier.transport.answer = () => ({ kind: 'busy' });
    const { id } = await courier.queue();
    const deliver = courier.deliver();
    assert.deepEqual([await deliver.run(), await deliver.run()], [1, 0]);
    assert.deepEqual([courier.callbacks.get(id).status, courier.callbacks.get(id).attempts], ['PENDING', 0]);
    courier.transport.answer = () => answered(200);
    courier.clock.advance(60_000);
    assert.equal(await deliver.run(), 1);
    assert.deepEqual([courier.callbacks.get(id).status, courier.callbacks.get(id).attempts], ['DELIVERED', 1]);
    assert.equal(courier.outcomes('busy'), 1);
  });

  test('tries a failed one again when its time has come, with the same id, until it is dead', async () => {
    const courier = new Courier();
    courier.transport.answer = () => ({ kind: 'failed', reason: 'r'.repeat(500), durationMs: 3 });
    const { id } = await courier.queue();
    const deliver = courier.deliver();
    for (let attempt = 1; attempt <= 11; attempt++) {
      assert.equal(await deliver.run(), 1);
      assert.equal(await deliver.run(), 0);
      courier.clock.set(courier.callbacks.get(id).nextAt);
    }
    assert.equal(courier.callbacks.get(id).status, 'DEAD');
    assert.equal(await deliver.run(), 0);
    assert.deepEqual([courier.outcomes('retry'), courier.outcomes('dead')], [10, 1]);
    assert.deepEqual(new Set(courier.transport.sent.map(({ headers }) => headers['webhook-id'])), new Set([id]));
    assert.equal(courier.callbacks.made[0]?.error, 'r'.repeat(200));
    assert.equal(courier.callbacks.made[0]?.httpStatus, null);
  });

  test('stops at 410', async () => {
    const courier = new Courier();
    courier.transport.answer = () => answered(410);
    const { id } = await courier.queue();
    await courier.deliver().run();
    assert.equal(courier.callbacks.get(id).status, 'DEAD');
  });

  test('sends the events of one order in order', async () => {
    const courier = new Courier();
    courier.transport.answer = () => answered(500);
    const { account } = await courier.merchant();
    await courier.queue({ accountId: account.id, orderId: '312345678901234567', event: 'order.timeout' });
    courier.clock.advance(1);
    await courier.queue({ accountId: account.id, orderId: '312345678901234567' });
    const deliver = courier.deliver();
    await deliver.run();
    await deliver.run();
    assert.equal(courier.transport.sent.length, 1);
    courier.transport.answer = () => answered(200);
    courier.clock.advance(10_000);
    await deliver.run();
    await deliver.run();
    assert.deepEqual(
      courier.transport.sent.map(({ url }) => new URL(url).searchParams.get('event')),
      ['order.timeout', 'order.timeout', 'order.succeeded'],
    );
  });
});

describe('the secrets of a callback', () => {
  test('are both used for 24 hours after a rotation, and then the new one alone', async () => {
    const courier = new Courier();
    const { account } = await courier.merchant();
    const secrets = await courier.rotate.run(account.id);
    const signatures = async (): Promise<number> => {
      await courier.queue({ accountId: account.id });
      await courier.deliver().run();
      const headers = courier.transport.sent.at(-1)?.headers ?? {};
      assert.equal(headers['API-Token'], secrets.callbackToken);
      return headers['webhook-signature']?.split(' ').length ?? 0;
    };
    assert.equal(await signatures(), 2);
    courier.clock.advance(86_400_000 - 1);
    assert.equal(await signatures(), 2);
    courier.clock.advance(1);
    assert.equal(await signatures(), 1);
  });

  test('are made when a crash kept the account from getting them', async () => {
    const courier = new Courier();
    const { account } = await courier.merchant();
    courier.callbacks.add(sample({ accountId: account.id }));
    courier.accounts.callbackCredentials.clear();
    await courier.deliver().run();
    assert.equal(courier.outcomes('delivered'), 1);
    assert.ok(courier.accounts.callbackCredentials.has(account.id));
  });

  test('that do not open make an attempt that failed, told by its kind alone', async () => {
    const courier = new Courier();
    const { account } = await courier.merchant();
    const { id } = await courier.queue({ accountId: account.id });
    const row = courier.accounts.callbackCredentials.get(account.id)!;
    courier.accounts.callbackCredentials.set(account.id, {
      ...row,
      sealed: courier.vault.seal('{}', 'another record'),
    });
    await courier.deliver().run();
    assert.equal(courier.transport.sent.length, 0);
    assert.deepEqual([courier.callbacks.get(id).attempts, courier.callbacks.made[0]?.error], [1, 'not sent: Error']);
  });
});

describe('an event of a webhook endpoint', () => {
  const queueEvent = async (courier: Courier, given: Partial<WebhookEndpoint> = {}) => {
    const id = '512345678901234567' as WebhookId;
    const { account } = await courier.merchant();
    const seal = (secret: string): string => courier.vault.seal(JSON.stringify({ secret }), webhookContext(id));
    const secret = newWebhookSecret(courier.random).secret;
    const endpoint: WebhookEndpoint = {
      id,
      accountId: account.id,
      url: 'https://shop.example/events',
      events: ['order.*'],
      enabled: true,
      format: 'standard',
      sealed: seal(secret),
      previousSealed: null,
      previousUntil: null,
      createdAt: 0,
      updatedAt: 0,
      ...given,
    };
    courier.webhooks.rows.set(id, endpoint);
    const [row] = outboxRows({ next: () => '612345678901234567' }, [endpoint], {
      type: 'order.created',
      subjectId: '312345678901234567',
      at: courier.clock.now(),
      data: () => '{"order_id":"312345678901234567"}',
    });
    assert.ok(row !== undefined);
    courier.callbacks.add(row);
    return { endpoint, row, secret };
  };

  test('has the headers of Standard Webhooks and no others', async () => {
    const courier = new Courier();
    const { row, secret } = await queueEvent(courier);
    await courier.deliver().run();
    const [sent] = courier.transport.sent;
    assert.deepEqual([sent?.method, sent?.url, sent?.body], ['POST', row.url, row.body]);
    assert.deepEqual(sent?.headers, standardHeaders(row, [secret], courier.digest, courier.clock.now()));
    assert.equal(courier.callbacks.get(row.id).status, 'DELIVERED');
  });

  test('is given up without a request where its endpoint was switched off or removed in the moment it was written', async () => {
    for (const gone of [false, true]) {
      const courier = new Courier();
      const { endpoint, row } = await queueEvent(courier);
      if (gone) courier.webhooks.rows.clear();
      else courier.webhooks.rows.set(endpoint.id, { ...endpoint, enabled: false });
      await courier.deliver().run();
      assert.equal(courier.transport.sent.length, 0);
      assert.deepEqual(
        [courier.callbacks.get(row.id).status, courier.callbacks.made[0]?.error],
        ['DEAD', 'endpoint-off'],
      );
      assert.equal(courier.outcomes('dead'), 1);
    }
  });
});

describe('when things break', () => {
  test('a transport that throws is an attempt that failed, and no URL is kept', async () => {
    const courier = new Courier();
    for (const error of [new TypeError('https://shop.example/?token=hunter2'), 'hunter2' as unknown as Error]) {
      courier.transport.answer = async () => await Promise.reject(error);
      await courier.queue();
      await courier.deliver().run();
    }
    assert.deepEqual(
      courier.callbacks.made.map(({ error }) => error),
      ['not sent: TypeError', 'not sent: string'],
    );
    assert.equal(courier.outcomes('retry'), 2);
  });

  test('a stored URL that is none is an attempt that failed', async () => {
    const courier = new Courier();
    const { id } = await courier.queue();
    courier.callbacks.add({ ...courier.callbacks.get(id), url: 'nowhere' });
    await courier.deliver().run();
    assert.equal(courier.callbacks.get(id).attempts, 1);
  });

  test('fault 35: what was sent but not recorded is sent again when its lease has lapsed', async () => {
    const courier = new Courier();
    const { id } = await courier.queue();
    courier.callbacks.broken = new TillgateError('NOT_READY', 'The database is away.');
    const deliver = courier.deliver();
    await deliver.run();
    assert.equal(courier.outcomes('unrecorded'), 1);
    assert.deepEqual(
      courier.logger.lines.map(({ level, fields }) => [level, fields]),
      [['error', { callbackId: id, kind: 'TillgateError' }]],
    );
    courier.callbacks.broken = null;
    courier.clock.advance(3 * TIMEOUT - 1);
    assert.equal(await deliver.run(), 0);
    courier.clock.advance(1);
    assert.equal(await deliver.run(), 1);
    assert.deepEqual(
      courier.transport.sent.map(({ headers }) => headers['webhook-id']),
      [id, id],
    );
    assert.equal(courier.callbacks.get(id).status, 'DELIVERED');
  });

  test('a database that is away before the send counts no attempt', async () => {
    const courier = new Courier();
    const { id } = await courier.queue();
    courier.accounts.find = async () => await Promise.reject(new TillgateError('NOT_READY', 'The database is away.'));
    await courier.deliver().run();
    assert.deepEqual(
      [courier.transport.sent.length, courier.callbacks.made.length, courier.callbacks.get(id).attempts],
      [0, 0, 0],
    );
  });

  test('an attempt whose claim was lost changes nothing but the log of attempts', async () => {
    const courier = new Courier();
    const { id } = await courier.queue();
    courier.transport.answer = async () => {
      courier.clock.advance(3 * TIMEOUT);
      await courier.callbacks.claimDue(courier.clock.now(), 1000, 10);
      return answered(200);
    };
    await courier.deliver().run();
    assert.equal(courier.outcomes('lost'), 1);
    assert.deepEqual([courier.callbacks.get(id).status, courier.callbacks.made.length], ['PENDING', 1]);
  });
});

describe('fault 34: a receiver that never answers', () => {
  const hang = async (): Promise<CallbackOutcome> => await new Promise<never>(() => undefined);

  test('holds up no pass: the next one sends to others', async () => {
    const courier = new Courier();
    courier.transport.answer = async ({ url }) => (url.includes('tarpit') ? await hang() : answered(200));
    await courier.queue({ url: 'https://tarpit.example/' });
    const deliver = courier.deliver();
    const first = deliver.run();
    await settled();
    assert.deepEqual(courier.deadlines.asked, [250]);
    courier.deadlines.passAll();
    assert.equal(await first, 1);
    const { id } = await courier.queue();
    const second = deliver.run();
    await settled();
    assert.equal(courier.callbacks.get(id).status, 'DELIVERED');
    courier.deadlines.passAll();
    assert.equal(await second, 1);
  });

  test('with a long queue gets its few slots, and the queue of a healthy one behind it is found in the same pass', async () => {
    const courier = new Courier();
    courier.transport.answer = async ({ url }) => (url.includes('tarpit') ? await hang() : answered(200));
    const { account } = await courier.merchant();
    for (let n = 0; n < 200; n++) await courier.queue({ url: `https://tarpit.example/${n}`, accountId: account.id });
    courier.clock.advance(1);
    const { id } = await courier.queue({ accountId: account.id });
    const deliver = courier.deliver();
    const pass = deliver.run();
    await settled();
    courier.deadlines.passAll();
    assert.equal(await pass, 31);
    assert.equal(courier.callbacks.get(id).status, 'DELIVERED');
    assert.equal(courier.transport.sent.filter(({ url }) => url.includes('tarpit')).length, 6);
  });

  test('what waited for it beyond its claim is not sent: the next claim sends it', async () => {
    const courier = new Courier();
    const ends: (() => void)[] = [];
    courier.transport.answer = async () => {
      await new Promise<void>((resolve) => ends.push(resolve));
      return answered(200);
    };
    const { account } = await courier.merchant();
    for (let n = 0; n < 7; n++) await courier.queue({ accountId: account.id });
    const deliver = courier.deliver();
    const pass = deliver.run();
    await settled();
    assert.equal(courier.transport.sent.length, 6);
    courier.clock.advance(TIMEOUT + 1);
    for (const end of ends) end();
    assert.equal(await pass, 7);
    await deliver.drain();
    assert.equal(courier.transport.sent.length, 6);
    assert.equal(courier.outcomes('delivered'), 6);
    courier.clock.advance(2 * TIMEOUT);
    const next = deliver.run();
    await settled();
    ends.at(-1)?.();
    assert.equal(await next, 1);
    assert.equal(courier.outcomes('delivered'), 7);
  });

  test('fault 106: under forty names it takes the slots of its own account, and no others', async () => {
    const courier = new Courier();
    courier.transport.answer = async ({ url }) => (url.includes('tarpit') ? await hang() : answered(200));
    const { account } = await courier.merchant();
    for (let n = 0; n < 400; n++)
      await courier.queue({ url: `https://tarpit${n % 40}.example/`, accountId: account.id });
    courier.clock.advance(1);
    const { id } = await courier.queue();
    const deliver = courier.deliver();
    const pass = deliver.run();
    await settled();
    courier.deadlines.passAll();
    assert.equal(await pass, 129);
    assert.equal(courier.callbacks.get(id).status, 'DELIVERED');
    assert.equal(courier.transport.sent.filter(({ url }) => url.includes('tarpit')).length, 32);
  });

  test('shared with others takes its calls in turn: a long queue of one account delays no other one’s first call', async () => {
    const courier = new Courier();
    const ends: (() => void)[] = [];
    courier.transport.answer = async () => {
      await new Promise<void>((resolve) => ends.push(resolve));
      return answered(200);
    };
    const { account } = await courier.merchant();
    for (let n = 0; n < 20; n++) await courier.queue({ url: 'https://shared.example/a', accountId: account.id });
    courier.clock.advance(1);
    await courier.queue({ url: 'https://shared.example/b' });
    const pass = courier.deliver().run();
    await settled();
    for (const end of ends.splice(0, 2)) end();
    await settled();
    assert.deepEqual(
      courier.transport.sent.slice(6).map(({ url }) => new URL(url).pathname),
      ['/a', '/b'],
    );
    courier.deadlines.passAll();
    await pass;
  });

  test('and others like it can hold no more than all slots: then nothing is claimed', async () => {
    const courier = new Courier();
    courier.transport.answer = hang;
    const owners: AccountId[] = [];
    for (let n = 0; n < 5; n++) owners.push((await courier.merchant()).account.id);
    for (let n = 0; n < 600; n++)
      await courier.queue({ url: `https://tarpit${n % 40}.example/`, accountId: owners[n % 5] as AccountId });
    const deliver = courier.deliver();
    const pass = deliver.run();
    await settled();
    courier.deadlines.passAll();
    assert.equal(await pass, 512);
    const claims = courier.callbacks.claims;
    const next = deliver.run();
    await settled();
    courier.deadlines.passAll();
    assert.equal(await next, 0);
    assert.equal(courier.callbacks.claims, claims);
  });
});
