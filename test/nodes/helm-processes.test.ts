import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { killAll } from '../host/till-process.ts';
import type { TillProcess } from '../host/till-process.ts';
import { freePort } from '../support/free-port.ts';
import { blocksOfGuide } from '../support/guides.ts';
import { freshDatabase } from '../support/postgres.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { endWithThisProcess } from '../support/processes.ts';
import { repository } from '../support/source-tree.ts';
import { waitFor } from '../support/wait.ts';
import { render } from './helm-release.ts';
import type { Release } from './helm-release.ts';
import { PodProcess } from './pod-process.ts';

const GUIDE = 'examples/kubernetes/README.md';
const PRODUCTION = join(repository, 'examples/kubernetes/production.values.yaml');
/** What a machine without internet needs to be other than in the values of the guide. */
const HERE = {
  listenHost: '127.0.0.1',
  settings: {
    auth: { breachedPasswords: null },
    rates: { sources: [{ use: 'static', prices: { ETH: '2500', EUR: '1.1' } }] },
    plugins: [{ use: 'ethereum', options: { rpcUrls: ['http://127.0.0.1:1'], chainId: 1, confirmations: 12 } }],
  },
};
/** `kubectl create secret generic NAME --from-file=KEY=FILE …`: a folder for the Secret, a file for each key. */
const KUBECTL = `#!/bin/sh
[ "$1 $2 $3" = "create secret generic" ] || exit 1
mkdir -p "$SECRETS/$4" && name=$4 && shift 4
for each; do key=\${each#--from-file=}; cp "\${key#*=}" "$SECRETS/$name/\${key%%=*}" || exit 1; done
`;
/** The clone's own program, as the test run has built it. */
const NODE = `#!/bin/sh
[ "$1 $3" = "--import ../host/bin.ts" ] && shift 3 && exec $TILLGATE "$@"
exit 1
`;

