import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import knex from 'knex';
import { freePort } from '../support/free-port.ts';
import { codeAt } from '../support/totp.ts';
import { waitFor } from '../support/wait.ts';
import { TillProcess, freshDirectory, killAll, run } from './till-process.ts';

const PASSWORD = 'a good long password';
/** The greeting of a sandbox has ended. */
const LOGINS = /^Password: .+$[^]*^Password: .+$/m;
const INIT = ['init', '--email', 'boss@example.com', '--password-stdin'];

/** Every address that a program printed, as a newcomer would open them. */
const addressesIn = (text: string): string[] => [...new Set([...text.matchAll(/https?:\/\/[^\s)]+/g)].map(String))];
const lineOf = (text: string, name: string): string => new RegExp(`^${name}: (.+)$`, 'm').exec(text)?.[1] ?? '';

const RATES = [{ use: 'static', prices: { ETH: '2500', EUR: '1.08' } }];

/** Settings of production on the files of a sandbox. */
function productionSettings(path: string): string {
  writeFileSync(
    join(path, 'production.json'),
    JSON.stringify({ mode: 'production', dataDir: './data', plugins: [], rates: { sources: RATES } }),
  );
  return 'production.json';
}

function emptyFolder(t: TestContext): string {
  const directory = freshDirectory();
  t.after(directory.remove);
  return directory.path;
}

/** Serves as the settings say, and waits for the last line of the greeting. The built program has no dashboard. */
async function served(
  path: string,
  last: RegExp,
  environment: Readonly<Record<string, string>> = {},
  form: 'sources' | 'compiled' = 'compiled',
): Promise<string> {
  const till = new TillProcess(path, ['serve'], environment, form);
  await waitFor(() => last.test(till.out) || till.child.exitCode !== null, {
    timeoutMs: 240_000,
    describe: () => `the greeting; it said:\n${till.out}${till.err}`,
  });
  assert.equal(till.child.exitCode, null, till.err);
  return till.out;
}

async function opened(url: string): Promise<string> {
  const reply = await fetch(url, { headers: { accept: 'text/html' } });
  assert.equal(reply.status, 200, url);
  assert.match(reply.headers.get('content-type') ?? '', /^text\/html/, url);
  return reply.text();
}

