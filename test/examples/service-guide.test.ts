import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startAnvil } from '../support/anvil.ts';
import { freePort } from '../support/free-port.ts';
import { endWithThisProcess } from '../support/processes.ts';
import { repository } from '../support/source-tree.ts';

/**
 * What the machine of a test has not, or must not be changed: users, a service manager, the sources of elsewhere. Each is a program of
 * the same name that takes the same arguments. A service is started as its unit would.
 */
const STANDINS: Readonly<Record<string, string>> = {
  useradd: 'exit 0',
  git: 'exit 0',
  npm: 'exit 0',
  chown: 'exit 0',
  createuser: 'exit 0',
  createdb: 'exit 0',
  runuser: 'while [ "$1" = -u ] || [ "$1" = -G ]; do shift 2; done; [ "$1" = -- ] && shift; exec "$@"',
  install:
    'args=; while [ $# -gt 0 ]; do if [ "$1" = -o ]; then shift; else args="$args $1"; fi; shift; done; exec /usr/bin/install $args',
  node: '[ "$1" = dist/server/dist/bin.js ] && shift && exec $REAL_TILLGATE "$@"; exec "$REAL_NODE" "$@"',
  systemctl: `case "$*" in
*tillgate-signer) node dist/server/dist/bin.js signer --config "$ROOT/etc/tillgate-signer/signer.config.json" >"$ROOT/signer.log" 2>&1 & echo $! >>"$ROOT/pids"
  n=0; until [ -S "$ROOT/run/tillgate-signer/signer.sock" ]; do n=$((n+1)); [ $n -lt 600 ] || { cat "$ROOT/signer.log"; exit 1; }; sleep 0.2; done ;;
*tillgate) tillgate serve >"$ROOT/server.log" 2>&1 & echo $! >>"$ROOT/pids"
  n=0; until grep -q 'listens on' "$ROOT/server.log"; do n=$((n+1)); [ $n -lt 600 ] || { cat "$ROOT/server.log"; exit 1; }; sleep 0.2; done ;;
esac`,
};

test('the guide for a service ends in a running till: its commands as they are printed, on a machine of the test’s own', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'tillgate-guide-'));
  const anvil = await startAnvil({ chainId: 31337 });
  t.after(async () => {
    const pids = existsSync(join(root, 'pids')) ? readFileSync(join(root, 'pids'), 'utf8').trim().split('\n') : [];
    for (const pid of pids)
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH');
      }
    await anvil.stop();
    rmSync(root, { recursive: true, force: true });
  });
  for (const folder of ['bin', 'usr/local/bin', 'etc/systemd/system', 'opt/tillgate', 'var/lib', 'run/tillgate-signer'])
    mkdirSync(join(root, folder), { recursive: true, mode: 0o700 });
  for (const [name, body] of Object.entries(STANDINS))
    writeFileSync(join(root, 'bin', name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  const port = await freePort();
  cpSync(join(repository, 'examples/self-host'), join(root, 'opt/tillgate/examples/self-host'), { recursive: true });
  edit(root, port, anvil.url);

  const { code, said } = await shell(root, commands());
  assert.equal(code, 0, said);
  assert.match(said, /The signer has the seed/);
  assert.match(said, /otpauth:\/\/totp\//);
  assert.match(said, /api_key: tak_/);
  assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200);
  assert.equal(statSync(join(root, 'etc/tillgate/master-key')).mode & 0o777, 0o600);
});

/** The commands of the guide, each with the answers that a person would give. */
function commands(): string {
  const guide = readFileSync(join(repository, 'examples/self-host/README.md'), 'utf8');
  const [, block = ''] = /## As a service[\s\S]*?```sh\n([\s\S]*?)```/.exec(guide) ?? [];
  assert.ok(block.includes('tillgate init') && block.includes('readyz'));
  return block
    .replace(/^tillgate (?:init|account create) .*$/gm, (line) => {
      const command = line.replace(/ +#.*$/, '');
      return `printf 'a good long password' | ${command} --password-stdin | tee "$ROOT/last"`;
    })
    .replace('--account ID', `--account "$(grep -o '[0-9]\\{18,19\\}' "$ROOT/last" | head -n 1)"`);
}

/** What the guide says to edit: the node, the database, the prices, which a test cannot ask for, and every path. */
function edit(root: string, port: number, node: string): void {
  const folder = join(root, 'opt/tillgate/examples/self-host');
  for (const name of ['signer.config.json', 'tillgate.config.json', 'tillgate-command']) {
    const text = readFileSync(join(folder, name), 'utf8');
    writeFileSync(join(folder, name), moved(root, text));
  }
  const change = (name: string, by: (settings: Record<string, unknown>) => void): void => {
    const settings = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Record<string, unknown>;
    by(settings);
    writeFileSync(join(folder, name), JSON.stringify(settings));
  };
  const options = { chainId: 31337, tokens: {} };
  change('tillgate.config.json', (settings) => {
    settings['listen'] = { host: '127.0.0.1', port };
    settings['database'] = { client: 'sqlite' };
    settings['rates'] = { sources: [{ use: 'static', prices: { ETH: '2500', EUR: '1.1' } }] };
    settings['plugins'] = [{ use: 'ethereum', options: { ...options, rpcUrls: [node], confirmations: 1 } }];
  });
  change('signer.config.json', (settings) => {
    const payments = { ETH: { most: '2', perDay: '10' } };
    settings['chains'] = { ETH: { payments, fees: { most: '0.05', perDay: '0.5' }, sweepTo: [], options } };
  });
}

/** Paths of the system, below the folder of the test. */
const moved = (root: string, text: string): string =>
  text.replaceAll(/(?<![\w.])\/(?=(?:etc|var\/lib|opt|run|usr\/local)\/)/g, `${root}/`);

function shell(root: string, script: string): Promise<{ code: number | null; said: string }> {
  const built = process.env['TEST_TILL_PROGRAM'];
  const sources = `--import ${import.meta.resolve('tsx')} ${join(repository, 'host/bin.ts')}`;
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('TILLGATE_') && name !== 'NODE_OPTIONS',
  );
  const child = spawn('bash', ['-euo', 'pipefail', '-c', moved(root, script).replace(/8080/g, portOf(root))], {
    env: {
      ...Object.fromEntries(inherited),
      PATH: `${root}/bin:${root}/usr/local/bin:${process.env['PATH'] ?? ''}`,
      ROOT: root,
      REAL_NODE: process.execPath,
      REAL_TILLGATE: `${process.execPath} ${built ?? sources}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithThisProcess(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  return new Promise((resolve) => child.once('exit', (code) => resolve({ code, said })));
}

function portOf(root: string): string {
  const settings = JSON.parse(
    readFileSync(join(root, 'opt/tillgate/examples/self-host/tillgate.config.json'), 'utf8'),
  ) as {
    listen: { port: number };
  };
  return String(settings.listen.port);
}
