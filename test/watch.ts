/**
 * Runs the files of `npm test` that a change affects, each time a source is saved; on SQLite alone.
 *
 *     npm run test:watch                  whatever imports what was saved
 *     npm run test:watch -- unit/orders   of these, only files whose path contains one of the words
 */
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { compileSources, FOLDERS, reached, repository } from './runner/compile.ts';
import { planOf } from './runner/plan.ts';

/** Editors write a file in several steps. */
const SETTLE_MS = 150;

const words = process.argv.slice(2);
const changed = new Set<string>();
let timer: NodeJS.Timeout | undefined;
let running = false;

/** The test files that load one of the sources. */
async function affected(sources: ReadonlySet<string>): Promise<string[]> {
  const compiled = await compileSources(`watch-${process.pid}`);
  compiled.remove();
  const planned = planOf(
    { apart: null, rest: false, coverage: true, engines: 'sqlite', turn: null, words: [] },
    compiled,
  );
  return [...new Set(planned.map(({ path }) => path))]
    .filter((path) => words.length === 0 || words.some((word) => path.includes(word)))
    .filter((path) => [...reached(compiled, path, false)].some((each) => sources.has(each)));
}

async function runAffected(): Promise<void> {
  if (running) return;
  running = true;
  while (changed.size > 0) {
    const sources = new Set(changed);
    changed.clear();
    console.log(`\nchanged: ${[...sources].join(', ')}`);
    try {
      await runFiles(await affected(sources));
    } catch (error) {
      // The compiler has shown where: the next save is another try.
      console.error((error as Error).message);
    }
  }
  running = false;
}

async function runFiles(files: readonly string[]): Promise<void> {
  if (files.length === 0) {
    console.log('No test file imports it.');
    return;
  }
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/run.ts', '--engines=sqlite', ...files], {
    cwd: repository,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  await new Promise((resolve) => child.once('exit', resolve));
}

for (const folder of FOLDERS) {
  watch(join(repository, folder), { recursive: true }, (_event, name) => {
    if (name === null || !/\.tsx?$/.test(name)) return;
    changed.add(`${folder}/${name.replaceAll('\\', '/')}`);
    clearTimeout(timer);
    timer = setTimeout(() => void runAffected(), SETTLE_MS);
  });
}
console.log('Waiting for a source to be saved; Ctrl-C ends it.');
