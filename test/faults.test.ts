import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
/** A title or a suite's name: what `test` or `describe`, or a wrapper of ours, is given first; or the first of a row of a table of cases. */
const TITLE = /(?:\b[\w.]+\(|\[)\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)\s*,/g;
/** `fault 43`, `faults 57 and 58`, `faults 40, 42`, `faults 57-61`. */
const ROWS = /\bfaults? (\d+(?:(?:, | and | to |-|–)\d+)*)/g;

/** The rows of the catalogue, in its order. */
function catalogue(): number[] {
  return [...readFileSync(join(FOLDER, 'faults.md'), 'utf8').matchAll(/^\| (\d+) \|/gm)].map(([, row]) => Number(row));
}

/** The rows that a text names; a range names all between. */
function rowsIn(text: string): number[] {
  return [...text.matchAll(ROWS)].flatMap(([, list = '']) =>
    list.split(/, | and /).flatMap((part) => {
      const [first = 0, last = first] = part.split(/ to |-|–/).map(Number);
      return Array.from({ length: last - first + 1 }, (_, at) => first + at);
    }),
  );
}

/** The titles of a test file, and of the suites that test files share. */
const titles = (source: string): string[] => [...source.matchAll(TITLE)].map(([, single, double, template]) => single ?? double ?? template ?? '');

function covered(): Map<number, string[]> {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path) && !path.startsWith('bench') && path !== 'faults.test.ts');
  const rows = new Map<number, string[]>();
  for (const file of files) {
    for (const title of titles(readFileSync(join(FOLDER, file), 'utf8'))) {
      for (const row of rowsIn(title)) rows.set(row, [...(rows.get(row) ?? []), file]);
    }
  }
  return rows;
}

test('the catalogue of faults has each row once, in order', () => {
  const rows = catalogue();
  assert.deepEqual(rows, rows.map((_, at) => at + 1));
  assert.ok(rows.length >= 76);
});

test('every row of the catalogue is named by the title of a test, and no title names a row that is not there', () => {
  const rows = new Set(catalogue());
  const tests = covered();
  const missing = [...rows].filter((row) => !tests.has(row));
  const unknown = [...tests].filter(([row]) => !rows.has(row));
  assert.deepEqual({ missing, unknown }, { missing: [], unknown: [] });
});

test('rows are read out of titles as they are written', () => {
  assert.deepEqual(rowsIn('fault 43: a bumped transaction'), [43]);
  assert.deepEqual(rowsIn('lost replies (faults 40, 42 and 75)'), [40, 42, 75]);
  assert.deepEqual(rowsIn('of depth 1 to 64 (fault 51); faults 57-59'), [51, 57, 58, 59]);
  assert.deepEqual(rowsIn('its defaults 12'), []);
});
