import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { apiOfPath } from '../../adapters/http/replies.ts';
import { createHost } from '../../host/index.ts';
import type { Host } from '../../host/index.ts';
import { freshDirectory } from './till-process.ts';

describe('the reference of the API as a page', () => {
  const directory = freshDirectory();
  let host: Host;
  let page: Response;
  let html = '';
  let url = '';
  before(async () => {
    host = createHost({ listen: { port: 0 } }, { directory: directory.path });
    await host.start();
    url = host.url.replace('localhost', '127.0.0.1');
    page = await fetch(`${url}/docs`);
    html = await page.text();
  });
  after(async () => {
    await host.stop();
    directory.remove();
  });

  test('shows every operation of the OpenAPI document, each with its path and an anchor', async () => {
    assert.equal(page.status, 200);
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { operationId: string; summary: string }>>;
    };
    // What shop plugins call is in the document alone.
    const shown = Object.entries(paths).filter(([path]) => apiOfPath(path) !== 'greenfield');
    assert.ok(shown.length < Object.keys(paths).length);
    const operations = shown.flatMap(([path, methods]) =>
      Object.values(methods).map((operation) => ({ path, ...operation })),
    );
    assert.ok(operations.length > 40);
    for (const { path, operationId } of operations) {
      assert.ok(html.includes(`<h3 id="${operationId}">`), operationId);
      assert.ok(html.includes(`</strong> ${path}</code>`), path);
    }
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, ids.length, 'no anchor twice');
    for (const [, target = ''] of html.matchAll(/href="#([^"]+)"/g)) assert.ok(ids.includes(target), target);
    assert.match(html, /vs_price/);
    assert.match(html, /<td>40104<\/td>/, 'the codes are a table');
  });

  test('runs no script, and fetches nothing from anywhere', () => {
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; /);
    assert.doesNotMatch(policy, /unsafe|https?:|script-src/);
    const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? '';
    assert.ok(
      policy.includes(`'sha256-${createHash('sha256').update(style).digest('base64')}'`),
      'the one style is that of the policy',
    );
    assert.doesNotMatch(html, /Greenfield/);
    assert.doesNotMatch(html, /<script|<img|<iframe|<form| style=| on[a-z]+="/);
    assert.deepEqual(
      [...html.matchAll(/<link [^>]*href="([^"]*)"/g)].map(([, href]) => href),
      ['data:,'],
    );
    assert.equal(page.headers.get('x-frame-options'), 'DENY');
    assert.ok(Buffer.byteLength(html) < 1_000_000, `${Buffer.byteLength(html)} bytes`);
  });

  test('is off by a setting', async () => {
    const other = freshDirectory();
    const quiet = createHost({ listen: { port: 0 }, apiDocs: false }, { directory: other.path });
    await quiet.start();
    assert.equal((await fetch(`${quiet.url.replace('localhost', '127.0.0.1')}/docs`)).status, 404);
    await quiet.stop();
    other.remove();
  });
});
