import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withPoints } from './debug-build.ts';
import { CRASH_POINTS } from './points.ts';
import { MONEY_IN, MONEY_OUT, PAID_ORDER, SWEEPS_AND_KEYS } from './stories.ts';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

test('every named point has one place in the sources, and a story that comes by it', () => {
  const names = CRASH_POINTS.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  assert.ok(names.length >= 40);
  for (const file of new Set(CRASH_POINTS.map((point) => point.file))) assert.match(withPoints(file), /__crash\(/);
  const told = new Set([...PAID_ORDER, ...MONEY_IN, ...MONEY_OUT, ...SWEEPS_AND_KEYS].flatMap(({ points }) => points));
  assert.deepEqual({ untold: names.filter((name) => !told.has(name)), unknown: [...told].filter((name) => !names.includes(name)) }, { untold: [], unknown: [] });
});

test('the sources that are shipped know nothing of the points', () => {
  for (const folder of ['core', 'adapters', 'plugins', 'host']) {
    const files = readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));
    for (const file of files) assert.doesNotMatch(readFileSync(join(REPOSITORY, folder, file), 'utf8'), /__crash|CRASH_POINT/, file);
  }
});
