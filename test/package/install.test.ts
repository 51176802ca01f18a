import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, readdirSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { build } from 'esbuild';
import ts from 'typescript';
import { PACKAGES } from '../../.ci/packages.mjs';
import { freePort } from '../support/free-port.ts';
import { endWithThisProcess } from '../support/processes.ts';
import { repository } from '../support/source-tree.ts';
import { waitFor } from '../support/wait.ts';
import { emptyProject, tarballs } from './project.ts';
import type { Project, Tarballs } from './project.ts';

const CLIENT_ALONE = `
  import { createTillgateClient, signTestCallback, verifyCallback } from '@tillgate/client';
  const callbackSecret = 'whsec_' + Buffer.alloc(32, 7).toString('base64');
  const signed = await signTestCallback({ url: 'https://shop.example/paid', callbackToken: 'cbt', callbackSecret });
  const { event } = await verifyCallback(signed, { callbackSecret });
  console.log(event, typeof createTillgateClient({ baseUrl: 'https://pay.example', credentials: { apiKey: 'key' } }).orders.get);
`;

/** Loaded by knex, and by `require` only where it is installed, so that no import names them. */
const LOADED_BY_NAME: ReadonlySet<string> = new Set(['sqlite3', 'tiny-secp256k1']);
/** The most packages that `npm install tillgate` may bring, with those that they bring in turn. */
const MOST_PACKAGES = 40;
const MEGABYTE = 1_000_000;

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Every package that an installation of these brings, as the lock file has them. */
function installed(names: readonly string[]): ReadonlySet<string> {
  const { packages } = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const found = new Set<string>();
  const visit = (name: string, from: string): void => {
    const nested = `${from}/node_modules/${name}`;
    const place = from !== '' && nested in packages ? nested : `node_modules/${name}`;
    if (found.has(place)) return;
    found.add(place);
    for (const next of Object.keys(packages[place]?.dependencies ?? {})) visit(next, place);
  };
  for (const name of names) visit(name, '');
  return found;
}

