/**
 * The memory of a built till that starts with a million open addresses on PostgreSQL, against one that starts with none.
 *
 *     npm run bench -- open-addresses [ADDRESSES]     1,000,000
 */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { buildTill } from '../../support/till-program.ts';
import { waitFor } from '../../support/wait.ts';
import { startDurablePostgres } from './support/durable-postgres.ts';
import { costOf } from './support/process-cost.ts';
import { report, rounded } from './support/report.ts';
import { withFolder } from './support/temp-folder.ts';
import { startTill } from './support/till-process.ts';

const ADDRESSES = 1_000_000;
const MEGABYTE = 1024 * 1024;
const AT_MOST = 2;
const WINDOW_MS = 2_000;
/** Less than this share of a core is idle. */
const IDLE_SHARE = 0.15;
const GIVE_UP_MS = 120_000;

interface Memory {
  readonly most: number;
  readonly resting: number;
  readonly startMs: number;
}

async function run([words = String(ADDRESSES)]: readonly string[]): Promise<void> {
  const count = Number(words);
  const program = await buildTill('tillgate-bench-open-addresses');
  const cluster = await startDurablePostgres({ shared_buffers: '512MB' });
  try {
    await withFolder('open-addresses', async (folder) => {
      const start = () => measure(folder, program, cluster.url);
      // The first start makes the tables, the wallet and the addresses that are derived ahead.
      await start();
      const none = await start();
      await cluster.query(
        `INSERT INTO order_addresses (order_id, account_id, chain, currency, address, watch_key, wallet_id, address_index, watch_until,
           created_at, assigned_at)
         SELECT (1000000000000000000 + n)::text, '1', 'ETH', 'ETH', '0x' || key, key, 'bench', n, $1, $2, $2
         FROM (SELECT n, substr(md5(n::text) || md5('.' || n), 1, 40) AS key FROM generate_series(1, $3::bigint) AS n) AS keys`,
        [Date.now() + 86_400_000, Date.now(), count],
      );
      await cluster.query('VACUUM ANALYZE order_addresses');
      present(count, none, await start());
    });
  } finally {
    await cluster.stop();
  }
}

/** Starts a till and waits until it has nothing to do. */
async function measure(folder: string, program: string, url: string): Promise<Memory> {
  const began = performance.now();
  const till = await startTill({
    folder,
    program,
    settings: { mode: 'sandbox', database: { client: 'pg', connection: url } },
  });
  try {
    const startMs = performance.now() - began;
    // With a block to read, it reads which addresses are watched.
    const body = JSON.stringify({ chain: 'ETH', count: 1 });
    const headers = { 'Content-Type': 'application/json' };
    const { ok } = await fetch(`${till.url}/sandbox/v1/blocks`, { method: 'POST', headers, body });
    if (!ok) throw new Error('the sandbox made no block');
    await waitFor(() => isIdle(till.pid), { timeoutMs: GIVE_UP_MS, describe: 'the till to have nothing to do' });
    const { rssBytes } = costOf(till.pid);
    const most = Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${till.pid}/status`, 'utf8'))?.[1]) * 1024;
    return { most: most / MEGABYTE, resting: rssBytes / MEGABYTE, startMs };
  } finally {
    await till.stop();
  }
}

async function isIdle(pid: number): Promise<boolean> {
  const before = costOf(pid).cpuMicros;
  await pause(WINDOW_MS);
  return (costOf(pid).cpuMicros - before) / (WINDOW_MS * 1000) < IDLE_SHARE;
}

function present(count: number, none: Memory, many: Memory): void {
  const row = (addresses: number, { startMs, most, resting }: Memory): object => ({
    'open addresses': addresses,
    'start, ms': rounded(startMs),
    'most MB': rounded(most),
    'resting MB': rounded(resting),
  });
  report({
    bench: 'open-addresses',
    rows: [row(0, none), row(count, many)],
    checks: [
      {
        name: `most memory of a till that starts with ${count} open addresses, as a multiple of what it keeps`,
        value: many.most / many.resting,
        atMost: AT_MOST,
      },
    ],
    facts: { addresses: count },
  });
}

export default { name: 'open-addresses', run };
