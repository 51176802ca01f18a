/**
 * The real host with its ports observed. It kills this process at the armed point, given by `CRASH_POINT` or by a
 * message of the parent, and reports each port call that it makes for the first time.
 */
import { writeSync } from 'node:fs';
import { runCli } from '../../host/cli.ts';
import { serve } from '../../host/main.ts';
import { killAt, STDERR } from './kill-at.ts';
import { observePorts, observeStatements } from './observe-ports.ts';
import type { Observe } from './observe-ports.ts';
import { operate, OPERATE } from './operator.ts';
import { CRASH_POINTS } from './points.ts';

/** Leases of a killed process expire soon, so that the next one need not wait for them. */
const LEASE_TTL_MS = 1_500;
const made = new Set<string>();
let armed = process.env['CRASH_POINT'] ?? '';
const die = killAt(CRASH_POINTS, () => armed);

const observe: Observe = (moment, call) => {
  if (!made.has(call.path)) writeSync(STDERR, `port call ${call.path}\n`);
  made.add(call.path);
  die(moment, call);
};

async function run(args: readonly string[]): Promise<number> {
  const options = { wrap: observePorts(observe) };
  if (args[0] === OPERATE) {
    await operate(args.slice(1), options);
    return 0;
  }
  if (args[0] !== 'serve')
    return runCli(args, { out: (line) => console.log(line), err: (line) => console.error(line) });
  observeStatements(observe);
  return serve(false, (line) => console.log(line), { ...options, leaseTtlMs: LEASE_TTL_MS });
}

process.on('message', ({ arm }: { arm: string }) => {
  armed = arm;
  process.send?.({ armed });
});
process.channel?.unref();
process.exit(await run(process.argv.slice(2)));
