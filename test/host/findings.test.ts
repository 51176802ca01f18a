import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { COMMANDS } from '../../host/cli/commands.ts';
import { linesOf } from '../../host/cli/doctor.ts';
import { FINDINGS } from '../../host/cli/findings.ts';

/** A sentence or two, not a word. */
const SENTENCES = /^[A-Z`][^]{30,}\.$/;

describe('what doctor finds', () => {
  for (const [name, { means, advice }] of Object.entries(FINDINGS)) {
    test(`${name} says what it means and what to do`, () => {
      assert.match(means, SENTENCES);
      assert.match(advice, SENTENCES);
      assert.notEqual(means, advice);
    });

    test(`${name} names only commands that there are`, () => {
      for (const [, named = ''] of advice.matchAll(/`tillgate ([a-z -]+?)(?: CODE)?`/g))
        assert.ok(
          COMMANDS.some((command) => command.words.join(' ') === named),
          named,
        );
    });
  }

  test('an explanation is printed once for neighbours of one name', () => {
    const weak = { check: 'settings', ok: true, warning: true, finding: 'setting-weak' } as const;
    const [one, two] = [
      { ...weak, words: 'one' },
      { ...weak, words: 'two' },
    ];
    const lines = [...linesOf(one, two), ...linesOf(two)];
    assert.deepEqual(lines, [
      'weak  settings: one',
      'weak  settings: two',
      `        ${FINDINGS['setting-weak'].means}`,
      `        ${FINDINGS['setting-weak'].advice}`,
    ]);
  });

  test('no two findings have the same explanation', () => {
    const all = Object.values(FINDINGS).map(({ means, advice }) => `${means} ${advice}`);
    assert.equal(new Set(all).size, all.length);
  });
});
