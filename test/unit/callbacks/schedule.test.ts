import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { afterAttempt, CALLBACK_SCHEDULE_MS } from '../../../core/index.ts';
import type { CallbackAttemptOutcome } from '../../../core/index.ts';
import { answered, ConstantRandom, SeededRandom, START } from '../../support/fakes.ts';

const HOUR = 3_600_000;
const FAILED: CallbackAttemptOutcome = { kind: 'failed', reason: 'timeout', durationMs: 15_000 };
const least = new ConstantRandom(0);

const after = (outcome: CallbackAttemptOutcome, former = 0, random = least) =>
  afterAttempt(outcome, former, START, random, CALLBACK_SCHEDULE_MS);
const waitOf = (outcome: CallbackAttemptOutcome, former = 0): number => after(outcome, former).changes.nextAt - START;

describe('after an attempt', () => {
  for (const status of [200, 201, 204, 299]) {
    test(`a ${status} is delivered`, () => {
      assert.deepEqual(after(answered(status), 3), {
        result: 'delivered',
        changes: { status: 'DELIVERED', attempts: 4, nextAt: START, deliveredAt: START },
      });
    });
  }

  for (const outcome of [
    answered(199),
    answered(300),
    answered(302),
    answered(304),
    answered(400),
    answered(404),
    answered(429),
    answered(500),
    FAILED,
  ]) {
    test(`fault 32: ${outcome.kind === 'answered' ? `a ${outcome.status}` : 'no answer'} is a failure, tried again`, () => {
      assert.deepEqual(after(outcome), {
        result: 'retry',
        changes: { status: 'PENDING', attempts: 1, nextAt: START + 4000, deliveredAt: null },
      });
    });
  }

  test('the waits are those of the schedule', () => {
    const seconds = [5, 30, 120, 600, 1800, 3600, 10_800, 21_600, 43_200, 86_400];
    assert.deepEqual(
      CALLBACK_SCHEDULE_MS,
      seconds.map((value) => value * 1000),
    );
    for (const [former, value] of seconds.entries()) {
      assert.equal(waitOf(FAILED, former), value * 800);
      assert.equal(after(FAILED, former, new ConstantRandom(255)).changes.nextAt - START, value * 1200);
    }
  });

  test('jitter stays within 20 % and uses all of it', () => {
    const random = new SeededRandom();
    const waits = Array.from({ length: 2000 }, () => afterAttempt(FAILED, 0, 0, random, [10_000]).changes.nextAt);
    assert.ok(Math.min(...waits) >= 8000 && Math.min(...waits) < 8100);
    assert.ok(Math.max(...waits) <= 12_000 && Math.max(...waits) > 11_900);
  });

  test('a failure after the last of the schedule is the end', () => {
    assert.deepEqual(after(FAILED, 10), {
      result: 'dead',
      changes: { status: 'DEAD', attempts: 11, nextAt: START, deliveredAt: null },
    });
    assert.equal(after(FAILED, 9).result, 'retry');
  });

  test('a replayed callback that fails again is dead again', () => {
    assert.equal(after(FAILED, 11).result, 'dead');
  });

  test('410 is the end at once', () => {
    assert.deepEqual(after(answered(410, 60)), {
      result: 'dead',
      changes: { status: 'DEAD', attempts: 1, nextAt: START, deliveredAt: null },
    });
  });

  test('an empty schedule tries once', () => {
    assert.equal(afterAttempt(FAILED, 0, START, least, []).result, 'dead');
  });
});

describe('Retry-After', () => {
  const waits: readonly (readonly [seconds: number | null, waitMs: number])[] = [
    [null, 4000],
    [0, 4000],
    [1, 4000],
    [60, 60_000],
    [0.5, 4000],
    [60.0001, 60_001],
    [86_400, 24 * HOUR],
    [10 ** 9, 24 * HOUR],
    [-5, 4000],
    [NaN, 4000],
    [Infinity, 4000],
  ];
  for (const [seconds, waitMs] of waits) {
    test(`of ${seconds} s waits ${waitMs} ms`, () => assert.equal(waitOf(answered(503, seconds)), waitMs));
  }

  test('never shortens the schedule', () => {
    assert.equal(waitOf(answered(503, 60), 5), HOUR * 0.8);
  });
});

test('whatever comes, a callback ends or is due again in whole milliseconds within 28.8 hours', () => {
  const outcome = fc.oneof(
    fc.constant(FAILED),
    fc.record({
      kind: fc.constant('answered' as const),
      status: fc.integer({ min: 100, max: 599 }),
      retryAfterSeconds: fc.option(fc.double()),
      durationMs: fc.nat(),
    }),
  );
  fc.assert(
    fc.property(outcome, fc.nat({ max: 12 }), fc.integer({ min: 0, max: 255 }), (one, former, byte) => {
      const { result, changes } = after(one, former, new ConstantRandom(byte));
      assert.equal(changes.attempts, former + 1);
      assert.ok(Number.isInteger(changes.nextAt));
      assert.ok(changes.nextAt - START <= 28.8 * HOUR);
      assert.equal(result === 'retry', changes.status === 'PENDING');
      assert.equal(result === 'retry', changes.nextAt > START);
    }),
  );
});
