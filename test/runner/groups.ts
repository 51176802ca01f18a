import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiledName, REGISTRATION_SOURCE } from './compile.ts';
import { nameOf } from './plan.ts';
import type { PlannedFile } from './plan.ts';

/** So many files share a process: loading the packages costs more than most of them take. */
const FILES_PER_PROCESS = 15;

/**
 * A process for each group: first the files that need one of their own, then those with the same databases, the dear ones first.
 * Neighbours, which often take equally long, go to different groups, so that all groups take about as long.
 */
function groupsOf(files: readonly PlannedFile[]): PlannedFile[][] {
  const groups = files.filter(({ alone }) => alone).map((file) => [file]);
  for (const engines of ['all', 'pg', 'memory', 'sqlite'] as const) {
    const same = files.filter((file) => !file.alone && file.engines === engines);
    const count = Math.ceil(same.length / FILES_PER_PROCESS);
    for (let at = 0; at < count; at++) groups.push(same.filter((_, index) => index % count === at));
  }
  return groups;
}

/** Sets what the suites of a group read before they are imported. */
function environmentOf([file]: readonly PlannedFile[]): string {
  const variables = {
    TEST_ENGINES: file?.engines,
    ...(file?.part && { TEST_PART: file.part, TEST_PARTS: file.parts.join(' ') }),
  };
  return `Object.assign(process.env, ${JSON.stringify(variables)});`;
}

const REGISTRATION = `import { register } from './${compiledName(REGISTRATION_SOURCE)}';`;

/**
 * Writes a module for each process, which puts each of its files into a suite of the file's name: hooks at the top of a
 * file then are that file's own.
 *
 * @returns the modules' paths
 */
export function writeGroups(folder: string, files: readonly PlannedFile[]): string[] {
  return groupsOf(files).map((group, at) => {
    const suites = group.map(
      (file) => `  [${JSON.stringify(nameOf(file))}, () => import(${JSON.stringify(`./${compiledName(file.path)}`)})],`,
    );
    const module = join(folder, `group-${String(at).padStart(3, '0')}.js`);
    const lines = [REGISTRATION, environmentOf(group), 'await register([', ...suites, ']);', ''];
    writeFileSync(module, lines.join('\n'));
    return module;
  });
}
