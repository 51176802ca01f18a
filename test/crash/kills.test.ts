// @parts: order in out claims returns cancels keys gate
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { durableEngines } from '../support/each-storage.ts';
import { chosenParts } from '../support/parts.ts';
import type { EngineName } from '../support/storage.ts';
import { waitFor } from '../support/wait.ts';
import { CrashTill } from './crash-till.ts';
import { KNOWN_CALLS } from './points.ts';
import type { CrashPointName } from './points.ts';
import { fund, mineUntil, mineWhenRead } from './scenarios.ts';
import type { Run, Scenario } from './scenarios.ts';
import { SCENARIO_GROUPS } from './scenario-groups.ts';
import { openFixture } from './fixture.ts';

const SLOW_MS = 60_000;

/** Repeats the scenario's requests, and mines, until the till is dead; fails when it never reaches the point. */
async function dies(till: CrashTill, run: Run, point: string, still: boolean): Promise<void> {
  await waitFor(
    async () => {
      if (!till.alive) return true;
      await run.push();
      if (!still) await mineWhenRead(till);
      return !till.alive;
    },
    {
      timeoutMs: SLOW_MS,
      intervalMs: 60,
      describe: () => `the till to reach ${point}; the log:\n${till.log.slice(-4000)}`,
    },
  );
  assert.ok(
    till.log.includes(`killed at ${point}`),
    `the till died elsewhere than at ${point}:\n${till.log.slice(-3000)}`,
  );
  till.kills += 1;
}

/** The same for an act of the operator, beside a server that continues. */
async function actDies(till: CrashTill, run: Run, point: CrashPointName, still: boolean): Promise<void> {
  till.armAct(point);
  await waitFor(
    async () => {
      await run.push();
      if (!still) await mineWhenRead(till);
      return !till.isActArmed;
    },
    {
      timeoutMs: SLOW_MS,
      intervalMs: 60,
      describe: () => `an act of the operator to reach ${point}; the log:\n${till.log.slice(-4000)}`,
    },
  );
}

/**
 * Kills the operator's acts and then the till at each point of a scenario in turn; the till that is started after the
 * last kill completes it.
 */
async function play(till: CrashTill, scenario: Scenario): Promise<void> {
  const run = await scenario.begin(till);
  const { points, actPoints = [] } = scenario;
  const [first, ...rest] = points;
  assert(points.length + actPoints.length > 0, 'a scenario without points');
  if (first !== undefined) await till.arm(first);
  for (const point of actPoints) {
    await actDies(till, run, point, scenario.still === true);
    await till.checkBooks(`after an act of the operator was killed at ${point}`);
  }
  for (const [at, point] of points.entries()) {
    await dies(till, run, point, scenario.still === true);
    await till.checkBooks(`after a kill at ${point}`);
    await till.startServer(rest[at] ?? '');
  }
  await mineUntil(
    till,
    async () => {
      await run.push();
      return run.done();
    },
    `${scenario.name} to be completed`,
  );
  await run.verify();
  await till.checkBooks(`after ${scenario.name}`);
}

/** The number of times that each scenario is played; `npm run test:crash` plays it more often. */
const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? '1');

/** Scenarios on one database, one after the other and each several times. */
function killEverywhere(engine: EngineName, scenarios: readonly Scenario[]): void {
  describe(`kill -9 at every named point, on ${engine}`, { concurrency: 1 }, () => {
    let till: CrashTill;
    let stop: () => Promise<void>;

    before(async () => {
      const fixture = await openFixture(`${engine}-${process.pid}`);
      till = await CrashTill.start(engine, fixture);
      stop = async () => {
        await till.close();
        await fixture.close();
      };
      await fund(till);
    });
    after(() => stop());

    for (const scenario of scenarios) {
      test(`${scenario.name}: nothing is lost, nothing happens twice (faults 35, 40, 57, 75)`, async () => {
        try {
          for (let round = 0; round < ROUNDS; round++) await play(till, scenario);
        } catch (error) {
          // The next scenario needs a running till with nothing armed.
          await till.kill();
          await till.startServer();
          throw error;
        }
      });
    }

    test('every port call that the scenarios made is killed at, or the list of exceptions has its reason', () => {
      assert.deepEqual([...till.portCalls].filter((call) => !KNOWN_CALLS.has(call)).sort(), []);
    });

    test('at the end the command finds the books in order and the chain in agreement with them', () =>
      till.checkByCommand());
  });
}

for (const part of chosenParts(SCENARIO_GROUPS))
  for (const engine of durableEngines()) killEverywhere(engine, SCENARIO_GROUPS[part]);
