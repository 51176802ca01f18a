import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { DocsPage } from './site.tsx';

/** The search as one script: its index, and the program. Its name changes with its content. */
export interface SearchScript {
  readonly name: string;
  readonly text: string;
}

/** Writes the search of these pages. */
export function searchScript(pages: readonly DocsPage[]): SearchScript {
  const entries = pages.flatMap(({ slug, title, section, headings, words }) => [
    [slug, title, section, '', ''],
    ...headings.map(({ text, anchor }) => [
      slug,
      text,
      title === text ? section : `${section}: ${title}`,
      anchor,
      words[anchor] ?? '',
    ]),
  ]);
  const program = readFileSync(new URL('browser/search.js', import.meta.url), 'utf8');
  const text = `globalThis.docsIndex=${JSON.stringify(entries)};\n${program}`;
  return { name: `search-${createHash('sha256').update(text).digest('hex').slice(0, 16)}.js`, text };
}
