/**
 * Plants each bug in turn and tells how long the simulator takes to catch it.
 *
 *     npm run simulate:bugs                   all of them
 *     npm run simulate:bugs -- nonce fence    those whose name has one of the words
 */
import { availableParallelism } from 'node:os';
import { BUGS } from './bugs.ts';
import { hunt, misfits } from './hunt.ts';
import { PG_BUGS } from './pg-bugs.ts';
import type { Catch } from './hunt.ts';

const words = process.argv.slice(2);
const wanted = [...BUGS, ...PG_BUGS].filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
const wrong = wanted.flatMap(misfits);
const queue = wanted.filter((bug) => misfits(bug).length === 0);
const caught: Catch[] = [];

const serve = async (): Promise<void> => {
  for (let bug = queue.shift(); bug !== undefined; bug = queue.shift()) {
    const result = await hunt(bug, { seeds: 400, steps: 300 });
    caught.push(result);
    const { breach, seed, step, stories, steps, cpuMs } = result;
    const time = `${(cpuMs / 1_000).toFixed(1).padStart(6)} s ${String(stories).padStart(4)} stories ${String(steps).padStart(6)} steps`;
    console.log(`${time}  ${bug.name.padEnd(52)} ${breach === null ? 'NOT CAUGHT' : `seed ${seed}, step ${step}: ${breach.slice(0, 110)}`}`);
  }
};

await Promise.all(Array.from({ length: availableParallelism() }, serve));
for (const line of wrong) console.log(line);
const missed = caught.filter(({ breach }) => breach === null).length;
console.log(`${caught.length - missed} of ${wanted.length} bugs caught.`);
process.exitCode = missed === 0 && wrong.length === 0 ? 0 : 1;
