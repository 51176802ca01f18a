import type { ChildProcess } from 'node:child_process';

const endings = new Map<ChildProcess, () => void>();
let watching = false;

/**
 * Ends the child when this process ends without having stopped it, even by a signal: a failed or overdue test must
 * leave no daemon behind. (A SIGKILL of this process cannot be handled.)
 *
 * @param end - runs while the process exits, so it must be synchronous; by default it kills the child
 */
export function endWithThisProcess(child: ChildProcess, end: () => void = () => void child.kill('SIGKILL')): void {
  watchThisProcess();
  endings.set(child, end);
  child.once('exit', () => endings.delete(child));
}

function watchThisProcess(): void {
  if (watching) return;
  watching = true;
  const endAll = (): void => {
    for (const end of endings.values()) end();
    endings.clear();
  };
  process.once('exit', endAll);
  // The test runner ends an overdue file with SIGTERM. Raising the signal again has its default effect.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      endAll();
      process.kill(process.pid, signal);
    });
  }
}

/** Sends the signal and waits until the process has ended; it may have ended already. */
export async function stopProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill(signal);
  await gone;
}
