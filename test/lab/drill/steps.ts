import { setTimeout as pause } from 'node:timers/promises';
import { waitFor } from '../../support/wait.ts';
import { cable } from './network.ts';
import { check, settle } from './rules.ts';
import { restoredEpoch } from './new-epoch.ts';
import { AROUND_MS, AWAY_MS, promote, row, SECONDS } from './step.ts';
import type { Machines, Row } from './step.ts';

const SLOW_MS = 50;
const CLOCKS_MS = [30 * SECONDS, -30 * SECONDS] as const;

type Step = (machines: Machines) => Promise<Row>;

/** Load on all hosts while something happens, and the rules when it is over. */
function underLoad(step: string, happen: (machines: Machines) => Promise<string>): Step {
  return async (machines) => {
    const { world } = machines;
    await world.load.makeKeys(3);
    let note = '';
    const tally = await world.load.run(async () => {
      await pause(AROUND_MS);
      note = await happen(machines);
      await pause(AROUND_MS);
    });
    await settle(world);
    const { lost, doubled } = await check(world);
    for (const each of [...lost, ...doubled]) console.log(`broken: ${each}`);
    return row(step, tally, lost.length, doubled.length, lost.length + doubled.length, note);
  };
}

const calm = underLoad('calm', async () => {
  await pause(AROUND_MS);
  return 'four hosts, a synchronous standby';
});

const cut = underLoad('cut', async ({ hosts }) => {
  const [, host] = hosts;
  await cable(host!.machine, 'down');
  await pause(AWAY_MS);
  await cable(host!.machine, 'up');
  await host!.ready();
  return `${host!.machine} without network for ${AWAY_MS / SECONDS} s`;
});

const killed = underLoad('killed', async ({ hosts }) => {
  const [host] = hosts;
  await host!.kill();
  await pause(AWAY_MS);
  await host!.start();
  return `${host!.machine} killed, started ${AWAY_MS / SECONDS} s later`;
});

const slow = underLoad('slow', async ({ hosts }) => {
  const host = hosts[3]!;
  host.slow(SLOW_MS);
  await pause(AWAY_MS);
  host.slow(0);
  return `${host.machine} ${SLOW_MS} ms from the database, each way`;
});

/** Hosts with other clocks take orders by the database's time, say what is wrong, and hold no leases. */
const clocks = underLoad('clocks', async ({ hosts }) => {
  const apart = hosts.slice(1, 1 + CLOCKS_MS.length);
  for (const [at, host] of apart.entries()) {
    await host.kill();
    host.log = '';
    await host.start(CLOCKS_MS[at]);
  }
  for (const host of apart)
    await waitFor(() => /clock of this machine and the database's differ by (29|30)/.test(host.log), {
      timeoutMs: 30 * SECONDS,
      intervalMs: 200,
      describe: () => `${host.machine} to notice its clock; its log:\n${host.log.slice(-3000)}`,
    });
  await pause(AWAY_MS);
  for (const host of apart) {
    await host.kill();
    await host.start();
  }
  return `${apart.map(({ machine }) => machine).join(' and ')} 30 s ahead and behind, both said so`;
});

const failover = underLoad('failover', async (machines) => {
  const began = performance.now();
  await promote(machines);
  for (const host of machines.hosts) await host.ready();
  await pause(AWAY_MS);
  const ends = machines.hosts.flatMap(({ ends: each }) => each).length;
  return `primary cut off and killed, standby promoted; ${Math.round((performance.now() - began) / SECONDS)} s, ${ends} hosts ended by themselves`;
});

/** Each step by its name, in the order in which they are played. */
export const STEPS: Readonly<Record<string, Step>> = {
  calm,
  cut,
  killed,
  slow,
  clocks,
  failover,
  'new-epoch': restoredEpoch,
};
