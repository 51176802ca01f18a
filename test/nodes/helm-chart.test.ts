import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { VARIABLES } from '../../host/settings/config.ts';
import { signerSchema } from '../../host/signer/signer-settings.ts';
import { repository } from '../support/source-tree.ts';
import { lint, render, template } from './helm-release.ts';
import type { PodSpec, Release } from './helm-release.ts';

const FOLDER = join(repository, 'examples/kubernetes');
const PRODUCTION = ['--values', join(FOLDER, 'production.values.yaml')];
const limits = { most: '1', perDay: '5' };
/** The least that a release needs. */
const LEAST = {
  image: { repository: 'registry.example.com/tillgate' },
  settings: { mode: 'production', baseUrl: 'https://pay.example.com' },
  signer: { chains: { ETH: { payments: { ETH: limits }, fees: limits } } },
};
/** What is off by default, and what replaces a default. */
const EVERYTHING = {
  image: { digest: `sha256:${'0'.repeat(64)}` },
  imagePullSecrets: [{ name: 'registry' }],
  masterKey: { formerSecret: 'former' },
  till: {
    secretFiles: [{ name: 'bitcoin-rpc', mountPath: '/run/secrets/bitcoin-rpc' }],
    extraEnv: [{ name: 'NODE_OPTIONS', value: '--import ./telemetry.mjs' }],
    podAnnotations: { team: 'money' },
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'till', operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'rack', whenUnsatisfiable: 'DoNotSchedule' }],
    markerVolume: { storageClassName: 'fast', size: '1Gi' },
  },
  service: { annotations: { a: 'b' } },
  ingress: {
    enabled: true,
    gatewayHosts: ['*.gate.example.com'],
    tls: [{ secretName: 'pay', hosts: ['pay.example.com'] }],
  },
  networkPolicy: { tillFrom: [{ podSelector: {} }] },
  metrics: { serviceMonitor: { enabled: true, labels: { release: 'prometheus' } } },
  signer: { persistence: { storageClassName: 'fast' }, nodeSelector: { disk: 'ssd' }, affinity: { nodeAffinity: {} } },
};

describe('the chart, by Helm', () => {
  test('is found to be in order with the values of its guide, and says what is missing without any', () => {
    const { code, text } = lint(PRODUCTION);
    assert.equal(code, 0, text);
    const bare = lint([]);
    assert.equal(bare.code, 1);
    for (const missing of ['/image/repository', "'mode', 'baseUrl'", '/signer/chains'])
      assert.ok(bare.text.includes(missing), bare.text);
  });

  test('its objects are those of Kubernetes, and its pods are admitted where `restricted` is enforced', () => {
    const { settings: _moved, ...others } = LEAST;
    for (const values of [
      [LEAST],
      [LEAST, EVERYTHING],
      [LEAST, { till: { persistentMarker: false } }],
      [LEAST, { signer: { enabled: false } }],
      [LEAST, { podDisruptionBudget: { enabled: false }, networkPolicy: { enabled: false } }],
      [{ ...others, settingsSecret: 'till-settings', ingress: { enabled: true, host: 'pay.example.com' } }],
    ])
      assert.ok(render(values).objects.length > 5);
    assert.ok(render([], ...PRODUCTION).objects.length > 5);
  });

  const wrong: Readonly<Record<string, readonly [values: object, said: RegExp]>> = {
    'a value that there is not': [{ till: { replica: 3 } }, /\/till.*'replica' not allowed/],
    'a number in words': [{ till: { replicas: 'two' } }, /\/till\/replicas/],
    'a mode that there is not': [{ settings: { mode: 'live' } }, /\/settings\/mode/],
    'an address with a path, which no Ingress of it passes on': [
      { settings: { baseUrl: 'https://example.com/pay' } },
      /\/settings\/baseUrl/,
    ],
    'a setting that the chart writes': [{ settings: { listen: { port: 80 } } }, /\/settings\/listen/],
    'the database’s password among the settings': [
      { settings: { database: { connection: 'postgres://till:secret@db/till' } } },
      /\/settings\/database/,
    ],
    'settings beside a Secret with settings': [{ settingsSecret: 'till' }, /\/settings/],
    'a limit as a number, which loses digits': [
      { signer: { chains: { ETH: { fees: { most: 0.1, perDay: '1' } } } } },
      /\/signer\/chains\/ETH\/fees\/most/,
    ],
    'a limit without its day': [{ signer: { chains: { BTC: { payments: {}, fees: { most: '1' } } } } }, /perDay/],
    'the seed in a variable': [
      { till: { extraEnv: [{ name: 'TILLGATE_MNEMONIC', value: 'test' }] } },
      /\/till\/extraEnv/,
    ],
    'an image without its name': [{ image: { repository: '' } }, /\/image\/repository/],
  };
  for (const [what, [values, said]] of Object.entries(wrong))
    test(`refuses ${what}`, () => {
      const { code, text } = template([LEAST, values]);
      assert.notEqual(code, 0);
      assert.match(text, said);
    });

  test('its schema knows the limits that the signer knows', () => {
    const ours = z.toJSONSchema(signerSchema.shape.chains, { io: 'input' }).additionalProperties;
    const { properties } = JSON.parse(readFileSync(join(FOLDER, 'tillgate/values.schema.json'), 'utf8')) as {
      properties: {
        signer: { properties: { chains: { additionalProperties: { properties: object; required: string[] } } } };
      };
    };
    const theirs = properties.signer.properties.chains.additionalProperties;
    assert.ok(typeof ours === 'object');
    assert.deepEqual(Object.keys(theirs.properties).sort(), Object.keys(ours.properties ?? {}).sort());
    assert.deepEqual(theirs.required, ours.required);
  });

  test('its version is that of the package, and its image that of the containers’ guide', () => {
    const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string };
    const [{ image, command }] = render([LEAST]).pods('tillgate').containers;
    assert.equal(image, `registry.example.com/tillgate:${version}`);
    const dockerfile = readFileSync(join(repository, 'examples/self-host/Dockerfile'), 'utf8');
    assert.deepEqual(JSON.parse(/^CMD (.*)$/m.exec(dockerfile)?.[1] ?? ''), command);
    const [, user] = /^USER (\d+):\d+$/m.exec(dockerfile) ?? [];
    assert.equal(render([LEAST]).pods('tillgate').securityContext.runAsUser, Number(user));
  });
});

