import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sourceFiles } from '../../runner/compile.ts';
import { planOf, TURNS } from '../../runner/plan.ts';
import type { Choice } from '../../runner/plan.ts';

const EVERYTHING = { apart: null, rest: false, coverage: true, engines: null, words: [], turn: null } as const;
const turns = Array.from({ length: TURNS }, (_, turn) => turn);

/** The real files, each of which has a suite for each database. */
const everyFile = {
  folder: '',
  imports: new Map(
    sourceFiles().map((path) => [path, [{ path: 'test/support/each-storage.ts', dynamic: false }]] as const),
  ),
  remove: () => undefined,
};

const namesOf = (choice: Partial<Choice>): string[] =>
  planOf({ ...EVERYTHING, ...choice }, everyFile).map(({ path, part, engines }) => `${path}#${part} on ${engines}`);

describe('what a build server runs in turns', () => {
  const runs: Readonly<Record<string, Partial<Choice>>> = {
    'the daily tests': {},
    'the rest': { rest: true },
    browser: { apart: 'browser' },
    nodes: { apart: 'nodes' },
  };
  for (const [name, choice] of Object.entries(runs))
    test(`${name}: all turns together run every part on each of its databases, and nothing else`, () => {
      const taken = turns.flatMap((turn) => namesOf({ ...choice, turn }));
      assert.deepEqual([...new Set(taken)].sort(), [...new Set(namesOf(choice))].sort());
    });

  test('of the rest each turn has at most a fourth of the kills, and over the turns each kill runs once', () => {
    const kills = (turn: number | null) => namesOf({ rest: true, turn }).filter((each) => each.includes('/kills.test'));
    for (const turn of turns) assert.ok(kills(turn).length <= kills(null).length / 4, `turn ${turn}`);
    assert.deepEqual(turns.flatMap(kills).sort(), kills(null).sort());
  });

  test('of the daily tests no file is left out of any turn', () => {
    const files = (turn: number | null) =>
      new Set(planOf({ ...EVERYTHING, turn }, everyFile).map(({ path, part }) => `${path}#${part}`));
    for (const turn of turns) assert.deepEqual(files(turn), files(null));
  });
});
