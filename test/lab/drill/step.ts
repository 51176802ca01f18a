import type { DatabaseServer } from './database.ts';
import type { Tally } from './load.ts';
import { cable, moveDatabase } from './network.ts';
import type { World } from './rules.ts';
import type { TillHost } from './till-host.ts';

/** What a step works on. */
export interface Machines {
  readonly hosts: readonly TillHost[];
  readonly world: World;
  primary: DatabaseServer;
  standby: DatabaseServer;
}

/** A line of the table. */
export interface Row {
  readonly step: string;
  readonly asked: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly doubled: number;
  readonly longestSeconds: number;
  /** Rules that did not hold. */
  readonly broken: number;
  readonly note: string;
}

export const SECONDS = 1_000;
/** For how long there is load before and after something happens. */
export const AROUND_MS = 4 * SECONDS;
export const AWAY_MS = 8 * SECONDS;

/** A line of the table; a step in which nothing was acknowledged has shown nothing. */
export function row(step: string, tally: Tally, lost: number, doubled: number, broken: number, note: string): Row {
  const { asked, acknowledged, longestMs } = tally;
  const longestSeconds = Math.round(longestMs / 100) / 10;
  return {
    step,
    asked,
    acknowledged,
    lost,
    doubled,
    longestSeconds,
    broken: broken + Number(acknowledged === 0),
    note,
  };
}

/** The cable goes first: nobody is told that the machine is gone. */
export async function promote(machines: Machines): Promise<void> {
  const { primary, standby } = machines;
  await cable(primary.machine, 'down');
  primary.kill();
  await standby.promote();
  await moveDatabase(primary.machine, standby.machine);
  await cable(primary.machine, 'up');
  [machines.primary, machines.standby] = [standby, primary];
}
