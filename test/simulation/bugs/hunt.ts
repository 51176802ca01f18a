import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { freshDatabase } from '../../support/postgres.ts';
import { ask, onDatabase, ready, startWorker } from '../crew.ts';
import type { Bug } from './bugs.ts';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
const HOOK = new URL('hook.mjs', import.meta.url).href;

/** How a bug was caught. */
export interface Catch {
  readonly bug: Bug;
  /** The rule that it broke; `null` for one that was not caught. */
  readonly breach: string | null;
  readonly seed: number;
  readonly step: number;
  /** Stories that were played until then. */
  readonly stories: number;
  readonly steps: number;
  readonly cpuMs: number;
}

/** Why a bug's patches do not fit the code; empty when each matches exactly once. */
export function misfits({ name, patches }: Bug): readonly string[] {
  return patches.flatMap(({ file, find }) => {
    const matches = readFileSync(REPOSITORY + file, 'utf8').split(find).length - 1;
    return matches === 1 ? [] : [`"${name}": what it changes is ${matches} times in ${file}`];
  });
}

/** Plays stories on a till with the bug until one breaks a rule. */
export async function hunt(bug: Bug, { seeds, steps }: { readonly seeds: number; readonly steps: number }): Promise<Catch> {
  const patches = bug.patches.map(({ file, find, replace }) => ({ url: pathToFileURL(REPOSITORY + file).href, find, replace }));
  const worker = startWorker(['--import', HOOK], { TILLGATE_BUG: JSON.stringify(patches) });
  const database = bug.pg === true ? await freshDatabase() : null;
  await ready(worker);
  let [played, cpuMs, stories] = [0, 0, 0];
  let caught: { breach: string; seed: number; step: number } | null = null;
  for (let seed = 1; seed <= seeds && caught === null; seed++) {
    const task = onDatabase({ seed, steps }, database);
    const answer = ask(worker, task);
    worker.send(task);
    const { breach, step, played: more, cpuMs: cost } = await answer;
    played += more;
    cpuMs += cost;
    stories += 1;
    if (breach !== null) caught = { breach, seed, step };
  }
  worker.kill();
  await database?.drop();
  return { bug, breach: caught?.breach ?? null, seed: caught?.seed ?? 0, step: caught?.step ?? 0, stories, steps: played, cpuMs };
}
