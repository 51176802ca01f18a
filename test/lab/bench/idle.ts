/**
 * The memory of a till with nothing to do, started as `npm start` starts it and without any configuration.
 *
 *     npm run bench -- idle
 */
import { setTimeout as pause } from 'node:timers/promises';
import { waitFor } from '../../support/wait.ts';
import { costOf, descendantsOf } from './support/process-cost.ts';
import { report, rounded } from './support/report.ts';
import { withFolder } from './support/temp-folder.ts';
import { startTill } from './support/till-process.ts';

const MEGABYTE = 1024 * 1024;
const AT_MOST_MB = 150;
/** Long enough for what a fresh till does first: a wallet, a demo merchant, the first addresses. */
const SETTLE_MS = 10_000;
const WINDOW_MS = 1000;
/** Less than this share of a core is idle. */
const IDLE_SHARE = 0.1;
const GIVE_UP_MS = 60_000;

async function run(): Promise<void> {
  await withFolder('idle', async (folder) => {
    const till = await startTill({ folder });
    try {
      await pause(SETTLE_MS);
      const share = await waitFor(() => idleShare(till.pid), {
        timeoutMs: GIVE_UP_MS,
        describe: 'the till to have nothing to do',
      });
      // The loader that reads TypeScript has a helper of its own, which a built till does not.
      const helpers = descendantsOf(till.pid).reduce((sum, pid) => sum + costOf(pid).rssBytes, 0) / MEGABYTE;
      const own = costOf(till.pid).rssBytes / MEGABYTE;
      report({
        bench: 'idle',
        rows: [
          { process: 'the till', 'RSS MB': rounded(own) },
          { process: "the TypeScript loader's helper", 'RSS MB': rounded(helpers) },
        ],
        checks: [{ name: 'RSS of an idle till in MB', value: own, atMost: AT_MOST_MB }],
        facts: { helperMb: rounded(helpers), cpuShare: rounded(share.used) },
      });
    } finally {
      await till.stop();
    }
  });
}

async function idleShare(pid: number): Promise<{ used: number } | null> {
  const before = costOf(pid).cpuMicros;
  await pause(WINDOW_MS);
  const used = (costOf(pid).cpuMicros - before) / (WINDOW_MS * 1000);
  return used < IDLE_SHARE ? { used } : null;
}

export default { name: 'idle', run };
