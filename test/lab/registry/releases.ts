import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Packed } from '../../../.ci/publish.mjs';
import { tarballs } from '../../package/project.ts';
import type { Tarballs } from '../../package/project.ts';
import { publicationOrder } from '../../package/publication.ts';

/** The packages of this tree, in the order in which they are published. */
export async function thisRelease(): Promise<readonly Packed[]> {
  const built = await tarballs();
  return publicationOrder().map((name) => {
    const tarball = built[name as keyof Tarballs];
    return { name, version: manifestIn(tarball).version, tarball };
  });
}

/** The same packages as the next release would be, packed in a folder. */
export function nextRelease(release: readonly Packed[], folder: string): readonly Packed[] {
  const ours = new Set(release.map(({ name }) => name));
  return release.map(({ name, tarball, version: former }) => {
    const version = former.replace(/\d+$/, (patch) => String(Number(patch) + 1));
    const work = mkdtempSync(join(folder, 'package-'));
    execFileSync('tar', ['-xzf', tarball, '-C', work]);
    const manifest = manifestIn(tarball);
    const raised = (versions: Versions = {}): Versions =>
      Object.fromEntries(Object.entries(versions).map(([each, at]) => [each, ours.has(each) ? version : at]));
    const { dependencies, peerDependencies } = manifest;
    const next = {
      ...manifest,
      version,
      ...(dependencies !== undefined && { dependencies: raised(dependencies) }),
      ...(peerDependencies !== undefined && { peerDependencies: raised(peerDependencies) }),
    };
    writeFileSync(join(work, 'package/package.json'), JSON.stringify(next, null, 2));
    const packed = join(work, 'packed.tgz');
    execFileSync('tar', ['-czf', packed, '-C', work, 'package']);
    return { name, version, tarball: packed };
  });
}

type Versions = Readonly<Record<string, string>>;

interface Manifest {
  readonly version: string;
  readonly dependencies?: Versions;
  readonly peerDependencies?: Versions;
}

const manifestIn = (tarball: string): Manifest =>
  JSON.parse(execFileSync('tar', ['-xOzf', tarball, 'package/package.json'], { encoding: 'utf8' })) as Manifest;
