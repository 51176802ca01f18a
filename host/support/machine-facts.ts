import { readFileSync, statfsSync } from 'node:fs';
import { arch, availableParallelism, freemem, platform, release, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The program and its machine, without the machine's name. */
export interface MachineFacts {
  readonly tillgate: string;
  readonly node: string;
  readonly system: string;
  readonly processors: number;
  readonly memoryBytes: { readonly total: number; readonly free: number };
  /** The size of the file system with the till's data; `null` when it cannot be read. */
  readonly diskBytes: { readonly total: number; readonly free: number } | null;
}

export function machineFacts(dataDir: string | null): MachineFacts {
  return {
    tillgate: packageVersion(),
    node: process.version,
    system: `${platform()} ${release()} ${arch()}`,
    processors: availableParallelism(),
    memoryBytes: { total: totalmem(), free: freemem() },
    diskBytes: dataDir === null ? null : diskOf(dataDir),
  };
}

function diskOf(folder: string): MachineFacts['diskBytes'] {
  try {
    const { bsize, blocks, bavail } = statfsSync(folder);
    return { total: bsize * blocks, free: bsize * bavail };
  } catch {
    // The folder is made at the first start.
    return null;
  }
}

/** The version of the package that contains this file, whether run from source or compiled. */
export const packageVersion = (): string => ownVersion(dirname(fileURLToPath(import.meta.url)));

function ownVersion(folder: string): string {
  try {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly name?: string;
      readonly version?: string;
    };
    if (/^(?:@tillgate\/\w+|tillgate)$/.test(name ?? '') && version !== undefined) return version;
  } catch {
    // Most folders have no manifest.
  }
  const parent = dirname(folder);
  return parent === folder ? 'unknown' : ownVersion(parent);
}
