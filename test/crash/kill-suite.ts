import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { EngineName } from '../support/storage.ts';
import { waitFor } from '../support/wait.ts';
import { CrashTill } from './crash-till.ts';
import { fund, mineUntil, mineWhenRead } from './stories.ts';
import type { Run, Story } from './stories.ts';
import { openYard } from './yard.ts';

const SLOW_MS = 60_000;

/** Pushes, and mines, until the till is dead; fails when it never comes to the point. */
async function dies(till: CrashTill, run: Run, point: string, still: boolean): Promise<void> {
  await waitFor(
    async () => {
      if (!till.alive) return true;
      await run.push();
      if (!still) await mineWhenRead(till);
      return !till.alive;
    },
    { timeoutMs: SLOW_MS, intervalMs: 60, describe: () => `the till to come to ${point}; the log:\n${till.log.slice(-4000)}` },
  );
  assert.ok(till.log.includes(`killed at ${point}`), `the till died elsewhere than at ${point}:\n${till.log.slice(-3000)}`);
  till.kills += 1;
}

/** Kills the till at each point of a story in turn; the one that is started after the last one brings it to its end. */
async function live(till: CrashTill, story: Story): Promise<void> {
  const run = await story.begin(till);
  const [first = '', ...rest] = story.points;
  await till.arm(first);
  for (const [at, point] of story.points.entries()) {
    await dies(till, run, point, story.still === true);
    await till.checkBooks(`after a kill at ${point}`);
    await till.startServer(rest[at] ?? '');
  }
  await mineUntil(
    till,
    async () => {
      await run.push();
      return run.done();
    },
    `${story.name} to come to its end`,
  );
  await run.verify();
  await till.checkBooks(`after ${story.name}`);
}

/** How often each story is lived in the tests of a day: together every point is killed at five times at least. */
const DAILY = { sqlite: 3, pg: 2 } as const;
/** `npm run crash -- --rounds 5` says it for both databases. */
const ROUNDS = process.env['CRASH_ROUNDS'];

/** Stories on one database, one after the other and each several times. */
export function killEverywhere(engine: EngineName, stories: readonly Story[]): void {
  const rounds = ROUNDS === undefined ? DAILY[engine] : Number(ROUNDS);
  describe(`kill -9 at every named point, on ${engine}`, { concurrency: 1 }, () => {
    let till: CrashTill;
    let stop: () => Promise<void>;

    before(async () => {
      const yard = await openYard(`${engine}-${process.pid}`);
      till = await CrashTill.start(engine, yard);
      stop = async () => {
        await till.close();
        await yard.close();
      };
      await fund(till);
    });
    after(() => stop());

    for (const story of stories) {
      test(`${story.name}: nothing is lost, nothing happens twice (faults 35, 40, 57, 75)`, async () => {
        try {
          for (let round = 0; round < rounds; round++) await live(till, story);
        } catch (error) {
          // One story's failure is its own: the next one begins with a till that is alive and has nothing armed.
          await till.kill();
          await till.startServer();
          throw error;
        }
      });
    }

    test('at the end the command finds the books in order and the chain in agreement with them', () => till.checkByCommand());
  });
}
