/**
 * Runs the tests.
 *
 *     npm test                        all that need no daemon, with coverage
 *     npm test -- orders http/        files whose path contains one of the words, without coverage
 *     npm test -- --no-coverage       all, quicker
 *     npm run test:nodes              those against real daemons (test/nodes)
 *     npm run test:browser            those in a real browser (test/browser)
 *     npm run test:long               those that say once more, and slowly, what others say (test/long)
 *
 * Arguments that begin with `--test-` go on to node. Node 20 expands no globs and starts no shared set-up of its own,
 * so both happen here: one PostgreSQL serves all files, each of which makes a database of its own, and one build of the
 * host serves those that start tills.
 */
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkCoverage } from './coverage.ts';
import { startPostgres } from './support/postgres.ts';
import { makeTemplates } from './support/templates.ts';
import { buildTill } from './support/till-program.ts';

const repository = dirname(dirname(fileURLToPath(import.meta.url)));

/** Tests that need more than the packages, each with a run of its own. */
const APART = ['nodes', 'browser', 'long'] as const;
type Apart = (typeof APART)[number];

/** A file that takes longer hangs. */
const FILE_LIMIT_MS = 600_000;
/**
 * How many files run at once for each core. Tests wait for blocks, leases and restarts, and others use the cores meanwhile;
 * more of them than this only ask each other's tills whether they are ready. A browser waits for nothing.
 */
const filesPerCore = ({ apart }: Plan): number => (apart === 'browser' ? 1 : 1.5);

interface Plan {
  /** `null` for all the others. */
  readonly apart: Apart | null;
  readonly coverage: boolean;
  readonly words: readonly string[];
  readonly forNode: readonly string[];
}

function readPlan(args: readonly string[]): Plan {
  const apart = APART.find((each) => args.includes(`--${each}`)) ?? null;
  const words = args.filter((arg) => !arg.startsWith('--'));
  const forNode = args.filter((arg) => arg.startsWith('--test-'));
  const unknown = args.find((arg) => arg.startsWith('--') && !forNode.includes(arg) && arg !== `--${apart ?? ''}` && arg !== '--no-coverage');
  if (unknown) throw new Error(`unknown argument ${unknown}; see the head of test/run.ts`);
  // A part of the tests covers a part of the code: a threshold would say nothing.
  const partial = apart !== null || words.length > 0 || forNode.length > 0;
  return { apart, words, forNode, coverage: !partial && !args.includes('--no-coverage') };
}

function testFiles({ apart, words }: Plan): string[] {
  return readdirSync(join(repository, 'test'), { recursive: true, encoding: 'utf8' })
    .map((path) => `test/${path.replaceAll('\\', '/')}`)
    .filter((path) => /\.test\.tsx?$/.test(path))
    .filter((path) => (APART.find((each) => path.startsWith(`test/${each}/`)) ?? null) === apart && !path.startsWith('test/bench/'))
    .filter((path) => words.length === 0 || words.some((word) => path.includes(word)))
    .sort();
}

/** Brings in the daemons that are missing; the tests themselves fail, and do not skip, where one still is. */
function installDaemons(): boolean {
  const installer = join(repository, 'test/nodes/install.sh');
  if (!existsSync(installer)) return true;
  return spawnSync('bash', [installer], { cwd: repository, stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
}

function startTests(plan: Plan, files: readonly string[], environment: Readonly<Record<string, string>>): ChildProcess {
  const limits = [`--test-concurrency=${Math.ceil(filesPerCore(plan) * availableParallelism())}`, `--test-timeout=${FILE_LIMIT_MS}`];
  const node = ['--import', 'tsx', '--test', '--test-reporter=spec', ...limits, ...plan.forNode, ...files];
  const c8 = fileURLToPath(import.meta.resolve('c8/bin/c8.js'));
  return spawn(process.execPath, plan.coverage ? [c8, process.execPath, ...node] : node, {
    cwd: repository,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

async function main(): Promise<number> {
  const plan = readPlan(process.argv.slice(2));
  const files = testFiles(plan);
  if (files.length === 0) {
    console.log(plan.apart === 'nodes' ? 'test/nodes holds no such test: NOTHING was tested against a daemon.' : 'No test file matches.');
    return plan.words.length > 0 || plan.apart !== 'nodes' ? 1 : 0;
  }
  if (plan.apart === 'nodes' && !installDaemons()) {
    console.error('test/nodes/install.sh failed: the tests against real daemons did not run.');
    return 1;
  }

  const postgres = await startPostgres();
  process.env['TEST_DATABASE_URL'] = postgres.url;
  const [templates, program] = await Promise.all([makeTemplates(), buildTill(`tillgate-test-${process.pid}`)]);
  const tests = startTests(plan, files, { ...templates.environment, TEST_TILL_PROGRAM: program });
  // A Ctrl-C reaches the tests by itself; here it only must not leave the server behind.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => tests.kill());
  const code = await new Promise<number>((resolve) => tests.once('exit', (status) => resolve(status ?? 1)));
  await templates.remove();
  await postgres.stop();
  rmSync(dirname(program), { recursive: true, force: true });
  return code === 0 && plan.coverage ? checkCoverage() : code;
}

process.exitCode = await main();
