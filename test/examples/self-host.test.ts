import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PACKAGES } from '../../.ci/packages.mjs';
import { requireSecureConnection } from '../../adapters/storage/knex/index.ts';
import { MALLOC_ENVIRONMENT } from '../../host/boot/memory.ts';
import { resolveConfig } from '../../host/index.ts';
import { guardedChains, readSignerSettings } from '../../host/signer/signer-settings.ts';
import { DEFINITIONS } from '../../plugins/definitions.ts';
import { freshDirectory } from '../host/till-process.ts';
import { repository } from '../support/source-tree.ts';

const folder = fileURLToPath(new URL('../../examples/self-host', import.meta.url));
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const script = async (name: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, [join(folder, name), ...args])).stdout;

describe('examples/self-host: what stands in front of the till and around it', () => {
  test('the settings are understood', () => {
    const environment = { TILLGATE_MASTER_KEY: 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=' };
    const config = resolveConfig(JSON.parse(read('tillgate.config.json')), { environment });
    assert.deepEqual([config.mode, config.listen.trustedHops, config.dataDir], ['production', 1, '/var/lib/tillgate']);
  });

  test('the sandbox in a container is reached from outside it, and writes where the image lets it', () => {
    const { mode, listen, dataDir } = resolveConfig(JSON.parse(read('tillgate.sandbox.json')), { environment: {} });
    assert.deepEqual([mode, listen.host, listen.port], ['sandbox', '0.0.0.0', 8080]);
    assert.ok(read('Dockerfile').includes(`mkdir -p ${dataDir} && chown node:node ${dataDir}`));
    const first = readFileSync(join(repository, 'README.md'), 'utf8');
    assert.match(
      first,
      /docker run .*-p 127\.0\.0\.1:8080:8080 -e TILLGATE_CONFIG=(\S+) \\\n.*tillgate\.sandbox\.json:\1:ro/,
    );
  });

  test('the service and the image start the till with the environment in which memory is given back', () => {
    for (const file of ['tillgate.service', 'Dockerfile'])
      for (const [name, value] of Object.entries(MALLOC_ENVIRONMENT))
        assert.match(read(file), new RegExp(`^E(?:NV |nvironment=).*\\b${name}=${value}\\b`, 'm'), file);
  });

  test('the listener, which speaks plain HTTP, is reached from this machine only', () => {
    const { listen } = JSON.parse(read('tillgate.config.json')) as { listen: { host: string } };
    assert.equal(listen.host, '127.0.0.1');
    const published = [...read('compose.yaml').matchAll(/^ +- '([\d.:]+)'$/gm)].map(([, port]) => port);
    assert.deepEqual(published, ['127.0.0.1:8080:8080', '127.0.0.1:3000:3000']);
  });

  test('the containers’ database has no TLS, which their settings allow', async () => {
    const environment = {
      TILLGATE_MASTER_KEY: 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=',
      TILLGATE_DATABASE_URL: /printf '([^%]+)%s([^']+)'/.exec(read('compose.yaml'))?.slice(1).join('secret') ?? '',
    };
    const { database } = resolveConfig(JSON.parse(read('tillgate.compose.json')), { environment });
    assert.ok(database.client === 'pg' && database.insecure);
    await assert.rejects(
      requireSecureConnection(database.connection, 'database'),
      /database is connected to without TLS/,
    );
  });

  test('fault 73: neither proxy writes a target or a header into a log', () => {
    const nginx = read('nginx.conf');
    const format = /log_format tillgate '([^']*)'/.exec(nginx)?.[1] ?? '';
    const harmless = [
      'time_iso8601',
      'remote_addr',
      'host',
      'request_method',
      'status',
      'body_bytes_sent',
      'request_time',
    ];
    const logged = [...format.matchAll(/\$\{?([a-z0-9_]+)/g)].map(([, name]) => name ?? '');
    assert.deepEqual(
      logged.filter((name) => !harmless.includes(name)),
      [],
    );
    assert.match(nginx, /access_log \S+ tillgate;/);
    // nginx quotes the request in its lines of `error` and less urgent ones.
    assert.match(nginx, /error_log {2}\S+ crit;/);
    const caddy = read('Caddyfile');
    for (const rule of [
      'request>uri delete',
      'request>headers delete',
      'exclude http.log.error http.handlers.reverse_proxy',
    ])
      assert.ok(caddy.includes(rule), rule);
  });

  test('both proxies speak https alone, bound what a client may hold, and replace what it says of its address', () => {
    const nginx = read('nginx.conf');
    for (const directive of [
      'location ~ ^/(checkout|claim|i|l|top-up)/ { return 308 https://$host$request_uri; }',
      'ssl_protocols TLSv1.2 TLSv1.3;',
      'ssl_reject_handshake on;',
      'add_header Strict-Transport-Security "max-age=31536000; includeSubDomains" always;',
      'client_max_body_size 5m;',
      'client_header_timeout 10s;',
      'client_body_timeout 30s;',
      'proxy_set_header X-Forwarded-For $remote_addr;',
    ])
      assert.ok(nginx.includes(directive), directive);
    assert.doesNotMatch(nginx, /\$proxy_add_x_forwarded_for|\$http_x_forwarded_for/);
    const caddy = read('Caddyfile');
    for (const directive of [
      'Strict-Transport-Security',
      'max_size 5MB',
      'read_header 10s',
      'read_body 30s',
      'X-Forwarded-For {remote_host}',
    ])
      assert.ok(caddy.includes(directive), directive);
    assert.doesNotMatch(caddy, /trusted_proxies/);
    const images = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image]) => image ?? '');
    assert.ok(images.length > 0 && images.every((image) => /:\d+\.\d+\.\d+-|@sha256:/.test(image)), images.join());
  });

  test('the till is stopped by a signal and given its ten seconds, as a service and in a container', () => {
    assert.match(read('tillgate.service'), /KillSignal=SIGTERM\nTimeoutStopSec=15/);
    assert.match(read('compose.yaml'), /stop_grace_period: 15s/);
    assert.match(read('compose.yaml'), /exec node/);
  });
});

