import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../support/source-tree.ts';

const run = promisify(execFile);

/** The tarballs that would be published, by the names of their packages; built once for each state of the sources. */
export type Tarballs = Readonly<Record<'tillgate' | `@tillgate/${'server' | 'client' | 'testing'}`, string>>;

export async function tarballs(): Promise<Tarballs> {
  const { stdout } = await run(process.execPath, ['--import', import.meta.resolve('tsx'), '.ci/stage.mjs'], {
    cwd: repository,
  });
  return JSON.parse(stdout) as Tarballs;
}

/** A project of somebody else, with packed packages in it. */
export interface Project {
  readonly path: string;
  /** Puts packages of this repository's own node_modules beside them, as an installation would. */
  add(packages: readonly string[]): void;
  write(name: string, text: string): string;
  /** Runs a script of the project with node alone; answers with what it printed. */
  node(name: string): Promise<string>;
  remove(): void;
}

/** Unpacks packages into an empty project, away from the registry. What they depend on is not there yet. */
export async function emptyProject(packages: Partial<Tarballs>): Promise<Project> {
  const path = mkdtempSync(join(tmpdir(), 'tillgate-project-'));
  writeFileSync(join(path, 'package.json'), JSON.stringify({ name: 'project', private: true, type: 'module' }));
  const modules = join(path, 'node_modules');
  for (const [name, tarball] of Object.entries(packages)) {
    mkdirSync(join(modules, name), { recursive: true });
    await run('tar', ['-xzf', tarball, '-C', join(modules, name), '--strip-components=1']);
  }
  const environment = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name !== 'NODE_OPTIONS' && !name.startsWith('TILLGATE_')),
  );
  return {
    path,
    add: (names) => {
      for (const name of names) {
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
