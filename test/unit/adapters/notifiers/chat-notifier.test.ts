import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttps } from 'node:https';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { ChatNotifier, parseChatOptions } from '../../../../adapters/notifiers/index.ts';
import type { ChatFormat } from '../../../../adapters/notifiers/index.ts';
import { isTillgateError } from '../../../../core/index.ts';
import type { NoticeId, NoticeMessage } from '../../../../core/index.ts';
import { FakeClock } from '../../../support/fakes.ts';
import { selfSigned } from '../callbacks/certificate.ts';

interface Posted {
  readonly path: string | undefined;
  readonly type: string | undefined;
  readonly body: string;
}

const message = (text: string, subject = 'Alert: loss, chain A'): NoticeMessage => ({
  ...{ id: '1530219844911046800' as NoticeId, type: 'alert.raised', audience: 'operators', to: [], at: 0 },
  ...{ subject, text },
});

/** A chat's service on this machine, and a notifier to it. */
async function open(
  t: TestContext,
  format: ChatFormat,
  answer: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) => response.end('ok'),
): Promise<{ notifier: ChatNotifier; posted: Posted[]; port: number }> {
  const posted: Posted[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      posted.push({ path: request.url, type: request.headers['content-type'], body: Buffer.concat(chunks).toString() });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/hooks/s3cret`;
  const notifier = await ChatNotifier.open(
    parseChatOptions({ url, format, allowPrivateNetworks: true }),
    new FakeClock(),
  );
  t.after(async () => {
    await notifier.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { notifier, posted, port };
}

const HOSTILE =
  'Name: <!channel> <@U123> <https://evil.example|click> @everyone @here [x](https://evil.example) ``` **b** & co';

test('fault 209: slack gets text without marks: no mention, no link with another name', async (t) => {
  const { notifier, posted } = await open(t, 'slack');
  assert.deepEqual(await notifier.send(message(HOSTILE)), { kind: 'sent' });
  const [{ path, type, body } = {} as Posted] = posted;
  assert.deepEqual([path, type], ['/hooks/s3cret', 'application/json']);
  const { text, ...flags } = JSON.parse(body) as { text: string };
  assert.deepEqual(flags, { mrkdwn: false, link_names: false, unfurl_links: false, unfurl_media: false });
  assert.ok(!/[<>]/.test(text));
  assert.ok(text.includes('&lt;!channel&gt; &lt;@U123&gt;') && text.includes('&amp; co'));
});

test('fault 209: discord gets a block of code that nothing ends, and parses no mention', async (t) => {
  const { notifier, posted } = await open(t, 'discord', (_request, response) => response.writeHead(204).end());
  assert.deepEqual(await notifier.send(message(`${HOSTILE}\n${'x'.repeat(5_000)}`)), { kind: 'sent' });
  const { content, ...rest } = JSON.parse(posted[0]!.body) as { content: string };
  assert.deepEqual(rest, { allowed_mentions: { parse: [] }, flags: 4 });
  assert.ok(content.length <= 2_000);
  assert.match(content, /^```\nAlert: loss, chain A\n\nName: [^`]*…\n```$/);
});

test('fault 209: mattermost gets a block of code, in which nobody is called', async (t) => {
  const { notifier, posted } = await open(t, 'mattermost');
  assert.deepEqual(await notifier.send(message(`${HOSTILE} @All @channel owner@here.example`)), { kind: 'sent' });
  const { text } = JSON.parse(posted[0]!.body) as { text: string };
  assert.match(text, /^```\n[^`]*\n```$/);
  assert.ok(!/@(?:all|channel|here|everyone)\b/i.test(text));
});

test('plain gets the text as it is', async (t) => {
  const { notifier, posted } = await open(t, 'plain');
  assert.deepEqual(await notifier.send(message('Text')), { kind: 'sent' });
  assert.deepEqual([posted[0]?.type, posted[0]?.body], ['text/plain; charset=utf-8', 'Alert: loss, chain A\n\nText']);
});

test('a redirect, a refusal and a lost connection are failed attempts; a time that is asked for is kept', async (t) => {
  const replies: ((response: ServerResponse) => void)[] = [
    (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    (response) => response.writeHead(404).end('no_team'),
    (response) => response.writeHead(429, { 'retry-after': '7' }).end(),
    (response) => void response.socket?.destroy(),
  ];
  const { notifier, posted } = await open(t, 'slack', (_request, response) => replies[posted.length - 1]?.(response));
  assert.deepEqual(await notifier.send(message('x')), { kind: 'failed', reason: 'HTTP status 302' });
  assert.deepEqual(await notifier.send(message('x')), { kind: 'failed', reason: 'HTTP status 404' });
  assert.deepEqual(await notifier.send(message('x')), {
    kind: 'failed',
    reason: 'HTTP status 429',
    retryAfterMs: 7_000,
  });
  assert.deepEqual(await notifier.send(message('x')), { kind: 'failed', reason: 'connection-lost' });
  assert.equal(posted.length, 4);
});

test('a certificate that is not trusted gets no message', async (t) => {
  const server = createHttps(selfSigned('localhost'), (_request, response) => void response.end());
  let requests = 0;
  server.on('request', () => (requests += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const options = parseChatOptions({ url: `https://localhost:${port}/x`, allowPrivateNetworks: true });
  const notifier = await ChatNotifier.open(options, new FakeClock());
  t.after(async () => {
    await notifier.close();
    await new Promise((resolve) => server.close(resolve));
  });
  assert.deepEqual(await notifier.send(message('x')), { kind: 'failed', reason: 'tls' });
  assert.equal(requests, 0);
});

test('an address in a private network is refused unless the options allow it', async (t) => {
  for (const url of ['https://127.0.0.1:9/x', 'https://10.0.0.1/x', 'https://[::1]/x', 'https://169.254.169.254/x']) {
    const notifier = await ChatNotifier.open(parseChatOptions({ url }), new FakeClock());
    t.after(() => notifier.close());
    assert.deepEqual(await notifier.send(message('x')), { kind: 'failed', reason: 'refused-address' }, url);
  }
});

test('options name the field that is wrong, and never repeat the address, which is a secret', async () => {
  const refused = (given: object): readonly string[] => {
    try {
      parseChatOptions(given);
    } catch (error) {
      assert.ok(isTillgateError(error, 'CONFIG_INVALID'));
      assert.ok(!error.message.includes('s3cret'), error.message);
      return (error.details.fields ?? []).map(({ path }) => path);
    }
    return [];
  };
  const url = 'https://chat.example/s3cret';
  assert.deepEqual(parseChatOptions({ url }), { url, format: 'plain', allowPrivateNetworks: false });
  assert.deepEqual(refused({}), ['url']);
  assert.deepEqual(refused({ url, urlFile: 'x' }), ['url']);
  assert.deepEqual(refused({ url: 'http://chat.example/s3cret' }), ['url']);
  assert.deepEqual(refused({ url: 'http://chat.example/s3cret', allowPrivateNetworks: true }), ['url']);
  assert.deepEqual(refused({ url: 'https://user:s3cret@chat.example/' }), ['url']);
  assert.deepEqual(refused({ url: 's3cret' }), ['url']);
  assert.deepEqual(refused({ url, format: 'irc' }), ['format']);
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-chat-'));
  const urlFile = join(folder, 'url');
  writeFileSync(urlFile, 'http://chat.example/s3cret\n');
  const opening = ChatNotifier.open(parseChatOptions({ urlFile }), new FakeClock());
  await assert.rejects(
    opening,
    (error: Error) => /must be an https URL/.test(error.message) && !error.message.includes('s3cret'),
  );
  rmSync(folder, { recursive: true });
});
