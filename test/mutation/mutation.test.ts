import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import ts from 'typescript';
import { compiledName } from '../runner/compile.ts';
import type { Compiled } from '../runner/compile.ts';
import { isAccepted, staleEntries } from './accepted.ts';
import { mutantsOf, sampleOf } from './mutants.ts';
import type { Mutant } from './mutants.ts';
import { mutate } from './mutate.ts';
import type { Verdict } from './mutate.ts';
import { scoresOf } from './report.ts';
import { changedText } from '../support/syntax.ts';

/** The mutants of a text: each as the whole text that it makes. */
const mutated = (text: string): readonly string[] =>
  mutantsOf('core/a.ts', text).map((one) => changedText(text, [one]));

describe('mutants', () => {
  const CASES: readonly (readonly [what: string, text: string, ...made: readonly string[]])[] = [
    ['a comparison: its bound and its sense', 'f = a < b', 'f = a <= b', 'f = a >= b'],
    ['equality', 'f = a === b', 'f = a !== b'],
    ['arithmetic', 'f = a + b', 'f = a - b'],
    ['a product', 'f = a * b', 'f = a / b'],
    ['an addition in place', 'a += b', 'a -= b'],
    ['a sign', 'f = -a', 'f = (a)'],
    ['a negation', 'f = !a', 'f = (a)'],
    ['and, or', 'f = a && b', 'f = ((a) || (b))', 'f = (a)', 'f = (b)'],
    ['a default', 'f = a ?? b', 'f = ((a) && (b))'],
    ['the branches of a choice', 'f = a ? b : c', 'f = (b)', 'f = (c)'],
    ['a condition', 'if (a) b = c;', 'if (true) b = c;', 'if (false) b = c;'],
    ['a guard', 'for (;;) { if (a) break; }', 'for (;;) { if (true) break; }', 'for (;;) { ; }'],
    ['a loop', 'while (a) b = c;', 'while (false) b = c;'],
    ['a call', 'a(b);', ';'],
    ['an awaited call', 'await a(b);', ';'],
    ['a throw', 'throw a;', ';'],
    ['units', 'f = 1n', 'f = 2n', 'f = 0n'],
    ['a number', 'f = 0', 'f = 1', 'f = (-1)'],
    ['the end of a list', 'f = a.every(b)', 'f = a.some(b)'],
    ['the sense of a comparator', 'f = a < b ? -1 : a > b ? 1 : 0', 'f = a >= b ? -1 : a > b ? 1 : 0'],
    ['which of two is taken', 'f = a > b ? a : b', 'f = (a)', 'f = (b)', 'f = a <= b ? a : b'],
    ['a rounding', 'f = a("up")', "f = a('down')"],
    ['the larger of two', 'f = Math.max(a, b)', 'f = Math.min(a, b)'],
  ];
  for (const [what, text, ...made] of CASES)
    test(`change ${what}`, () => {
      assert.deepEqual(mutated(text), made);
      for (const each of made)
        assert.deepEqual(ts.transpileModule(each, { reportDiagnostics: true }).diagnostics ?? [], [], each);
    });

  for (const [what, text] of [
    ['what is logged', 'this.#deps.logger.warn("a", { n: 1 + 1 });'],
    ['whether it is logged', 'if (a > 1) { this.#deps.logger.info("a"); }'],
    ['what is measured', 'metrics.count("a", 1);'],
    ['texts', 'f = "a" + b'],
    ['undefined', 'f = void 0'],
    ['sizes and times of a module', 'const BATCH = 500;'],
    ['assertions without effect', 'assert(a === b, "a and b differ");'],
  ] as const)
    test(`leave ${what} as it is`, () => assert.deepEqual(mutated(text), []));

  test('are made in the condition of a guard, not in its error', () => {
    assert.deepEqual(mutated('if (a) throw new E(1 + 1);'), ['if (true) throw new E(1 + 1);', ';']);
  });

  test('are named by file, line, operator and declaration', () => {
    const text = 'export class A {\n  b() {\n    return c === d || c === e;\n  }\n}\n';
    assert.deepEqual(
      mutantsOf('core/a.ts', text).map(({ id, declaration, nth }) => [id, declaration, nth]),
      [
        ['core/a.ts:3 logic', 'A.b', 1],
        ['core/a.ts:3 left only', 'A.b', 1],
        ['core/a.ts:3 right only', 'A.b', 1],
        ['core/a.ts:3 negation', 'A.b', 1],
        ['core/a.ts:3 negation 2', 'A.b', 2],
      ],
    );
  });

  test('a sample follows from its seed, and keeps most of its mutants when others come', () => {
    const all = mutantsOf('core/a.ts', Array.from({ length: 200 }, (_, n) => `f${n} = a < b;`).join('\n'));
    const ids = (mutants: readonly Mutant[]): readonly string[] => mutants.map(({ id }) => id);
    const sample = sampleOf(all, 20, 7);
    assert.equal(sample.length, 20);
    assert.deepEqual(ids(sampleOf([...all].reverse(), 20, 7)), ids(sample));
    assert.notDeepEqual(ids(sampleOf(all, 20, 8)), ids(sample));
    const kept = new Set(ids(sampleOf([...all, ...mutantsOf('core/b.ts', 'f = 1n')], 20, 7)));
    assert.ok(ids(sample).filter((id) => kept.has(id)).length >= 18);
  });

  test('an accepted one is found by its place, and an entry without a mutant is stale', () => {
    const mutants = mutantsOf('core/a.ts', 'export function b() { return c < d; }');
    const entry = { file: 'core/a.ts', declaration: 'b', operator: 'boundary', nth: 1, reason: 'c is never d' };
    assert.deepEqual(
      mutants.map((mutant) => isAccepted(mutant, [entry])),
      [true, false],
    );
    const gone = { ...entry, nth: 2 };
    assert.deepEqual(staleEntries(mutants, [entry, gone]), [gone]);
  });
});

