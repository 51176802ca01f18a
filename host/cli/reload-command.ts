import { TillgateError } from '../../core/index.ts';
import { askToReload } from '../boot/control-socket.ts';
import type { Reloaded } from '../boot/reloading.ts';
import { loadConfig } from '../settings/config.ts';
import type { CommandCall } from './command.ts';

/** `reload`: asks the servers of this machine that use the settings' data folder; fails when one refuses the settings. */
export async function reload({ json, terminal }: CommandCall): Promise<number> {
  const { dataDir } = await loadConfig();
  const servers = await askToReload<Reloaded>(dataDir);
  if (servers.length === 0)
    throw new TillgateError('NOT_FOUND', 'No server runs on this machine with the data folder of these settings.');
  for (const { pid, answer } of servers) {
    if (json) terminal.out(JSON.stringify({ pid, ...answer }));
    else for (const line of linesOf(pid, answer)) terminal.out(line);
  }
  return servers.every(({ answer }) => answer.outcome === 'applied') ? 0 : 1;
}

function linesOf(pid: number, answer: Reloaded): readonly string[] {
  if (answer.outcome === 'refused')
    return [
      `Server ${pid}: the settings are not usable, and nothing was changed:`,
      ...answer.problems.map(({ path, message }) => `  ${path}: ${message}`),
    ];
  const { followed, waiting } = answer;
  return [
    `Server ${pid}: ${followed.length === 0 ? 'no setting changed that it follows' : `follows ${followed.join(', ')}`}`,
    ...(waiting.length === 0 ? [] : [`  needs a restart for: ${waiting.join(', ')}`]),
  ];
}
