import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { SnowflakeIds, SystemClock, deadline } from '../../../../adapters/system/index.ts';
import type { ClockJump } from '../../../../adapters/system/index.ts';
import { MAX_NODE, idTime, isId } from '../../../../core/index.ts';
import { ConstantRandom, FakeClock, START } from '../../../support/fakes.ts';

const HOUR = 3_600_000;

/** A machine with three clocks that tests can move apart. */
class Machine {
  wall = START;
  steady = 5000;
  uptime = 9_000_000;
  readonly jumps: ClockJump[] = [];
  readonly clock = new SystemClock({
    onJump: (jump) => this.jumps.push(jump),
    sources: { wall: () => this.wall, steady: () => this.steady, uptime: () => this.uptime },
  });

  /** Time passes, and somebody asks for it every now and then. */
  run(ms: number, stepMs = 1000): void {
    for (let left = ms; left > 0; left -= stepMs) {
      const step = Math.min(left, stepMs);
      this.wall += step;
      this.steady += step;
      this.uptime += step;
      this.clock.now();
    }
  }

  suspend(ms: number): void {
    this.wall += ms;
    this.uptime += ms;
  }
}

describe('SystemClock', () => {
  test('starts at the wall clock and runs with it', () => {
    const machine = new Machine();
    assert.equal(machine.clock.now(), START);
    machine.run(HOUR, 777);
    assert.equal(machine.clock.now(), START + HOUR);
    assert.equal(machine.clock.unfollowedMs, 0);
  });

  for (const jump of [HOUR, -HOUR]) {
    test(`fault 76: a wall clock set ${jump / HOUR} h is not followed, and reported once`, () => {
      const machine = new Machine();
      machine.run(10_000);
      machine.wall += jump;
      machine.run(2 * HOUR, 10_000);
      assert.equal(machine.clock.now(), START + 10_000 + 2 * HOUR);
      assert.deepEqual(machine.jumps, [{ differenceMs: jump }]);
      assert.equal(machine.clock.unfollowedMs, jump);
    });
  }

  test('a jump that is taken back leaves nothing, and the next one is reported anew', () => {
    const machine = new Machine();
    machine.wall += HOUR;
    machine.run(5000);
    machine.wall -= HOUR;
    machine.run(5000);
    assert.equal(machine.clock.unfollowedMs, 0);
    assert.equal(machine.clock.now(), START + 10_000);
    machine.wall += HOUR;
    machine.run(5000);
    machine.wall += HOUR;
    machine.run(5000);
    assert.deepEqual(
      machine.jumps.map(({ differenceMs }) => differenceMs),
      [HOUR, HOUR, 2 * HOUR],
    );
  });

  test('a small difference is worked off slowly, without ever going back', () => {
    for (const difference of [900, -900, 20_000, -20_000]) {
      const machine = new Machine();
      machine.wall += difference;
      machine.run(1000);
      let before = machine.clock.now();
      assert.ok(Math.abs(before - START - 1000) <= 5, 'not at once');
      for (let second = 0; second < 5000; second++) {
        machine.run(1000, 250);
        const now = machine.clock.now();
        assert.ok(now - before >= 995 && now - before <= 1005, `${now - before}`);
        before = now;
      }
      assert.ok(Math.abs(machine.clock.now() - machine.wall) <= 1);
      assert.deepEqual(machine.jumps, []);
    }
  });

  test('a machine that was suspended has the right time when the first caller asks', () => {
    const machine = new Machine();
    machine.run(10_000);
    machine.suspend(8 * HOUR);
    assert.equal(machine.clock.now(), START + 10_000 + 8 * HOUR);
    machine.run(10_000);
    assert.equal(machine.clock.now(), START + 20_000 + 8 * HOUR);
    assert.deepEqual(machine.jumps, []);
  });

  test('a suspension is followed as far as uptime and wall clock agree', () => {
    const ahead = new Machine();
    ahead.suspend(HOUR);
    ahead.wall += HOUR;
    assert.equal(ahead.clock.now(), START + HOUR);
    assert.deepEqual(ahead.jumps, [{ differenceMs: HOUR }]);
    const behind = new Machine();
    behind.suspend(HOUR);
    behind.wall -= 3 * HOUR;
    assert.equal(behind.clock.now(), START);
    assert.deepEqual(behind.jumps, [{ differenceMs: -2 * HOUR }]);
    const uptimeOnly = new Machine();
    uptimeOnly.uptime += HOUR;
    uptimeOnly.run(5000);
    assert.equal(uptimeOnly.clock.now(), START + 5000);
    assert.deepEqual(uptimeOnly.jumps, []);
  });

  test('never goes back, whatever its sources do', () => {
    const step = fc.record({
      wall: fc.integer({ min: -2 * HOUR, max: 2 * HOUR }),
      steady: fc.integer({ min: -10, max: 5000 }),
      uptime: fc.integer({ min: -HOUR, max: HOUR }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const machine = new Machine();
        let before = machine.clock.now();
        for (const { wall, steady, uptime } of steps) {
          machine.wall += wall;
          machine.steady += steady;
          machine.uptime += uptime;
          const now = machine.clock.now();
          assert.ok(now >= before, `${now} after ${before}`);
          assert.ok(Number.isInteger(now));
          before = now;
        }
      }),
    );
  });

  test('on a real machine it agrees with the wall clock', () => {
    const clock = new SystemClock();
    assert.ok(Math.abs(clock.now() - Date.now()) < 1000);
  });
});

test('SnowflakeIds are ids of this clock and node, each larger than the one before', () => {
  const clock = new FakeClock();
  const ids = new SnowflakeIds(clock, 5, new ConstantRandom(255));
  let before = ids.next();
  assert.ok(isId(before));
  assert.equal(idTime(before), START);
  assert.equal((BigInt(before) >> 12n) & BigInt(MAX_NODE), 5n);
  for (let index = 0; index < 10_000; index++) {
    const next = ids.next();
    assert.ok(BigInt(next) > BigInt(before));
    before = next;
  }
});

test('a deadline aborts its signal', async () => {
  const signal = deadline(5);
  assert.equal(signal.aborted, false);
  // The signal's timer keeps no process alive, so the test does.
  const alive = setInterval(() => undefined, 1000);
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  clearInterval(alive);
  assert.equal(signal.aborted, true);
});
