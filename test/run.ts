/**
 * Runs the tests.
 *
 *     npm test                        each unit and contract test once, on SQLite; the storage's and the end-to-end tests on PostgreSQL too
 *     npm test -- orders http/        files whose path contains one of the words; `file.test.ts#part` chooses a part
 *     npm test -- --coverage          more of them, with coverage, which must be high enough in core
 *     npm run test:rest               what `npm run test:full` adds to that; words choose among it
 *     npm run test:nodes              those against real daemons (test/nodes)
 *     npm run test:browser            those in a real browser (test/browser)
 *     npm run test:clients            those with real client libraries (test/lab/clients); CLIENTS=viem,curl chooses
 *     npm run test:shops              those in real shop systems (test/lab/shops)
 *     npm run test:frameworks         those in web frameworks (test/lab/frameworks)
 *     npm run test:receivers          those of the receivers of callbacks, in four languages (test/lab/receivers)
 *     npm run test:registry           those of the packages from a registry (test/lab/registry)
 *
 * `--turn=0` to `--turn=5` each take a part, and together they are everything: where files or parts have a process for each database,
 * one of the two; and with `--rest`, `--browser` or `--nodes` every third file or part. `.ci/run` has a turn for each commit.
 *
 * `--engines=memory|sqlite|pg|all` chooses the databases; arguments that begin with `--test-` go on to node. One file also runs
 * by itself: `node --import tsx --test FILE`.
 */
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileSources, repository } from './runner/compile.ts';
import { writeGroups } from './runner/groups.ts';
import { APART, folderOf, needsOf, planOf, TURNS } from './runner/plan.ts';
import { useScratchFolder } from './runner/scratch.ts';
import { COMPILED_SOURCES } from './support/source-program.ts';
import type { Apart, Choice, Engines, Needs } from './runner/plan.ts';

/** A process, with all its files, that takes longer hangs; on a machine with much else to do it may take minutes. */
const PROCESS_LIMIT_MS = 1_200_000;
/** How many processes run at once for each core: tests wait for blocks, leases and restarts. A browser waits for nothing. */
const processesPerCore = ({ apart }: Request): number => (apart === 'browser' ? 1 : 2.5);

/** What a run was asked for. */
interface Request extends Choice {
  /** Arguments that go on to node. */
  readonly forNode: readonly string[];
}

const ENGINES = /^--engines=(memory|sqlite|pg|all)$/;
const TURN = new RegExp(`^--turn=([0-${TURNS - 1}])$`);

function readRequest(args: readonly string[]): Request {
  const has = (flag: string): boolean => args.includes(flag);
  const apart = APART.find((each) => has(`--${each}`)) ?? null;
  const words = args.filter((arg) => !arg.startsWith('--'));
  const forNode = args.filter((arg) => arg.startsWith('--test-'));
  const engines =
    args.map((arg) => ENGINES.exec(arg)?.[1] as Engines | undefined).find((each) => each !== undefined) ?? null;
  const turn = args.map((arg) => TURN.exec(arg)?.[1]).find((each) => each !== undefined);
  const flags = [`--${apart ?? ''}`, '--rest', '--coverage'];
  const unknown = args.find(
    (arg) =>
      arg.startsWith('--') && !forNode.includes(arg) && !flags.includes(arg) && !ENGINES.test(arg) && !TURN.test(arg),
  );
  if (unknown) throw new Error(`unknown argument ${unknown}; see the head of test/run.ts`);
  const flagged = { rest: has('--rest'), coverage: has('--coverage') };
  return { apart, ...flagged, turn: turn === undefined ? null : Number(turn), engines, words, forNode };
}

