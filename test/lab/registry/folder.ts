import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { TestContext } from 'node:test';
import { endWithThisProcess } from '../../support/processes.ts';
import { repository } from '../../support/source-tree.ts';
import { waitFor } from '../../support/wait.ts';
import { ENVIRONMENT, npmSettings } from './machine.ts';
import type { Registry } from './registry.ts';

/** A program that runs in a folder. */
export interface Running {
  /** A line of its output that begins with a word, without the word. */
  line(word: string): Promise<string>;
  /** Until it has ended by itself. @returns what it printed @throws AssertionError where it failed */
  ended(): Promise<string>;
}

/** A folder of somebody else with nothing of this repository in it, whose npm knows the registry. */
export interface Folder {
  readonly path: string;
  /** Runs npm. @returns the seconds that it took */
  npm(...args: readonly string[]): Promise<number>;
  run(program: string, ...args: readonly string[]): Promise<string>;
  start(program: string, ...args: readonly string[]): Running;
  /** Copies files of the repository. */
  copy(...paths: readonly string[]): void;
  write(name: string, text: string): void;
  /** The version of an installed package. */
  version(name: string): string;
  /** What is installed. */
  size(): { readonly packages: number; readonly megabytes: number };
}

export function emptyFolder(t: Pick<TestContext, 'after'>, registry: Registry): Folder {
  const path = mkdtempSync(join(tmpdir(), 'tillgate-user-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  const write: Folder['write'] = (name, text) => writeFileSync(join(path, name), text);
  write('.npmrc', npmSettings(registry.url, path));
  write('package.json', JSON.stringify({ name: 'application', private: true, type: 'module' }));
  const start: Folder['start'] = (program, ...args) => startIn(path, program, args);
  const read = (name: string): unknown => JSON.parse(readFileSync(join(path, 'node_modules', name), 'utf8'));
  return {
    path,
    write,
    start,
    run: (program, ...args) => start(program, ...args).ended(),
    npm: async (...args) => {
      const began = performance.now();
      await start('npm', ...args).ended();
      return (performance.now() - began) / 1000;
    },
    copy: (...paths) => paths.forEach((each) => copyFileSync(join(repository, each), join(path, basename(each)))),
    version: (name) => (read(`${name}/package.json`) as { version: string }).version,
    size: () => {
      const { packages } = read('.package-lock.json') as { readonly packages: object };
      return { packages: Object.keys(packages).length, megabytes: bytesIn(join(path, 'node_modules')) / 1e6 };
    },
  };
}

function startIn(path: string, program: string, args: readonly string[]): Running {
  const child = spawn(program, args, { cwd: path, env: ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'] });
  endWithThisProcess(child);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const said = (): string => `${program} ${args.join(' ')}:\n${out}${err}`;
  return {
    line: async (word) => {
      const pattern = new RegExp(`^${word} (.+)$`, 'm');
      await waitFor(() => pattern.test(out) || child.exitCode !== null, { timeoutMs: 120_000, describe: said });
      const [, rest] = pattern.exec(out) ?? [];
      assert.ok(rest !== undefined, said());
      return rest;
    },
    ended: async () => {
      assert.equal(await ended, 0, said());
      return out;
    },
  };
}

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
