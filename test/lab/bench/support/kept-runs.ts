import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where each run leaves its line; of this machine alone, so it is not kept in the repository. */
const RUNS_FILE = fileURLToPath(new URL('../../../../temp/bench/runs.jsonl', import.meta.url));

/** One figure that a bench holds against its target. */
export interface Check {
  readonly name: string;
  readonly value: number;
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** What a run of a bench leaves. */
export interface KeptRun {
  readonly bench: string;
  readonly checks: readonly Check[];
  /** Cores, processor and Node: runs of other machines are not compared. */
  readonly machine: Readonly<Record<string, unknown>>;
}

export function keepRun(run: KeptRun, file = RUNS_FILE): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify(run)}\n`);
}

export function keptRuns(file = RUNS_FILE): KeptRun[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as KeptRun);
}
