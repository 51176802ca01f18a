import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../support/source-tree.ts';

export const WORKFLOW = '.github/workflows/publish.yml';

/** The packages that the workflow publishes, in its order. */
export function publicationOrder(): readonly string[] {
  const text = readFileSync(join(repository, WORKFLOW), 'utf8');
  const commands = [...text.matchAll(/\.ci\/publish\.mjs (.*)$/gm)];
  if (commands.length !== 1) throw new Error(`${WORKFLOW} has ${commands.length} commands that publish`);
  return (commands[0]?.[1] ?? '').split(' ').filter((word) => !word.startsWith('-'));
}
