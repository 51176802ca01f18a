import assert from 'node:assert/strict';
import { Agent, createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ChunkReader } from '../../../host/gateway/fast-path/http1/chunk-reader.ts';
import { INCOMPLETE, MALFORMED } from '../../../host/gateway/fast-path/http1/field-lines.ts';
import { MAX_PLAIN_HEAD, readPlainHead } from '../../../host/gateway/fast-path/http1/plain-request.ts';
import type { PlainRequest } from '../../../host/gateway/fast-path/http1/plain-request.ts';
import { readResponseHead } from '../../../host/gateway/fast-path/http1/response-head.ts';
import { PlainRequestReader } from '../../../host/gateway/fast-path/plain-request-reader.ts';
import { readWith } from './read-with.ts';

const head = (...lines: readonly string[]): string => `${lines.join('\r\n')}\r\n\r\n`;

const readPlainRequest = (text: string): PlainRequest | null => readPlainHead(text)?.request ?? null;

/** Of a request whose key was not looked for yet. */
const headCache = { protocol: null, extracted: null, own: null, headers: null };

describe('plain requests (fault 25)', () => {
  const START = ['POST /a?b=c HTTP/1.1', 'Host: h'];
  test('are read to the end of their head', () => {
    const text =
      head(
        ...START,
        'X-A: \t1 2  ',
        'content-LENGTH: 3',
        'X-Empty:',
        'Authorization: Bearer x',
        'Content-Encoding: Identity',
      ) + 'abcPOST';
    const { start, lines, request } = readPlainHead(text) ?? assert.fail();
    assert.equal(start, 'POST /a?b=c HTTP/1.1\r\n');
    assert.deepEqual(lines[1], { text: 'X-A: \t1 2  \r\n', name: 'x-a', value: '1 2', use: 'other' });
    assert.deepEqual(request, {
      method: 'POST',
      target: '/a?b=c',
      httpVersion: '1.1',
      hostHeader: 'h',
      upgrade: false,
      close: false,
      length: text.length - 7,
      headCache,
      rawHeaders: [
        'host',
        'h',
        'x-a',
        '1 2',
        'content-length',
        '3',
        'x-empty',
        '',
        'authorization',
        'Bearer x',
        'content-encoding',
        'Identity',
      ],
      head: {
        authorization: ['Bearer x'],
        contentLength: 3,
        chunked: false,
        encoded: false,
        expectsContinue: false,
        origin: null,
      },
    });
  });
  const plain: readonly (readonly [string, string])[] = [
    ['a GET', head('GET / HTTP/1.1', 'Host: h')],
    ['a GET with a length of 0', head('GET / HTTP/1.1', 'Host: h', 'Content-Length: 0')],
    ['a HEAD', head('HEAD /x HTTP/1.1', 'Host: h')],
    ['a POST without a length', head(...START)],
    ['the longest body', head(...START, 'Content-Length: 65536')],
    ['kept alive', head(...START, 'Connection: Keep-Alive')],
    ['closed', head(...START, 'Connection: CLOSE')],
    ['a repeated harmless header', head(...START, 'Accept: a', 'Accept: b')],
    ['bytes beyond ASCII in a value', head(...START, 'X: \x80\xff')],
    ['TE, which is dropped', head(...START, 'TE: trailers')],
  ];
  for (const [what, text] of plain) test(`${what}: read`, () => assert.notEqual(readPlainRequest(text), null));

  const others: readonly (readonly [string, string])[] = [
    ['nothing', ''],
    ['half a head', head(...START).slice(0, -1)],
    ['half a line', 'POST / HTT'],
    ['no headers', 'POST / HTTP/1.1\r\n\r\n'],
    ['another method', head('PUT / HTTP/1.1', 'Host: h')],
    ['a method in lower case', head('post / HTTP/1.1', 'Host: h')],
    ['HTTP/1.0', head('POST / HTTP/1.0', 'Host: h')],
    ['HTTP/1.2', head('POST / HTTP/1.2', 'Host: h')],
    ['an empty line before it', `\r\n${head(...START)}`],
    ['two blanks', head('POST  / HTTP/1.1', 'Host: h')],
    ["a blank at the line's end", head('POST / HTTP/1.1 ', 'Host: h')],
    ['an absolute target', head('POST http://h/ HTTP/1.1', 'Host: h')],
    ['an asterisk', head('GET * HTTP/1.1', 'Host: h')],
    ['a fragment', head('GET /a#b HTTP/1.1', 'Host: h')],
    ['a target beyond ASCII', head('GET /\xe9 HTTP/1.1', 'Host: h')],
    ['a bare LF', head(...START).replaceAll('\r\n', '\n')],
    ['one bare LF', head(...START, 'X: a\nY: b')],
    ['a bare CR', head(...START, 'X: a\rb')],
    ['CR CR LF', head(...START, 'X: a\r')],
    ['a NUL', head(...START, 'X: a\0b')],
    ['a DEL', head(...START, 'X: a\x7fb')],
    ['a folded line', head(...START, 'X: a', ' b')],
    ['a blank before the colon', head(...START, 'X : a')],
    ['a line without a colon', head(...START, 'nonsense')],
    ['an empty name', head(...START, ': a')],
    ['a name beyond a token', head(...START, 'X(Y): a')],
    ['no host', head(START[0]!)],
    ['two origins', head(...START, 'Origin: https://a.example', 'ORIGIN: https://a.example')],
    ['two hosts', head(...START, 'host: h')],
    ['two lengths', head(...START, 'Content-Length: 1', 'Content-Length: 1')],
    ['a list of lengths', head(...START, 'Content-Length: 1, 1')],
    ['a signed length', head(...START, 'Content-Length: +1')],
    ['an empty length', head(...START, 'Content-Length:')],
    ['a hexadecimal length', head(...START, 'Content-Length: 0x1')],
    ['a long length', head(...START, 'Content-Length: 000001')],
    ['a tab behind a length', head(...START, 'Content-Length: 0\t')],
    ['a tab and a blank behind a value', head(...START, 'X: a\t ')],
    ['a large body', head(...START, 'Content-Length: 65537')],
    ['a GET with a body', head('GET / HTTP/1.1', 'Host: h', 'Content-Length: 1')],
    ['a transfer coding', head(...START, 'Transfer-Encoding: chunked')],
    ['a transfer coding and a length', head(...START, 'Content-Length: 1', 'Transfer-Encoding: identity')],
    ['an expectation', head(...START, 'Expect: 100-continue')],
    ['an upgrade', head(...START, 'Upgrade: h2c')],
    ["a WebSocket's key", head(...START, 'Sec-WebSocket-Key: x')],
    ['Connection with more', head(...START, 'Connection: keep-alive, x-a')],
    ['Connection twice', head(...START, 'Connection: close', 'Connection: close')],
    ['Proxy-Connection', head(...START, 'Proxy-Connection: close')],
    ['two Authorizations', head(...START, 'Authorization: a', 'Authorization: a')],
    ['two Content-Types', head(...START, 'Content-Type: a', 'Content-Type: a')],
    ['a long head', head(...START, `X: ${'a'.repeat(MAX_PLAIN_HEAD)}`)],
    ['many headers', head(...START, ...Array.from({ length: 120 }, (_, n) => `X-${n}: a`))],
    ['TLS', '\x16\x03\x01\x02\x00\x01'],
  ];
  for (const [what, text] of others)
    test(`${what}: left to Node's reader`, () => assert.equal(readPlainRequest(text), null));
});

