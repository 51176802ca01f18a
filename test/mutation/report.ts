import { dirname } from 'node:path';
import type { Verdict } from './mutate.ts';

/** How many mutants of a folder ended how. */
export interface Score {
  readonly folder: string;
  readonly killed: number;
  readonly survived: number;
  readonly late: number;
  /** What was killed, also by time, out of a hundred. */
  readonly percent: number;
}

export function scoreOf(folder: string, verdicts: readonly Verdict[]): Score {
  const count = (result: Verdict['result']): number => verdicts.filter((each) => each.result === result).length;
  const [killed, survived, late] = [count('killed'), count('survived'), count('late')];
  const all = killed + survived + late;
  return { folder, killed, survived, late, percent: all === 0 ? 100 : ((killed + late) * 100) / all };
}

/** The folders' scores in the order of their names, and that of all. */
export function scoresOf(verdicts: readonly Verdict[]): readonly Score[] {
  const folderOf = ({ mutant }: Verdict): string => dirname(mutant.file);
  const folders = [...new Set(verdicts.map(folderOf))].sort();
  const each = folders.map((folder) =>
    scoreOf(
      folder,
      verdicts.filter((one) => folderOf(one) === folder),
    ),
  );
  return [...each, scoreOf('all', verdicts)];
}

export function tableOf(scores: readonly Score[]): string {
  const rows = scores.map(({ folder, killed, survived, late, percent }) => [
    folder,
    ...[killed, survived, late].map(String),
    `${percent.toFixed(1)} %`,
  ]);
  const all = [['folder', 'killed', 'survived', 'timed out', 'score'], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  return all
    .map((row) =>
      row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  '),
    )
    .join('\n');
}

const MAX_TEXT = 100;
/** Code on one line, cut where it is long. */
const short = (text: string): string => {
  const line = text.replace(/\s+/g, ' ');
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
};

/** One verdict with its change, and the tests that reach it. */
export function lineOf({ mutant, result, tests, left }: Verdict): string {
  const { id, declaration, nth, was, text } = mutant;
  const by =
    result === 'survived'
      ? tests.length === 0
        ? 'no test reaches it'
        : `reached by ${tests.join(', ')}${left.length === 0 ? '' : `; not run: ${left.join(', ')}`}`
      : `by ${tests.at(-1) ?? ''}`;
  const change = text === ';' ? `removed ${short(was)}` : `${short(was)} -> ${short(text)}`;
  return `${result.padEnd(8)} ${id} (${declaration}, ${nth}): ${change}\n         ${by}`;
}
