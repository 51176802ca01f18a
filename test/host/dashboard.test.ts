import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { createTillgate } from '../../host/embed/index.ts';
import type { MountOptions } from '../../host/embed/index.ts';
import { createHost } from '../../host/index.ts';
import type { Host } from '../../host/index.ts';
import { acceptedEncoding } from '../../adapters/http/index.ts';
import type { Bundle } from '../../host/dashboard/bundle.ts';
import { bundleInProcess } from '../../host/dashboard/bundle-process.ts';
import { DashboardFiles } from '../../host/dashboard/dashboard-files.ts';
import { dashboardOperations } from '../../host/dashboard/dashboard.ts';
import type { HttpDeps, RawCall } from '../../adapters/http/index.ts';
import { freshDirectory } from './till-process.ts';

/** What the page and everything that it loads before it can be used may weigh, compressed. */
const MOST_BYTES = 400_000;

describe('the dashboard', () => {
  const directory = freshDirectory();
  let host: Host;
  let url = '';
  let html = '';
  let headers: Headers;
  before(async () => {
    host = createHost({ listen: { port: 0 } }, { directory: directory.path });
    await host.start();
    // From sources it is bundled now.
    await host.loadDashboard();
    url = host.url;
    const page = await fetch(`${url}/dashboard`);
    assert.equal(page.status, 200);
    headers = page.headers;
    html = await page.text();
  });
  after(async () => {
    await host.stop();
    directory.remove();
  });

  const names = (): string[] =>
    [...html.matchAll(/(?:src|href)="dashboard\/assets\/([^"]+)"/g)].map(([, name = '']) => name);
  /** As a browser asks, its encoding untouched. */
  const file = async (name: string, encoding: string) => {
    const reply = await request(`${url}/dashboard/assets/${name}`, { headers: { 'accept-encoding': encoding } });
    return { ...reply, bytes: Buffer.from(await reply.body.arrayBuffer()) };
  };

  test('fault 220: nothing inline runs, no style without the nonce of the reply, no server but this one', async () => {
    const policy = headers.get('content-security-policy') ?? '';
    const nonce = /<meta name="csp-nonce" nonce="([^"]+)">/.exec(html)?.[1] ?? '';
    assert.ok(Buffer.from(nonce, 'base64').length >= 16);
    assert.equal(
      policy,
      `default-src 'none'; script-src 'self'; style-src 'nonce-${nonce}'; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
    );
    assert.doesNotMatch(policy, /unsafe/);
    const styles = html.match(/<style[^>]*>/g);
    assert.deepEqual(styles, [`<style nonce="${nonce}">`], 'of what is shown until the application runs');
    assert.doesNotMatch(html, / style=| on[a-z]+="|<script(?![^>]* src=)/);
    assert.doesNotMatch(html, /(?:src|href)="(?:[a-z]+:)?\/\//, 'nothing is loaded from elsewhere');
    const again = await fetch(`${url}/dashboard`);
    assert.doesNotMatch(await again.text(), new RegExp(nonce.replaceAll(/[+/]/g, '\\$&')), 'the nonce is of one reply');
    assert.equal(headers.get('x-frame-options'), 'DENY');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.equal(headers.get('cache-control'), 'no-store');
  });

  test('the link of a shop plugin leads to its page, which may post a form to that shop alone (fault 475)', async () => {
    const query = '?permissions=btcpay.store.canviewinvoices&redirect=https%3A%2F%2Fshop.example%3A8443%2Fback%3Fa';
    for (const link of [`/api-keys/authorize${query}`, `/api-keys/authorize/${query}`]) {
      const reply = await fetch(url + link, { redirect: 'manual' });
      assert.equal(reply.status, 302);
      const location = new URL(reply.headers.get('location') ?? '', url + link);
      assert.equal(location.href, `${url}/dashboard${query}#/connect`);
    }
    const formActionOf = async (search: string): Promise<string | undefined> => {
      const page = await fetch(`${url}/dashboard${search}`);
      const policy = page.headers.get('content-security-policy') ?? '';
      assert.match(policy, /frame-ancestors 'none'/);
      return /form-action ([^;]+);/.exec(policy)?.[1];
    };
    assert.equal(await formActionOf(query), 'https://shop.example:8443');
    for (const bad of [
      'javascript:alert(1)',
      'https://a.example; script-src *',
      "https://a.example' *",
      '//a.example',
      'x',
    ])
      assert.equal(await formActionOf(`?redirect=${encodeURIComponent(bad)}`), "'none'", bad);
    assert.equal(await formActionOf(''), "'none'");
  });

  test('its files are kept for ever, come compressed as the browser likes, and are the same in every form', async () => {
    const [name = ''] = names();
    assert.match(name, /-[0-9A-Z]{8}\.js$/);
    const [br, gzip, plain] = await Promise.all([file(name, 'gzip, deflate, br'), file(name, 'gzip'), file(name, '')]);
    assert.equal(br.headers['content-encoding'], 'br');
    assert.equal(gzip.headers['content-encoding'], 'gzip');
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.ok(br.bytes.length < gzip.bytes.length && gzip.bytes.length < plain.bytes.length);
    assert.deepEqual(brotliDecompressSync(br.bytes), plain.bytes);
    assert.deepEqual(gunzipSync(gzip.bytes), plain.bytes);
    for (const { headers: sent } of [br, gzip, plain]) {
      assert.equal(sent['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(sent['content-type'], 'text/javascript; charset=utf-8');
      assert.equal(sent['x-content-type-options'], 'nosniff');
      assert.equal(sent['vary'], 'Accept-Encoding');
    }
  });

  test('what it loads before it can be used weighs less than 400 KB', async () => {
    const files = names();
    assert.ok(files.length >= 1);
    const weights = await Promise.all(files.map(async (name) => (await file(name, 'gzip')).bytes.length));
    const sum = Buffer.byteLength(html) + weights.reduce((total, bytes) => total + bytes, 0);
    assert.ok(sum > 100_000 && sum < MOST_BYTES, `${sum} bytes`);
  });

  test('says nothing to a stranger: no credentials, addresses or paths of the machine are in its files', async () => {
    assert(host.demo !== null);
    const { api_key: key, api_token: token, signing_secret: signing, password, email } = host.demo;
    for (const name of names()) {
      const text = (await file(name, '')).bytes.toString();
      for (const secret of [key, token, signing, password, email, process.cwd()])
        assert.ok(!text.includes(secret), name);
      assert.ok(!/fonts\.(?:googleapis|gstatic)/.test(text), `${name} loads no fonts`);
    }
  });

  test('names the packages that it is made of, with their licences', async () => {
    const { bytes, headers: sent } = await file('licences.txt', 'br');
    assert.equal(sent['cache-control'], 'no-cache');
    assert.match(brotliDecompressSync(bytes).toString(), /^react-admin \S+ \(MIT\)$/m);
  });

  test('has no other file', async () => {
    for (const name of ['', 'bundle.json', 'nothing.js', '..%2fpage.js', 'licences.txt.br'])
      assert.equal((await fetch(`${url}/dashboard/assets/${name}`)).status, 404, name);
    const slash = await fetch(`${url}/dashboard/`, { redirect: 'manual' });
    assert.equal(new URL(slash.headers.get('location') ?? '', `${url}/dashboard/`).pathname, '/dashboard');
  });

  test('is off by a setting, and an application gets it only when it asks', async () => {
    const other = freshDirectory();
    const quiet = createHost({ listen: { port: 0 }, dashboard: { enabled: false } }, { directory: other.path });
    await quiet.start();
    assert.equal((await fetch(`${quiet.url}/dashboard`)).status, 404);
    assert.equal((await fetch(`${quiet.url}/manage/v1/session`)).status, 401, 'the API stays');
    await quiet.stop();
    other.remove();
    const till = await createTillgate({
      database: 'sqlite::memory:',
      masterKey: randomBytes(32),
      baseUrl: 'https://shop.example.com/pay',
    });
    try {
      const status = async (options: MountOptions, path: string): Promise<number> => {
        const handler = till.fetch.with({ ...options, facts: () => ({ peer: '127.0.0.1' }) });
        return (await handler(new Request(`https://shop.example.com/pay${path}`))).status;
      };
      assert.equal(await status({ manage: true }, '/dashboard'), 404);
      assert.equal(await status({ dashboard: true }, '/dashboard'), 200);
      assert.equal(await status({ dashboard: true }, '/manage/v1/session'), 401, 'the API comes with it');
    } finally {
      await till.close();
    }
  });
});