describe('heads of replies', () => {
  const rows: readonly (readonly [string, string, string, object | number])[] = [
    [
      'a length',
      head('HTTP/1.1 200 OK', 'Content-Length: 5'),
      'GET',
      { status: 200, bodyEnd: 'length', contentLength: 5, keepAlive: true },
    ],
    [
      'no words',
      head('HTTP/1.1 200', 'Content-Length: 0'),
      'GET',
      { status: 200, bodyEnd: 'length', contentLength: 0 },
    ],
    ['chunks', head('HTTP/1.1 200 OK', 'Transfer-Encoding: Chunked'), 'GET', { bodyEnd: 'chunked', keepAlive: true }],
    ['neither', head('HTTP/1.1 200 OK'), 'GET', { bodyEnd: 'close', keepAlive: false }],
    ['a close', head('HTTP/1.1 200 OK', 'Content-Length: 1', 'connection: x, Close'), 'GET', { keepAlive: false }],
    ['HTTP/1.0', head('HTTP/1.0 200 OK', 'Content-Length: 1'), 'GET', { keepAlive: false }],
    [
      'HTTP/1.0, kept',
      head('HTTP/1.0 200 OK', 'Content-Length: 1', 'Connection: keep-alive'),
      'GET',
      { keepAlive: true },
    ],
    ['a reply to HEAD', head('HTTP/1.1 200 OK', 'Content-Length: 5'), 'HEAD', { bodyEnd: 'none', keepAlive: true }],
    ['204', head('HTTP/1.1 204 No Content'), 'GET', { bodyEnd: 'none', keepAlive: true }],
    ['304 with a length', head('HTTP/1.1 304 Not Modified', 'Content-Length: 5'), 'GET', { bodyEnd: 'none' }],
    ['100', head('HTTP/1.1 100 Continue'), 'POST', { status: 100, bodyEnd: 'none' }],
    [
      'a hint',
      head('HTTP/1.1 200 OK', 'Content-Length: 1', 'Keep-Alive: max=100, timeout=5'),
      'GET',
      { keepAliveSeconds: 5 },
    ],
    ['a beginning', 'HTT', 'GET', INCOMPLETE],
    ['nothing', '', 'GET', INCOMPLETE],
    ['half a head', head('HTTP/1.1 200 OK', 'X: a').slice(0, -1), 'GET', INCOMPLETE],
    ['a long beginning without a line', 'HTTP/1.1 200 '.padEnd(100, 'a'), 'GET', INCOMPLETE],
    ['no HTTP', 'SSH-2.0', 'GET', MALFORMED],
    ['HTTP/2.0', head('HTTP/2.0 200 OK'), 'GET', MALFORMED],
    ['a status of two digits', head('HTTP/1.1 20 OK'), 'GET', MALFORMED],
    ['a status that begins with 0', head('HTTP/1.1 020 OK'), 'GET', MALFORMED],
    [
      'both a length and chunks',
      head('HTTP/1.1 200 OK', 'Content-Length: 5', 'Transfer-Encoding: chunked'),
      'GET',
      MALFORMED,
    ],
    ['two lengths', head('HTTP/1.1 200 OK', 'Content-Length: 5', 'Content-Length: 5'), 'GET', MALFORMED],
    ['a list of lengths', head('HTTP/1.1 200 OK', 'Content-Length: 5, 5'), 'GET', MALFORMED],
    ['a signed length', head('HTTP/1.1 200 OK', 'Content-Length: -5'), 'GET', MALFORMED],
    ['a tab behind a length', head('HTTP/1.1 200 OK', 'Content-Length: 5\t'), 'GET', MALFORMED],
    ['another coding', head('HTTP/1.1 200 OK', 'Transfer-Encoding: gzip, chunked'), 'GET', MALFORMED],
    [
      'two codings',
      head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'),
      'GET',
      MALFORMED,
    ],
    ['both to HEAD', head('HTTP/1.1 200 OK', 'Content-Length: 5', 'Transfer-Encoding: chunked'), 'HEAD', MALFORMED],
    ['a bare LF', 'HTTP/1.1 200 OK\nContent-Length: 5\n\n', 'GET', MALFORMED],
    ['a folded line', head('HTTP/1.1 200 OK', 'X: a', ' b'), 'GET', MALFORMED],
    ['a bare CR', head('HTTP/1.1 200 OK', 'X: a\rSet-Cookie: b'), 'GET', MALFORMED],
    ['a blank before the colon', head('HTTP/1.1 200 OK', 'Content-Length : 5'), 'GET', MALFORMED],
  ];
  for (const [what, text, method, expected] of rows) {
    test(`${what}: ${typeof expected === 'number' ? (expected === INCOMPLETE ? 'incomplete' : 'malformed') : 'read'}`, () => {
      const read = readResponseHead(text, method);
      if (typeof expected === 'number' || typeof read === 'number') assert.equal(read, expected);
      else assert.deepEqual({ ...read, ...expected }, read);
    });
  }

  test('every beginning of a reply is incomplete, never malformed', () => {
    const text = head('HTTP/1.1 200 All Right', 'Content-Length: 5', 'X-A: b');
    for (let end = 0; end < text.length; end++)
      assert.equal(readResponseHead(text.slice(0, end), 'GET'), INCOMPLETE, JSON.stringify(text.slice(0, end)));
  });
});

