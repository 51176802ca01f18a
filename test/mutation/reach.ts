import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compiledName, reached } from '../runner/compile.ts';
import type { Compiled } from '../runner/compile.ts';
import { runTest } from './test-process.ts';
import type { TestResult } from './test-process.ts';

/** What one test file runs of the mutated files, without any mutant. */
export interface Reach {
  readonly result: TestResult;
  readonly ms: number;
  /** By source: the ranges of its compiled text, and whether each ran; a range inside another one overrules it. */
  readonly ranges: Readonly<Record<string, readonly (readonly [start: number, end: number, ran: boolean])[]>>;
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
    }[];
  }[];
}

const CACHE = join(tmpdir(), 'tillgate-mutation');
/** Measured on a machine with much else to do. */
const LIMIT_MS = 900_000;

/** Measures what test files reach, each once: results are kept in the temp folder, by the contents of all that a test loads. */
export class ReachMap {
  readonly #compiled: Compiled;
  readonly #targets: ReadonlySet<string>;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #known = new Map<string, Promise<Reach>>();
  readonly #digests = new Map<string, string>();

  constructor(compiled: Compiled, targets: readonly string[], environment: Readonly<Record<string, string>>) {
    this.#compiled = compiled;
    this.#targets = new Set(targets);
    this.#environment = environment;
  }

  of(test: string): Promise<Reach> {
    const known = this.#known.get(test) ?? this.#find(test);
    this.#known.set(test, known);
    return known;
  }

  async #find(test: string): Promise<Reach> {
    const path = join(CACHE, `${this.#key(test)}.json`);
    if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as Reach;
    const reach = await this.#measure(test);
    mkdirSync(CACHE, { recursive: true });
    // A failure may be the machine's: it is not kept.
    if (reach.result === 'green') writeFileSync(path, JSON.stringify(reach));
    return reach;
  }

  #key(test: string): string {
    const hash = createHash('sha256')
      .update(process.version)
      .update([...this.#targets].sort().join());
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
      const environment = { ...this.#environment, NODE_V8_COVERAGE: folder };
      const result = await runTest({ folder: this.#compiled.folder, test, environment, limitMs: LIMIT_MS });
      return { result, ms: performance.now() - began, ranges: this.#read(folder) };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** The coverage of all processes that the test started. */
  #read(folder: string): Reach['ranges'] {
    const sources = new Map([...this.#targets].map((path) => [compiledName(path), path]));
    const ranges: Record<string, (readonly [number, number, boolean])[]> = {};
    for (const file of readdirSync(folder)) {
      const { result } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Coverage;
      for (const { url, functions } of result) {
        if (!url.startsWith('file:')) continue;
        const source = sources.get(relative(this.#compiled.folder, fileURLToPath(url)).replaceAll('\\', '/'));
        if (source === undefined) continue;
        (ranges[source] ??= []).push(
          ...functions.flatMap((each) =>
            each.ranges.map(({ startOffset, endOffset, count }) => [startOffset, endOffset, count > 0] as const),
          ),
        );
      }
    }
    return ranges;
  }
}

/** True if the place at this offset ran: the narrowest range around it says so. */
export function reaches({ ranges }: Reach, source: string, offset: number): boolean {
  let [narrowest, ran] = [Infinity, false];
  for (const [start, end, count] of ranges[source] ?? []) {
    if (start > offset || offset >= end || end - start > narrowest) continue;
    // Of two processes with the same range, one is enough.
    ran = count || (ran && end - start === narrowest);
    narrowest = end - start;
  }
  return ran;
}
