import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Part } from './attribute.ts';
import { compiledName, reached } from '../runner/compile.ts';
import type { Compiled } from '../runner/compile.ts';
import { Kept } from './kept.ts';
import { runTest } from './test-process.ts';
import type { TestResult } from './test-process.ts';

/** By source: the ranges of its compiled text, and whether each ran; a range inside another one overrules it. */
type Ranges = Readonly<Record<string, readonly (readonly [start: number, end: number, ran: boolean])[]>>;

/** What one test file runs of the mutated files, without any mutant. */
export interface Reach {
  readonly result: TestResult;
  /** Of the file without its tests: what every run of it takes. */
  readonly ms: number;
  /** What runs whichever tests do: modules, setups that they share, processes that they start. */
  readonly shared: Ranges;
  readonly tests: readonly TestReach[];
}

/** What one test of a file runs. */
interface TestReach {
  readonly title: string;
  readonly ms: number;
  readonly ranges: Ranges;
}

interface Coverage {
  readonly result: Part['coverage'];
}

const ATTRIBUTE = compiledName('test/mutation/attribute.ts');
/** Measured on a machine with much else to do. */
const LIMIT_MS = 900_000;

/** Measures what test files reach, each once, and again when a source that it loads has changed. */
export class ReachMap {
  readonly #compiled: Compiled;
  /** By their compiled names. */
  readonly #sources: ReadonlyMap<string, string>;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #known = new Map<string, Promise<Reach>>();
  readonly #keys = new Map<string, string>();
  readonly #digests = new Map<string, string>();
  readonly #kept = new Kept<Reach>('reach-by-test');

  constructor(compiled: Compiled, targets: readonly string[], environment: Readonly<Record<string, string>>) {
    this.#compiled = compiled;
    this.#sources = new Map(targets.map((path) => [compiledName(path), path]));
    this.#environment = environment;
  }

  of(test: string): Promise<Reach> {
    const known = this.#known.get(test) ?? this.#find(test);
    this.#known.set(test, known);
    return known;
  }

  async #find(test: string): Promise<Reach> {
    const key = this.keyOf(test);
    const kept = this.#kept.read(key);
    if (kept !== null) return kept;
    const reach = await this.#measure(test);
    // A failure may be the machine's: it is not kept.
    if (reach.result === 'green') this.#kept.write(key, reach);
    return reach;
  }

  /** Another one as soon as a source that the test loads, or a test itself, has another text. */
  keyOf(test: string): string {
    const key = this.#keys.get(test) ?? this.#hash(test);
    this.#keys.set(test, key);
    return key;
  }

  #hash(test: string): string {
    const hash = createHash('sha256')
      .update(process.version)
      .update([...this.#sources.keys()].sort().join());
    for (const path of [...reached(this.#compiled, test, true)].sort()) hash.update(path).update(this.#digest(path));
    return hash.digest('hex');
  }

  #digest(path: string): string {
    const digest =
      this.#digests.get(path) ??
      createHash('sha256')
        .update(readFileSync(join(this.#compiled.folder, compiledName(path))))
        .digest('hex');
    this.#digests.set(path, digest);
    return digest;
  }

  async #measure(test: string): Promise<Reach> {
    const folder = mkdtempSync(join(tmpdir(), 'tillgate-reach-'));
    try {
      const began = performance.now();
      const partsPath = join(folder, 'parts');
      const environment = { ...this.#environment, NODE_V8_COVERAGE: join(folder, 'v8'), MUTATION_REACH: partsPath };
      const preload = join(this.#compiled.folder, ATTRIBUTE);
      const result = await runTest({ folder: this.#compiled.folder, test, environment, limitMs: LIMIT_MS, preload });
      const ms = performance.now() - began;
      if (result !== 'green') return { result, ms, shared: {}, tests: [] };
      return this.#sortOut(ms, JSON.parse(readFileSync(partsPath, 'utf8')) as Part[], coverageIn(join(folder, 'v8')));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  #sortOut(ms: number, parts: readonly Part[], processes: readonly Coverage[]): Reach {
    const shared = [
      ...parts.filter(({ test }) => test === null),
      ...processes.map(({ result }) => ({ coverage: result })),
    ];
    const titles = [...new Set(parts.flatMap(({ test }) => test ?? []))];
    const tests = titles.map((title) => {
      const own = parts.filter(({ test }) => test === title);
      return { title, ms: own.reduce((sum, part) => sum + part.ms, 0), ranges: this.#rangesOf(own) };
    });
    const inTests = tests.reduce((sum, each) => sum + each.ms, 0);
    return { result: 'green', ms: Math.max(ms - inTests, 0), shared: this.#rangesOf(shared), tests };
  }

  #rangesOf(parts: readonly Pick<Part, 'coverage'>[]): Ranges {
    const ranges: Record<string, (readonly [number, number, boolean])[]> = {};
    for (const { url, functions } of parts.flatMap(({ coverage }) => coverage)) {
      if (!url.startsWith('file:')) continue;
      const source = this.#sources.get(relative(this.#compiled.folder, fileURLToPath(url)).replaceAll('\\', '/'));
      if (source === undefined) continue;
      (ranges[source] ??= []).push(
        ...functions.flatMap((each) =>
          each.ranges.map(({ startOffset, endOffset, count }) => [startOffset, endOffset, count > 0] as const),
        ),
      );
    }
    return ranges;
  }
}

/** The coverage of all processes that a test started, and of its own after its last test. */
function coverageIn(folder: string): readonly Coverage[] {
  return readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Coverage);
}

/** How a test file reaches a place: by which of its tests, `null` for whichever run; and what it takes to run these. */
export interface Way {
  readonly titles: readonly string[] | null;
  readonly ms: number;
}

/** `null` where the test file does not reach a place. */
export function wayTo({ ms, shared, tests }: Reach, source: string, offset: number): Way | null {
  const cost = (some: readonly TestReach[]): number => some.reduce((sum, each) => sum + each.ms, ms);
  if (reaches(shared, source, offset)) return { titles: null, ms: cost(tests) };
  const some = tests.filter(({ ranges }) => reaches(ranges, source, offset));
  return some.length === 0 ? null : { titles: some.map(({ title }) => title), ms: cost(some) };
}

/** True if the place at this offset ran: the narrowest range around it says so. */
function reaches(ranges: Ranges, source: string, offset: number): boolean {
  let [narrowest, ran] = [Infinity, false];
  for (const [start, end, count] of ranges[source] ?? []) {
    if (start > offset || offset >= end || end - start > narrowest) continue;
    // Of two processes with the same range, one is enough.
    ran = count || (ran && end - start === narrowest);
    narrowest = end - start;
  }
  return ran;
}
