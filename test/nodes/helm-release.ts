import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from '../support/source-tree.ts';
import { programOf } from './daemons.ts';

const CHART = join(repository, 'examples/kubernetes/tillgate');
/** What a real cluster would tell; without it Helm takes the version that it was built with. */
const KUBERNETES = '1.34.0';

type Labels = Readonly<Record<string, string>>;
interface SecretSource {
  readonly name?: string;
  readonly secretName?: string;
  readonly items?: readonly { readonly key: string; readonly path: string }[];
}

/** A volume of a pod, by where its files come from. */
export interface Volume {
  readonly name: string;
  readonly secret?: SecretSource;
  readonly configMap?: { readonly name: string };
  readonly projected?: { readonly sources: readonly { readonly secret: SecretSource }[] };
  readonly emptyDir?: object;
  readonly persistentVolumeClaim?: { readonly claimName: string };
}

interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: string };
  readonly tcpSocket?: { readonly port: string };
}

interface Container {
  readonly image: string;
  readonly command: readonly string[];
  readonly env?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
  }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly lifecycle?: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
}

/** The pods of a workload. */
export interface PodSpec {
  readonly serviceAccountName: string;
  readonly automountServiceAccountToken: boolean;
  readonly enableServiceLinks: boolean;
  readonly securityContext: { readonly runAsUser: number };
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly [Container];
  readonly volumes: readonly Volume[];
}

interface IngressRule {
  readonly host: string;
  readonly http: { readonly paths: readonly { readonly path: string; readonly pathType: string }[] };
}

/** What a pod of a StatefulSet claims. */
interface VolumeClaim {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly accessModes: readonly string[];
    readonly storageClassName?: string;
    readonly resources: { readonly requests: { readonly storage: string } };
  };
}

/** An object of Kubernetes, with the members that the tests look at. */
export interface KubernetesObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Labels; readonly labels: Labels };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly replicas?: number;
    readonly strategy?: object;
    readonly updateStrategy?: object;
    readonly maxUnavailable?: number;
    readonly selector?: object;
    readonly template?: {
      readonly metadata: { readonly labels: Labels; readonly annotations?: Labels };
      readonly spec: PodSpec;
    };
    readonly volumeClaimTemplates?: readonly VolumeClaim[];
    readonly ports?: readonly object[];
    readonly rules?: readonly IngressRule[];
    readonly podSelector?: object;
    readonly policyTypes?: readonly string[];
    readonly ingress?: readonly object[];
    readonly egress?: readonly object[];
  };
}

/** What Helm said. */
export interface Said {
  readonly code: number | null;
  readonly text: string;
}

/** Runs Helm with files of values, later ones over earlier ones. */
export function helm(args: readonly string[], values: readonly object[] = []): Said {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-helm-'));
  try {
    const files = values.flatMap((each, index) => {
      const file = join(folder, `${index}.json`);
      writeFileSync(file, JSON.stringify(each));
      return ['--values', file];
    });
    const { status, stdout, stderr } = spawnSync(programOf('helm', 'HELM'), [...args, ...files], {
      encoding: 'utf8',
      // Helm looks for repositories and plugins of the machine's user.
      env: { ...process.env, HOME: folder, KUBECONFIG: join(folder, 'none') },
    });
    return { code: status, text: status === 0 ? stdout : stdout + stderr };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const lint = (args: readonly string[]): Said => helm(['lint', '--strict', CHART, ...args]);
export const template = (values: readonly object[], ...args: readonly string[]): Said =>
  helm(['template', 'tillgate', CHART, '--namespace', 'tillgate', '--kube-version', KUBERNETES, ...args], values);

/** The objects of a release. @throws Error where Helm refuses the values, or Kubernetes would refuse an object or a pod */
export function render(values: readonly object[], ...args: readonly string[]): Release {
  const { code, text } = template(values, ...args);
  if (code !== 0) throw new Error(text);
  const { status, stdout, stderr } = spawnSync(programOf('kubernetes-objects', 'KUBERNETES_OBJECTS'), [], {
    input: text,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return new Release(JSON.parse(stdout) as readonly KubernetesObject[]);
}

/** The rendered objects. */
export class Release {
  readonly objects: readonly KubernetesObject[];

  constructor(objects: readonly KubernetesObject[]) {
    this.objects = objects;
  }

  /** @throws Error when there is none, or several */
  only(kind: string, name: string): KubernetesObject {
    const [found, ...others] = this.objects.filter((each) => each.kind === kind && each.metadata.name === name);
    if (found === undefined || others.length > 0)
      throw new Error(`${kind} ${name}: ${others.length + (found ? 1 : 0)}`);
    return found;
  }

  /** The Deployment or StatefulSet of a name. @throws Error when there is none, or both */
  workload(name: string): KubernetesObject {
    const found = this.objects.filter(({ metadata, spec }) => metadata.name === name && spec?.template);
    const [workload] = found;
    if (workload === undefined || found.length > 1) throw new Error(`workloads ${name}: ${found.length}`);
    return workload;
  }

  /** The pods of the Deployment or StatefulSet of a name. */
  pods(name: string): PodSpec {
    const { spec } = this.workload(name);
    if (spec?.template === undefined) throw new Error(`no pods of ${name}`);
    return spec.template.spec;
  }

  /** The names of the Secrets that the pods of a workload can read. */
  secretsOf(name: string): readonly string[] {
    const { volumes, containers } = this.pods(name);
    const mounted = volumes.flatMap(secretsIn).map(({ name: source, secretName }) => secretName ?? source ?? '');
    const inEnvironment = containers[0].env?.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef.name ?? []) ?? [];
    return [...new Set([...mounted, ...inEnvironment])].sort();
  }
}

/** The Secrets whose files a volume has. */
export const secretsIn = ({ secret, projected }: Volume): readonly SecretSource[] => [
  ...(secret === undefined ? [] : [secret]),
  ...(projected?.sources.map((source) => source.secret) ?? []),
];
