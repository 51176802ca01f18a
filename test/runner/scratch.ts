import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** Less is not enough for the databases, data folders and packages of a run. */
const ENOUGH_BYTES = 4 * 2 ** 30;

/**
 * Makes a folder in memory the one for temporary files, where there is room for it: databases of tests then wait for no disk.
 * A folder that the environment names stays. @returns removes it again
 */
export function useScratchFolder(environment: NodeJS.ProcessEnv): () => void {
  if (environment['TMPDIR'] !== undefined || room() < ENOUGH_BYTES) return () => undefined;
  const folder = mkdtempSync(join(MEMORY, 'tillgate-tests-'));
  // As the system's own: the database server runs as another user.
  chmodSync(folder, 0o1777);
  environment['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

function room(): number {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize;
  } catch {
    // There is no such folder on other systems.
    return 0;
  }
}
