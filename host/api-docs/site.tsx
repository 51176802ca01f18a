/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { VNode } from 'preact';
import type { ApiDescription } from './description.ts';
import { groupsOf } from './groups.ts';
import { guideOf, programOf, readGuides } from './guides.ts';
import { blocksOf, Markdown } from './markdown.tsx';
import type { Heading, Links } from './markdown.tsx';
import { eventHeadings, EventsPage, headingsOf, ReferencePage, searchText, SecurityTable } from './reference.tsx';

/** A page of the documentation. */
export interface DocsPage {
  /** The last part of its address; empty for the first page. */
  readonly slug: string;
  readonly title: string;
  /** The part of the contents that names it. */
  readonly section: string;
  /** What of it can be linked to. */
  readonly headings: readonly Heading[];
  /** Further words by which its headings are found, by their anchors. */
  readonly words: Readonly<Record<string, string>>;
  /** Its content. @param to - the address of a page of the documentation, relative to this one */
  readonly content: (to: (slug: string) => string) => VNode;
}

/**
 * The pages of the documentation of an API: the guides, then the reference.
 *
 * @param sandboxUrl - the address that stands in commands
 */
export function docsPages(api: ApiDescription, sandboxUrl: string): readonly DocsPage[] {
  const pages: DocsPage[] = [
    ...guidePages(sandboxUrl, (link, to) => targetOf(link, to, pages)),
    {
      slug: 'authentication',
      title: 'Authentication',
      section: 'Reference',
      headings: [],
      words: {},
      content: () => <AuthenticationPage api={api} />,
    },
    {
      slug: 'events',
      title: 'Events',
      section: 'Reference',
      headings: eventHeadings(api),
      words: {},
      content: () => <EventsPage api={api} />,
    },
    ...groupsOf(api).map((group) => ({
      slug: group.slug,
      title: group.title,
      section: group.section,
      headings: headingsOf(group),
      words: Object.fromEntries(group.entries.map((entry) => [entry.operation.operationId, searchText(entry)])),
      content: () => <ReferencePage group={group} api={api} baseUrl={sandboxUrl} />,
    })),
  ];
  return pages;
}

function guidePages(
  sandboxUrl: string,
  target: (link: string, to: (slug: string) => string) => string | null,
): readonly DocsPage[] {
  return readGuides(sandboxUrl).map(({ slug, title, text }) => ({
    slug,
    title,
    section: 'Guides',
    headings: blocksOf(text).filter((block) => block.kind === 'heading' && block.level > 1) as readonly Heading[],
    words: {},
    content: (to) => {
      const links: Links = { target: (link) => target(link, to), file: programOf };
      return <Markdown text={text} links={links} />;
    },
  }));
}

/** The address of a link in a guide: another guide, an operation or event by its anchor, or another site. */
function targetOf(link: string, to: (slug: string) => string, pages: readonly DocsPage[]): string | null {
  if (/^https?:/.test(link)) return link;
  const guide = guideOf(link);
  if (guide !== null) return to(guide);
  const anchor = link.startsWith('#') ? link.slice(1) : null;
  const page = pages.find(({ headings }) => headings.some((heading) => heading.anchor === anchor));
  return page === undefined ? null : `${to(page.slug)}${link}`;
}

function AuthenticationPage({ api }: { readonly api: ApiDescription }): VNode {
  return (
    <>
      <p class="soft">Reference</p>
      <h1>Authentication</h1>
      <p>Each operation of the reference names the ways in which it can be called, by these names.</p>
      <SecurityTable api={api} />
      <Markdown
        text={
          'A signature is the five headers `API-Token`, `Algorithm`, `Date`, `Body-MD5` and `Signature` together. Accounts that require signatures refuse a key alone. `signRequest` of `@tillgate/client` makes them.'
        }
      />
    </>
  );
}