describe('the files of the dashboard', () => {
  const quiet = { error: () => undefined, info: () => undefined, warn: () => undefined };

  test('fault 224: a bundle that fails is not tried for every stranger who asks: once, and again after half a minute', async () => {
    let now = 1_000_000;
    let tried = 0;
    const files = new DashboardFiles({ now: () => now }, quiet, () => {
      tried += 1;
      return Promise.reject(new Error('no esbuild'));
    });
    const [page] = dashboardOperations({ clock: { now: () => now }, logger: quiet }, files);
    const get = () => page!.run({ traceId: 't', request: { target: '/dashboard' } } as RawCall, {} as HttpDeps);
    const replies = await Promise.all([get(), get(), get()]);
    now += 29_999;
    replies.push(await get());
    assert.equal(tried, 1);
    for (const { status, body, headers } of replies) {
      assert.equal(status, 503);
      assert.match(String(body), /npm ci/, 'it says what to do');
      assert.doesNotMatch(String(body), /no esbuild/);
      assert.equal(headers['Retry-After'], '30');
    }
    now += 1;
    await get();
    assert.equal(tried, 2);
  });

  test('while they are built, the log and the page say so, and the page loads itself again', async () => {
    const told: string[] = [];
    let finish = (_bundle: Bundle): void => undefined;
    const files = new DashboardFiles({ now: () => 0 }, { ...quiet, info: (line) => told.push(line) }, (onBuilding) => {
      onBuilding();
      return new Promise((resolve) => (finish = resolve));
    });
    const [page] = dashboardOperations({ clock: { now: () => 0 }, logger: quiet }, files);
    const get = () => page!.run({ traceId: 't', request: { target: '/dashboard' } } as RawCall, {} as HttpDeps);
    const first = await get();
    assert.deepEqual(told, ['Building the dashboard…']);
    assert.equal(first.status, 200);
    assert.match(String(first.body), /<h1>Building the dashboard…<\/h1>/);
    assert.match(String(first.body), /<meta http-equiv="refresh" content="2">/);
    assert.equal(first.headers['Cache-Control'], 'no-store');
    finish({ entry: 'dashboard-1.js', preloads: [], files: new Map() });
    await files.get();
    const second = await get();
    assert.match(String(second.body), /src="dashboard\/assets\/dashboard-1.js"/);
    assert.doesNotMatch(String(second.body), /http-equiv/);
    await get();
    assert.equal(told.length, 1);
  });

  test('a kept bundle is waited for: its page is never one that waits', async () => {
    let finish = (_bundle: Bundle): void => undefined;
    const files = new DashboardFiles({ now: () => 0 }, quiet, () => new Promise((resolve) => (finish = resolve)));
    const [page] = dashboardOperations({ clock: { now: () => 0 }, logger: quiet }, files);
    const asked = page!.run({ traceId: 't', request: { target: '/dashboard' } } as RawCall, {} as HttpDeps);
    finish({ entry: 'dashboard-2.js', preloads: [], files: new Map() });
    assert.match(String((await asked).body), /src="dashboard\/assets\/dashboard-2.js"/);
  });

  test('a build that fails in its process says why', async () => {
    const home = freshDirectory();
    try {
      await assert.rejects(bundleInProcess(home.path), /Could not resolve "host\/dashboard\/app\/main\.tsx"/);
    } finally {
      home.remove();
    }
  });

  test('are encoded as a client says', () => {
    const cases: [string | null, string][] = [
      [null, 'identity'],
      ['', 'identity'],
      ['gzip, deflate, br', 'br'],
      ['br;q=0, gzip;q=0.5', 'gzip'],
      ['*', 'br'],
      ['*;q=0', 'identity'],
      ['BR', 'br'],
      ['deflate', 'identity'],
    ];
    for (const [accepted, expected] of cases) assert.equal(acceptedEncoding(accepted), expected, String(accepted));
  });
});
