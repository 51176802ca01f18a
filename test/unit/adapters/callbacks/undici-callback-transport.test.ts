import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createRawServer } from 'node:net';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';
import { afterEach, describe, test } from 'node:test';
import { UndiciCallbackTransport } from '../../../../adapters/callbacks/index.ts';
import { pinTarget } from '../../../../adapters/callbacks/pinned-target.ts';
import type { CallbackTransportOptions, Resolve } from '../../../../adapters/callbacks/index.ts';
import type { AccountId, CallbackOutcome, CallbackRequest } from '../../../../core/index.ts';
import { FakeClock } from '../../../support/fakes.ts';
import { waitFor } from '../../../support/wait.ts';
import { selfSigned } from './certificate.ts';

/** 2026-03-01T12:00:00Z */
const clock = new FakeClock();
const toLoopback: Resolve = async () => ['127.0.0.1'];
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function listen<T extends NetServer | Server>(server: T): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => sockets.delete(socket)).on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const serve = (listener: RequestListener): Promise<number> => listen(createServer(listener));
const serveRaw = (listener: (socket: Socket) => void): Promise<number> => listen(createRawServer(listener));

function transportWith(options: CallbackTransportOptions = {}): UndiciCallbackTransport {
  const transport = new UndiciCallbackTransport(clock, { allowPrivateNetworks: true, timeoutMs: 20_000, ...options });
  cleanups.push(() => transport.close());
  return transport;
}

function get(url: string, headers: Record<string, string> = {}, accountId = '7'): CallbackRequest {
  return { accountId: accountId as AccountId, method: 'GET', url, headers, body: null };
}

function assertFailed(outcome: CallbackOutcome, reason: string): void {
  assert.deepEqual(
    { kind: outcome.kind, reason: outcome.kind === 'failed' ? outcome.reason : null },
    { kind: 'failed', reason },
  );
}

function assertStatus(outcome: CallbackOutcome, status: number): void {
  assert.deepEqual(
    { kind: outcome.kind, status: outcome.kind === 'answered' ? outcome.status : null },
    { kind: 'answered', status },
  );
}

describe('connections to one address', () => {
  test('fault 106: whatever names lead to it, an account has six and all accounts 32; what finds none is no attempt', async () => {
    const waiting: (() => void)[] = [];
    const port = await serve((_request, response) => void waiting.push(() => response.end('ok')));
    const transport = transportWith({ resolve: toLoopback });
    let names = 0;
    const send = (account: string): Promise<CallbackOutcome> =>
      transport.send(get(`http://name${(names += 1)}.shop.example:${port}/cb`, {}, account));
    const held = Array.from({ length: 6 }, () => send('slow'));
    await waitFor(() => waiting.length === 6);
    assert.deepEqual(await send('slow'), { kind: 'busy' });
    for (const account of ['a', 'b', 'c', 'd']) for (let n = 0; n < 6; n++) held.push(send(account));
    held.push(send('e'), send('e'));
    await waitFor(() => waiting.length === 32);
    assert.deepEqual(await send('f'), { kind: 'busy' });
    for (const reply of waiting) reply();
    for (const outcome of await Promise.all(held)) assertStatus(outcome, 200);
    const again = send('slow');
    await waitFor(() => waiting.length === 33);
    waiting.at(-1)?.();
    assertStatus(await again, 200);
  });
});

