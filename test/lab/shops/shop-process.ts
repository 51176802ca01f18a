import { execFile, spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tarballs } from '../../package/project.ts';
import { endWithThisProcess, stopProcess } from '../../support/processes.ts';
import { waitFor } from '../../support/wait.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));

/** A shop system, whose folder here and under `examples/shops` has its name. */
export type ShopSystem = 'vendure' | 'medusa';

/** Where the packages of a shop system are. */
export const packagesOf = (shop: ShopSystem): string => join(HERE, shop, 'node_modules');
/** Where a shop has the package of its folder under `examples/shops`. */
export const pluginOf = (shop: ShopSystem): string => join(packagesOf(shop), `tillgate-${shop}`);

/**
 * Puts the package of `examples/shops` into the shop as `npm install` does: packed, and with no more than its list of files.
 *
 * @throws Error where the shop system is not installed, with the reason
 */
export async function installPlugin(shop: ShopSystem): Promise<void> {
  assertInstalled(shop);
  const folder = pluginOf(shop);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const source = join(REPOSITORY, 'examples/shops', shop);
  const archive = run('npm', ['pack', source, '--silent', '--pack-destination', folder]).trim();
  run('tar', ['-xzf', join(folder, archive), '-C', folder, '--strip-components=1']);
  rmSync(join(folder, archive));
  await installClient(packagesOf(shop));
}

/** The client as it is published. */
async function installClient(packages: string): Promise<void> {
  const folder = join(packages, '@tillgate/client');
  mkdirSync(folder, { recursive: true });
  const { '@tillgate/client': packed } = await tarballs();
  run('tar', ['-xzf', packed, '-C', folder, '--strip-components=1']);
}

function assertInstalled(shop: ShopSystem): void {
  const reason = join(HERE, shop, 'missing.log');
  if (existsSync(join(packagesOf(shop), '.installed'))) return;
  const why = existsSync(reason) ? readFileSync(reason, 'utf8').trim() : 'test/lab/shops/install.sh has not run';
  throw new Error(`${shop} is missing: ${why}`);
}

function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${String(status)}: ${stderr}`);
  return stdout;
}

/** A shop in a process of its own. */
export interface ShopProcess {
  readonly url: string;
  /** What it said so far. */
  said(): string;
  stop(): Promise<void>;
}

/** Runs a program of the shop system's packages in the shop's folder. @throws Error with what it said where it fails */
export function runInShop(
  shop: ShopSystem,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const options = { cwd: join(HERE, shop), env: { ...withoutOurs(), ...environment }, maxBuffer: 1e8 };
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [...args], options, (error, stdout, stderr) => {
      if (error === null) resolve();
      else reject(new Error(`${args.join(' ')}: ${error.message}\n${stdout}${stderr}`, { cause: error }));
    });
    endWithThisProcess(child);
  });
}

/** Starts `main.mjs` of the shop's folder here, which prints `listens on URL`. */
export async function startShop(shop: ShopSystem, environment: Readonly<Record<string, string>>): Promise<ShopProcess> {
  let text = '';
  const child: ChildProcess = spawn(process.execPath, [join(HERE, shop, 'main.mjs')], {
    cwd: join(HERE, shop),
    env: { ...withoutOurs(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithThisProcess(child);
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (part: string) => (text = (text + part).slice(-100_000)));
  const url = await waitFor(
    () => {
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}`);
      return /^listens on (\S+)$/m.exec(text)?.[1];
    },
    { timeoutMs: 600_000, intervalMs: 100, describe: () => `${shop} to listen; it said:\n${text}` },
  );
  return { url, said: () => text, stop: () => stopProcess(child) };
}

function withoutOurs(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== 'NODE_OPTIONS'));
}
