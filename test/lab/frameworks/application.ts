import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tarballs } from '../../package/project.ts';
import { endWithThisProcess } from '../../support/processes.ts';
import { repository } from '../../support/source-tree.ts';
import { waitFor } from '../../support/wait.ts';

const run = promisify(execFile);
/** Where the frameworks and the package are installed. */
const installed = join(repository, 'temp/frameworks');
const packages = join(installed, 'node_modules');
/** The examples as a reader has them: beside packages, and with `tillgate` as it is published. */
const applications = join(installed, 'applications');
const next = join(packages, 'next/dist/bin/next');
const TSC = join(repository, 'node_modules/typescript7/bin/tsc');
const withoutOurs = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name !== 'NODE_OPTIONS' && !name.startsWith('TILLGATE_')),
);
const environment = { ...withoutOurs, NEXT_TELEMETRY_DISABLED: '1', NEXT_MANUAL_SIG_HANDLE: 'true' };

export type Framework = 'fastify' | 'hono' | 'nest' | 'next';

/** Puts the examples beside the frameworks, with the packed `tillgate`. @throws Error where the frameworks are missing, with the reason */
export async function prepareApplications(): Promise<void> {
  const reason = join(installed, 'missing.log');
  if (!existsSync(join(packages, '.installed')))
    throw new Error(
      `The frameworks are missing: ${existsSync(reason) ? readFileSync(reason, 'utf8') : 'test/lab/frameworks/install.sh has not run'}`,
    );
  // A copy: the bundler of Next follows no link that leads out of the project.
  const packed = await tarballs();
  for (const name of ['tillgate', '@tillgate/client'] as const) {
    const folder = join(packages, name);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    await run('tar', ['-xzf', packed[name], '-C', folder, '--strip-components=1']);
  }
  rmSync(applications, { recursive: true, force: true });
  cpSync(join(repository, 'examples/embed-frameworks'), applications, { recursive: true });
}

/** Checks the types of all but Next's, which its build checks. @throws Error with what the compiler says */
export async function compileApplications(): Promise<void> {
  await told(process.execPath, [TSC, '-p', join(applications, 'tsconfig.json')], applications);
}

export async function buildNext(): Promise<void> {
  await told(process.execPath, [next, 'build'], join(applications, 'next'));
}

async function told(program: string, args: readonly string[], cwd: string): Promise<void> {
  await run(program, args, { cwd, env: environment }).catch((error: unknown) => {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(`${args.join(' ')}: ${stdout}${stderr}`, { cause: error });
  });
}

/** An application in a process of its own. */
export interface Application {
  readonly url: string;
  /** What it said so far. */
  said(): string;
  /** What it printed behind a label. */
  printed(label: string): Promise<string>;
  /** Ends it as a service manager does. @returns its exit code */
  terminate(): Promise<number | null>;
  kill(): Promise<void>;
}

/** Starts an application as its README says, and waits until it listens. */
export async function startApplication(
  framework: Framework,
  settings: Readonly<Record<'PORT' | 'DATABASE' | 'TILLGATE_MASTER_KEY' | 'NODE_URL', string>>,
): Promise<Application> {
  const args =
    framework === 'next'
      ? [next, 'start', '--hostname', '127.0.0.1', '--port', settings.PORT]
      : ['--import', import.meta.resolve('tsx'), 'main.ts'];
  const child: ChildProcess = spawn(process.execPath, args, {
    cwd: join(applications, framework),
    env: { ...environment, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithThisProcess(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (part: string) => (text = (text + part).slice(-100_000)));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const url = `http://127.0.0.1:${settings.PORT}`;
  const about = { timeoutMs: 60_000, describe: () => `${framework}; it said:\n${text}` };
  await waitFor(async () => child.exitCode !== null || (await fetch(`${url}/pay/livez`)).ok, about);
  return {
    url,
    said: () => text,
    printed: (label) => waitFor(() => new RegExp(`^${label}: (\\S+)$`, 'm').exec(text)?.[1], about),
    terminate: async () => {
      child.kill('SIGTERM');
      await waitFor(() => child.exitCode !== null || child.signalCode !== null, about);
      return ended;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