/** @returns the status, with the token of the session or the message of the refusal */
async function logIn(
  url: string,
  body: object,
): Promise<{ readonly status: number; readonly token: string; readonly message: string }> {
  const reply = await fetch(`${url}/manage/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { data, msg, message } = (await reply.json()) as {
    data?: { access_token?: string } | null;
    msg?: string;
    message?: string;
  };
  return { status: reply.status, token: data?.access_token ?? '', message: msg ?? message ?? '' };
}

/** The e-mail addresses of the accounts that a session shows: a merchant's own, or all of them. */
const accountsFor = async (url: string, token: string): Promise<readonly string[]> => {
  const reply = await fetch(`${url}/manage/v1/accounts`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(reply.status, 200);
  const { data } = (await reply.json()) as { data: { items: readonly { email: string }[] } };
  return data.items.map(({ email }) => email).sort();
};

describe('the first run, from an empty folder', () => {
  afterEach(killAll);

  test('fault 510: init and serve print the port that was chosen, and what they print opens', async (t) => {
    const [path, port] = [emptyFolder(t), String(await freePort())];
    const flags = [...INIT, '--mode', 'sandbox', '--port', port];
    const made = await run(path, flags, {}, undefined, PASSWORD);
    assert.equal(made.code, 0, made.err);
    // As after `git clone`.
    const said = await served(path, LOGINS, {}, 'sources');
    const url = /listens on (\S+)/.exec(said)?.[1] ?? '';
    assert.equal(url, `http://localhost:${port}`);

    const pages = addressesIn(made.out + said);
    assert.deepEqual(pages.sort(), [url, `${url}/dashboard`, `${url}/docs`]);
    for (const page of pages) assert.match(await opened(page), /<title>/, page);
    assert.match(await opened(url), /href="dashboard".+href="docs"/s);
    await waitFor(async () => /<div id="root">/.test(await opened(`${url}/dashboard`)), {
      timeoutMs: 240_000,
      describe: () => 'the dashboard, in place of the page that says that it is built',
    });

    const order = await fetch(`${url}/v1/orders`, {
      method: 'POST',
      headers: { authorization: `Bearer ${lineOf(said, 'API-Key')}`, 'content-type': 'application/json' },
      body: JSON.stringify({ price: '12.50', currency: 'EUR' }),
    });
    const { pay_url: payUrl } = (await order.json()) as { pay_url: string };
    assert.ok(payUrl.startsWith(`${url}/`), payUrl);
    assert.match(await opened(payUrl), /12\.50/);

    const [, ofMerchant = '', ofOperator = ''] = said.split(/^E-mail: /m);
    const merchant = { email: ofMerchant.split('\n')[0], password: lineOf(ofMerchant, 'Password') };
    assert.equal((await logIn(url, merchant)).status, 200);
    assert.equal(ofOperator.split('\n')[0], 'boss@example.com');
    const secret = new URL(/otpauth:\S+/.exec(made.out)?.[0] ?? '').searchParams.get('secret') ?? '';
    const operator = { email: 'boss@example.com', password: PASSWORD, totp: codeAt(secret, Date.now()) };
    const { status, token } = await logIn(url, operator);
    assert.equal(status, 200);
    assert.deepEqual(await accountsFor(url, token), ['boss@example.com', 'demo@example.com']);
  });

  test('serve alone prints a merchant and an operator, who both log in', async (t) => {
    const path = emptyFolder(t);
    const said = await served(path, LOGINS, { TILLGATE_PORT: '0' });
    const url = /listens on (\S+)/.exec(said)?.[1] ?? '';
    const statuses = [];
    for (const block of said.split(/^(?=E-mail: )/m).slice(1)) {
      const login = { email: lineOf(block, 'E-mail'), password: lineOf(block, 'Password') };
      const { status, token } = await logIn(url, login);
      statuses.push([login.email, status, await accountsFor(url, token)]);
    }
    assert.deepEqual(statuses, [
      ['demo@example.com', 200, ['demo@example.com']],
      ['operator@example.com', 200, ['demo@example.com', 'operator@example.com']],
    ]);
  });

  test('production refuses the accounts of the sandbox, whose passwords were printed', async (t) => {
    const path = emptyFolder(t);
    const key = { TILLGATE_MASTER_KEY: randomBytes(32).toString('base64') };
    await served(path, LOGINS, { ...key, TILLGATE_PORT: '0' });
    await killAll();
    const refused = async (): Promise<string> => {
      const { code, err } = await run(path, ['serve'], { ...key, TILLGATE_CONFIG: productionSettings(path) });
      assert.equal(code, 1, err);
      return err;
    };
    assert.match(await refused(), /demo@example\.com, an account of the sandbox/);
    const filename = join(path, 'data/tillgate.db');
    const database = knex({ client: 'sqlite3', connection: { filename }, useNullAsDefault: true });
    await database.raw(`UPDATE accounts SET status = 'disabled' WHERE email = 'demo@example.com'`);
    await database.destroy();
    assert.match(await refused(), /operator@example\.com, an account of the sandbox/);
  });

  test('faults 511, 519: the first login of production asks for the code of the second factor that init showed', async (t) => {
    const [path, port] = [emptyFolder(t), String(await freePort())];
    const flags = [...INIT, '--port', port, '--plugins', '[]', '--rates', JSON.stringify(RATES)];
    const made = await run(path, flags, {}, undefined, PASSWORD);
    const secret = new URL(/otpauth:\S+/.exec(made.out)?.[0] ?? '').searchParams.get('secret') ?? '';
    for (const words of [
      'plugins: no plugin adds a chain',
      'notices: nobody is told',
      'rates: every coin has a price; no price of',
    ])
      assert.match(made.out, new RegExp(`^weak  ${words}`, 'm'));
    assert.match(made.out, /^ok {4}clock: not compared/m);
    const said = await served(path, /Documentation: /);
    const url = /listens on (\S+)/.exec(said)?.[1] ?? '';
    assert.equal(url, `http://localhost:${port}`);
    for (const page of addressesIn(made.out + said).filter((each) => each.startsWith(url))) await opened(page);
    const login = { email: 'boss@example.com', password: PASSWORD };
    const without = await logIn(url, login);
    assert.deepEqual([without.status, without.token], [400, '']);
    assert.match(without.message, /^totp: is required/);
    const { status, token } = await logIn(url, { ...login, totp: codeAt(secret, Date.now()) });
    assert.equal(status, 200);
    assert.deepEqual(await accountsFor(url, token), ['boss@example.com']);
  });

  test('fault 512: a base URL other than the listener is printed beside it, not in its place', async (t) => {
    const [path, port] = [emptyFolder(t), String(await freePort())];
    const flags = [...INIT, '--mode', 'sandbox', '--port', port, '--base-url', 'https://pay.example.com'];
    const made = await run(path, flags, {}, undefined, PASSWORD);
    assert.equal(made.code, 0, made.err);
    assert.match(made.out, /https:\/\/pay\.example\.com\/dashboard/);
    const said = await served(path, /Base URL: /);
    assert.match(said, new RegExp(`listens on http://localhost:${port}$`, 'm'));
    assert.match(said, /^Base URL: https:\/\/pay\.example\.com/m);
    await opened(`http://localhost:${port}/`);
    const { listen } = JSON.parse(readFileSync(join(path, 'tillgate.config.json'), 'utf8')) as { listen: object };
    assert.deepEqual(listen, { host: '127.0.0.1', port: Number(port), trustedHops: 1 });
  });

  test('the first page is JSON for a program', async (t) => {
    const said = await served(emptyFolder(t), /Documentation: /, { TILLGATE_PORT: '0' });
    const reply = await fetch(/listens on (\S+)/.exec(said)?.[1] ?? '', { headers: { accept: '*/*' } });
    assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8');
    const { links } = (await reply.json()) as { links: Record<string, string> };
    assert.deepEqual(links, { dashboard: '/dashboard', docs: '/docs', openapi: '/openapi.json' });
  });
});
