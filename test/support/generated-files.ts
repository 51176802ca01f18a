import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { API_FILES } from './api-types.ts';
import { repository } from './source-tree.ts';

/** The source files that are written from others, by their paths, formatted as the repository is. */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const [path, write] of Object.entries(API_FILES)) {
    const options = await resolveConfig(join(repository, path));
    files.set(path, await format(write(), { ...options, filepath: path }));
  }
  return files;
}
