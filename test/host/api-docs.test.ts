import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ApiDescription } from '../../host/api-docs/description.ts';
import { exampleOf } from '../../host/api-docs/example.ts';
import { groupsOf } from '../../host/api-docs/groups.ts';
import { createHost } from '../../host/index.ts';
import type { Host } from '../../host/index.ts';
import { freshDirectory } from './till-process.ts';

const LARGEST_PAGE = 150_000;
/** All that is fetched by a reader who searches at once. */
const LARGEST_SCRIPT = 60_000;
const LARGEST_DOCUMENT = 850_000;
/** Names of documents that no reader has. */
const FOREIGN = /specification, endpoint|decisions?, sections?|\bendpoint \d/i;

interface Page {
  readonly slug: string;
  readonly html: string;
  readonly headers: Headers;
}

describe('the documentation that a till serves', () => {
  const directory = freshDirectory();
  let host: Host;
  let url = '';
  let api: ApiDescription;
  let pages: readonly Page[] = [];
  const idsOf = ({ html }: Page): string[] => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);
  const linksOf = ({ html }: Page): string[] => [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, to = '']) => to);
  /** The address of a link on a page. */
  const addressOf = (link: string, { slug }: Page): URL =>
    new URL(link, slug === '' ? `${url}/docs` : `${url}/docs/${slug}`);
  /** The last part of an address of a page; `null` for one that is none. */
  const slugOf = ({ pathname }: URL): string | null =>
    /^\/docs(?:\/(.+))?$/.exec(pathname)?.slice(1)[0] ?? (pathname === '/docs' ? '' : null);

  before(async () => {
    host = createHost({ listen: { port: 0 } }, { directory: directory.path });
    await host.start();
    url = host.url.replace('localhost', '127.0.0.1');
    api = (await (await fetch(`${url}/openapi.json`)).json()) as ApiDescription;
    // Every page is found by following links from the first one.
    const found = new Map<string, Page>();
    const waiting = [''];
    for (const slug of waiting) {
      if (found.has(slug)) continue;
      const reply = await fetch(`${url}/docs${slug === '' ? '' : `/${slug}`}`);
      assert.equal(reply.status, 200, slug);
      const page = { slug, html: await reply.text(), headers: reply.headers };
      found.set(slug, page);
      for (const link of linksOf(page)) {
        const to = slugOf(addressOf(link, page));
        if (to !== null) waiting.push(to);
      }
    }
    pages = [...found.values()];
  });
  after(async () => {
    await host.stop();
    directory.remove();
  });

  test('shows every operation of the OpenAPI document once, each with its path and an anchor', () => {
    const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
      Object.values(methods).map((operation) => ({ path, ...operation })),
    );
    assert.ok(operations.length > 200);
    const all = pages.map(({ html }) => html).join('\n');
    for (const { path, operationId } of operations) {
      assert.equal(all.split(`<h2 id="${operationId}">`).length, 2, operationId);
      assert.ok(all.includes(`</strong> ${path}</code>`), path);
    }
    for (const { section, title, entries } of groupsOf(api)) {
      const names = entries.map(({ operation: { summary } }) => summary);
      assert.equal(new Set(names).size, names.length, `${section}, ${title}: one name is there twice`);
    }
  });

  test('shows every event with its fields and a body', () => {
    const events = pages.find(({ slug }) => slug === 'events')?.html ?? '';
    for (const type of Object.keys(api.webhooks ?? {})) {
      assert.ok(events.includes(`<h2 id="event-${type}">`), type);
      assert.ok(events.includes(`&quot;type&quot;: &quot;${type}&quot;`), type);
    }
  });

  test('shows bodies that fit their schemas', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
    ajv.addSchema(api, 'document', false, false);
    const operations = [
      ...Object.entries(api.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, row]) => ({ at: ['paths', path, method], row })),
      ),
      ...Object.entries(api.webhooks ?? {}).flatMap(([type, methods]) =>
        Object.entries(methods).map(([method, row]) => ({ at: ['webhooks', type, method], row })),
      ),
    ];
    let count = 0;
    for (const { at, row } of operations) {
      const contents = [
        [['requestBody'], row.requestBody?.content ?? {}] as const,
        ...Object.entries(row.responses).map(([status, { content = {} }]) => [['responses', status], content] as const),
      ];
      for (const [where, content] of contents)
        for (const [type, { schema }] of Object.entries(content)) {
          if (type !== 'application/json' || schema === undefined) continue;
          const pointer = [...at, ...where, 'content', type, 'schema']
            .map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'))
            .join('/');
          const validate = ajv.compile({ $ref: `document#/${pointer}` });
          assert.ok(validate(exampleOf(schema, api)), `${pointer}: ${ajv.errorsText(validate.errors)}`);
          count += 1;
        }
    }
    assert.ok(count > 200, String(count));
  });

  test('has no link that leads nowhere, and no anchor twice', () => {
    const anchors = new Map(pages.map((page) => [page.slug, new Set(idsOf(page))]));
    for (const page of pages) {
      assert.equal(idsOf(page).length, anchors.get(page.slug)?.size, `${page.slug}: an anchor is there twice`);
      for (const link of linksOf(page)) {
        const to = addressOf(link, page);
        if (to.origin !== url) continue;
        const slug = slugOf(to);
        if (slug === null) assert.equal(to.pathname, '/openapi.json', `${page.slug}: ${link}`);
        else assert.ok(to.hash === '' || anchors.get(slug)?.has(to.hash.slice(1)), `${page.slug}: ${link}`);
      }
    }
    assert.ok(pages.length > 50, String(pages.length));
  });

  test('is small: each page, the search, and the OpenAPI document', async () => {
    for (const { slug, html } of pages) assert.ok(Buffer.byteLength(html) < LARGEST_PAGE, `${slug}: ${html.length}`);
    assert.ok(Buffer.byteLength(await scriptText()) < LARGEST_SCRIPT);
    const document = await (await fetch(`${url}/openapi.json`)).arrayBuffer();
    assert.ok(document.byteLength < LARGEST_DOCUMENT, String(document.byteLength));
  });

  test('comes compressed to whoever accepts that', async () => {
    for (const path of ['/docs', '/docs/v1-orders', '/openapi.json']) {
      const plain = await rawReply(`${url}${path}`, 'identity');
      assert.equal(plain.headers['content-encoding'], undefined);
      for (const [encoding, decode] of [
        ['br', brotliDecompressSync],
        ['gzip', gunzipSync],
      ] as const) {
        const packed = await rawReply(`${url}${path}`, encoding);
        assert.equal(packed.headers['content-encoding'], encoding);
        assert.equal(packed.headers.vary, 'Accept-Encoding');
        assert.ok(packed.body.length < plain.body.length / 2.5, `${path}: ${packed.body.length}`);
        assert.deepEqual(decode(packed.body), plain.body);
      }
    }
  });

  test('says nothing of documents that its readers do not have', () => {
    for (const [name, text] of [
      ...pages.map(({ slug, html }) => [slug, html] as const),
      ['openapi.json', JSON.stringify(api)] as const,
    ])
      assert.doesNotMatch(text, FOREIGN, name);
  });

  test('names its own address in the commands of the guides', () => {
    const first = pages.find(({ slug }) => slug === '')?.html ?? '';
    assert.ok(first.includes(`curl -s ${host.url}/v1/orders`));
  });

  test('is complete without its script, which is its own; it fetches nothing from anywhere', () => {
    for (const { slug, html, headers } of pages) {
      const policy = headers.get('content-security-policy') ?? '';
      assert.match(policy, /^default-src 'none'; /);
      assert.match(policy, /; script-src 'self'; /);
      assert.doesNotMatch(policy, /unsafe|https?:/);
      const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? '';
      assert.ok(
        policy.includes(`'sha256-${createHash('sha256').update(style).digest('base64')}'`),
        'the one style is that of the policy',
      );
      assert.doesNotMatch(html, /<img|<iframe|<form| style=| on[a-z]+="/, slug);
      assert.deepEqual(
        [...html.matchAll(/<link [^>]*href="([^"]*)"/g)].map(([, href]) => href),
        ['data:,'],
      );
      assert.match(html, /^(?:(?!<script)[\s\S])*<script defer src="[\w/-]+\.js"><\/script>(?:(?!<script)[\s\S])*$/);
      assert.equal(headers.get('x-frame-options'), 'DENY');
    }
  });

  test('goes to its first page from the address with a slash, and knows no other page', async () => {
    const slash = await fetch(`${url}/docs/`, { redirect: 'manual' });
    assert.equal(slash.status, 308);
    assert.equal(new URL(slash.headers.get('location') ?? '', `${url}/docs/`).pathname, '/docs');
    for (const name of ['nope', '..%2fREADME.md', 'start'])
      assert.equal((await fetch(`${url}/docs/${name}`)).status, 404);
  });

  test('is off by a setting', async () => {
    const other = freshDirectory();
    const quiet = createHost({ listen: { port: 0 }, apiDocs: false }, { directory: other.path });
    await quiet.start();
    const at = quiet.url.replace('localhost', '127.0.0.1');
    for (const path of ['/docs', '/docs/errors']) assert.equal((await fetch(`${at}${path}`)).status, 404);
    await quiet.stop();
    other.remove();
  });

  async function scriptText(): Promise<string> {
    const [page] = pages;
    const name = /src="docs\/(search-\w+\.js)"/.exec(page?.html ?? '')?.[1];
    const reply = await fetch(`${url}/docs/${name}`);
    assert.equal(reply.headers.get('content-type'), 'text/javascript; charset=utf-8');
    assert.match(reply.headers.get('cache-control') ?? '', /immutable/);
    return reply.text();
  }
});

/** A reply as it is sent. */
function rawReply(url: string, encoding: string): Promise<{ headers: IncomingHttpHeaders; body: Buffer }> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { 'Accept-Encoding': encoding } }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('end', () => resolve({ headers: reply.headers, body: Buffer.concat(chunks) }));
    })
      .on('error', reject)
      .end();
  });
}
