import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { fromWire } from '../../adapters/client/names.ts';
import { checkLedger, HANDLERS } from '../../core/index.ts';
import type { Callback, CallbackId, HandledEvent, HandledType } from '../../core/index.ts';
import { callback } from '../contract/storage/fixtures.ts';
import { freshDirectory } from '../host/till-process.ts';
import { durableEngines } from '../support/each-storage.ts';
import { endWithThisProcess } from '../support/processes.ts';
import { argumentsOf } from '../support/source-program.ts';
import { openTestStorage } from '../support/storage.ts';
import type { EngineName } from '../support/storage.ts';
import { FORGET_POINTS, ON_POINTS } from './on-points.ts';

/** The events that one transaction gives up, and more than that. */
const AT_ONCE = 1000;
const MORE_THAN_AT_ONCE = 1500;

const APPLICATION = argumentsOf('test/crash/on-main.ts');

async function application(t: TestContext, engine: EngineName) {
  const directory = freshDirectory();
  t.after(() => directory.remove());
  const { config, storage, sql } = await openTestStorage(engine, t);
  const effects = join(directory.path, 'effects');
  const environment = {
    ...process.env,
    DATABASE: JSON.stringify(config),
    EFFECTS: effects,
    TILLGATE_MASTER_KEY: randomBytes(32).toString('base64'),
  };
  return {
    /** Runs the application until it ends or is killed: for these orders, or to forget a type. */
    async run(
      task: { readonly ORDERS: string } | { readonly FORGET: HandledType },
      point = '',
    ): Promise<{ readonly signal: string | null; readonly log: string }> {
      // Those of a killed process last for 15 seconds.
      await sql('UPDATE leases SET expires_at = 0');
      const env = { ...environment, ...task, CRASH_POINT: point };
      const child = spawn(process.execPath, APPLICATION, {
        env,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      endWithThisProcess(child);
      const ended = new Promise<string | null>((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
      const log = await text(child.stderr);
      return { signal: await ended, log };
    },
    effects: (): readonly HandledEvent[] =>
      !existsSync(effects)
        ? []
        : readFileSync(effects, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as HandledEvent),
    storage,
  };
}

describe('an application that is killed while it handles the events of its till', () => {
  for (const engine of durableEngines())
    test(`fault 417: ${engine}: at every point: each event is handled at least once, with the same id when it comes again, in the order of its order`, async (t) => {
      const app = await application(t, engine);
      const points = Object.keys(ON_POINTS);
      for (const point of points) {
        const { signal, log } = await app.run({ ORDERS: point }, point);
        assert.deepEqual([signal, log.includes(`killed at ${point}`)], ['SIGKILL', true], `${point}: ${log}`);
      }
      assert.deepEqual(await app.run({ ORDERS: points.join(' ') }), { signal: null, log: '' });

      const { storage } = app;
      const search = { accountId: null, status: null, endpointId: HANDLERS, before: null, limit: 100 };
      const rows = (await storage.callbacks.list(search)).toReversed();
      assert.deepEqual(new Set(rows.map(({ status }) => status)), new Set(['DELIVERED']));
      assert.equal(rows.length, 2 * points.length, 'each order has two events');
      const handled = app.effects();
      const firsts = [...new Map(handled.toReversed().map((event) => [event.id, event])).values()].toReversed();
      assert.deepEqual(firsts.map(({ id }) => id).toSorted(), rows.map(({ id }) => id).toSorted());
      assert.ok(handled.length > firsts.length, 'what was done before a kill is done again');
      for (const { id, ...event } of handled) {
        const row = rows.find((each) => each.id === id);
        const { data } = JSON.parse(row?.body ?? '') as { readonly data: unknown };
        assert.deepEqual(event, { type: row?.event, createdAt: row?.createdAt, order: fromWire(data) });
      }
      for (const subject of new Set(rows.map(({ subjectId }) => subjectId))) {
        const ids = new Set(rows.filter(({ subjectId }) => subjectId === subject).map(({ id }) => id));
        assert.deepEqual(
          firsts.filter(({ id }) => ids.has(id)).map(({ type }) => type),
          ['order.created', 'order.succeeded'],
        );
      }
      assert.deepEqual(await checkLedger(storage), []);
    });

  for (const engine of durableEngines())
    test(`fault 461: ${engine}: killed at every point at which it forgets a type: the type is off the list with the first events that are given up, or neither, and the next call does the rest`, async (t) => {
      const app = await application(t, engine);
      const { storage } = app;
      await storage.documents.write(HANDLERS, '["order.created","order.succeeded"]', 0);
      const event = (type: HandledType, n: number): Callback => ({
        ...callback({ id: '' as never, accountId: '' as never }),
        ...{ id: `4${String(n).padStart(17, '0')}` as CallbackId, accountId: null, orderId: null, event: type },
        ...{ endpointId: HANDLERS, subjectId: `subject ${n}`, method: 'POST', url: HANDLERS, body: '{"data":{}}' },
      });
      const many = Array.from({ length: MORE_THAN_AT_ONCE }, (_, n) => event('order.created', n));
      await storage.transaction((tx) => tx.callbacks.addAll([...many, event('order.succeeded', many.length)]));
      const state = async () => {
        const search = {
          accountId: null,
          status: 'PENDING',
          endpointId: HANDLERS,
          before: null,
          limit: 10_000,
        } as const;
        const waiting = await storage.callbacks.list(search);
        return [
          JSON.parse((await storage.documents.read(HANDLERS))?.value ?? '') as unknown,
          waiting.filter(({ event: type }) => type === 'order.created').length,
          waiting.filter(({ event: type }) => type === 'order.succeeded').length,
        ];
      };
      const untouched = [['order.created', 'order.succeeded'], MORE_THAN_AT_ONCE, 1];
      const begun = [['order.succeeded'], MORE_THAN_AT_ONCE - AT_ONCE, 1];
      for (const point of Object.keys(FORGET_POINTS)) {
        const { signal, log } = await app.run({ FORGET: 'order.created' }, point);
        assert.deepEqual([signal, log.includes(`killed at ${point}`)], ['SIGKILL', true], `${point}: ${log}`);
        assert.deepEqual(await state(), point === 'forget:committed' ? begun : untouched, point);
      }
      assert.deepEqual(await app.run({ FORGET: 'order.created' }), { signal: null, log: '' });
      assert.deepEqual(await state(), [['order.succeeded'], 0, 1]);
    });
});
