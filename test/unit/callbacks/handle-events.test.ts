import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FailedEvents, HandleEvents, HANDLERS, isTillgateError, rowsFor, TillgateError } from '../../../core/index.ts';
import type {
  Callback,
  CallbackId,
  Deadline,
  DocumentStore,
  EventHandler,
  HandledEvent,
  HandledType,
  Transaction,
} from '../../../core/index.ts';
import { FakeClock, FakeDeadlines, SeededRandom, MemoryLogger, MemoryMetrics } from '../../support/fakes.ts';
import { MemoryCallbacks } from './memory-callbacks.ts';

const TIMEOUT = 15_000;
const SCHEDULE = [5_000, 30_000];
/** Something that JavaScript can throw, too. */
const NO_ERROR = 'gone' as unknown as Error;

/** Documents in memory; `lose` makes another instance write first, this many times. */
class MemoryDocuments implements DocumentStore {
  readonly kept = new Map<string, { readonly value: string; readonly version: number }>();
  lose = 0;
  reads = 0;

  async read(key: string) {
    this.reads += 1;
    return this.kept.get(key) ?? null;
  }

  async write(key: string, value: string, expected: number): Promise<boolean> {
    if (this.lose > 0) {
      this.lose -= 1;
      const version = (this.kept.get(key)?.version ?? 0) + 1;
      this.kept.set(key, { value: JSON.stringify([`deposit.seen`]), version });
    }
    if ((this.kept.get(key)?.version ?? 0) !== expected) return false;
    this.kept.set(key, { value, version: expected + 1 });
    return true;
  }

  get types(): unknown {
    return JSON.parse(this.kept.get(HANDLERS)?.value ?? '[]') as unknown;
  }
}

class World {
  readonly callbacks = new MemoryCallbacks();
  readonly documents = new MemoryDocuments();
  /** Runs before each transaction: what another instance does meanwhile. */
  meanwhile = (): void => undefined;
  readonly storage = {
    callbacks: this.callbacks,
    documents: this.documents,
    transaction: <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
      this.meanwhile();
      const { documents, callbacks } = this;
      return work({ documents, callbacks } as Pick<Transaction, 'documents'> as Transaction);
    },
  };
  readonly clock = new FakeClock();
  readonly random = new SeededRandom();
  readonly deadlines = new FakeDeadlines();
  deadline: Deadline = this.deadlines.after;
  readonly logger = new MemoryLogger();
  readonly metrics = new MemoryMetrics();
  readonly settings = { scheduleMs: SCHEDULE, timeoutMs: TIMEOUT };
  readonly scrub = (text: string): string => text.replaceAll('hunter2', '[redacted]');
  #count = 0;

  handle(): HandleEvents {
    return new HandleEvents(this);
  }

  write(type: HandledType = 'order.created', subjectId = 'order', data: unknown = { n: 1 }): CallbackId {
    this.#count += 1;
    const id = `4${String(this.#count).padStart(17, '0')}`;
    const at = this.clock.now() + this.#count;
    const event = { type, subjectId, at, data: () => JSON.stringify(data) };
    const own = { id: HANDLERS, accountId: null, url: HANDLERS };
    for (const row of rowsFor({ next: () => id }, [own], event))
      this.callbacks.add({ ...row, nextAt: this.clock.now() });
    return id as CallbackId;
  }

  row(id: CallbackId): Callback {
    return this.callbacks.get(id);
  }

  counted(outcome: string): number {
    return this.metrics.counted('tillgate_callbacks_total', { outcome });
  }
}

const settled = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