describe('examples/self-host: the image', () => {
  interface Manifest {
    readonly dependencies?: Readonly<Record<string, string>>;
    readonly devDependencies?: Readonly<Record<string, string>>;
    readonly peerDependencies?: Readonly<Record<string, string>>;
  }
  const manifest = (path: string): Manifest => JSON.parse(readFileSync(path, 'utf8')) as Manifest;

  test('has the packages that the server runs with, as they are locked, and none of tests and build', async () => {
    const directory = freshDirectory();
    const ours = manifest(join(repository, 'package.json'));
    directory.write('package.json', ours);
    await script('run-time-packages.mjs', directory.path);
    const { dependencies = {}, ...rest } = manifest(join(directory.path, 'package.json'));
    const server = PACKAGES.find(({ bin }) => bin !== null);
    assert.deepEqual(
      Object.keys(dependencies).sort(),
      server?.dependencies.filter((name) => name !== 'tillgate').sort(),
    );
    const { packages } = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly version: string }>>;
    };
    for (const [name, version] of Object.entries(dependencies))
      assert.equal(version, packages[`node_modules/${name}`]?.version, name);
    for (const kind of ['devDependencies', 'optionalDependencies', 'peerDependencies', 'peerDependenciesMeta'])
      assert.ok(!(kind in rest), kind);
    directory.remove();
  });

  test('is made of what is left after that, once it is built', () => {
    const [build = '', image = ''] = read('Dockerfile')
      .split(/^FROM /m)
      .slice(1);
    const steps = [...build.matchAll(/^RUN (.+)$/gm)].map(([, step]) => step);
    assert.deepEqual(steps, [
      'npm ci',
      'npm run build',
      'node examples/self-host/run-time-packages.mjs && npm prune --omit=dev',
    ]);
    assert.match(image, /^COPY --from=build \/app\/node_modules /m);
    assert.doesNotMatch(image, /npm/);
    for (const own of ['node_modules', 'examples/self-host/secrets'])
      assert.ok(read('Dockerfile.dockerignore').split('\n').includes(own), own);
  });
});

describe('examples/self-host: the signer', () => {
  test('signs for every chain of the server’s settings, on the socket that both name', async () => {
    const directory = freshDirectory();
    directory.write('signer.config.json', read('signer.config.json'));
    const settings = readSignerSettings(join(directory.path, 'signer.config.json'));
    const guarded = await guardedChains(settings);
    assert.ok('socket' in settings.listen && settings.listen.group);
    for (const name of ['tillgate.config.json', 'tillgate.compose.json']) {
      const { signer, plugins } = JSON.parse(read(name)) as {
        readonly signer: { readonly url: string };
        readonly plugins: readonly { readonly use: string }[];
      };
      assert.equal(signer.url, `unix:${settings.listen.socket}`);
      for (const { use } of plugins)
        assert.ok([...guarded.keys()].includes(DEFINITIONS[use as keyof typeof DEFINITIONS].code), use);
    }
    directory.remove();
  });

  test('another user runs it, and the server’s may open its socket only', () => {
    const [server, signer] = [read('tillgate.service'), read('tillgate-signer.service')];
    const setting = (unit: string, name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';
    assert.notEqual(setting(server, 'User'), setting(signer, 'User'));
    assert.equal(setting(server, 'SupplementaryGroups'), setting(signer, 'Group'));
    assert.deepEqual(
      ['RuntimeDirectoryMode', 'StateDirectoryMode', 'PrivateNetwork'].map((name) => setting(signer, name)),
      ['0750', '0700', 'yes'],
    );
  });
});
