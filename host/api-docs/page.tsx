/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { DocsPage } from './site.tsx';
import { STYLE } from './style.ts';

/** Where the pages are: as the host serves them, or as files. */
export interface DocsPlace {
  /** The address of a page, relative to another. */
  page(from: string, slug: string): string;
  /** The address of a file beside the pages, relative to a page. */
  file(from: string, name: string): string;
  /** The address of the OpenAPI document, relative to a page. */
  openApi(from: string): string;
}

/** The pages at `/docs` and `/docs/NAME`, and the document beside them. */
export const SERVED: DocsPlace = {
  page: (from, slug) => (from === '' ? (slug === '' ? 'docs' : `docs/${slug}`) : slug === '' ? '../docs' : slug),
  file: (from, name) => (from === '' ? `docs/${name}` : name),
  openApi: (from) => (from === '' ? 'openapi.json' : '../openapi.json'),
};

/** The pages and the document as files of one folder. */
export const FILES: DocsPlace = {
  page: (_from, slug) => `${slug === '' ? 'index' : slug}.html`,
  file: (_from, name) => name,
  openApi: () => 'openapi.json',
};

interface Frame {
  readonly pages: readonly DocsPage[];
  readonly place: DocsPlace;
  /** The name of the script of the search. */
  readonly script: string;
}

/** A page of the documentation as HTML. It is complete without its script, which searches. */
export function renderDocsPage(page: DocsPage, { pages, place, script }: Frame): string {
  const to = (slug: string): string => place.page(page.slug, slug);
  const html = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${page.title} · ${page.section} · Tillgate`}</title>
        <link rel="icon" href="data:," />
        <style dangerouslySetInnerHTML={{ __html: STYLE }} />
        <script defer src={place.file(page.slug, script)} />
      </head>
      <body>
        <header>
          <a class="home" href={to('')}>
            Tillgate docs
          </a>
          <div id="site-search" data-to={place.page(page.slug, 'PAGE')} data-first={to('')} hidden>
            <label for="site-words">Search</label>
            <input
              id="site-words"
              type="search"
              autocomplete="off"
              placeholder="Search (/)"
              aria-controls="site-found"
            />
            <ul id="site-found" hidden />
            <p id="site-count" role="status" />
          </div>
          <a class="menu" href="#site-contents">
            Menu
          </a>
        </header>
        <main>
          {page.content(to)}
          <Neighbours page={page} pages={pages} to={to} />
        </main>
        <Contents page={page} pages={pages} to={to} openApi={place.openApi(page.slug)} />
      </body>
    </html>
  );
  return `<!doctype html>${renderToString(html)}`;
}

interface Position {
  readonly page: DocsPage;
  readonly pages: readonly DocsPage[];
  readonly to: (slug: string) => string;
}

/** The next guide, for readers who go through them in their order. */
function Neighbours({ page, pages, to }: Position): VNode | null {
  const next = pages[pages.indexOf(page) + 1];
  return next === undefined || next.section !== page.section || page.section !== 'Guides' ? null : (
    <p class="next">
      Next: <a href={to(next.slug)}>{next.title}</a>
    </p>
  );
}

/** The parts of a guide. */
function Parts({ page: { headings } }: Pick<Position, 'page'>): VNode {
  return (
    <ul>
      {headings
        .filter(({ level }) => level === 2)
        .map(({ text, anchor }) => (
          <li>
            <a href={`#${anchor}`}>{text.replaceAll('`', '')}</a>
          </li>
        ))}
    </ul>
  );
}

/** Every page by its part. It stands after the text, beside which a wide screen shows it. */
function Contents({ page, pages, to, openApi }: Position & { readonly openApi: string }): VNode {
  const sections = [...new Set(pages.map(({ section }) => section))];
  return (
    <nav id="site-contents" aria-label="Contents">
      {sections.map((section) => (
        <details open={section === 'Guides' || section === page.section}>
          <summary>{section}</summary>
          <ul>
            {pages
              .filter((each) => each.section === section)
              .map((each) => (
                <li>
                  <a href={to(each.slug)} {...(each === page ? { 'aria-current': 'page' as const } : {})}>
                    {each.title}
                  </a>
                  {each === page && page.section === 'Guides' ? <Parts page={page} /> : null}
                </li>
              ))}
          </ul>
        </details>
      ))}
      <p>
        <a href={openApi}>OpenAPI document</a>
      </p>
    </nav>
  );
}
