import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiledName } from './compile.ts';
import type { PlannedFile } from './plan.ts';

/** So many files share a process: loading the packages costs more than most of them take. */
const FILES_PER_PROCESS = 10;

/** Files with the same databases, neighbours in the order of their names, one process for each group. */
function groupsOf(files: readonly PlannedFile[]): PlannedFile[][] {
  const groups: PlannedFile[][] = files.filter(({ alone }) => alone).map((file) => [file]);
  const shared = files.filter(({ alone }) => !alone);
  for (const engines of new Set(shared.map((file) => file.engines))) {
    const same = shared.filter((file) => file.engines === engines);
    for (let at = 0; at < same.length; at += FILES_PER_PROCESS) groups.push(same.slice(at, at + FILES_PER_PROCESS));
  }
  return groups;
}

/**
 * Writes a module for each process, which puts each of its files into a suite of the file's name: hooks at the top of a
 * file then are that file's own.
 *
 * @returns the modules' paths
 */
export function writeGroups(folder: string, files: readonly PlannedFile[]): string[] {
  return groupsOf(files).map((group, at) => {
    const suites = group.map(({ path }) => `describe(${JSON.stringify(path)}, async () => { await import(${JSON.stringify(`./${compiledName(path)}`)}); });`);
    const module = join(folder, `group-${at}.js`);
    const environment = `process.env.TEST_ENGINES = ${JSON.stringify(group[0]?.engines)};`;
    writeFileSync(module, ["import { describe } from 'node:test';", environment, ...suites, ''].join('\n'));
    return module;
  });
}
