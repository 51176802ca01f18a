import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { randomInt } from 'node:crypto';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/** Below what Linux, macOS and Windows give to outgoing connections and to servers that ask for any port. */
const PORTS = { min: 10_000, max: 32_000 };
/** What was given must be listened on within this time; afterwards it may be given again, if nothing listens. */
const KEPT_MS = 10 * 60_000;

/**
 * A port of loopback that nothing listens on, and that no other test is given meanwhile: for a program that cannot choose one for itself, and
 * for an address that must refuse connections.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.min, PORTS.max);
    if (claim(port) && (await isFree(port))) return port;
  }
}

/** A file each, made by only one process. */
function claim(port: number): boolean {
  const folder = join(tmpdir(), `tillgate-test-ports-${userInfo().username}`);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, String(port));
  try {
    writeFileSync(file, '', { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > KEPT_MS) rmSync(file, { force: true });
    return false;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
