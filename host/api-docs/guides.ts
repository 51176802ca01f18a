import { readFileSync } from 'node:fs';
import { posix } from 'node:path';

/** A page about a topic, written in Markdown. */
export interface Guide {
  /** The last part of its address; empty for the page at `/docs` itself. */
  readonly slug: string;
  readonly title: string;
  readonly text: string;
}

/** The guides in the order of the contents: their files in `guides`, and what the contents call them. */
const GUIDES: Readonly<Record<string, string>> = {
  start: 'Quick start',
  sandbox: 'Test payments',
  webhooks: 'Webhooks and callbacks',
  errors: 'Errors',
  idempotency: 'Idempotency',
  'going-live': 'Going live',
};

/** The guide that is shown at `/docs`. */
const FIRST = 'start';
const FOLDER = 'host/api-docs/guides';
const ROOT = new URL('../../', import.meta.url);

/** The address of the sandbox in the files of the guides. */
export const SANDBOX_URL = 'http://localhost:8080';

/**
 * Reads the guides.
 *
 * @param sandboxUrl - the address that stands in their commands
 */
export function readGuides(sandboxUrl: string): readonly Guide[] {
  return Object.entries(GUIDES).map(([name, title]) => ({
    slug: name === FIRST ? '' : name,
    title,
    text: read(`${FOLDER}/${name}.md`).replaceAll(SANDBOX_URL, sandboxUrl),
  }));
}

/** The slug of the guide that a link in another guide names, such as `webhooks.md`; `null` for other links. */
export function guideOf(link: string): string | null {
  const name = /^([\w-]+)\.md$/.exec(link)?.[1] ?? '';
  return name in GUIDES ? (name === FIRST ? '' : name) : null;
}

/** The program that a link in a guide names; `null` for other links. */
export function programOf(link: string): string | null {
  const path = posix.join(FOLDER, link);
  return path.startsWith('examples/receive-callbacks/') && !path.endsWith('.md') ? read(path) : null;
}

const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');