describe('the till’s own handlers', () => {
  test('get each event once with its id, time and data, and it is stored as handled', async () => {
    const world = new World();
    const handle = world.handle();
    const got: HandledEvent[] = [];
    handle.on('order.created', (event) => void got.push(event));
    const id = world.write('order.created', 'order', { order: 7 });
    assert.deepEqual([await handle.run(), await handle.run()], [1, 0]);
    assert.deepEqual(got, [{ id, type: 'order.created', createdAt: world.row(id).createdAt, data: { order: 7 } }]);
    assert.deepEqual([world.row(id).status, world.row(id).attempts], ['DELIVERED', 1]);
    assert.deepEqual(world.callbacks.made, [
      { callbackId: id, at: world.clock.now(), durationMs: 0, httpStatus: null, error: null },
    ]);
    assert.equal(world.counted('delivered'), 1);
  });

  test('are asked of nothing, and ask for nothing, before there are any', async () => {
    const world = new World();
    world.write();
    assert.equal(await world.handle().run(), 0);
    assert.deepEqual([world.callbacks.claims, world.documents.reads], [0, 0]);
  });

  test('make their types known before the first claim, beside those of others, even when several do so at once', async () => {
    const world = new World();
    world.documents.lose = 2;
    const handle = world.handle();
    handle.on('order.created', () => undefined);
    await handle.subscribe();
    assert.deepEqual(world.documents.types, ['deposit.seen', 'order.created']);
    handle.on('alert.raised', () => undefined);
    await handle.run();
    assert.deepEqual(world.documents.types, ['deposit.seen', 'order.created', 'alert.raised']);
    const { reads } = world.documents;
    await handle.run();
    assert.equal(world.documents.reads, reads, 'what is known is not asked again');
  });

  test('an unknown type, and the test event of endpoints, are refused', () => {
    const handle = new World().handle();
    for (const type of ['order.suceeded', 'webhook.test', 'order.*'])
      assert.throws(() => handle.on(type as HandledType, () => undefined), /INVALID_FIELDS|type/);
  });

  const failures: Readonly<Record<string, readonly [unknown, string]>> = {
    rejects: [async () => Promise.reject(new TypeError('password hunter2')), 'TypeError: password [redacted]'],
    throws: [
      () => {
        throw new Error('no');
      },
      'Error: no',
    ],
    'rejects with something that is no error': [async () => Promise.reject(NO_ERROR), 'gone'],
  };
  for (const [what, [handler, error]] of Object.entries(failures))
    test(`fault 414: one that ${what} gets the event again by the schedule with the same id, until it is given up, listed with its error, and made due again`, async () => {
      const world = new World();
      const handle = world.handle();
      const got: string[] = [];
      const end = handle.on('order.created', (event) => {
        got.push(event.id);
        return (handler as EventHandler)(event);
      });
      const id = world.write();
      for (const status of ['PENDING', 'PENDING', 'DEAD']) {
        assert.deepEqual([await handle.run(), await handle.run()], [1, 0]);
        assert.equal(world.row(id).status, status);
        world.clock.set(world.row(id).nextAt);
      }
      assert.deepEqual(got, [id, id, id]);
      assert.deepEqual([world.counted('retry'), world.counted('dead')], [2, 1]);
      const redelivered: CallbackId[] = [];
      const redeliver = async (_actor: unknown, which: CallbackId) => {
        redelivered.push(which);
        await world.callbacks.replay(which, world.clock.now());
        return undefined as never;
      };
      const failed = new FailedEvents({ storage: world.storage, callbacks: { redeliver } });
      const { createdAt } = world.row(id);
      assert.deepEqual(await failed.list(), [
        { id, type: 'order.created', createdAt, data: { n: 1 }, attempts: 3, error },
      ]);
      await failed.retry(id);
      assert.deepEqual(redelivered, [id]);
      await assert.rejects(failed.retry('4' as CallbackId), TillgateError);
      for (const page of [{ limit: 0 }, { limit: 501 }, { limit: 1.5 }, { after: 'x' as CallbackId }])
        await assert.rejects(failed.list(page), TillgateError);
      end();
      handle.on('order.created', () => undefined);
      assert.equal(await handle.run(), 1);
      assert.equal(world.row(id).status, 'DELIVERED');
    });

  test('one that returns nothing, or anything else, has handled it', async () => {
    for (const value of [undefined, null, false, 0, new Error('returned')]) {
      const world = new World();
      const handle = world.handle();
      handle.on('order.created', (() => value) as EventHandler);
      const id = world.write();
      await handle.run();
      assert.equal(world.row(id).status, 'DELIVERED');
    }
  });

  test('fault 415: one that never settles fails after its time, and until then holds up only its own record', async () => {
    const world = new World();
    const handle = world.handle();
    handle.on('order.created', () => new Promise(() => undefined));
    handle.on('order.succeeded', () => undefined);
    const [stuck, behind] = [world.write('order.created'), world.write('order.succeeded')];
    const pass = handle.run();
    await settled();
    world.clock.advance(TIMEOUT);
    const other = world.write('order.succeeded', 'another');
    world.deadlines.passAll();
    assert.equal(await pass, 1);
    await handle.drain();
    assert.equal(world.row(stuck).attempts, 1);
    assert.match(world.callbacks.made[0]?.error ?? '', /not done after 15000 ms/);
    assert.equal(await handle.run(), 1);
    assert.deepEqual(
      [behind, other].map((id) => world.row(id).status),
      ['PENDING', 'DELIVERED'],
    );
  });

  test('a pass does not wait for slow ones, and no more than 32 events are handled at once', async () => {
    const world = new World();
    const { after } = world.deadlines;
    // Only the patience of a pass ends.
    world.deadline = (ms) => (ms === TIMEOUT ? new AbortController().signal : after(ms));
    const handle = world.handle();
    let begun = 0;
    const ends: (() => void)[] = [];
    handle.on('order.created', async () => {
      begun += 1;
      await new Promise<void>((resolve) => ends.push(resolve));
    });
    for (let n = 0; n < 40; n++) world.write('order.created', `order ${n}`);
    const passed = async (): Promise<number> => {
      const pass = handle.run();
      await settled();
      world.deadlines.passAll();
      return pass;
    };
    assert.deepEqual([await passed(), await passed(), begun], [32, 0, 32]);
    for (const end of ends) end();
    await handle.drain();
    assert.deepEqual([await passed(), begun], [8, 40]);
    for (const end of ends) end();
    await handle.drain();
    assert.equal(world.counted('delivered'), 40);
  });

  test('two of one type get one event both, and both again when one of them fails', async () => {
    const world = new World();
    const handle = world.handle();
    const got: string[] = [];
    let fails = true;
    handle.on('order.created', () => {
      got.push('a');
      if (fails) throw new Error('no');
    });
    handle.on('order.created', () => void got.push('b'));
    const id = world.write();
    await handle.run();
    fails = false;
    world.clock.set(world.row(id).nextAt);
    await handle.run();
    assert.deepEqual([got, world.row(id).status], [['a', 'b', 'a', 'b'], 'DELIVERED']);
  });

  test('one that was removed gets nothing any more: its events wait as they are, also one that was claimed already', async () => {
    const world = new World();
    const handle = world.handle();
    const end = handle.on('order.created', () => undefined);
    const id = world.write();
    const claimed = world.callbacks.claimHandled.bind(world.callbacks);
    world.callbacks.claimHandled = async (...args) => {
      const claims = await claimed(...args);
      end();
      end();
      return claims;
    };
    assert.equal(await handle.run(), 1);
    await handle.drain();
    assert.deepEqual([world.row(id).status, world.row(id).attempts, world.callbacks.made], ['PENDING', 0, []]);
    assert.equal(await handle.run(), 0);
    handle.on('order.created', () => undefined);
    world.clock.advance(TIMEOUT * 2);
    assert.equal(await handle.run(), 1);
    assert.equal(world.row(id).status, 'DELIVERED');
  });

  test('an outcome that cannot be stored leaves the event to the next claim', async () => {
    const world = new World();
    const handle = world.handle();
    handle.on('order.created', () => undefined);
    const id = world.write();
    world.callbacks.broken = new TillgateError('NOT_READY', 'no database');
    await handle.run();
    assert.deepEqual([world.row(id).status, world.counted('unrecorded')], ['PENDING', 1]);
    world.callbacks.broken = null;
    world.clock.advance(TIMEOUT * 2);
    assert.equal(await handle.run(), 1);
    assert.equal(world.row(id).status, 'DELIVERED');
  });

  test('a type that is forgotten is written no more, and its waiting events are given up, of no other type', async () => {
    const world = new World();
    const handle = world.handle();
    for (const type of ['order.created', 'order.succeeded'] as const) handle.on(type, () => undefined)();
    world.documents.kept.set(HANDLERS, { value: '["order.created","order.succeeded"]', version: 3 });
    const [first, second, other] = [world.write(), world.write(), world.write('order.succeeded')];
    assert.equal(await handle.forget('order.created'), 2);
    assert.deepEqual(world.documents.types, ['order.succeeded']);
    assert.deepEqual(
      [first, second, other].map((id) => world.row(id).status),
      ['DEAD', 'DEAD', 'PENDING'],
    );
    const { version } = world.documents.kept.get(HANDLERS)!;
    assert.equal(await handle.forget('order.created'), 0, 'once more changes nothing');
    assert.equal(await handle.forget('alert.raised'), 0, 'one that was never handled neither');
    assert.equal(world.documents.kept.get(HANDLERS)?.version, version);
    assert.equal(await new World().handle().forget('alert.raised'), 0, 'nor before there was any handler');
  });

  test('fault 460: a type is not forgotten while this process has a handler of it, and an unknown one is refused by name', async () => {
    const world = new World();
    const handle = world.handle();
    const end = handle.on('order.created', () => undefined);
    const id = world.write();
    await handle.subscribe();
    await assert.rejects(
      handle.forget('order.created'),
      (error) => isTillgateError(error, 'STATE_CONFLICT') && error.message.includes('order.created'),
    );
    for (const type of ['order.suceeded', 'webhook.test', 'order.*'])
      await assert.rejects(
        handle.forget(type as HandledType),
        (error) => isTillgateError(error, 'INVALID_FIELDS') && /type.*order\.created/s.test(error.message),
      );
    assert.deepEqual([world.documents.types, world.row(id).status], [['order.created'], 'PENDING']);
    end();
    assert.equal(await handle.forget('order.created'), 1);
  });

  test('a handler that is added while or after its type is forgotten makes it written again', async () => {
    const world = new World();
    const handle = world.handle();
    const end = handle.on('order.created', () => undefined);
    await handle.subscribe();
    end();
    const subscribed: Promise<void>[] = [];
    world.meanwhile = () => {
      if (subscribed.length > 0) return;
      handle.on('order.created', () => undefined);
      subscribed.push(handle.subscribe());
    };
    await handle.forget('order.created');
    assert.equal(subscribed.length, 1);
    await subscribed[0];
    assert.deepEqual(world.documents.types, ['order.created']);
  });

  test('a handler that was removed before its type was stored does not bring the type back', async () => {
    const world = new World();
    const handle = world.handle();
    const end = handle.on('order.created', () => undefined);
    const subscribed = handle.subscribe();
    end();
    await handle.forget('order.created');
    await subscribed;
    assert.deepEqual(world.documents.types, []);
  });

  test('a type is forgotten also while another instance changes the list', async () => {
    const world = new World();
    const handle = world.handle();
    world.documents.kept.set(HANDLERS, { value: '["order.created"]', version: 1 });
    const id = world.write();
    let changes = 2;
    world.meanwhile = () => {
      if (changes-- <= 0) return;
      const { version } = world.documents.kept.get(HANDLERS)!;
      world.documents.kept.set(HANDLERS, { value: '["order.created","deposit.seen"]', version: version + 1 });
    };
    assert.equal(await handle.forget('order.created'), 1);
    assert.deepEqual([world.documents.types, world.row(id).status], [['deposit.seen'], 'DEAD']);
  });

  test('a type waits for the one that is forgotten before it: one that got a handler meanwhile is kept, and a failure hinders none', async () => {
    const world = new World();
    const handle = world.handle();
    world.documents.kept.set(HANDLERS, { value: '["order.created"]', version: 1 });
    world.meanwhile = () => {
      throw new TillgateError('NOT_READY', 'no database');
    };
    const failed = handle.forget('alert.raised');
    const second = handle.forget('order.created');
    handle.on('order.created', () => undefined);
    await assert.rejects(failed, (error) => isTillgateError(error, 'NOT_READY'));
    await assert.rejects(second, (error) => isTillgateError(error, 'STATE_CONFLICT'));
    assert.deepEqual(world.documents.types, ['order.created']);
    world.meanwhile = () => undefined;
    assert.equal(await handle.forget('alert.raised'), 0);
  });
});
