import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import { endWithThisProcess, stopProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait.ts';
import { RedisCacheStore } from '../../adapters/cache/index.ts';
import { programOf } from './daemons.ts';

/** A Valkey of one test's own, which stores nothing on disk. */
export interface Valkey {
  /** With its password. */
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Starts Valkey on a free port of loopback.
 *
 * @param port - a free one unless given
 * @throws Error when the program is missing
 */
export async function startValkey(port?: number): Promise<Valkey> {
  const program = programOf('valkey-server', 'VALKEY_SERVER');
  const at = port ?? (await freePort());
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-valkey-'));
  const options = [
    '--port',
    String(at),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--requirepass',
    'canary',
    '--dir',
    folder,
  ];
  const child = spawn(program, options, { stdio: 'ignore' });
  endWithThisProcess(child);
  const url = `redis://:canary@127.0.0.1:${at}`;
  await waitFor(
    async () => {
      const store = new RedisCacheStore({ url, onError: () => undefined });
      try {
        return (await store.find(['a'])).size === 0;
      } finally {
        await store.close();
      }
    },
    { describe: 'Valkey' },
  );
  return {
    url,
    port: at,
    stop: async () => {
      await stopProcess(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