describe('what is sent', () => {
  test('a GET arrives with its query, its headers and the host of the URL', async () => {
    const seen: IncomingMessage[] = [];
    const port = await serve((request, response) => {
      seen.push(request);
      response.end('ok');
    });
    const transport = transportWith({ resolve: toLoopback });
    const outcome = await transport.send(get(`http://shop.example:${port}/cb?a=1&b=%20#part`, { 'API-Key': 'tck_1' }));
    assertStatus(outcome, 200);
    const [request] = seen;
    assert.equal(request?.url, '/cb?a=1&b=%20');
    assert.equal(request.headers.host, `shop.example:${port}`);
    assert.equal(request.headers['api-key'], 'tck_1');
    assert.equal(request.headers.connection, 'close');
    assert.equal(request.headers.cookie, undefined);
  });

  test('a POST arrives with its body', async () => {
    let body = '';
    const port = await serve((request, response) => {
      request
        .setEncoding('utf8')
        .on('data', (chunk: string) => (body += chunk))
        .on('end', () => response.writeHead(204).end());
    });
    const headers = { 'content-type': 'application/json' };
    const outcome = await transportWith().send({
      accountId: '7' as AccountId,
      method: 'POST',
      url: `http://127.0.0.1:${port}/`,
      headers,
      body: '{"a":"é"}',
    });
    assertStatus(outcome, 204);
    assert.equal(body, '{"a":"é"}');
  });

  test('cookies of one reply do not come back with the next request, and every attempt connects anew', async () => {
    const cookies: (string | undefined)[] = [];
    const ports = new Set<number | undefined>();
    const port = await serve((request, response) => {
      cookies.push(request.headers.cookie);
      ports.add(request.socket.remotePort);
      response.setHeader('set-cookie', 'a=1').end();
    });
    const transport = transportWith();
    assertStatus(await transport.send(get(`http://127.0.0.1:${port}/`)), 200);
    assertStatus(await transport.send(get(`http://127.0.0.1:${port}/`)), 200);
    assert.deepEqual(cookies, [undefined, undefined]);
    assert.equal(ports.size, 2);
  });

  test('over TLS the certificate must be for the name in the URL', async () => {
    const { key, cert } = selfSigned('shop.example');
    const servernames: unknown[] = [];
    const server = createSecureServer({ key, cert }, (_request, response) => void response.end('ok'));
    server.on('secureConnection', (socket) => servernames.push(socket.servername));
    const port = await listen(server);
    const transport = transportWith({ resolve: toLoopback, ca: cert });
    assertStatus(await transport.send(get(`https://shop.example:${port}/`)), 200);
    assert.deepEqual(servernames, ['shop.example']);
    assertFailed(await transport.send(get(`https://other.example:${port}/`)), 'tls');
    assertFailed(await transportWith({ resolve: toLoopback }).send(get(`https://shop.example:${port}/`)), 'tls');
  });
});

