/**
 * Plants each bug in turn and prints how long the simulator takes to catch it.
 *
 *     npm run simulate:bugs                   all of them
 *     npm run simulate:bugs -- nonce fence    those whose name has one of the words
 */
import { availableParallelism } from 'node:os';
import { BUGS } from './bugs.ts';
import { hunt } from './hunt.ts';
import type { Catch } from './hunt.ts';

const words = process.argv.slice(2);
const wanted = BUGS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
const queue = [...wanted];
const caught: Catch[] = [];

const serve = async (): Promise<void> => {
  for (let bug = queue.shift(); bug !== undefined; bug = queue.shift()) {
    const result = await hunt(bug, { seeds: 400, steps: 300 });
    caught.push(result);
    const { breach, seed, step, scenarios, steps, cpuMs } = result;
    const time = `${(cpuMs / 1_000).toFixed(1).padStart(6)} s ${String(scenarios).padStart(4)} scenarios ${String(steps).padStart(6)} steps`;
    console.log(
      `${time}  ${bug.name.padEnd(52)} ${breach === null ? 'NOT CAUGHT' : `seed ${seed}, step ${step}: ${breach.slice(0, 110)}`}`,
    );
  }
};

await Promise.all(Array.from({ length: availableParallelism() }, serve));
const missed = caught.filter(({ breach }) => breach === null).length;
console.log(`${caught.length - missed} of ${wanted.length} bugs caught.`);
process.exitCode = missed === 0 ? 0 : 1;