describe('chunked bodies', () => {
  const rows: readonly (readonly [string, string, string | null])[] = [
    ['a few chunks', '3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n', 'abc0123456789'],
    ['extensions and trailers', '3;a="b"\r\nabc\r\n0;x\r\nX-Sum: 1\r\nY: 2\r\n\r\n', 'abc'],
    ['leading zeros', '0003\r\nabc\r\n000\r\n\r\n', 'abc'],
    ['blanks behind the size', '3  \r\nabc\r\n0\r\n\r\n', null],
    ['no size', '\r\nabc', null],
    ['a size that is no number', 'zz\r\n', null],
    ['a sign', '+3\r\nabc\r\n', null],
    ['a prefix', '0x3\r\nabc\r\n', null],
    ['a size that overflows', 'fffffffffffff\r\n', null],
    ['a bare LF behind the size', '3\nabc\r\n0\r\n\r\n', null],
    ['a bare LF behind the data', '3\r\nabc\n0\r\n\r\n', null],
    ['data that is longer', '3\r\nabcd\r\n0\r\n\r\n', null],
    ['a bare LF in an extension', '3;a\nb\r\nabc\r\n', null],
    ['endless extensions', `3;${'a'.repeat(20_000)}`, null],
    ['endless trailers', `0\r\n${'X: a\r\n'.repeat(5_000)}`, null],
  ];
  for (const [what, text, expected] of rows) {
    test(`${what}: ${expected === null ? 'malformed' : 'read'}, in whatever pieces it comes`, () => {
      for (const size of [1, 2, 3, 7, text.length]) {
        const reader = new ChunkReader();
        let got = '';
        let used = 0;
        for (let at = 0; at < text.length && used >= 0 && !reader.over; at += size) {
          used = reader.read(Buffer.from(`#${text.slice(at, at + size)}`), 1, (piece) => (got += piece.toString()));
        }
        if (expected === null) assert.equal(used, -1);
        else assert.deepEqual([got, reader.over], [expected, true]);
      }
    });
  }

  test('what follows the body is not its own', () => {
    assert.equal(
      new ChunkReader().read(Buffer.from('1\r\na\r\n0\r\n\r\nHTTP/1.1'), 0, () => undefined),
      11,
    );
  });
});