describe('replies', () => {
  test('fault 32: a redirect is an answer like any other, and is not followed', async () => {
    let requests = 0;
    const port = await serve((_request, response) => {
      requests += 1;
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    assertStatus(await transportWith().send(get(`http://127.0.0.1:${port}/`)), 302);
    assert.equal(requests, 1);
  });

  test('Retry-After comes in seconds, from either of its forms', async () => {
    const forms: readonly (readonly [string, number | null])[] = [
      ['120', 120],
      ['0', 0],
      ['Sun, 01 Mar 2026 12:01:30 GMT', 90],
      ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
      ['soon', null],
      ['-5', null],
      ['1.5', null],
      ['99999999999', null],
      ['2026-03-01T12:01:30Z', null],
      ['Sun, 99 Abc 2026 12:01:30 GMT', null],
    ];
    const port = await serve((request, response) => {
      response.writeHead(503, { 'retry-after': decodeURIComponent(request.url?.slice(2) ?? '') }).end();
    });
    const transport = transportWith();
    for (const [text, seconds] of forms) {
      const outcome = await transport.send(get(`http://127.0.0.1:${port}/?${encodeURIComponent(text)}`));
      assert.deepEqual(outcome, { kind: 'answered', status: 503, retryAfterSeconds: seconds, durationMs: 0 }, text);
    }
  });

  test("without Retry-After there is none, and the duration is the clock's", async () => {
    const port = await serve((_request, response) => {
      clock.advance(250);
      response.writeHead(500).end();
    });
    const outcome = await transportWith().send(get(`http://127.0.0.1:${port}/`));
    assert.deepEqual(outcome, { kind: 'answered', status: 500, retryAfterSeconds: null, durationMs: 250 });
  });

  test('fault 34: a huge body is read up to the cap, and the connection dropped', async () => {
    let written = 0;
    let closed = false;
    const port = await serve((_request, response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const more = (): void => {
        while (!closed && response.write(chunk)) written += chunk.length;
        written += chunk.length;
      };
      response.on('drain', more).on('close', () => (closed = true));
      more();
    });
    assertStatus(await transportWith({ maxReplyBytes: 64 * 1024 }).send(get(`http://127.0.0.1:${port}/`)), 200);
    assert.ok(written < 64 * 1024 * 1024, `${written}`);
  });

  test('what is no HTTP, or has endless headers, is a bad reply', async () => {
    const junk = await serveRaw((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
    assertFailed(await transportWith().send(get(`http://127.0.0.1:${junk}/`)), 'bad-reply');
    const endless = await serveRaw((socket) => socket.write(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(20_000)}`));
    assertFailed(await transportWith().send(get(`http://127.0.0.1:${endless}/`)), 'bad-reply');
  });
});

describe('fault 34: tarpits meet one deadline over everything', () => {
  const timed = async (options: CallbackTransportOptions, url: string): Promise<CallbackOutcome> =>
    transportWith({ timeoutMs: 150, ...options }).send(get(url));

  test('a resolver that never answers', async () => {
    assertFailed(await timed({ resolve: () => new Promise(() => undefined) }, 'http://shop.example/'), 'timeout');
  });

  test('a server that accepts and says nothing', async () => {
    const port = await serveRaw(() => undefined);
    assertFailed(await timed({}, `http://127.0.0.1:${port}/`), 'timeout');
  });

  test('a server that never finishes its headers', async () => {
    const port = await serveRaw((socket) => socket.write('HTTP/1.1 200 OK\r\nx-slow: '));
    assertFailed(await timed({}, `http://127.0.0.1:${port}/`), 'timeout');
  });

  test('a TLS handshake that goes nowhere', async () => {
    const port = await serveRaw(() => undefined);
    assertFailed(await timed({ resolve: toLoopback }, `https://shop.example:${port}/`), 'timeout');
  });

  test('a body that comes byte by byte is not a delivered callback', async () => {
    const port = await serve((_request, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('.'), 10);
      response.on('close', () => clearInterval(drip));
    });
    assertFailed(await timed({}, `http://127.0.0.1:${port}/`), 'timeout');
  });

  test('many of them do not hold up a healthy receiver', async () => {
    const tarpit = await serveRaw(() => undefined);
    const healthy = await serve((_request, response) => void response.end());
    const transport = transportWith({ timeoutMs: 60_000 });
    const stuck = Array.from({ length: 30 }, (_, n) =>
      transport.send(get(`http://127.0.0.1:${tarpit}/`, {}, `slow${n % 5}`)),
    );
    assertStatus(await transport.send(get(`http://127.0.0.1:${healthy}/`)), 200);
    await transport.close();
    for (const outcome of await Promise.all(stuck)) assertFailed(outcome, 'closed');
    assertFailed(await transport.send(get(`http://127.0.0.1:${healthy}/`)), 'closed');
  });
});

describe('connections that fail', () => {
  test('nobody listens', async () => {
    const server = createRawServer();
    const port = await listen(server);
    server.close();
    await once(server, 'close');
    assertFailed(await transportWith().send(get(`http://127.0.0.1:${port}/`)), 'connect');
  });

  test('the connection breaks before the answer, or in the middle of its body', async () => {
    const early = await serveRaw((socket) => socket.on('data', () => socket.destroy()));
    assertFailed(await transportWith().send(get(`http://127.0.0.1:${early}/`)), 'connection-lost');
    const midway = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('half', () => response.destroy());
    });
    assertFailed(await transportWith().send(get(`http://127.0.0.1:${midway}/`)), 'connection-lost');
  });

  test('a header that could split the request is not sent', async () => {
    const port = await serve((_request, response) => void response.end());
    assertFailed(
      await transportWith().send(get(`http://127.0.0.1:${port}/`, { 'x-a': 'b\r\nx-evil: 1' })),
      'bad-request',
    );
  });
});

describe('fault 30: targets are refused before anything is sent', () => {
  test('addresses in every way of writing them', async () => {
    const transport = transportWith({
      allowPrivateNetworks: false,
      resolve: () => assert.fail('an address is not looked up'),
    });
    const hosts = [
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '127.1',
      '127.0.0.1.',
      '①②⑦.0.0.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[64:ff9b::7f00:1]',
      '169.254.169.254',
      '10.0.0.1',
      '[fd00::1]',
      '0',
      '[2002:7f00:1::]',
    ];
    for (const host of hosts) assertFailed(await transport.send(get(`http://${host}/`)), 'refused-address');
  });

  test('a host that is not of the operator’s list, before it is looked up', async () => {
    const port = await serve((_request, response) => void response.end());
    const hosts = [`shop.example:${port}`];
    const transport = transportWith({ hosts, resolve: toLoopback });
    assertStatus(await transport.send(get(`http://shop.example:${port}/`)), 200);
    const strict = transportWith({ hosts, resolve: () => assert.fail('it is not looked up') });
    for (const url of [`http://other.example:${port}/`, 'http://shop.example/', `http://127.0.0.1:${port}/`])
      assertFailed(await strict.send(get(url)), 'refused-host');
  });

  test('a name of which one single address is inside', async () => {
    const answers: readonly (readonly string[])[] = [
      ['10.0.0.1'],
      ['93.184.215.14', '127.0.0.1'],
      ['2606:4700::1', '::ffff:10.0.0.1'],
      ['fe80::1%eth0'],
    ];
    for (const answer of answers) {
      const transport = transportWith({ allowPrivateNetworks: false, resolve: async () => answer });
      assertFailed(await transport.send(get('http://shop.example/')), 'refused-address');
    }
  });

  test('a name without address, a resolver that fails, and one that answers with a name', async () => {
    const resolvers: readonly Resolve[] = [
      async () => [],
      () => Promise.reject(new Error('SERVFAIL')),
      async () => ['localhost'],
    ];
    for (const resolve of resolvers)
      assertFailed(await transportWith({ resolve }).send(get('http://shop.example/')), 'dns');
  });

  test('URLs that are not http or https, that hold credentials, or are none', async () => {
    for (const url of [
      'ftp://a.example/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'http://u:p@a.example/',
      'http://u@a.example/',
      '',
      '/cb',
      'http://',
    ]) {
      assertFailed(await transportWith().send(get(url)), 'bad-url');
    }
  });

  test('private networks are open when the setting says so, names of the hosts file included', async () => {
    const port = await serve((_request, response) => void response.end());
    assertStatus(await transportWith().send(get(`http://localhost:${port}/`)), 200);
  });
});

describe('fault 31: DNS rebinding', () => {
  test('a name is resolved once for each attempt, and the connection goes to that answer', async () => {
    const port = await serve((_request, response) => void response.end());
    const answers = ['127.0.0.1', '192.0.2.1'];
    let asked = 0;
    const transport = transportWith({ resolve: async () => [answers[asked++] ?? assert.fail('asked again')] });
    assertStatus(await transport.send(get(`http://shop.example:${port}/`)), 200);
    assert.equal(asked, 1);
  });

  test('an answer that turns private is refused at the next attempt, and changes nothing of the former one', async () => {
    const answers = [['93.184.215.14', '2606:4700::1111'], ['127.0.0.1']];
    const options = {
      allowPrivateNetworks: false,
      signal: new AbortController().signal,
      hosts: null,
      resolve: async () => answers.shift() ?? [],
    };
    const pinned = await pinTarget('https://shop.example/', options);
    await assert.rejects(pinTarget('https://shop.example/', options), { reason: 'refused-address' });
    const all: unknown[] = [];
    pinned.lookup('shop.example', { all: true }, (_error, found) => all.push(found));
    pinned.lookup('shop.example', { all: false }, (_error, address, family) => all.push([address, family]));
    const expected = [
      { address: '93.184.215.14', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ];
    assert.deepEqual(all, [expected, ['93.184.215.14', 4]]);
  });

  test('link-local and metadata addresses are refused where private networks are allowed', async () => {
    for (const address of ['169.254.169.254', 'fe80::1', '::ffff:169.254.169.254', 'fd00:ec2::254']) {
      const transport = transportWith({ resolve: async () => [address] });
      assertFailed(await transport.send(get('http://shop.example/')), 'refused-address');
    }
  });

  test('of several checked addresses, one that works is found', async () => {
    const port = await serve((_request, response) => void response.end());
    const transport = transportWith({ resolve: async () => ['127.0.0.2', '127.0.0.1'] });
    assertStatus(await transport.send(get(`http://shop.example:${port}/`)), 200);
  });
});

test('no reason holds any part of the URL', async () => {
  const transport = transportWith({ allowPrivateNetworks: false, resolve: async () => [] });
  for (const url of ['http://secret-host.example/secret-path?key=secret', 'ftp://secret/', 'http://127.0.0.1/secret']) {
    assert.doesNotMatch(JSON.stringify(await transport.send(get(url))), /secret|127/);
  }
});