describe('a rendered release, as processes', { concurrency: 1 }, () => {
  const root = mkdtempSync(join(tmpdir(), 'tillgate-release-'));
  const secrets = join(root, 'secrets-of-the-cluster');
  let database: FreshDatabase;
  let release: Release;
  let ports: Readonly<Record<'till' | 'signer', number>>;
  let [tillPod, signerPod]: (PodProcess | undefined)[] = [];
  let till: TillProcess;
  let signer: TillProcess;
  const ask = (path: string): Promise<{ readonly status: number; readonly text: string }> =>
    asKubelet(ports.till, path);

  before(async () => {
    database = await freshDatabase();
    ports = { till: await freePort(), signer: await freePort() };
    await makeSecrets(root, secrets, database.url);
    release = render([HERE], '--values', PRODUCTION);
    const changes = {
      'https://tillgate-signer:8443': `https://127.0.0.1:${ports.signer}`,
      '"port": 8443': `"port": ${ports.signer}`,
      '"port": 8080': `"port": ${ports.till}`,
    };
    const pod = (name: string): PodProcess =>
      new PodProcess(release, name, { secrets, changes, folder: join(root, name) });
    [tillPod, signerPod] = [pod('tillgate'), pod('tillgate-signer')];
    signer = signerPod.start();
    await signer.url();
    till = tillPod.start();
    await till.url();
  });
  after(async () => {
    await killAll();
    await database.drop();
    rmSync(root, { recursive: true, force: true });
  });

  test('the signer’s certificate is for the name by which the till asks for it', () => {
    const { data = {} } = release.only('ConfigMap', 'tillgate');
    const settings = JSON.parse(data['tillgate.config.json'] ?? '') as { readonly signer: { readonly url: string } };
    const { hostname, port } = new URL(settings.signer.url);
    assert.ok(blocksOfGuide(GUIDE).some((block) => block.includes(`\ncertificate ${hostname} serverAuth `)));
    assert.deepEqual(release.only('Service', hostname).spec?.ports, [
      { name: 'signer', port: Number(port), targetPort: 'signer' },
    ]);
  });

  test('the till serves the paths of its probes, by whatever name it is asked', async () => {
    const [{ startupProbe, livenessProbe, readinessProbe, ports: named }] = release.pods('tillgate').containers;
    assert.deepEqual(named, [{ name: 'http', containerPort: 8080 }]);
    for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) {
      assert.equal(httpGet?.port, 'http');
      const { status, text } = await ask(httpGet.path);
      assert.equal(status, 200, text);
    }
    assert.equal((await ask('/healthz')).status, 404);
    assert.match((await ask('/metrics')).text, /^tillgate_http_requests_total/m);
  });

  test('the signer accepts the connection of its probe, and goes on', async () => {
    const [{ readinessProbe, livenessProbe }] = release.pods('tillgate-signer').containers;
    assert.deepEqual([readinessProbe.tcpSocket?.port, livenessProbe.tcpSocket?.port], ['signer', 'signer']);
    await new Promise<void>((resolve, reject) => {
      const probe = connect(ports.signer, '127.0.0.1', () => probe.destroy()).once('error', reject);
      probe.once('close', () => resolve());
    });
    assert.equal(signer.child.exitCode, null);
  });

  test('commands in the pod find the signer, and make the first admin of the guide', async () => {
    const made = await tillPod?.exec(
      ['init', '--email', 'admin@example.com', '--password-stdin', '--json'],
      'a good long password',
    );
    assert.match(made?.out ?? '', /otpauth:\/\/totp\//, made?.err);
    assert.match(made?.out ?? '', /"check":"signer","ok":true/, made?.out);
  });

  test('no file of the till’s pod has the seed, and none of the signer’s the master key', () => {
    const [seed = '', key = ''] = ['tillgate-signer-seed/seed', 'tillgate-master-key/master-key'].map((file) =>
      readFileSync(join(secrets, file), 'utf8').trim(),
    );
    const has = (pod: PodProcess | undefined, text: string): boolean =>
      pod?.files().some((file) => readFileSync(file, 'utf8').includes(text)) ?? false;
    assert.deepEqual(
      [has(tillPod, seed), has(signerPod, seed), has(tillPod, key), has(signerPod, key)],
      [false, true, true, false],
    );
  });

  test('the paths of the API’s document are passed on by the Ingress, but for those of machines', async () => {
    const { paths } = JSON.parse((await ask('/openapi.json')).text) as { readonly paths: object };
    const [rule] = release.only('Ingress', 'tillgate').spec?.rules ?? [];
    const passed = rule?.http.paths.map(({ path }) => path) ?? [];
    assert.deepEqual(
      Object.keys(paths).filter((path) => !passed.some((each) => path === each || path.startsWith(`${each}/`))),
      ['/livez', '/metrics'],
    );
  });

  test('without the signer the till stays ready and says so; both end in order within their time', async () => {
    const ended = await signer.signal('SIGTERM');
    assert.equal(ended.code, 0, ended.err);
    await waitFor(async () => (await ask('/readyz')).text.includes('"signer":"unavailable"'), { timeoutMs: 60_000 });
    assert.equal((await ask('/readyz')).status, 200);
    const stopping = Date.now();
    assert.equal((await till.signal('SIGTERM')).code, 0);
    assert.ok(Date.now() - stopping < 10_000);
  });
});

/** Asks as the node's agent does: by the pod's address and not by the till's name. */
function asKubelet(port: number, path: string): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { host: '10.1.2.3:8080', 'user-agent': 'kube-probe/1.34', connection: 'close' };
    request({ host: '127.0.0.1', port, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
    })
      .once('error', reject)
      .end();
  });
}

/** Runs the guide's commands as they are printed, with a `kubectl` that keeps the Secrets in a folder. */
async function makeSecrets(root: string, secrets: string, databaseUrl: string): Promise<void> {
  const bin = join(root, 'bin');
  mkdirSync(bin);
  for (const [name, text] of Object.entries({ kubectl: KUBECTL, node: NODE }))
    writeFileSync(join(bin, name), text, { mode: 0o755 });
  const [block = ''] = blocksOfGuide(GUIDE).filter((each) => each.includes('signer init'));
  const script = block
    .replace(/'postgres:[^']*'/, `'${databaseUrl}'`)
    .replace('subjectAltName=DNS:%s', 'subjectAltName=DNS:%s,IP:127.0.0.1');
  const built = process.env['TEST_TILL_PROGRAM'];
  const sources = `--import ${import.meta.resolve('tsx')} ${join(repository, 'host/bin.ts')}`;
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: root,
    env: {
      ...process.env,
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      SECRETS: secrets,
      TILLGATE: `${process.execPath} ${built ?? sources}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithThisProcess(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  assert.equal(code, 0, said);
}