/** A connection whose other end has sent these bytes, and no more. */
function connectionOf(bytes: string): Duplex {
  const stream = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  stream.on('error', () => undefined);
  stream.push(Buffer.from(bytes, 'latin1'));
  return stream;
}

/** Values that differ in what matters, and the ordinary ones more often than not. */
const often = (ordinary: string, ...odd: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(ordinary) },
    { weight: 1, arbitrary: fc.constantFrom(ordinary, ...odd) },
  );
const mutated = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(text, fc.option(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }), fc.nat(2)), { freq: 2 }))
    .map(([whole, change]) => {
      if (change === null) return whole;
      const at = change[0] % whole.length;
      return (
        whole.slice(0, at) +
        (change[2] === 0 ? '' : String.fromCharCode(change[1])) +
        whole.slice(at + (change[2] === 2 ? 0 : 1))
      );
    });
const lineEnd = often('\r\n', '\n', '\r', '\r\r\n', '\r\n ', '\0\r\n');
const colon = often(': ', ':', ' : ', ':\t', '\t: ', ':  ', ':\0', ':\x0b');
const anyLine = fc
  .tuple(
    fc.constantFrom(
      'X-A',
      'Content-Length',
      'content-length',
      'Transfer-Encoding',
      'Connection',
      'Proxy-Connection',
      'Upgrade',
      'Expect',
      'Host',
      'Keep-Alive',
      'TE',
      'Trailer',
      'X_Y',
      "a!#$%&'*+-.^_`|~9",
      'X Y',
      '',
      'Ünï',
    ),
    colon,
    fc.oneof(
      fc.constantFrom(
        '0',
        '3',
        '5',
        '05',
        '5, 5',
        'close',
        'keep-alive',
        'upgrade',
        'chunked',
        'identity',
        'websocket',
        '100-continue',
        'a b',
        ' a ',
        '\ta',
        '',
        '"',
        '\xff\x80',
      ),
      fc.string({ maxLength: 8 }),
    ),
    lineEnd,
  )
  .map((parts) => parts.join(''));

/** What Node's server makes of the bytes; `null` for nothing. */
function asNodeReads(
  bytes: string,
): Promise<{ method: string; url: string; rawHeaders: string[]; body: string; close: boolean } | null> {
  return new Promise((resolve) => {
    const server = createServer({ requireHostHeader: false }, (req, res) => {
      let body = '';
      req.setEncoding('latin1').on('data', (chunk: string) => (body += chunk));
      req.on('end', () =>
        resolve({
          method: req.method ?? '',
          url: req.url ?? '',
          rawHeaders: req.rawHeaders,
          body,
          close: !res.shouldKeepAlive,
        }),
      );
    });
    server.on('clientError', () => resolve(null)).on('upgrade', () => resolve(null));
    const stream = connectionOf(bytes);
    server.emit('connection', stream);
    // What is incomplete does not become complete.
    setImmediate(() => setImmediate(() => setImmediate(() => resolve(null))));
  });
}