/** The packages that the scripts of a folder import, as esbuild finds them. */
async function importedBy(folder: string): Promise<ReadonlySet<string>> {
  const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const { metafile } = await build({
    entryPoints: scripts.map((name) => join(folder, name)),
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    outdir: folder,
    write: false,
    metafile: true,
    logLevel: 'error',
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  return new Set(
    imports
      .filter(({ external, path }) => external === true && !isBuiltin(path))
      .map(({ path }) => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path),
  );
}

describe('the packages, unpacked into an empty project', () => {
  let packed: Tarballs;
  const projects: Project[] = [];
  const project = async (packages: Partial<Tarballs>): Promise<Project> => {
    const made = await emptyProject(packages);
    projects.push(made);
    return made;
  };
  const manifestOf = ({ path }: Project, name: string): Readonly<Record<string, Readonly<Record<string, string>>>> =>
    JSON.parse(readFileSync(join(path, 'node_modules', name, 'package.json'), 'utf8')) as ReturnType<typeof manifestOf>;
  before(async () => {
    packed = await tarballs();
  });
  after(() => projects.forEach((each) => each.remove()));

  test('the client runs with no other package there', async () => {
    const own = await project({ '@tillgate/client': packed['@tillgate/client'] });
    assert.ok(!('dependencies' in manifestOf(own, '@tillgate/client')));
    own.write('client.js', CLIENT_ALONE);
    assert.match(await own.node('client.js'), /^order\.succeeded function/);
  });

  test('say nothing of development, are small, and bring few packages', async () => {
    const all = await project(packed);
    for (const name of Object.keys(packed))
      for (const field of ['devDependencies', 'optionalDependencies', 'scripts'])
        assert.ok(!(field in manifestOf(all, name)), `${name} has ${field}`);
    const { dependencies = {} } = manifestOf(all, 'tillgate');
    const brought = installed(Object.keys(dependencies).filter((name) => !name.startsWith('@tillgate/')));
    assert.ok(brought.size < MOST_PACKAGES, [...brought].join(' '));
    assert.ok(readFileSync(packed.tillgate).length < 1.5 * MEGABYTE);
    for (const part of ['dist/files/host/dashboard', 'core', 'adapters', 'host'])
      assert.ok(!existsSync(join(all.path, 'node_modules/tillgate', part)), part);
  });

  test('each dependency of the bundles is imported by them, and nothing else is missing', async () => {
    const all = await project(packed);
    for (const { name, dependencies, peers } of PACKAGES) {
      if (name === '@tillgate/testing') continue;
      const folder = join(all.path, 'node_modules', name, 'dist');
      const imported = await importedBy(folder);
      for (const each of [...dependencies, ...peers])
        if (!each.includes('tillgate') && !LOADED_BY_NAME.has(each))
          assert.ok(imported.has(each), `${name} does not import ${each}`);
      // Only a clone bundles the dashboard itself.
      const listed = [...dependencies, ...peers, 'esbuild'];
      for (const each of imported) assert.ok(listed.includes(each), `${name} imports ${each}`);
    }
  });

  test('have types that refuse wrong uses and take right ones, with none of them left unchecked', async () => {
    const all = await project(packed);
    const needed = PACKAGES.flatMap(({ dependencies }) => dependencies).filter((name) => !name.includes('tillgate'));
    all.add([...new Set(needed)]);
    all.add(['@types/node', 'undici-types']);
    const files = ['right.ts', 'wrong.ts'].map((name) => {
      copyFileSync(join(repository, 'test/package/uses', name), join(all.path, name));
      return join(all.path, name);
    });
    const program = ts.createProgram(files, {
      strict: true,
      exactOptionalPropertyTypes: true,
      skipDefaultLibCheck: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2023,
      lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      types: ['node'],
      typeRoots: [join(all.path, 'node_modules/@types')],
    });
    const problems = ts
      .getPreEmitDiagnostics(program)
      .filter(({ file }) => !/node_modules\/(?!@?tillgate)/.test(file?.fileName ?? ''))
      .map(
        ({ messageText, file: where, start = 0 }) =>
          `${where?.fileName ?? ''}:${(where?.getLineAndCharacterOfPosition(start).line ?? 0) + 1}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      );
    assert.deepEqual(problems, []);
  });

  test('examples/embed-express runs on them as plain JavaScript', async () => {
    const { path, add, write } = await project({
      tillgate: packed.tillgate,
      '@tillgate/client': packed['@tillgate/client'],
    });
    const [tillgate] = PACKAGES;
    add([...(tillgate?.dependencies ?? []).filter((name) => !name.includes('tillgate')), 'express', 'sqlite3']);
    const source = readFileSync(join(repository, 'examples/embed-express/main.ts'), 'utf8');
    assert.doesNotMatch(source, /\.\.\//);
    const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023 };
    write('main.js', ts.transpileModule(source, { fileName: 'main.mts', compilerOptions: options }).outputText);
    const port = await freePort();
    const child = spawn(process.execPath, ['main.js'], {
      cwd: path,
      env: { ...process.env, PORT: String(port), DATABASE: 'app.db' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    endWithThisProcess(child);
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (said += text));
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    await waitFor(() => /shop on/.test(said) || child.exitCode !== null, { timeoutMs: 60_000, describe: () => said });
    assert.match(said, /shop on/);
    const bought = (await (await fetch(`http://127.0.0.1:${port}/buy`, { method: 'POST' })).json()) as { pay: string };
    // The page's own script and style stand in the package too.
    const page = await fetch(bought.pay.replace('localhost', '127.0.0.1'));
    assert.equal(page.status, 200);
    const assets = [...(await page.text()).matchAll(/(?:src|href)="(assets\/[^"]+)"/g)].map(
      ([, asset = '']) => new URL(asset, page.url),
    );
    assert.ok(assets.length > 0);
    for (const asset of assets) assert.equal((await fetch(asset)).status, 200, asset.href);
    child.kill('SIGTERM');
    assert.equal(await ended, 0, said);
  });
});
