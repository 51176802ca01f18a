import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Packed } from '../../../.ci/publish.mjs';
import { publish } from '../../../.ci/publish.mjs';
import { freePort } from '../../support/free-port.ts';
import { endWithThisProcess, stopProcess } from '../../support/processes.ts';
import { waitFor } from '../../support/wait.ts';
import { ENVIRONMENT, NODE, configuredNpm, installed, npmSettings } from './machine.ts';

const PROGRAM = join(installed, 'node_modules/verdaccio/bin/verdaccio');
const PUBLISHER = { name: 'publisher', password: 'only on this machine' };

/** A registry of npm packages on loopback: with ours, and for all others in front of the registry that npm is configured with. */
export interface Registry {
  readonly url: string;
  /** Publishes packages in this order. @returns the names of those that were not there yet */
  publish(packages: readonly Packed[]): string[];
  stop(): Promise<void>;
}

/** @throws Error where the registry is not installed, with the reason */
export async function startRegistry(): Promise<Registry> {
  if (!existsSync(join(installed, 'node_modules/.installed'))) {
    const reason = join(installed, 'missing.log');
    const why = existsSync(reason) ? readFileSync(reason, 'utf8') : 'test/lab/registry/install.sh has not run';
    throw new Error(`The registry is missing: ${why}`);
  }
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-registry-'));
  const url = `http://127.0.0.1:${await freePort()}`;
  const settings = join(folder, 'config.yaml');
  // YAML includes JSON.
  writeFileSync(settings, JSON.stringify(settingsOf(configuredNpm('registry'))));
  const child = spawn(NODE, [PROGRAM, '--listen', new URL(url).host, '--config', settings], {
    cwd: folder,
    env: { NODE_EXTRA_CA_CERTS: configuredNpm('cafile'), ...ENVIRONMENT },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithThisProcess(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-20_000)));
  await waitFor(async () => child.exitCode !== null || (await fetch(`${url}/-/ping`)).ok, {
    timeoutMs: 60_000,
    describe: () => `the registry; it said:\n${said}`,
  });
  if (child.exitCode !== null) throw new Error(`The registry ended:\n${said}`);
  const token = await signUp(url);
  writeFileSync(join(folder, '.npmrc'), `${npmSettings(url, folder)}//${new URL(url).host}/:_authToken=${token}\n`);
  return {
    url,
    // Provenance needs the build server that signs it.
    publish: (packages) =>
      publish(packages, { cwd: folder, env: ENVIRONMENT, flags: ['--provenance=false', '--loglevel=error'] }),
    stop: async () => {
      await stopProcess(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Ours come from this registry alone; the others from the one behind it. Paths are relative to the file's folder. */
function settingsOf(behind: string): object {
  const ours = { access: '$all', publish: '$authenticated' };
  return {
    storage: './storage',
    auth: { htpasswd: { file: './htpasswd' } },
    uplinks: { npm: { url: behind, timeout: '60s' } },
    packages: { tillgate: ours, '@tillgate/*': ours, '**': { access: '$all', proxy: 'npm' } },
    max_body_size: '50mb',
    web: { enable: false },
    log: { type: 'stdout', format: 'pretty', level: 'warn' },
  };
}

/** @returns the token of a new user */
async function signUp(url: string): Promise<string> {
  const reply = await fetch(`${url}/-/user/org.couchdb.user:${PUBLISHER.name}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(PUBLISHER),
  });
  const { token } = (await reply.json()) as { readonly token?: string };
  if (token === undefined) throw new Error(`The registry takes no user: ${reply.status}`);
  return token;
}
