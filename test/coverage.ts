/**
 * Shows what the last `npm test` covered, folder by folder, and says whether core is covered well enough.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { readSources, repository } from './support/source-tree.ts';

/** In percent. Lines stand beside branches because V8 knows no branches of a function that was never called. */
const requiredOfCore = { branches: 95, lines: 95 } as const;

type Measure = 'lines' | 'branches' | 'functions';
type Counts = Record<Measure, { total: number; covered: number }>;

const measures: readonly Measure[] = ['branches', 'lines', 'functions'];

/** Prints the table. @returns the exit code: 0 where core is covered well enough */
export function checkCoverage(): number {
  const summaryFile = join(repository, 'coverage/coverage-summary.json');
  if (!existsSync(summaryFile)) {
    console.error('no coverage yet: run npm test first');
    return 1;
  }
  const { total: _total, ...files } = JSON.parse(readFileSync(summaryFile, 'utf8')) as Record<string, Counts>;
  const byPath = new Map(
    Object.entries(files).map(([path, counts]) => [relative(repository, path).replaceAll('\\', '/'), counts]),
  );
  print(byPath);
  const failures = [...untestedFiles(new Set(byPath.keys())), ...shortfalls(byPath)];
  for (const failure of failures) console.error(`coverage: ${failure}`);
  return failures.length === 0 ? 0 : 1;
}

function print(byPath: ReadonlyMap<string, Counts>): void {
  const folders = new Map<string, Counts>();
  for (const [path, counts] of byPath) {
    const top = path.split('/', 1)[0] ?? path;
    for (const folder of new Set([top, dirname(path)])) folders.set(folder, add(folders.get(folder), counts));
  }
  const width = Math.max(...[...folders.keys()].map(({ length }) => length), 6);
  console.log(`\n${'folder'.padEnd(width)}${measures.map((each) => each.padStart(11)).join('')}`);
  for (const [folder, counts] of [...folders].sort(([a], [b]) => (a < b ? -1 : 1))) {
    console.log(
      `${folder.padEnd(width)}${measures.map((each) => `${percent(counts, each).toFixed(1)} %`.padStart(11)).join('')}`,
    );
  }
  console.log('');
}

function shortfalls(byPath: ReadonlyMap<string, Counts>): string[] {
  const core = [...byPath]
    .filter(([path]) => path.startsWith('core/'))
    .reduce<Counts | undefined>((sum, [, counts]) => add(sum, counts), undefined);
  if (!core) return ['no test ran anything of core'];
  return (['branches', 'lines'] as const)
    .filter((each) => percent(core, each) < requiredOfCore[each])
    .map(
      (each) =>
        `core has ${percent(core, each).toFixed(2)} % of its ${each} covered, ${requiredOfCore[each]} % are required`,
    );
}

/** A file that no test so much as loads is missing from the measurement; one of mere types has nothing to measure. */
function untestedFiles(loaded: ReadonlySet<string>): string[] {
  const compilerOptions = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ESNext,
    verbatimModuleSyntax: true,
    removeComments: true,
  };
  return [...readSources(['core'])]
    .filter(([path]) => !loaded.has(path))
    .filter(
      ([, text]) =>
        !/^(\s*(import|export) [^;]*?(from )?['"][^'"]*['"];|\s*export \{\};)*\s*$/.test(
          ts.transpileModule(text, { compilerOptions }).outputText,
        ),
    )
    .map(([path]) => `no test loads ${path}`);
}

function add(sum: Counts | undefined, counts: Counts): Counts {
  const plus = (each: Measure): Counts[Measure] => ({
    total: (sum?.[each].total ?? 0) + counts[each].total,
    covered: (sum?.[each].covered ?? 0) + counts[each].covered,
  });
  return { lines: plus('lines'), branches: plus('branches'), functions: plus('functions') };
}

function percent(counts: Counts, measure: Measure): number {
  const { total, covered } = counts[measure];
  return total === 0 ? 100 : (100 * covered) / total;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = checkCoverage();
