/**
 * Several machines that share the work, and what happens to it when one fails: see test/lab/drill/README.md.
 *
 *     npm run drill                    every step
 *     npm run drill -- calm killed     these
 *
 * Needs root, for network namespaces. They are the process's own, so nothing of them is left however it ends.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drill } from './drill.ts';
import { STEPS } from './steps.ts';

const INSIDE = 'DRILL_INSIDE';
/** A drill that hangs is a failed one. */
const LONGEST_MS = 20 * 60_000;
const ALONE = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];

/** Runs this program once more where it may make machines. @returns its exit code */
function enter(words: readonly string[]): Promise<number> {
  const temp = mkdtempSync(join(tmpdir(), 'tillgate-drill-'));
  const self = [process.execPath, '--import', import.meta.resolve('tsx'), fileURLToPath(import.meta.url), ...words];
  const env = { ...process.env, [INSIDE]: '1', TMPDIR: temp };
  const child = spawn('unshare', [...ALONE, ...self], { env, stdio: 'inherit' });
  const end = (): void => void child.kill('SIGKILL');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  const overdue = setTimeout(end, LONGEST_MS);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(overdue);
      rmSync(temp, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
      resolve(code ?? 1);
    });
  });
}

async function main(words: readonly string[]): Promise<number> {
  const unknown = words.filter((word) => !Object.hasOwn(STEPS, word));
  if (unknown.length > 0) {
    console.error(`There is no step "${unknown.join('", "')}"; there are: ${Object.keys(STEPS).join(', ')}`);
    return 2;
  }
  if (process.env[INSIDE] === '1') return drill(words);
  if (process.getuid?.() !== 0 || process.platform !== 'linux') {
    console.error('The drill makes network namespaces: it needs Linux and root.');
    return 2;
  }
  return enter(words);
}

process.exit(await main(process.argv.slice(2)));
