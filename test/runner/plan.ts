import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reached, repository } from './compile.ts';
import type { Compiled } from './compile.ts';

/** Which databases a file's suites run on; `eachStorage` reads it from TEST_ENGINES. */
export type Engines = 'memory' | 'sqlite' | 'pg' | 'all';

/** Tests that need more than the packages, each with a run of its own. */
export const APART = ['nodes', 'browser', 'clients', 'shops', 'frameworks', 'receivers'] as const;
export type Apart = (typeof APART)[number];

/** Which files are wanted. */
export interface Choice {
  /** `null` for all the others. */
  readonly apart: Apart | null;
  /** What `npm run test:full` adds to `npm test -- --coverage`. */
  readonly rest: boolean;
  /** Adds {@link WITH_COVERAGE} to what `npm test` runs. */
  readonly coverage: boolean;
  /** For every file; `null` for what each file's part takes. */
  readonly engines: Engines | null;
  /** Only files whose path contains one of them. */
  readonly words: readonly string[];
}

/** A test file, and the databases that it runs on. */
export interface PlannedFile {
  readonly path: string;
  readonly engines: Engines;
  /** Runs in a process of its own: it changes what a whole process shares, or takes long. */
  readonly alone: boolean;
}

/**
 * Parts that only `npm run test:full` runs: they take most of its time, and rarely find what the others do not. Kills, failures, great
 * numbers, real servers beside what is shown inside the process, and the same promises by two nodes or over another binding.
 */
const FULL_ONLY = [
  'test/crash/',
  'test/contract/chains/evm-coins',
  'test/contract/chains/evm-known-addresses',
  'test/contract/chains/evm-solvency',
  'test/contract/chains/tron-expiry',
  'test/contract/domain/money-out-crash',
  'test/contract/keys/revocation',
  'test/contract/kit/evm-by-two-nodes',
  'test/contract/kit/evm-presets',
  'test/storage-faults/',
  'test/fuzz/',
  'test/gateway/idle',
  'test/host/cli-audit',
  'test/host/master-key',
  'test/host/prepaid',
  'test/host/processes',
  'test/host/usage',
  'test/host/wallet-forget',
  'test/http/bodies',
  'test/http/fair-turns',
  'test/http/fetch-suites',
  'test/simulation/',
  'test/package/',
  'test/unit/chains/public-children',
  'test/examples/write-a-chain',
  'test/e2e/bsc-pairs',
  'test/e2e/doctor',
  'test/e2e/ethereum-pairs',
  'test/e2e/evm-presets-pairs',
  'test/e2e/late-payment',
  'test/e2e/money-out-kills',
  'test/e2e/money-out-restarts',
  'test/e2e/paid-gate',
  'test/e2e/restore-drill',
  'test/e2e/signer-drill',
  'test/e2e/tron-pairs',
  'test/e2e/x402-troubles',
  'test/upgrades/rolling',
];
/**
 * Parts that `npm test` leaves to `npm test -- --coverage`, the first step of `npm run test:full`: programs that are started again and
 * again, and the longest of what is shown by shorter ones too. Without those of the domain core is not covered well enough.
 */
const WITH_COVERAGE = [
  'test/contract/domain/coins',
  'test/contract/domain/lightning-crash',
  'test/contract/domain/solvency',
  'test/examples/',
  'test/gateway/streaming',
  'test/gateway/upstreams',
  'test/host/breached-passwords',
  'test/host/checkout-live',
  'test/host/cli',
  'test/host/config',
  'test/host/database-transport',
  'test/host/embed-process',
  'test/host/init',
  'test/host/serve',
  'test/mutation/',
  'test/security/logins',
  'test/security/support-bundle',
  'test/security/withdrawal-approvals',
];
/** Parts whose subject is the SQL: they run on every database each time. */
const EVERY_ENGINE = ['test/contract/storage/', 'test/upgrades/', 'test/contract/kit/storage', 'test/e2e/'];
/** Parts whose files take long, and wait for most of it: in one process they would be the last to end. */
const ALONE = [...FULL_ONLY, 'test/e2e/', 'test/host/'];
/** Parts whose subject is above the storage: `npm test` has their database in memory, and `npm run test:rest` takes PostgreSQL. */
const IN_MEMORY = ['test/contract/domain/'];
/** What makes the suites of a file run once for each database. */
const EACH_STORAGE = 'test/support/each-storage.ts';
/** The first line of a file that needs a process of its own, with the reason. */
const OWN_PROCESS = '// @own-process: ';

const within = (parts: readonly string[], path: string): boolean => parts.some((part) => path.startsWith(part));

const apartOf = (path: string): Apart | null => APART.find((each) => path.startsWith(`test/${each}/`)) ?? null;
/** The databases of a file in `npm test`, and in each other run but for what that one left out. */
function usualEngines(path: string): Engines {
  if (apartOf(path) !== null || within([...EVERY_ENGINE, ...FULL_ONLY], path)) return 'all';
  return within(IN_MEMORY, path) ? 'memory' : 'sqlite';
}

/** The files that a choice means, each with its databases. */
export function planOf({ apart, rest, coverage, engines, words }: Choice, compiled: Compiled): PlannedFile[] {
  const wanted = (path: string): boolean => words.length === 0 || words.some((word) => path.includes(word));
  const all = [...compiled.imports.keys()].filter(
    (path) => /\.test\.tsx?$/.test(path) && apartOf(path) === apart && wanted(path),
  );
  const planned = (path: string, chosen: Engines): PlannedFile => ({
    path,
    engines: engines ?? chosen,
    alone: apart !== null || within(ALONE, path) || ownProcess(path),
  });
  const usual = (paths: readonly string[]): PlannedFile[] => paths.map((path) => planned(path, usualEngines(path)));
  if (apart !== null || (words.length > 0 && !rest)) return usual(all);
  const covered = all.filter((path) => !within(FULL_ONLY, path));
  if (!rest) return usual(covered.filter((path) => coverage || !within(WITH_COVERAGE, path)));
  const onSqliteOnly = covered.filter(
    (path) => usualEngines(path) !== 'all' && reached(compiled, path, false).has(EACH_STORAGE),
  );
  return [...usual(all.filter((path) => within(FULL_ONLY, path))), ...onSqliteOnly.map((path) => planned(path, 'pg'))];
}

const ownProcess = (path: string): boolean => readFileSync(join(repository, path), 'utf8').startsWith(OWN_PROCESS);

/** What a run starts before its files, and only where one of them imports it. */
export interface Needs {
  readonly postgres: boolean;
  readonly templates: boolean;
  readonly till: boolean;
  /** The till that is killed at named points. */
  readonly crashTill: boolean;
  /** The packages of test/bench. */
  readonly benchPackage: boolean;
}

export function needsOf(files: readonly PlannedFile[], compiled: Compiled): Needs {
  const uses = (module: string): boolean =>
    files.some(({ path, engines }) => reached(compiled, path, engines === 'pg' || engines === 'all').has(module));
  return {
    postgres: uses('test/support/postgres.ts'),
    templates: uses('test/support/templates.ts'),
    till: uses('test/host/till-process.ts'),
    crashTill: uses('test/crash/fixture.ts'),
    benchPackage: uses('test/support/bench-package.ts'),
  };
}
