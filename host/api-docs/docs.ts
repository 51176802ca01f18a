import type { ApiDescription } from './description.ts';
import { renderDocsPage } from './page.tsx';
import type { DocsPlace } from './page.tsx';
import { searchScript } from './search.ts';
import { docsPages } from './site.tsx';

/** The documentation, ready to be served or written to files. */
export interface Docs {
  /** The HTML of each page by its slug. */
  readonly pages: ReadonlyMap<string, string>;
  readonly script: { readonly name: string; readonly text: string };
}

/** Renders the whole documentation of an API. */
export function renderDocs(api: ApiDescription, place: DocsPlace, sandboxUrl: string): Docs {
  const pages = docsPages(api, sandboxUrl);
  const script = searchScript(pages);
  const frame = { pages, place, script: script.name };
  return { pages: new Map(pages.map((page) => [page.slug, renderDocsPage(page, frame)])), script };
}
