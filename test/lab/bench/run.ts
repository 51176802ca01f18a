/**
 * Runs benches.
 *
 *     npm run bench                     every bench of this folder, one after another
 *     npm run bench -- orders           one
 *     npm run bench -- orders sqlite    one, with words of its own; see its head
 *     npm run bench -- compare          the newest run of each beside those before it, on this machine
 *
 * Each prints a table, one line of JSON and PASS or FAIL against its target; any FAIL makes the exit code 1. It waits two minutes for a
 * machine that is busy; where that does not help, nothing is judged. Each judged run leaves its line in `temp/bench/runs.jsonl`.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { installBenchPackage } from '../../support/bench-package.ts';
import { waitForQuiet } from './support/other-work.ts';

/** What each file of this folder exports by default. */
interface Bench {
  readonly name: string;
  /** @param words - what stood behind the bench's name on the command line */
  run(words: readonly string[]): Promise<void>;
}

const folder = fileURLToPath(new URL('.', import.meta.url));

/** A bench has the name of its file. Only what is run is loaded: a heavy import of one would be measured by another. */
async function load(name: string): Promise<Bench> {
  const module = (await import(pathToFileURL(join(folder, `${name}.ts`)).href)) as { default: Bench };
  return module.default;
}

async function main([wanted, ...words]: readonly string[]): Promise<number> {
  if (wanted === 'compare') {
    const [{ tellComparison }, { keptRuns }] = await Promise.all([
      import('./support/compare.ts'),
      import('./support/kept-runs.ts'),
    ]);
    return tellComparison(keptRuns());
  }
  const names = readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
    .map((file) => file.slice(0, -'.ts'.length))
    .sort();
  const chosen = wanted === undefined ? names : names.filter((name) => name === wanted);
  if (chosen.length === 0) {
    console.error(`There is no bench "${wanted ?? ''}"; there are: ${names.join(', ')}`);
    return 2;
  }
  installBenchPackage();
  for (const name of chosen) {
    console.log(`\n== ${name}`);
    const bench = await load(name);
    await waitForQuiet();
    await bench.run(words);
  }
  // A bench that missed its target has set it.
  return Number(process.exitCode ?? 0);
}

// What a bench left open must not keep the command waiting; what it started ends with this process.
process.exit(await main(process.argv.slice(2)));
