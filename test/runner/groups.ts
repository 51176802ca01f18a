import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiledName } from './compile.ts';
import type { PlannedFile } from './plan.ts';

/** So many files share a process: loading the packages costs more than most of them take. */
const FILES_PER_PROCESS = 15;

/**
 * A process for each group: first the files that need one of their own, then those with the same databases, the dear ones first.
 * Neighbours, which often take equally long, go to different groups, so that all groups take about as long.
 */
function groupsOf(files: readonly PlannedFile[]): PlannedFile[][] {
  const groups = files.filter(({ alone }) => alone).map((file) => [file]);
  const kinds = (['all', 'pg', 'memory', 'sqlite'] as const).flatMap((engines) =>
    [true, false].map((measured) => ({ engines, measured })),
  );
  for (const { engines, measured } of kinds) {
    const same = files.filter((file) => !file.alone && file.engines === engines && file.measured === measured);
    const count = Math.ceil(same.length / FILES_PER_PROCESS);
    for (let at = 0; at < count; at++) groups.push(same.filter((_, index) => index % count === at));
  }
  return groups;
}

/** Ends the counting that c8 has asked each process for. */
const NOT_MEASURED = [
  "import { stopCoverage } from 'node:v8';",
  'stopCoverage();',
  'delete process.env.NODE_V8_COVERAGE;',
];

/**
 * Writes a module for each process, which puts each of its files into a suite of the file's name: hooks at the top of a
 * file then are that file's own.
 *
 * @returns the modules' paths
 */
export function writeGroups(folder: string, files: readonly PlannedFile[]): string[] {
  return groupsOf(files).map((group, at) => {
    const suites = group.map(
      ({ path }) =>
        `describe(${JSON.stringify(path)}, async () => { await import(${JSON.stringify(`./${compiledName(path)}`)}); });`,
    );
    const module = join(folder, `group-${String(at).padStart(3, '0')}.js`);
    const [first] = group;
    const lines = [
      "import { describe } from 'node:test';",
      `process.env.TEST_ENGINES = ${JSON.stringify(first?.engines)};`,
      ...(first?.measured === true ? [] : NOT_MEASURED),
      ...suites,
    ];
    writeFileSync(module, `${lines.join('\n')}\n`);
    return module;
  });
}