/** Installs the programs that are missing; the tests themselves fail, and do not skip, where one still is. */
function installPrograms(apart: Apart | null): boolean {
  if (apart === null) return true;
  const installer = join(repository, folderOf(apart), 'install.sh');
  if (!existsSync(installer)) return true;
  const { status } = spawnSync('bash', [installer], { cwd: repository, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status === 0) return true;
  console.error(`${installer} failed.`);
  // The others are there, and the tests of the missing ones say why.
  return apart === 'clients' || apart === 'shops' || apart === 'frameworks' || apart === 'registry';
}

/** What the chosen files import and all of them share. */
interface Services {
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

async function startServices(needs: Needs): Promise<Services> {
  const server = needs.postgres ? await (await import('./support/postgres.ts')).startPostgres() : null;
  if (server) process.env['TEST_DATABASE_URL'] = server.url;
  const programs = Promise.all([
    needs.till ? program('till', 'host/bin.ts') : null,
    needs.crashTill ? program('crash-till', 'test/crash/till-main.ts') : null,
    needs.tarballs ? (await import('./package/project.ts')).tarballs() : null,
  ]);
  const templates = needs.templates
    ? await (await import('./support/templates.ts')).makeTemplates(needs.postgres)
    : null;
  const [till, crashTill] = await programs;
  const packages = needs.benchPackage ? await benchPackages() : null;
  return {
    environment: {
      ...templates?.environment,
      ...(till !== null && { TEST_TILL_PROGRAM: till }),
      ...(crashTill !== null && { TEST_CRASH_PROGRAM: crashTill }),
      ...(packages !== null && { NODE_PATH: packages }),
    },
    stop: async () => {
      await templates?.remove();
      await server?.stop();
      for (const built of [till, crashTill])
        if (built !== null) rmSync(dirname(built), { recursive: true, force: true });
    },
  };
}

async function program(name: string, entry: string): Promise<string> {
  const { buildTill } = await import('./support/till-program.ts');
  return buildTill(`tillgate-test-${name}-${process.pid}`, entry);
}

async function benchPackages(): Promise<string> {
  const { BENCH_PACKAGES, installBenchPackage } = await import('./support/bench-package.ts');
  installBenchPackage();
  return BENCH_PACKAGES;
}

function startTests(
  request: Request,
  modules: readonly string[],
  environment: Readonly<Record<string, string>>,
): ChildProcess {
  const limits = [
    `--test-concurrency=${Math.ceil(processesPerCore(request) * availableParallelism())}`,
    `--test-timeout=${PROCESS_LIMIT_MS}`,
  ];
  const node = ['--enable-source-maps', '--test', '--test-reporter=spec', ...limits, ...request.forNode, ...modules];
  const c8 = fileURLToPath(import.meta.resolve('c8/bin/c8.js'));
  return spawn(process.execPath, request.coverage ? [c8, process.execPath, ...node] : node, {
    cwd: repository,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

async function main(): Promise<number> {
  const request = readRequest(process.argv.slice(2));
  if (!installPrograms(request.apart)) return 1;
  // Browsers and daemons keep their data where users have it.
  const removeScratch = request.apart === null ? useScratchFolder(process.env) : () => undefined;
  const compiled = await compileSources(`tests-${process.pid}`);
  try {
    const files = planOf(request, compiled);
    if (files.length === 0) {
      console.error('No test file matches.');
      return 1;
    }
    const services = await startServices(needsOf(files, compiled));
    const environment = { ...services.environment, [COMPILED_SOURCES]: compiled.folder };
    const tests = startTests(request, writeGroups(compiled.folder, files), environment);
    // A Ctrl-C reaches the tests by itself; this process goes on until the services have stopped.
    process.on('SIGINT', () => undefined);
    process.on('SIGTERM', () => tests.kill());
    const code = await new Promise<number>((resolve) => tests.once('exit', (status) => resolve(status ?? 1)));
    await services.stop();
    if (code !== 0 || !request.coverage) return code;
    return (await import('./coverage.ts')).checkCoverage();
  } finally {
    compiled.remove();
    removeScratch();
  }
}

process.exitCode = await main();
