import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../..', import.meta.url));

/** An empty project into which the tarball was installed, and nothing else. */
export interface Project {
  readonly path: string;
  /** Puts these packages beside it, as an installation of its peers would. */
  add(packages: readonly string[]): void;
  write(name: string, text: string): string;
  /** Runs a script of the project with node alone; answers with what it printed. */
  node(name: string): Promise<string>;
  remove(): void;
}

/** The tarball that would be published; built once for each state of the sources, `npm run check` included. */
export async function tarball(): Promise<string> {
  const { stdout } = await run(process.execPath, [join(repository, '.ci/stage.mjs')]);
  return stdout.trim();
}

/** The tarball of `@tillgate/server`, which depends on the other one. */
export async function tarballOfServer(): Promise<string> {
  const { stdout } = await run(process.execPath, [join(repository, '.ci/stage.mjs'), 'server']);
  return stdout.trim();
}

/** Installs a tarball with npm, away from the registry: it depends on nothing. */
export async function emptyProject(packed: string): Promise<Project> {
  const path = mkdtempSync(join(tmpdir(), 'tillgate-project-'));
  writeFileSync(join(path, 'package.json'), JSON.stringify({ name: 'project', private: true, type: 'module' }));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', packed], { cwd: path });
  const modules = join(path, 'node_modules');
  const environment = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name !== 'NODE_OPTIONS' && !name.startsWith('TILLGATE_')),
  );
  return {
    path,
    add: (packages) => {
      for (const name of packages) {
        mkdirSync(dirname(join(modules, name)), { recursive: true });
        symlinkSync(join(repository, 'node_modules', name), join(modules, name));
      }
    },
    write: (name, text) => {
      writeFileSync(join(path, name), text);
      return join(path, name);
    },
    node: async (name) => (await run(process.execPath, [name], { cwd: path, env: environment })).stdout,
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
