import { posix } from 'node:path';
import type { SourceFile, SourceImport, SourceTree } from './source-tree.ts';

/** A violation of an architecture rule. */
export interface Violation {
  readonly file: string;
  /** Counted from 1; 0 for a violation without a single line. */
  readonly line: number;
  readonly rule: string;
  readonly message: string;
}

/**
 * The top-level folders, each with the folders that its files may import. Examples import the packages by their names, as
 * their readers do.
 */
export const layers: Readonly<Record<string, readonly string[]>> = {
  core: ['core'],
  adapters: ['core', 'adapters'],
  plugins: ['core', 'adapters', 'plugins'],
  host: ['core', 'adapters', 'plugins', 'host'],
  examples: ['examples'],
  test: ['core', 'adapters', 'plugins', 'host', 'examples', 'test'],
};

/** The rooms of core. Each imports only the rooms before it, and only through their `index.ts`. */
export const rooms: readonly string[] = [
  'kernel',
  'access',
  'notify',
  'ledger',
  'chain',
  'orders',
  'payouts',
  'deposits',
  'gateway',
  'app',
];

/** What is true of the packages, for tests and for the image; no program that runs needs it. */
const PARTS_OF_BUILD: readonly string[] = ['.ci/packages.mjs', '.ci/package-documents.mjs', '.ci/publish.mjs'];

/** Rule 1: the direction of every import. */
export function checkImports(tree: SourceTree): Violation[] {
  return [...tree.files.values()].flatMap((file) =>
    file.imports.flatMap((each) => {
      const broken = brokenRule(file, each);
      return broken ? [{ file: file.path, line: each.line, ...broken }] : [];
    }),
  );
}

type Broken = Pick<Violation, 'rule' | 'message'> | undefined;

function brokenRule(file: SourceFile, { specifier, target }: SourceImport): Broken {
  const layer = file.path.split('/', 1)[0] ?? '';
  if (!specifier.startsWith('.')) return brokenByPackage(layer, specifier);

  const meant = posix.join(posix.dirname(file.path), specifier);
  const other = meant.includes('/') ? (meant.split('/', 1)[0] ?? '') : '';
  if (layer === 'core' && other !== 'core')
    return { rule: 'core-is-alone', message: `core imports only core, not ${meant}` };
  if (other in layers && !layers[layer]?.includes(other)) {
    return { rule: 'layers', message: `${layer} may import ${layers[layer]?.join(', ') ?? 'nothing'}, not ${meant}` };
  }
  if (layer === 'plugins' && other === 'core' && meant !== 'core/index.ts') {
    return { rule: 'plugins-use-the-surface', message: `plugins import core/index.ts, not ${meant}` };
  }
  const wall = layer === 'core' ? brokenByRoom(file.path, meant) : undefined;
  if (wall !== undefined) return { rule: 'rooms', message: wall };
  const entrance = entranceOf(file.path, meant);
  if (entrance !== undefined) return { rule: 'one-entrance', message: `import ${entrance}, not ${meant}` };
  if (PARTS_OF_BUILD.includes(meant) && (layer === 'examples' || layer === 'test')) return undefined;
  if (target === undefined && /^$|^\.[cm]?[jt]sx?$/.test(posix.extname(meant))) {
    return { rule: 'imports-exist', message: `there is no ${meant} (relative imports end in .ts or .tsx)` };
  }
  return undefined;
}

/** Why a file of core may not import another; `undefined` where it may. */
function brokenByRoom(from: string, meant: string): string | undefined {
  const [own, other] = [from, meant].map((path) => rooms.indexOf(path.split('/')[1] ?? ''));
  if (own === undefined || other === undefined || own < 0 || other < 0 || own === other) return undefined;
  if (other > own) return `${rooms[own]} may import ${rooms.slice(0, own).join(', ') || 'no other room'}, not ${meant}`;
  const door = `core/${rooms[other]}/index.ts`;
  return meant === door ? undefined : `import ${door}, not ${meant}`;
}

/** Folders of which only index.ts may be imported from outside, except by their own unit tests. */
const CLOSED_FOLDERS = ['host/gateway/fast-path/'];
const UNIT_TESTS = 'test/unit/';

/** The file that should be imported instead. */
function entranceOf(from: string, meant: string): string | undefined {
  const folder = CLOSED_FOLDERS.find((each) => meant.startsWith(each));
  if (folder === undefined || from.startsWith(folder) || from.startsWith(UNIT_TESTS)) return undefined;
  const entrance = `${folder}index.ts`;
  return meant === entrance ? undefined : entrance;
}

function brokenByPackage(layer: string, specifier: string): Broken {
  if (layer === 'core') return { rule: 'core-is-alone', message: `core imports only core, not ${specifier}` };
  if (/^tillgate(\/|$)/.test(specifier) && layer !== 'examples' && layer !== 'test') {
    return { rule: 'layers', message: `${specifier} is this package: import the file by its relative path` };
  }
  return undefined;
}

/** Rule 2: no file imports itself through others, not even for types. */
export function checkCircles(tree: SourceTree): Violation[] {
  const next = (path: string): string[] => tree.files.get(path)?.imports.flatMap(({ target }) => target ?? []) ?? [];
  const told = new Set<string>();
  const violations: Violation[] = [];
  for (const start of [...tree.files.keys()].sort()) {
    if (told.has(start)) continue;
    const circle = shortestWayBack(start, next);
    if (!circle) continue;
    // One message for each circle.
    for (const member of circle) told.add(member);
    violations.push({
      file: start,
      line: 0,
      rule: 'no-circles',
      message: `imports itself: ${[...circle, start].join(' → ')}`,
    });
  }
  return violations;
}

function shortestWayBack(start: string, next: (path: string) => string[]): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    for (const target of next(path)) {
      if (target === start) {
        const way = [path];
        for (let step = path; step !== start;) {
          step = cameFrom.get(step) ?? start;
          way.unshift(step);
        }
        return way;
      }
      if (!cameFrom.has(target)) {
        cameFrom.set(target, path);
        queue.push(target);
      }
    }
  }
  return undefined;
}