const requestBytes = mutated(
  fc
    .tuple(
      often('POST', 'GET', 'HEAD', 'PUT'),
      often(' ', '  ', '\t'),
      often('/', '/a?b', '//', '/#', '/%00', '/a b', '*', '/\x80'),
      often(' HTTP/1.1', ' HTTP/1.0', ' HTTP/1.1 ', ''),
      lineEnd,
      often('Host: h\r\n', ''),
      fc.array(anyLine, { maxLength: 4 }),
      often('Content-Length: 5\r\n', ''),
      lineEnd,
    )
    .map(
      ([method, blank, target, version, end, host, lines, length, last]) =>
        `${method}${blank}${target}${version}${end}${host}${lines.join('')}${length}${last}helloGET /next HTTP/1.1\r\n`,
    ),
);

test('a request is read the same way whatever its client has sent before', () => {
  const withoutCache = (request: PlainRequest | null): unknown => request && { ...request, headCache };
  let alike = 0;
  const name = fc.constantFrom(
    'X-A',
    'x-a',
    'X-B',
    'Content-Length',
    'content-length',
    'Connection',
    'Authorization',
    'Expect',
  );
  const names = fc.array(name, { maxLength: 4 });
  const value = fc.constantFrom(
    '1',
    '12',
    '012',
    '0',
    '99999',
    '',
    'a',
    ' a',
    'a ',
    'a\t',
    'a\r',
    '\x80',
    'close',
    'keep-alive',
  );
  const rest = fc.tuple(often(': ', ':', ' :'), fc.oneof(fc.constant('1'), value), often('\r\n', '\n', '\r\n '));
  const alikeRequests = fc.tuple(names, often('/', '/a')).chain(([of, target]) => {
    const lines = fc.tuple(
      ...of.map((usual) => fc.tuple(often(usual, 'X-B', 'Expect'), rest).map((parts) => parts.flat().join(''))),
    );
    const request = lines.map((all) => `POST ${target} HTTP/1.1\r\nHost: h\r\n${all.join('')}\r\nX-A: 1\r\n\r\n`);
    return fc.array(request, { minLength: 2, maxLength: 8 });
  });
  const property = fc.property(fc.oneof(alikeRequests, fc.array(requestBytes, { maxLength: 4 })), (all) => {
    const reader = new PlainRequestReader();
    for (const text of all) {
      const read = readWith(reader, Buffer.from(text, 'latin1'));
      assert.deepEqual(withoutCache(read), withoutCache(readPlainRequest(text)));
      if (read === null) continue;
      if (read.headCache.protocol !== null) alike += 1;
      read.headCache.protocol = 'jsonrpc';
    }
  });
  fc.assert(property, { numRuns: 10_000 });
  assert(alike > 2000, `${alike}`);
});

test('the key that was found in a request is that of the next one only with the same target and Authorization', () => {
  const lines = ['Host: h', 'Authorization: Bearer a', 'X: 1'];
  const extracted = { rest: '/a', keyText: 'a' };
  const after = (...next: string[]): unknown => {
    const reader = new PlainRequestReader();
    // The second shows which line varies.
    for (const each of [head('POST /a HTTP/1.1', ...lines), head('POST /a HTTP/1.1', ...lines.with(2, 'X: 2'))]) {
      const request = readWith(reader, Buffer.from(each)) ?? assert.fail();
      Object.assign(request.headCache, { protocol: 'jsonrpc', extracted, headers: ['x', '1'] });
    }
    return readWith(reader, Buffer.from(head(...next)))?.headCache;
  };
  const same = { protocol: 'jsonrpc', extracted, own: null, headers: null };
  assert.deepEqual(after('POST /a HTTP/1.1', ...lines.with(2, 'X: 3')), same);
  assert.deepEqual(after('POST /b HTTP/1.1', ...lines), headCache);
  assert.deepEqual(after('POST /a HTTP/1.1', 'Host: h', 'Authorization: Bearer b', 'X: 1'), headCache);
  assert.deepEqual(after('POST /a HTTP/1.1', 'Host: h', 'X: 1'), headCache);
});

