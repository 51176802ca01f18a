import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { repository } from '../support/source-tree.ts';

const run = promisify(execFile);
const TYPEDOC = join(repository, 'node_modules/typedoc/bin/typedoc');
const ATTRIBUTE = /\s(href|src|id)="([^"]*)"/g;

/** The pages of a site by their paths: what each links to, and the places in it that can be linked to. */
type Site = ReadonlyMap<string, { readonly links: readonly string[]; readonly places: ReadonlySet<string> }>;

function readSite(folder: string): { readonly pages: Site; readonly files: ReadonlySet<string> } {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
  const pages = files
    .filter((path) => path.endsWith('.html'))
    .map((path) => {
      const attributes = [...readFileSync(join(folder, path), 'utf8').matchAll(ATTRIBUTE)];
      const of = (...names: string[]): string[] =>
        attributes.filter(([, name = '']) => names.includes(name)).map(([, , value = '']) => value);
      return [path, { links: of('href', 'src'), places: new Set(of('id')) }] as const;
    });
  return { pages: new Map(pages), files: new Set(files) };
}

/** The links that lead nowhere, each with its page; those to other sites are left out. */
function brokenLinks({ pages, files }: ReturnType<typeof readSite>): string[] {
  const holds = (page: string, link: string): boolean => {
    const [path = '', place = ''] = decodeURI(link).split('#');
    const target = path === '' ? page : posix.join(posix.dirname(page), path.replace(/\?.*$/, ''));
    return files.has(target) && (place === '' || (pages.get(target)?.places.has(decodeURIComponent(place)) ?? true));
  };
  return [...pages].flatMap(([page, { links }]) =>
    links.filter((link) => !/^[a-z][a-z+.-]*:/i.test(link) && !holds(page, link)).map((link) => `${page}: ${link}`),
  );
}

describe('the pages that npm run docs builds', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-docs-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('are built without a warning, and no link between them is broken', async () => {
    await run(process.execPath, [TYPEDOC, '--treatWarningsAsErrors', '--out', folder], { cwd: repository });
    const site = readSite(folder);
    assert.ok(site.pages.size > 500, `${site.pages.size} pages`);
    assert.deepEqual(brokenLinks(site), []);
  });

  it('would be found with a broken link to a page or to a place', () => {
    const page = (links: readonly string[]) => ({ links, places: new Set(['here']) });
    const pages = new Map([
      [
        'a/b.html',
        page(['../c.html#here', '#here', 'https://example.com/x', '../c.html#gone', '../none.html', '#gone']),
      ],
      ['c.html', page(['a/b.html'])],
    ]);
    assert.deepEqual(brokenLinks({ pages, files: new Set(pages.keys()) }), [
      'a/b.html: ../c.html#gone',
      'a/b.html: ../none.html',
      'a/b.html: #gone',
    ]);
  });
});