/** Files in a folder of their own, as if they had been compiled. */
function project(texts: Readonly<Record<string, string>>, imports: Readonly<Record<string, string>>): Compiled {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-mutated-'));
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, compiledName(path)), text);
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  mkdirSync(join(folder, 'test/mutation'), { recursive: true });
  const preload = readFileSync(new URL('attribute.ts', import.meta.url), 'utf8');
  const { outputText } = ts.transpileModule(preload, { compilerOptions: { module: ts.ModuleKind.ESNext } });
  writeFileSync(join(folder, compiledName('test/mutation/attribute.ts')), outputText);
  const of = (path: string) => {
    const target = imports[path];
    return target === undefined ? [] : [{ path: target, dynamic: false }];
  };
  return {
    folder,
    imports: new Map(Object.keys(texts).map((path) => [path, of(path)])),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

describe('a mutation run', () => {
  const SOURCE = `export const enough = (paid, due) => paid >= due;
export function first(list) {
  let at = 0;
  while (list[at] === undefined) at += 1;
  return at;
}
export const unused = (a) => -a;
export const unseen = (a, b) => a + b;
export const late = (a, b) => a - b;
`;
  const TEST = `import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { enough, first, late, unseen } from './paid.js';
test('enough', () => assert.equal(enough(1, 1), true));
test('first', () => assert.equal(first([undefined, 5]), 1));
test('runs it, looks at nothing', () => void unseen(1, 2));
let began = false;
describe('two in order', () => {
  test('one', () => void (began = true));
  test('two, which needs one', () => { late(1, 2); assert.ok(began); });
});
`;
  const RED = `import { test } from 'node:test';\nimport './paid.js';\ntest('fails', () => { throw new Error('no'); });\n`;

  test('tells killed, surviving, endless and unreached mutants apart, and leaves out a test that fails by itself', async () => {
    const texts = { 'core/paid.ts': SOURCE, 'core/paid.test.ts': TEST, 'core/red.test.ts': RED };
    const compiled = project(texts, { 'core/paid.test.ts': 'core/paid.ts', 'core/red.test.ts': 'core/paid.ts' });
    try {
      const wanted = ['enough boundary', 'first arithmetic', 'unused sign', 'unseen arithmetic', 'late arithmetic'];
      const unusable = new Set<string>();
      const verdicts = await mutate({
        compiled,
        targets: ['core/paid.ts'],
        mutants: mutantsOf('core/paid.ts', SOURCE).filter((one) =>
          wanted.includes(`${one.declaration} ${one.operator}`),
        ),
        tests: ['core/paid.test.ts', 'core/red.test.ts'],
        environment: {},
        jobs: 2,
        limits: { slower: 3, spareMs: 5_000, mutantMs: 60_000 },
        onUnusable: (path) => void unusable.add(path),
      });
      const found = ({ mutant, result, tests }: Verdict) => [`${mutant.declaration} ${mutant.operator}`, result, tests];
      const reached = ['core/paid.test.ts'];
      assert.deepEqual(
        new Set(verdicts.map(found)),
        new Set([
          ['enough boundary', 'killed', reached],
          ['first arithmetic', 'late', reached],
          ['unused sign', 'survived', []],
          ['unseen arithmetic', 'survived', reached],
          // The test that reaches it is red by itself, so all are run, and they are green.
          ['late arithmetic', 'survived', reached],
        ]),
      );
      assert.deepEqual([...unusable], ['core/red.test.ts']);
      assert.deepEqual(
        scoresOf(verdicts).map(({ folder, killed, survived, late, percent }) => [
          folder,
          killed,
          survived,
          late,
          percent,
        ]),
        [
          ['core', 1, 3, 1, 40],
          ['all', 1, 3, 1, 40],
        ],
      );
    } finally {
      compiled.remove();
    }
  });
});
