import { isatty } from 'node:tty';
import type { Logger } from '../../core/index.ts';
import { ControlSocket } from './control-socket.ts';

/** The file descriptor of standard input. */
const STDIN = 0;

/**
 * Reads the settings again on SIGHUP, and when `tillgate reload` asks. A server in a terminal keeps the usual meaning of
 * SIGHUP: the terminal was closed.
 *
 * @returns a function that ends it
 */
export async function acceptReloads(
  dataDir: string,
  reload: () => Promise<unknown>,
  logger: Logger,
): Promise<() => void> {
  if (!isatty(STDIN)) process.on('SIGHUP', () => void reload());
  const socket = await ControlSocket.open(dataDir, reload, logger);
  return () => socket?.close();
}
