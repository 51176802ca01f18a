import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { randomInt } from 'node:crypto';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/** Below the ports that Linux, macOS and Windows use for outgoing connections and for servers that ask for any port. */
const PORTS = { min: 10_000, max: 32_000 };
/** A reserved port must be used within this time; afterwards it may be reserved again if nothing listens on it. */
const KEPT_MS = 10 * 60_000;

/**
 * Reserves a loopback port that nothing listens on: for a program that cannot choose one itself, and for an address
 * that must refuse connections.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.min, PORTS.max);
    if (claim(port) && (await isFree(port))) return port;
  }
}

/** One file for each port, which only one process can create. */
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
