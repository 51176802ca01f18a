import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CRASH_POINTS } from './points.ts';
import type { CrashPointName } from './points.ts';
import { SCENARIO_GROUPS } from './scenario-groups.ts';

test('every named point is on the way of a scenario', () => {
  const reached = new Set(
    Object.values(SCENARIO_GROUPS)
      .flat()
      .flatMap(({ points, actPoints = [] }) => [...actPoints, ...points]),
  );
  const names = Object.keys(CRASH_POINTS) as CrashPointName[];
  assert.ok(names.length >= 60, `${names.length} points`);
  assert.deepEqual(
    names.filter((name) => !reached.has(name)),
    [],
  );
});
