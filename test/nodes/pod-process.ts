import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TillProcess, run } from '../host/till-process.ts';
import type { Ended } from '../host/till-process.ts';
import { secretsIn } from './helm-release.ts';
import type { PodSpec, Release, Volume } from './helm-release.ts';

/** What of a rendered pod is other on a machine without a cluster: names and ports of the network. */
export type Changes = Readonly<Record<string, string>>;

/** A rendered pod as a process of this machine: its files below a folder, its variables, its command. */
export class PodProcess {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly #args: readonly string[];

  /**
   * @param secrets - a folder with a folder for each Secret, and in it a file for each of its keys
   * @param folder - the file system of the pod; a folder that does not exist
   */
  constructor(release: Release, name: string, { secrets, folder, changes }: PodFiles) {
    this.folder = folder;
    const pod = release.pods(name);
    const [{ command, env = [], volumeMounts }] = pod.containers;
    for (const { name: volume, mountPath } of volumeMounts) {
      const at = join(folder, mountPath);
      mkdirSync(at, { recursive: true, mode: 0o700 });
      const source = pod.volumes.find((each) => each.name === volume);
      if (source !== undefined) fill(at, source, release, secrets, (text) => this.#changed(text, pod, changes));
    }
    this.#args = command.slice(2).map((each) => this.#changed(each, pod, {}));
    this.environment = Object.fromEntries(
      env.map(({ name: variable, value, valueFrom }) => {
        const from = valueFrom?.secretKeyRef;
        const text = from === undefined ? (value ?? '') : readFileSync(join(secrets, from.name, from.key), 'utf8');
        return [variable, from === undefined ? this.#changed(text, pod, {}) : text];
      }),
    );
  }

  start(): TillProcess {
    return new TillProcess(this.folder, this.#args, this.environment);
  }

  /** Runs a command of the till in the pod, as `kubectl exec` does. */
  exec(args: readonly string[], input?: string): Promise<Ended> {
    return run(this.folder, args, this.environment, undefined, input);
  }

  /** Every file of the pod. */
  files(): readonly string[] {
    return readdirSync(this.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  }

  #changed(text: string, { containers }: PodSpec, changes: Changes): string {
    const changed = Object.entries(changes).reduce((before, [from, to]) => before.replaceAll(from, to), text);
    const mounts = containers[0].volumeMounts.map(({ mountPath }) => mountPath).join('|');
    return changed.replaceAll(new RegExp(`(?<=^|")(?:${mounts})(?=[/"]|$)`, 'g'), (mount) => join(this.folder, mount));
  }
}

/** Where a pod's files come from, and go to. */
export interface PodFiles {
  readonly secrets: string;
  readonly folder: string;
  readonly changes: Changes;
}

function fill(at: string, volume: Volume, release: Release, secrets: string, change: (text: string) => string): void {
  if (volume.configMap !== undefined)
    for (const [file, text] of Object.entries(release.only('ConfigMap', volume.configMap.name).data ?? {}))
      writeFileSync(join(at, file), change(text));
  for (const { name, secretName = name ?? '', items } of secretsIn(volume)) {
    const keys = readdirSync(join(secrets, secretName)).map((key) => ({ key, path: key }));
    for (const { key, path } of items ?? keys) copyFileSync(join(secrets, secretName, key), join(at, path));
  }
}
