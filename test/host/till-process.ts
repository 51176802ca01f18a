import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endWithThisProcess } from '../support/processes.ts';
import { argumentsOf } from '../support/source-program.ts';
import { waitFor } from '../support/wait.ts';

const BIN = fileURLToPath(new URL('../../host/bin.ts', import.meta.url));
const LOADER = import.meta.resolve('tsx');

/**
 * The sources, as `npm start` runs them; the files that the test run has compiled from them one by one; or the program that it has
 * built from all of them, which has no dashboard. Each starts in about half the processor time of the one before.
 */
type Form = 'sources' | 'compiled' | 'built';
const USUAL: Form = 'built';

/** What the program left behind when it ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const running = new Set<TillProcess>();

/** Kills what a failed test left running: a test file ends only when its children have. */
export async function killAll(): Promise<void> {
  await Promise.all([...running].map((process) => process.signal('SIGKILL')));
}

/** A working directory of one test's own. */
export function freshDirectory(): {
  readonly path: string;
  write(name: string, content: unknown): void;
  remove(): void;
} {
  const path = mkdtempSync(join(tmpdir(), 'tillgate-host-'));
  return {
    path,
    write: (name, content) =>
      writeFileSync(join(path, name), typeof content === 'string' ? content : JSON.stringify(content)),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** `tillgate …` as its own process, in a directory, with nothing of this process's settings. */
export class TillProcess {
  readonly child: ChildProcess;
  readonly #texts = { out: '', err: '' };
  readonly #end: Promise<Ended>;

  constructor(
    directory: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    form = USUAL,
    input?: string,
  ) {
    const built = form === 'built' ? process.env['TEST_TILL_PROGRAM'] : undefined;
    const program = form === 'compiled' ? argumentsOf('host/bin.ts') : ['--import', LOADER, BIN];
    // Coverage of what is built would say nothing: it is counted by the files of the sources.
    const inherited = Object.entries(process.env).filter(
      ([name]) => !name.startsWith('TILLGATE_') && name !== 'NODE_OPTIONS' && !(built && name === 'NODE_V8_COVERAGE'),
    );
    this.child = spawn(process.execPath, [...(built ? [built] : program), ...args], {
      cwd: directory,
      env: { ...Object.fromEntries(inherited), ...environment },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    if (input !== undefined) this.child.stdin?.end(input);
    endWithThisProcess(this.child);
    running.add(this);
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#texts.out += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#texts.err += text));
    this.#end = new Promise((resolve) => this.child.once('close', (code) => resolve({ code, ...this.#texts })));
    void this.#end.then(() => running.delete(this));
  }

  get out(): string {
    return this.#texts.out;
  }

  get err(): string {
    return this.#texts.err;
  }

  /** Waits for its end. */
  ended(): Promise<Ended> {
    return this.#end;
  }

  async signal(signal: NodeJS.Signals): Promise<Ended> {
    this.child.kill(signal);
    return this.#end;
  }

  /** Waits until the server listens, and answers with its address. */
  async url(): Promise<string> {
    return waitFor(
      () => {
        if (this.child.exitCode !== null) throw new Error(`ended with ${this.child.exitCode}: ${this.err}`);
        return /listens on (\S+)/.exec(this.out)?.[1]?.replace('localhost', '127.0.0.1');
      },
      { timeoutMs: 240_000, intervalMs: 25, describe: () => `the server to listen; it said:\n${this.out}${this.err}` },
    );
  }
}

/** Starts a server on a free port. */
export function serve(
  directory: string,
  environment: Readonly<Record<string, string>> = {},
  form = USUAL,
): TillProcess {
  return new TillProcess(directory, ['serve'], { TILLGATE_PORT: '0', ...environment }, form);
}

/** Runs a command to its end. @param input - its standard input; empty without one */
export function run(
  directory: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  form = USUAL,
  input?: string,
): Promise<Ended> {
  return new TillProcess(directory, args, environment, form, input).ended();
}
