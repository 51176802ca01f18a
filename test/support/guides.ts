import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './source-tree.ts';

const FOLDERS = ['core', 'adapters', 'plugins', 'host', 'examples', 'test', '.ci'];
const TOP = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'];
const FENCE = /^( *)```(?:sh|bash|console|shell)\n([\s\S]*?)^ *```$/gm;

/** The documents of the repository, by their paths in it. */
export function documents(): string[] {
  const nested = FOLDERS.filter((folder) => existsSync(join(repository, folder))).flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
      .map((path) => join(folder, path))
      .filter((path) => path.endsWith('.md') && !/(?:^|[\\/])(?:node_modules|\.(?!ci[\\/]))/.test(path)),
  );
  return [...TOP.filter((path) => existsSync(join(repository, path))), ...nested];
}

/** Each block of commands in a text, as it is printed. */
const blocksOf = (text: string): string[] =>
  [...text.matchAll(FENCE)].map(([, indent = '', block = '']) => block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));

/** The blocks of commands of a guide. */
export const blocksOfGuide = (guide: string): string[] => blocksOf(readFileSync(join(repository, guide), 'utf8'));
