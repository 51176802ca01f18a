import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AnchoredClock, SystemClock } from '../../../../adapters/system/index.ts';
import { START } from '../../../support/fakes.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A machine whose wall clock differs from the reference. */
class Machine {
  wall: number;
  reference = START;
  #steady = 5_000;
  readonly clock: AnchoredClock;

  constructor(aheadMs: number) {
    this.wall = START + aheadMs;
    const sources = { wall: () => this.wall, steady: () => this.#steady, uptime: () => this.#steady };
    this.clock = new AnchoredClock(new SystemClock({ sources }));
  }

  /** Time passes, and both are compared every five seconds. */
  run(ms: number): void {
    for (let left = ms; left > 0; left -= 5_000) {
      this.wall += 5_000;
      this.#steady += 5_000;
      this.reference += 5_000;
      this.clock.anchor(this.reference);
    }
  }
}

describe('AnchoredClock', () => {
  for (const ahead of [5 * MINUTE, -HOUR, 3_000]) {
    test(`fault 86: a machine that is ${ahead / 1000} s ahead works by the reference, and knows what it differs by`, () => {
      const machine = new Machine(ahead);
      assert.equal(machine.clock.now(), START + ahead);
      assert.deepEqual(machine.clock.anchor(START), { machineMs: -ahead, anchoredMs: 0 });
      assert.equal(machine.clock.now(), START);
      machine.run(10 * MINUTE);
      assert.equal(machine.clock.now(), START + 10 * MINUTE);
    });
  }

  test('fault 86: a wrong machine whose wall clock is corrected agrees, and its time does not move', () => {
    const machine = new Machine(5 * MINUTE);
    machine.clock.anchor(START);
    machine.wall -= 5 * MINUTE;
    machine.run(MINUTE);
    assert.deepEqual(machine.clock.anchor(machine.reference), { machineMs: 0, anchoredMs: 0 });
    assert.equal(machine.clock.now(), machine.reference);
  });

  for (const jump of [HOUR, -HOUR]) {
    test(`fault 76: a reference that is set ${jump / HOUR} h is not followed`, () => {
      const machine = new Machine(0);
      machine.run(MINUTE);
      machine.reference += jump;
      machine.run(HOUR);
      assert.equal(machine.clock.now(), START + MINUTE + HOUR);
      assert.deepEqual(machine.clock.anchor(machine.reference), { machineMs: jump, anchoredMs: jump });
    });

    test(`fault 76: a wall clock that is set ${jump / HOUR} h matters to nobody while the reference stays`, () => {
      const machine = new Machine(0);
      machine.run(MINUTE);
      machine.wall += jump;
      machine.run(HOUR);
      assert.deepEqual(machine.clock.anchor(machine.reference), { machineMs: 0, anchoredMs: 0 });
    });
  }

  test('a reference that drifts is followed slowly, and the time never goes back', () => {
    const machine = new Machine(0);
    machine.clock.anchor(START);
    machine.reference -= 100;
    const before = machine.clock.now();
    machine.clock.anchor(machine.reference);
    assert.equal(machine.clock.now(), before);
    machine.run(MINUTE);
    assert.equal(machine.clock.now(), machine.reference);
  });
});
