import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { compiledName } from '../runner/compile.ts';
import { endWithThisProcess } from '../support/processes.ts';

/** How a run of a test file ended; `late` is over its time, which a mutant that loops for ever is. */
export type TestResult = 'green' | 'red' | 'late';

/** How a test file is run. */
export interface TestRun {
  /** The folder of the compiled files. */
  readonly folder: string;
  readonly test: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly limitMs: number;
  /** Only tests with these titles; all where there are none. */
  readonly titles?: readonly string[] | null;
  /** A module to load before it. */
  readonly preload?: string;
}

const FAILED = /^\s*not ok /m;
/** A failure may be cut in two by the pipe. */
const KEPT = 16;

/** Runs one test file in a process of its own, and ends it at its first failure. */
export function runTest(run: TestRun): Promise<TestResult> {
  const { environment, limitMs } = run;
  const { NODE_TEST_CONTEXT: _context, NODE_V8_COVERAGE: _coverage, ...own } = process.env;
  const child = spawn(process.execPath, argumentsOf(run), {
    env: { ...own, ...environment },
    stdio: ['ignore', 'pipe', 'ignore'],
    // A group of its own: what it started ends with it.
    detached: true,
  });
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
      child.kill('SIGKILL');
    }
  };
  endWithThisProcess(child, end);
  return new Promise((resolve) => {
    let result: TestResult | null = null;
    let text = '';
    const decide = (decided: TestResult): void => {
      result ??= decided;
      end();
    };
    const timer = setTimeout(() => decide('late'), limitMs);
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text = text.slice(-KEPT) + chunk;
      if (FAILED.test(text)) decide('red');
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve(result ?? (code === 0 ? 'green' : 'red'));
    });
  });
}

function argumentsOf({ folder, test, titles, preload }: TestRun): readonly string[] {
  const names = (titles ?? []).map((title) => title.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`));
  return [
    ...(preload === undefined ? [] : ['--import', preload]),
    ...(names.length === 0 ? [] : [`--test-name-pattern=(${names.join('|')})$`]),
    '--test-reporter=tap',
    join(folder, compiledName(test)),
  ];
}
