import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CRASH_POINTS } from './points.ts';
import type { CrashPointName } from './points.ts';
import { GATE_SALES } from './gate-sale.ts';
import {
  CANCELS_AND_FLOAT,
  MONEY_IN,
  MONEY_OUT,
  PAID_ORDER,
  RETURNS_AND_RESTORES,
  SWEEPS_AND_KEYS,
} from './scenarios.ts';

test('every named point is on the way of a scenario', () => {
  const reached = new Set(
    [
      ...[...PAID_ORDER, ...MONEY_IN, ...MONEY_OUT],
      ...[...CANCELS_AND_FLOAT, ...RETURNS_AND_RESTORES, ...SWEEPS_AND_KEYS, ...GATE_SALES],
    ].flatMap(({ points, actPoints = [] }) => [...actPoints, ...points]),
  );
  const names = Object.keys(CRASH_POINTS) as CrashPointName[];
  assert.ok(names.length >= 60);
  assert.deepEqual(
    names.filter((name) => !reached.has(name)),
    [],
  );
});