describe('a release of the chart', () => {
  const release = render([LEAST]);
  const full = render([LEAST, EVERYTHING]);
  const withoutVolumes = render([LEAST, { till: { persistentMarker: false } }]);
  const [till, signer] = [release.pods('tillgate'), release.pods('tillgate-signer')];

  test('the signer alone can read the seed, and it reads none of the till’s secrets', () => {
    assert.deepEqual(release.secretsOf('tillgate-signer'), ['tillgate-signer-seed', 'tillgate-signer-server']);
    assert.deepEqual(release.secretsOf('tillgate'), [
      'tillgate-database',
      'tillgate-master-key',
      'tillgate-signer-client',
    ]);
    assert.deepEqual(full.secretsOf('tillgate'), [
      'bitcoin-rpc',
      'former',
      'tillgate-database',
      'tillgate-master-key',
      'tillgate-signer-client',
    ]);
    assert.deepEqual(
      [...release.objects, ...full.objects].filter(({ kind }) => kind === 'Secret'),
      [],
    );
  });

  test('the till alone reaches the signer, at its one port, and the signer reaches nobody', () => {
    const { podSelector, policyTypes, ingress, egress } = release.only('NetworkPolicy', 'tillgate-signer').spec ?? {};
    const labels = (component: string): object => ({
      matchLabels: {
        'app.kubernetes.io/name': 'tillgate',
        'app.kubernetes.io/instance': 'tillgate',
        'app.kubernetes.io/component': component,
      },
    });
    assert.deepEqual(podSelector, labels('signer'));
    assert.deepEqual(policyTypes, ['Ingress', 'Egress']);
    assert.deepEqual(ingress, [{ ports: [{ port: 'signer' }], from: [{ podSelector: labels('till') }] }]);
    assert.deepEqual(egress, []);
    for (const name of ['tillgate', 'tillgate-signer']) {
      const { selector, template: pod } = release.workload(name).spec ?? {};
      const component = name === 'tillgate' ? 'till' : 'signer';
      assert.deepEqual(selector, labels(component));
      assert.equal(pod?.metadata.labels['app.kubernetes.io/component'], component);
    }
  });

  test('both run as users and accounts of their own, without a token', () => {
    const identity = ({ serviceAccountName, securityContext, automountServiceAccountToken }: PodSpec): object => [
      serviceAccountName,
      securityContext.runAsUser,
      automountServiceAccountToken,
    ];
    assert.deepEqual(
      [identity(till), identity(signer)],
      [
        ['tillgate', 1000, false],
        ['tillgate-signer', 1001, false],
      ],
    );
  });

  test('each variable that a pod has is one that the till reads, and no Service sets another', () => {
    for (const pod of [till, signer, full.pods('tillgate')]) {
      const names = pod.containers[0].env?.map(({ name }) => name) ?? [];
      assert.deepEqual(
        names.filter((name) => !VARIABLES.includes(name) && name !== 'NODE_OPTIONS'),
        [],
      );
      // Kubernetes would set TILLGATE_PORT=tcp://… for the Service tillgate.
      assert.equal(pod.enableServiceLinks, false);
    }
  });

  test('is replaced one by one, without volumes without a moment in which fewer serve', () => {
    const { replicas = 0, updateStrategy } = release.only('StatefulSet', 'tillgate').spec ?? {};
    assert.ok(replicas >= 2);
    // A StatefulSet replaces the next pod when the one before is ready.
    assert.deepEqual(updateStrategy, { type: 'RollingUpdate' });
    assert.deepEqual(withoutVolumes.only('Deployment', 'tillgate').spec?.strategy, {
      type: 'RollingUpdate',
      rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
    });
    assert.equal(release.only('PodDisruptionBudget', 'tillgate').spec?.maxUnavailable, 1);
    const [, seconds] = till.containers[0].lifecycle?.preStop.exec.command ?? [];
    assert.ok(till.terminationGracePeriodSeconds >= Number(seconds) + 10);
    assert.ok(signer.terminationGracePeriodSeconds >= 10);
    assert.deepEqual(release.only('Deployment', 'tillgate-signer').spec?.strategy, { type: 'Recreate' });
  });

  test('pods are replaced when their settings change, each by its own', () => {
    const sums = (values: object): readonly (string | undefined)[] => {
      const changed = render([LEAST, values]);
      return ['tillgate', 'tillgate-signer'].map(
        (name) => changed.workload(name).spec?.template?.metadata.annotations?.['checksum/settings'],
      );
    };
    const [before, settings, chains] = [
      sums({}),
      sums({ settings: { apiDocs: false } }),
      sums({ signer: { chains: { ETH: { fees: { most: '2', perDay: '5' } } } } }),
    ];
    assert.ok(before.every((sum) => sum?.length === 64));
    assert.deepEqual([settings[0] === before[0], settings[1] === before[1]], [false, true]);
    assert.deepEqual([chains[0] === before[0], chains[1] === before[1]], [true, false]);
  });

  test('the marker of the database is on a small volume of each pod, unless the cluster has none', () => {
    const data = (pod: PodSpec): object | undefined => pod.volumes.find(({ name }) => name === 'data');
    const claims = (of: Release): readonly object[] =>
      of
        .only('StatefulSet', 'tillgate')
        .spec?.volumeClaimTemplates?.map(({ metadata, spec }) => [
          metadata.name,
          spec.accessModes,
          spec.storageClassName,
          spec.resources.requests.storage,
        ]) ?? [];
    assert.deepEqual(claims(release), [['data', ['ReadWriteOnce'], undefined, '64Mi']]);
    assert.deepEqual(claims(full), [['data', ['ReadWriteOnce'], 'fast', '1Gi']]);
    assert.deepEqual([data(till), data(full.pods('tillgate'))], [undefined, undefined]);
    const [{ volumeMounts }] = till.containers;
    const { data: files = {} } = release.only('ConfigMap', 'tillgate');
    const { dataDir } = JSON.parse(files['tillgate.config.json'] ?? '') as { readonly dataDir: string };
    assert.equal(volumeMounts.find(({ name }) => name === 'data')?.mountPath, dataDir);
    assert.deepEqual(data(withoutVolumes.pods('tillgate')), { name: 'data', emptyDir: {} });
  });

  test('the volume of the signer’s journal outlives the release', () => {
    const { annotations } = release.only('PersistentVolumeClaim', 'tillgate-signer').metadata;
    assert.equal(annotations?.['helm.sh/resource-policy'], 'keep');
  });

  test('every page is reached through the Ingress, and /metrics is not', () => {
    const [{ host, http } = { host: '', http: { paths: [] } }, gateways] =
      full.only('Ingress', 'tillgate').spec?.rules ?? [];
    assert.deepEqual([host, gateways?.host], ['pay.example.com', '*.gate.example.com']);
    assert.deepEqual(
      gateways?.http.paths.map(({ path }) => path),
      ['/'],
    );
    const passed = (path: string): boolean =>
      http.paths.some((each) => path === each.path || path.startsWith(`${each.path}/`));
    const pages = pathsOfPages();
    assert.ok(pages.length > 10);
    assert.deepEqual(
      pages.filter((path) => !passed(path)),
      [],
    );
    assert.equal(passed('/metrics'), false);
  });
});

/** The paths of what a browser asks for, from the sources: the API's are in its document, which another test reads. */
function pathsOfPages(): readonly string[] {
  const folders = ['api-docs', 'checkout', 'dashboard', 'links', 'top-up', 'x402'];
  return folders
    .flatMap((folder) => {
      const path = join(repository, 'host', folder);
      assert.ok(existsSync(path), folder);
      return readdirSync(path)
        .filter((file) => file.endsWith('.ts'))
        .map((file) => join(path, file));
    })
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/\bpath: '(\/[^']*)'/g)].map(([, path = '']) => path));
}
