import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reached, repository } from './compile.ts';
import type { Compiled } from './compile.ts';

/** Which databases a file's suites run on; `eachStorage` reads it from TEST_ENGINES. */
export type Engines = 'memory' | 'sqlite' | 'pg' | 'all';

/** Tests that need more than the packages, each with a run of its own. */
export const APART = ['nodes', 'browser', 'clients', 'shops', 'frameworks', 'receivers', 'registry'] as const;
export type Apart = (typeof APART)[number];
/** The folder of tests that need more than the packages; what is rarely run stands under `test/lab`. */
export const folderOf = (apart: Apart): string =>
  apart === 'nodes' || apart === 'browser' ? `test/${apart}` : `test/lab/${apart}`;

/** A turn has one file or part out of so many of what takes longest. */
const SHARES = 3;
/** Runs with all turns run each part on each of its databases. */
export const TURNS = 2 * SHARES;

/** Which files are wanted. */
export interface Choice {
  /** `null` for all the others. */
  readonly apart: Apart | null;
  /** What `npm run test:full` adds to `npm test -- --coverage`. */
  readonly rest: boolean;
  /** Adds {@link WITH_COVERAGE} to what `npm test` runs. */
  readonly coverage: boolean;
  /** What one of {@link TURNS} runs takes; `null` for all of it. */
  readonly turn: number | null;
  /** For every file; `null` for what each file's part takes. */
  readonly engines: Engines | null;
  /** Only files whose path, with `#` and the part, contains one of them. */
  readonly words: readonly string[];
}

/** A test file or one of its parts, as `path` or `path#part` in the lists of this file. */
interface Unit {
  readonly path: string;
  /** `null` if the file has no parts. */
  readonly part: string | null;
  /** Those that the file's first line names. */
  readonly parts: readonly string[];
}

interface WantedUnit extends Unit {
  /** Its place among all that are wanted, by which runs take turns. */
  readonly at: number;
}

/** What one process runs of a test file, and on which databases. */
export interface PlannedFile extends Unit {
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
  'test/contract/kit/evm.test.ts#two-nodes',
  'test/contract/kit/evm.test.ts#presets',
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
  'test/e2e/doctor',
  'test/e2e/evm-pairs',
  'test/e2e/late-payment',
  'test/e2e/money-out.test.ts#kills',
  'test/e2e/money-out.test.ts#restarts',
  'test/e2e/paid-gate',
  'test/e2e/restore.test.ts',
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
  'test/host/backup',
  'test/host/breached-passwords',
  'test/host/checkout-live',
  'test/host/cli',
  'test/host/config',
  'test/host/database-transport',
  'test/host/embed-process',
  'test/host/init',
  'test/host/missing-packages',
  'test/host/serve',
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
/** The first line of a file each of whose parts has a process of its own; `chosenParts` of test/support/parts.ts reads the choice. */
const PARTS = '// @parts: ';

/** How lists and words name a unit. */
export const nameOf = ({ path, part }: Unit): string => (part === null ? path : `${path}#${part}`);
const within = (beginnings: readonly string[], unit: Unit): boolean =>
  beginnings.some((beginning) => nameOf(unit).startsWith(beginning));

const apartOf = (path: string): Apart | null => APART.find((each) => path.startsWith(`${folderOf(each)}/`)) ?? null;
/** The databases of a file in `npm test`, and in each other run but for what that one left out. */
function usualEngines(unit: Unit): Engines {
  if (apartOf(unit.path) !== null || within([...EVERY_ENGINE, ...FULL_ONLY], unit)) return 'all';
  return within(IN_MEMORY, unit) ? 'memory' : 'sqlite';
}

/** The files that a choice means, each with its databases. */
export function planOf(choice: Choice, compiled: Compiled): PlannedFile[] {
  const { apart, rest, coverage, engines, words, turn } = choice;
  const wanted = (unit: Unit): boolean => words.length === 0 || words.some((word) => nameOf(unit).includes(word));
  const all = [...compiled.imports.keys()]
    .filter((path) => /\.test\.tsx?$/.test(path) && apartOf(path) === apart)
    .sort()
    .flatMap(unitsOf)
    .filter(wanted)
    .map((unit, at): WantedUnit => ({ ...unit, at }));
  const onEach = (unit: Unit): boolean => reached(compiled, unit.path, false).has(EACH_STORAGE);
  const planned = (unit: WantedUnit, chosen: Engines): PlannedFile[] => {
    const alone = apart !== null || unit.part !== null || within(ALONE, unit) || ownProcess(unit.path);
    const on = engines ?? chosen;
    const each: readonly Engines[] = alone && on === 'all' && onEach(unit) ? ['sqlite', 'pg'] : [on];
    const its =
      turn === null
        ? each
        : [each[(Math.floor(unit.at / SHARES) + Math.floor(turn / SHARES)) % each.length] as Engines];
    return its.map((one) => ({ ...unit, engines: one, alone }));
  };
  const usual = (units: readonly WantedUnit[]): PlannedFile[] =>
    units.flatMap((unit) => planned(unit, usualEngines(unit)));
  const inTurn = (unit: WantedUnit): boolean => turn === null || (unit.at + turn) % SHARES === 0;
  if (apart !== null) return usual(all.filter(inTurn));
  if (words.length > 0 && !rest) return usual(all);
  const covered = all.filter((unit) => !within(FULL_ONLY, unit));
  if (!rest) return usual(covered.filter((unit) => coverage || !within(WITH_COVERAGE, unit)));
  const onSqliteOnly = covered.filter((unit) => usualEngines(unit) !== 'all' && onEach(unit));
  return [
    ...usual(all.filter((unit) => within(FULL_ONLY, unit) && inTurn(unit))),
    ...onSqliteOnly.filter(inTurn).flatMap((unit) => planned(unit, 'pg')),
  ];
}

function unitsOf(path: string): Unit[] {
  const [first = ''] = sourceOf(path).split('\n', 1);
  if (!first.startsWith(PARTS)) return [{ path, part: null, parts: [] }];
  const parts = first.slice(PARTS.length).trim().split(' ');
  return parts.map((part) => ({ path, part, parts }));
}

const ownProcess = (path: string): boolean => sourceOf(path).startsWith(OWN_PROCESS);
const sourceOf = (path: string): string => readFileSync(join(repository, path), 'utf8');

/** What a run starts before its files, and only where one of them imports it. */
export interface Needs {
  readonly postgres: boolean;
  readonly templates: boolean;
  readonly till: boolean;
  /** The till that is killed at named points. */
  readonly crashTill: boolean;
  /** The packages of test/lab/bench. */
  readonly benchPackage: boolean;
  /** The tarballs of what is published, built once before several files ask for them. */
  readonly tarballs: boolean;
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
    tarballs: uses('test/package/project.ts'),
  };
}