test('fault 25: Node understands every plain request the same way: method, target, headers, body, and whether the connection stays', async () => {
  let plain = 0;
  await fc.assert(
    fc.asyncProperty(requestBytes, async (text) => {
      const ours = readPlainRequest(text);
      if (ours === null) return;
      plain += 1;
      const length = ours.head.contentLength ?? 0;
      // One request and no more: Node would go on with the next.
      const request = text.slice(0, ours.length + length).padEnd(ours.length + length, '.');
      const theirs = await asNodeReads(request);
      assert.notEqual(theirs, null, JSON.stringify(text));
      const rawHeaders = theirs?.rawHeaders.map((part, at) => (at % 2 === 0 ? part.toLowerCase() : part));
      assert.deepEqual(
        { ...theirs, rawHeaders },
        {
          method: ours.method,
          url: ours.target,
          rawHeaders: ours.rawHeaders,
          body: request.slice(ours.length),
          close: ours.close,
        },
      );
    }),
    { numRuns: 4000 },
  );
  assert(plain > 200, `${plain}`);
});

/** What Node's client makes of a reply; `null` for nothing, or less than all. */
function replyAsNodeReads(bytes: string): Promise<{ status: number; rawHeaders: string[]; body: string } | null> {
  return new Promise((resolve) => {
    const stream = connectionOf(bytes);
    const agent = new Agent();
    agent.createConnection = () => stream;
    const request = httpRequest({ host: 'h', agent }, (response: IncomingMessage) => {
      let body = '';
      response.setEncoding('latin1').on('data', (chunk: string) => (body += chunk));
      response.on('error', () => resolve(null));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, rawHeaders: response.rawHeaders, body }));
    });
    request
      .on('error', () => resolve(null))
      .on('upgrade', () => resolve(null))
      .end();
    setImmediate(() => setImmediate(() => setImmediate(() => resolve(null))));
  });
}

test('Node understands every reply that is read the same way: status, headers and body', async () => {
  const chunked = often(
    '2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n',
    '5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n',
    '05\r\nhello\r\n00\r\n\r\n',
    '5 \r\nhello\r\n0\r\n\r\n',
    '5\nhello\n0\n\n',
    '-5\r\nhello\r\n0\r\n\r\n',
  );
  const body = fc.oneof(
    fc.tuple(often('Content-Length: 5\r\n', ''), fc.constant('hello')),
    fc.tuple(often('Transfer-Encoding: chunked\r\n', ''), chunked),
  );
  const bytes = mutated(
    fc
      .tuple(
        often(
          'HTTP/1.1 200 OK',
          'HTTP/1.0 200 OK',
          'HTTP/1.1 200',
          'HTTP/1.1 204 No Content',
          'HTTP/1.1 304 x',
          'HTTP/1.1  200 OK',
          'HTTP/1.1 2000 OK',
        ),
        lineEnd,
        fc.array(anyLine, { maxLength: 3 }),
        body,
        lineEnd,
      )
      .map(
        ([start, end, lines, [framing, content], last]) => `${start}${end}${lines.join('')}${framing}${last}${content}`,
      ),
  );
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(bytes, async (text) => {
      const ours = readResponseHead(text, 'GET');
      if (typeof ours === 'number' || ours.bodyEnd === 'close' || ours.status < 200) return;
      const after = Buffer.from(text.slice(ours.length), 'latin1');
      let got = '';
      const reader = new ChunkReader();
      let used = ours.contentLength;
      if (ours.bodyEnd === 'chunked') used = reader.read(after, 0, (piece) => (got += piece.toString('latin1')));
      else got = after.toString('latin1', 0, used);
      if (used < 0 || used > after.length || (ours.bodyEnd === 'chunked' && !reader.over)) return;
      // Cut off behind its end: Node gives up on a connection that goes on.
      const theirs = await replyAsNodeReads(text.slice(0, ours.length + used));
      compared += 1;
      const isLength = (at: number): boolean => theirs?.rawHeaders[at - (at % 2)]?.toLowerCase() === 'content-length';
      const rawHeaders = theirs?.rawHeaders.filter((_, at) => !isLength(at));
      const length = theirs?.rawHeaders.find((_, at) => at % 2 === 1 && isLength(at)) ?? null;
      assert.deepEqual(
        { ...theirs, rawHeaders, length },
        { status: ours.status, rawHeaders: ours.fields, length: ours.declaredLength, body: got },
        JSON.stringify(text),
      );
    }),
    { numRuns: 3000 },
  );
  assert(compared > 200, `${compared}`);
});
