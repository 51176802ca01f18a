/**
 * The memory of a till with nothing to do and without any configuration: as the packages install it, started by hand and
 * as `tillgate.service` starts it, and from the sources.
 *
 *     npm run bench -- idle
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { MALLOC_ENVIRONMENT } from '../../../host/boot/memory.ts';
import { PACKAGES } from '../../../.ci/packages.mjs';
import { waitFor } from '../../support/wait.ts';
import { emptyProject, tarballs } from '../../package/project.ts';
import { costOf, descendantsOf } from './support/process-cost.ts';
import { report, rounded } from './support/report.ts';
import { withFolder } from './support/temp-folder.ts';
import { startTill } from './support/till-process.ts';
import type { TillOptions } from './support/till-process.ts';

const MEGABYTE = 1024 * 1024;
const SERVICE_AT_MOST_MB = 120;
const SOURCES_AT_MOST_MB = 150;
/** Long enough for what a fresh till does first: a wallet, a demo merchant, the first addresses. */
const SETTLE_MS = 10_000;
const WINDOW_MS = 1000;
/** Less than this share of a core is idle. */
const IDLE_SHARE = 0.1;
const GIVE_UP_MS = 120_000;

async function run(): Promise<void> {
  const packed = await tarballs();
  const project = await emptyProject({
    tillgate: packed.tillgate,
    '@tillgate/client': packed['@tillgate/client'],
    '@tillgate/server': packed['@tillgate/server'],
  });
  try {
    const server = PACKAGES.find(({ name }) => name === '@tillgate/server');
    project.add((server?.dependencies ?? []).filter((name) => !/^(?:@tillgate\/|tillgate$)/.test(name)));
    const program = join(project.path, 'node_modules/@tillgate/server/dist/bin.js');
    const service = await idleMegabytes({ program, environment: MALLOC_ENVIRONMENT });
    const hand = await idleMegabytes({ program });
    const sources = await idleMegabytes({});
    report({
      bench: 'idle',
      rows: [
        { till: 'installed, as the service starts it', 'RSS MB': rounded(service.own) },
        { till: 'installed, started by hand', 'RSS MB': rounded(hand.own) },
        { till: 'from the sources', 'RSS MB': rounded(sources.own) },
        { till: "the helper of the sources' loader", 'RSS MB': rounded(sources.helpers) },
      ],
      checks: [
        { name: 'RSS in MB, as the service starts it', value: service.own, atMost: SERVICE_AT_MOST_MB },
        { name: 'RSS in MB, from the sources', value: sources.own, atMost: SOURCES_AT_MOST_MB },
      ],
      facts: { byHandMb: rounded(hand.own), helperMb: rounded(sources.helpers) },
    });
  } finally {
    project.remove();
  }
}

async function idleMegabytes(options: Omit<TillOptions, 'folder'>): Promise<{ own: number; helpers: number }> {
  return withFolder('idle', async (folder) => {
    const till = await startTill({ folder, ...options });
    try {
      await pause(SETTLE_MS);
      await waitFor(() => isIdle(till.pid), { timeoutMs: GIVE_UP_MS, describe: 'the till to have nothing to do' });
      const megabytes = (pid: number): number => costOf(pid).rssBytes / MEGABYTE;
      // Only the loader that reads TypeScript has a process of its own.
      const helpers = descendantsOf(till.pid).reduce((sum, pid) => sum + megabytes(pid), 0);
      return { own: megabytes(till.pid), helpers };
    } finally {
      await till.stop();
    }
  });
}

async function isIdle(pid: number): Promise<boolean> {
  const before = costOf(pid).cpuMicros;
  await pause(WINDOW_MS);
  return (costOf(pid).cpuMicros - before) / (WINDOW_MS * 1000) < IDLE_SHARE;
}

export default { name: 'idle', run };
