import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { usersEnvironment } from '../../support/installed-server.ts';
import { repository } from '../../support/source-tree.ts';

/** Where install.sh puts the registry and the Node release. */
export const installed = join(repository, 'temp/registry');
/** The program of the Node release that everything here runs on. */
export const NODE = join(installed, 'node_modules/node-24/bin/node');

/** What a user of the machine has, with that release as `node`. */
export const ENVIRONMENT: NodeJS.ProcessEnv = {
  ...usersEnvironment,
  PATH: `${dirname(NODE)}:${process.env['PATH'] ?? ''}`,
};

/** A setting of this machine's npm; empty where it has none. */
export function configuredNpm(name: string): string {
  const value = execFileSync('npm', ['config', 'get', name], { cwd: repository, encoding: 'utf8' }).trim();
  return value === 'null' || value === 'undefined' ? '' : value;
}

/** The text of an `.npmrc` for a registry on loopback, with a cache of its own in the folder. */
export const npmSettings = (registry: string, folder: string): string =>
  [
    `registry=${registry}`,
    `cache=${join(folder, '.npm-cache')}`,
    'noproxy=127.0.0.1',
    'audit=false',
    'fund=false',
    'update-notifier=false',
    '',
  ].join('\n');
