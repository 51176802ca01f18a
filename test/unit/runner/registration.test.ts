import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { argumentsOf } from '../../support/source-program.ts';

const OPTIONS = [...argumentsOf('test/runner/registration.ts')];
const REGISTRATION = JSON.stringify(pathToFileURL(OPTIONS.pop() ?? '').href);

/** Runs test files in one process, as a test run does. */
function runGroup(t: TestContext, files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-group-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const tests = Object.keys(files).filter((name) => name.endsWith('.test.mjs'));
  const group = [
    `import { register } from ${REGISTRATION};`,
    'await register([',
    ...tests.map((name) => `['${name}', () => import('./${name}')],`),
    ']);',
  ];
  writeFileSync(join(folder, 'group.mjs'), group.join('\n'));
  const { NODE_TEST_CONTEXT: _context, NODE_V8_COVERAGE: _coverage, ...env } = process.env;
  const { status, stdout } = spawnSync(process.execPath, [...OPTIONS, join(folder, 'group.mjs')], {
    env,
    encoding: 'utf8',
  });
  return { status, report: stdout };
}

test('tests, suites and hooks belong to the file that they stand in, also of files that wait for one module', (t) => {
  const file = (name: string): string => `
    import './slow.mjs';
    import { before, beforeEach, describe, test } from ${REGISTRATION};
    await null;
    const seen = [];
    before(() => seen.push('before'));
    describe('${name} inner', () => {
      beforeEach(() => seen.push('each'));
      test('${name} one', () => {});
      test('${name} two', (t) => t.test('${name} part', () => { if (!/^before(,each)+$/.test(seen)) throw new Error(seen.join()); }));
    });`;
  const { status, report } = runGroup(t, {
    'slow.mjs': 'await new Promise((resolve) => setTimeout(resolve, 20));',
    'a.test.mjs': file('a'),
    'b.test.mjs': file('b'),
  });
  assert.equal(status, 0, report);
  assert.deepEqual(report.match(/^ *# Subtest: .+$/gm), [
    ...['# Subtest: a.test.mjs', '    # Subtest: a inner'],
    ...['        # Subtest: a one', '        # Subtest: a two', '            # Subtest: a part'],
    ...['# Subtest: b.test.mjs', '    # Subtest: b inner'],
    ...['        # Subtest: b one', '        # Subtest: b two', '            # Subtest: b part'],
  ]);
});

test('no promise of a running test is followed', (t) => {
  const { status, report } = runGroup(t, {
    'a.test.mjs': `
      import { executionAsyncId } from 'node:async_hooks';
      import { test } from ${REGISTRATION};
      test('waits', async () => {
        await new Promise(setImmediate);
        const ids = [];
        for (let n = 0; n < 3; n++) { await null; ids.push(executionAsyncId()); }
        // A followed promise has a number of its own.
        if (new Set(ids).size > 1) throw new Error(ids.join());
      });`,
  });
  assert.equal(status, 0, report);
});

test('a test and a hook that are registered by a running test fail it', (t) => {
  for (const call of ['test', 'after']) {
    const { status, report } = runGroup(t, {
      'a.test.mjs': `import { ${call} as late, test } from ${REGISTRATION};\ntest('registers', () => { void late(() => {}); });`,
    });
    assert.equal(status, 1, report);
    assert.match(report, new RegExp(`${call}\\(\\) of node:test was called in a running test`));
  }
});

test('a file that cannot be imported fails its suite, and the others run', (t) => {
  const { status, report } = runGroup(t, {
    'a.test.mjs': "throw new Error('not importable');",
    'b.test.mjs': `import { test } from ${REGISTRATION};\ntest('runs', () => {});`,
  });
  assert.equal(status, 1, report);
  assert.match(report, /not importable/);
  assert.deepEqual(report.match(/^(not )?ok \d+ - .+$/gm), ['not ok 1 - a.test.mjs', 'ok 2 - b.test.mjs']);
});

test('an error that nobody catches, and a rejection, fail the process and are shown', (t) => {
  for (const [text, message] of [
    [`setTimeout(() => { throw new Error('thrown late'); })`, /thrown late/],
    [`void Promise.reject(new Error('not caught'))`, /not caught/],
  ] as const) {
    const { status, report } = runGroup(t, {
      'a.test.mjs': `
        import { test } from ${REGISTRATION};
        test('passes', async () => { ${text}; await new Promise((resolve) => setTimeout(resolve, 50)); });`,
    });
    assert.equal(status, 1, report);
    assert.match(report, message);
  }
});
