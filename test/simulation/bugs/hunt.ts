import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freshDatabase } from '../../support/postgres.ts';
import { ask, onDatabase, ready, startWorker } from '../worker-pool.ts';
import { applyEdits, readProduct } from './apply-edits.ts';
import type { Bug } from './bug.ts';

const HOOK = new URL('hook.mjs', import.meta.url).href;

/** The result of hunting a bug. */
export interface Catch {
  readonly bug: Bug;
  /** The violated rule; `null` for a bug that was not caught. */
  readonly breach: string | null;
  readonly seed: number;
  readonly step: number;
  /** The number of scenarios played until then. */
  readonly scenarios: number;
  readonly steps: number;
  readonly cpuMs: number;
}

/** Writes the edited sources of a bug into a folder; returns the module that each replaces. */
function writeEdited({ edits = [] }: Bug, folder: string): readonly { readonly url: string; readonly file: string }[] {
  if (edits.length === 0) return [];
  return applyEdits(readProduct(), edits).map(({ path, text }, at) => {
    const file = join(folder, `${at}.ts`);
    writeFileSync(file, text);
    return { url: pathToFileURL(path).href, file };
  });
}

/**
 * Plays scenarios on a till with the bug until one breaks a rule.
 *
 * @throws Error when an edit of the bug does not match exactly one place
 */
export async function hunt(
  bug: Bug,
  { from = 1, seeds, steps }: { readonly from?: number; readonly seeds: number; readonly steps: number },
): Promise<Catch> {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-bug-'));
  const worker = startWorker(['--import', HOOK], {
    TILLGATE_BUG: bug.name,
    TILLGATE_EDITED: JSON.stringify(writeEdited(bug, folder)),
  });
  const database = bug.pg === true ? await freshDatabase() : null;
  try {
    await ready(worker);
    let [played, cpuMs, scenarios] = [0, 0, 0];
    for (let seed = from; seed < from + seeds; seed++) {
      const task = onDatabase({ seed, steps }, database);
      const answer = ask(worker, task);
      worker.send(task);
      const { breach, step, played: more, cpuMs: cost } = await answer;
      played += more;
      cpuMs += cost;
      scenarios += 1;
      if (breach !== null) return { bug, breach, seed, step, scenarios, steps: played, cpuMs };
    }
    return { bug, breach: null, seed: 0, step: 0, scenarios, steps: played, cpuMs };
  } finally {
    worker.kill();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}
