import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TillgateError } from '../../../core/index.ts';
import { WriteProbe } from '../../../host/http/write-probe.ts';
import { FakeClock } from '../../support/fakes.ts';

const SECOND = 1_000;

/** A probe of a database that does as a test says. */
function probing(write: () => Promise<void>): { probe: WriteProbe; clock: FakeClock; writes(): number } {
  const clock = new FakeClock();
  let writes = 0;
  const probeWrite = (): Promise<void> => {
    writes += 1;
    return write();
  };
  return { probe: new WriteProbe({ probeWrite }, clock, 20), clock, writes: () => writes };
}

describe('whether the database takes writes', () => {
  test('is found out once in five seconds, however often it is asked', async () => {
    const { probe, clock, writes } = probing(async () => undefined);
    await Promise.all([probe.run(), probe.run(), probe.run()]);
    clock.advance(5 * SECOND - 1);
    await probe.run();
    assert.equal(writes(), 1);
    clock.advance(1);
    await probe.run();
    assert.equal(writes(), 2);
  });

  test('fault 363: a refusal is repeated for as long, and is over with the next write', async () => {
    let full = true;
    const { probe, clock, writes } = probing(async () => {
      if (full) throw new TillgateError('NOT_READY', 'The disk is full.');
    });
    for (let asked = 0; asked < 3; asked++) await assert.rejects(probe.run(), /The disk is full/);
    assert.equal(writes(), 1);
    full = false;
    clock.advance(5 * SECOND);
    await probe.run();
  });

  test('fault 363: any other error of the database is NOT_READY too', async () => {
    const { probe } = probing(() => Promise.reject(new Error('read-only transaction')));
    await assert.rejects(probe.run(), { code: 'NOT_READY', message: /refuses writes.*read-only transaction/ });
  });

  test('fault 363: a write that takes too long is NOT_READY, and no second one is begun beside it', async (t) => {
    // The probe's own timer keeps no process alive.
    const alive = setInterval(() => undefined, 1_000);
    t.after(() => clearInterval(alive));
    let end: () => void = () => undefined;
    const { probe, writes } = probing(() => new Promise((resolve) => void (end = resolve)));
    await assert.rejects(Promise.all([probe.run(), probe.run()]), { code: 'NOT_READY', message: /within 0.02 s/ });
    await assert.rejects(probe.run(), { code: 'NOT_READY' });
    assert.equal(writes(), 1);
    end();
    await probe.run();
  });
});
