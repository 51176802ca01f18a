import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildTill } from '../support/till-program.ts';
import { CRASH_POINTS } from './points.ts';
import type { CrashPoint } from './points.ts';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

/** Leases of a dead instance lapse soon in the debug build, so that what is started next need not wait for them. */
const SHORTER_LEASES = [
  { file: 'host/runtime.ts', text: 'SHARED_TTL_MS = 15_000;', instead: 'SHARED_TTL_MS = 1_500;' },
  { file: 'core/gateway/feed-follower.ts', text: 'DEFAULT_FEED_LEASE_MS = 5_000;', instead: 'DEFAULT_FEED_LEASE_MS = 1_500;' },
] as const;

/**
 * Runs before everything else. A point that is armed, by the environment or by a message of the parent, says its name
 * and kills the process; the loop is there for the instant until the signal arrives.
 */
const PRELUDE = `
import { writeSync as __say } from 'node:fs';
globalThis.__crash ??= (() => {
  let armed = process.env.CRASH_POINT ?? '';
  if (process.channel) {
    process.on('message', ({ arm }) => { armed = arm; process.send({ armed }); });
    process.channel.unref();
  }
  return (name) => {
    if (name !== armed) return;
    __say(2, 'killed at ' + name + '\\n');
    process.kill(process.pid, 'SIGKILL');
    for (;;);
  };
})();
`;

/**
 * Builds the host with every crash point in it, as one program.
 *
 * @returns the program, in a folder of its own
 * @throws Error when the text of a point is not in its file exactly once
 */
export async function debugBuild(name: string): Promise<string> {
  const files = new Set([...CRASH_POINTS, ...SHORTER_LEASES].map(({ file }) => file));
  const instead = new Map([...files].map((file) => [join(REPOSITORY, file), withPoints(file)]));
  return buildTill(`tillgate-crash-${name}`, { instead, prelude: PRELUDE });
}

/** The file's source with its points in it. */
export function withPoints(file: string): string {
  let source = readFileSync(join(REPOSITORY, file), 'utf8');
  for (const lease of SHORTER_LEASES) if (lease.file === file) source = replaced(source, file, lease.text, lease.instead);
  // Looked for before any is put in, so that two points may share a text.
  const spots = CRASH_POINTS.filter((point) => point.file === file).map((point) => ({ point, offset: offsetOf(source, point) }));
  for (const { point, offset } of spots.sort((a, b) => b.offset - a.offset)) {
    source = `${source.slice(0, offset)}\n__crash(${JSON.stringify(point.name)});\n${source.slice(offset)}`;
  }
  return source;
}

function offsetOf(source: string, { name, file, at, text }: CrashPoint): number {
  const first = source.indexOf(text);
  if (first < 0 || source.includes(text, first + 1)) throw new Error(`the crash point ${name} has no single place in ${file}: ${text}`);
  return at === 'before' ? first : first + text.length;
}

function replaced(source: string, file: string, text: string, instead: string): string {
  if (source.split(text).length !== 2) throw new Error(`${file} does not hold once: ${text}`);
  return source.replace(text, instead);
}
