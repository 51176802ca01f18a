import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fromWire } from '../../adapters/client/names.ts';
import { checkLedger, HANDLERS } from '../../core/index.ts';
import type { HandledEvent } from '../../core/index.ts';
import { freshDirectory } from '../host/till-process.ts';
import { durableEngines } from '../support/each-storage.ts';
import { endWithThisProcess } from '../support/processes.ts';
import { openTestStorage } from '../support/storage.ts';
import type { EngineName } from '../support/storage.ts';
import { ON_POINTS } from './on-points.ts';

const APPLICATION = fileURLToPath(new URL('on-main.ts', import.meta.url));

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
    /** Runs the application until it ends or is killed. */
    async run(
      orders: readonly string[],
      point = '',
    ): Promise<{ readonly signal: string | null; readonly log: string }> {
      // Those of a killed process last for 15 seconds.
      await sql('UPDATE leases SET expires_at = 0');
      const env = { ...environment, ORDERS: orders.join(' '), CRASH_POINT: point };
      const child = spawn(process.execPath, ['--import', 'tsx', APPLICATION], {
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
        const { signal, log } = await app.run([point], point);
        assert.deepEqual([signal, log.includes(`killed at ${point}`)], ['SIGKILL', true], `${point}: ${log}`);
      }
      assert.deepEqual(await app.run(points), { signal: null, log: '' });

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
});
