import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Of the machine in the middle: the chain's node, the merchants and the payers. */
export const MIDDLE = '10.77.0.1';
/** Of whichever database is the primary. */
export const DATABASE = '10.77.0.20';
/** Each machine of the drill and its address. */
export const MACHINES = {
  till1: '10.77.0.11',
  till2: '10.77.0.12',
  till3: '10.77.0.13',
  till4: '10.77.0.14',
  db1: '10.77.0.21',
  db2: '10.77.0.22',
} as const;
export type Machine = keyof typeof MACHINES;

const ALL = Object.keys(MACHINES) as Machine[];
/** Where `ip netns` keeps its names. */
const NAMES = '/run/netns';
const portOf = (machine: Machine): string => `p-${machine}`;

async function ip(...words: readonly string[]): Promise<void> {
  await execute('ip', words);
}

/** How a program is started on a machine. */
export const on = (machine: Machine): readonly string[] => ['ip', 'netns', 'exec', machine];

/** Makes the machines and the bridge between them. The process must be in namespaces of its own, which end with it. */
export async function makeNetwork(): Promise<void> {
  // Made by the first `ip netns add` of a machine, and needed before it.
  mkdirSync(NAMES, { recursive: true });
  await execute('mount', ['-t', 'tmpfs', 'tmpfs', NAMES]);
  await ip('link', 'set', 'lo', 'up');
  await ip('link', 'add', 'lan', 'type', 'bridge');
  await ip('addr', 'add', `${MIDDLE}/24`, 'dev', 'lan');
  await ip('link', 'set', 'lan', 'up');
  for (const [machine, address] of Object.entries(MACHINES) as [Machine, string][]) {
    await ip('netns', 'add', machine);
    await ip('link', 'add', portOf(machine), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', machine);
    await ip('link', 'set', portOf(machine), 'master', 'lan', 'up');
    await ip('-n', machine, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
    for (const device of ['lo', 'eth0']) await ip('-n', machine, 'link', 'set', device, 'up');
  }
}

/** Pulls a machine's cable, or puts it back. */
export async function cable(machine: Machine, state: 'up' | 'down'): Promise<void> {
  await ip('link', 'set', portOf(machine), state);
}

/** Moves the database's address, as keepalived or a cloud's floating address does; nobody keeps the former owner in mind. */
export async function moveDatabase(from: Machine | null, to: Machine): Promise<void> {
  if (from !== null) await ip('-n', from, 'addr', 'del', `${DATABASE}/24`, 'dev', 'eth0');
  await ip('-n', to, 'addr', 'add', `${DATABASE}/24`, 'dev', 'eth0');
  await ip('neigh', 'flush', 'dev', 'lan');
  for (const machine of ALL) await ip('-n', machine, 'neigh', 'flush', 'dev', 'eth0');
}
