import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { rawExchange } from '../support/http.ts';
import { waitFor } from '../support/wait.ts';
import { CALL, bothPaths, HOST, KEY, routeOf, startGateway, startNode } from './support.ts';
import type { FakeNode, TestGateway } from './support.ts';

const lines = (...all: string[]): string => `${all.join('\r\n')}\r\n\r\n`;
const POST = ['POST / HTTP/1.1', `Host: ${HOST}`, `Authorization: Bearer ${KEY}`];
const SMUGGLED =
  lines('POST /smuggled HTTP/1.1', `Host: ${HOST}`, `Authorization: Bearer ${KEY}`, `Content-Length: ${CALL.length}`) +
  CALL;

bothPaths('raw connections to the gateway (fault 25)', (path) => {
  let node: FakeNode;
  let gate: TestGateway;
  before(async () => {
    node = await startNode();
    gate = await startGateway(
      [routeOf([node.url]), routeOf([node.url], { host: 'tron.gate.example', protocol: 'http', id: '4' as never })],
      {},
      path,
    );
  });
  after(async () => {
    await gate.close();
    await node.close();
  });

  const body = `${CALL.length.toString(16)}\r\n${CALL}\r\n0\r\n\r\n`;
  const corpus: readonly (readonly [string, string])[] = [
    ['CL and TE', lines(...POST, `Content-Length: ${CALL.length}`, 'Transfer-Encoding: chunked') + body],
    ['TE and CL', lines(...POST, 'Transfer-Encoding: chunked', `Content-Length: ${body.length}`) + body],
    ['TE and CL of 0', lines(...POST, 'Transfer-Encoding: chunked', 'Content-Length: 0') + body],
    ['two lengths', lines(...POST, `Content-Length: ${CALL.length}`, 'Content-Length: 0') + CALL],
    ['two equal lengths', lines(...POST, `Content-Length: ${CALL.length}`, `Content-Length: ${CALL.length}`) + CALL],
    ['a list of lengths', lines(...POST, `Content-Length: ${CALL.length}, ${CALL.length}`) + CALL],
    ['a signed length', lines(...POST, `Content-Length: +${CALL.length}`) + CALL],
    ['a negative length', lines(...POST, 'Content-Length: -1') + CALL],
    ['a hexadecimal length', lines(...POST, 'Content-Length: 0x10') + CALL],
    ['an empty length', lines(...POST, 'Content-Length: ') + CALL],
    ['a blank before the colon', lines(...POST, 'Transfer-Encoding : chunked') + body],
    ['a tab before the colon', lines(...POST, 'Transfer-Encoding\t: chunked') + body],
    ['chunked that is not last', lines(...POST, 'Transfer-Encoding: chunked, identity') + body],
    ['chunked twice', lines(...POST, 'Transfer-Encoding: chunked, chunked') + body],
    ['two TE headers', lines(...POST, 'Transfer-Encoding: chunked', 'Transfer-Encoding: identity') + body],
    ['gzip before chunked', lines(...POST, 'Transfer-Encoding: gzip, chunked') + body],
    ['xchunked', lines(...POST, 'Transfer-Encoding: xchunked') + body],
    ['a quoted coding', lines(...POST, 'Transfer-Encoding: "chunked"') + body],
    ['a vertical tab in TE', lines(...POST, 'Transfer-Encoding: \x0bchunked') + body],
    ['TE in HTTP/1.0', lines('POST / HTTP/1.0', ...POST.slice(1), 'Transfer-Encoding: chunked') + body],
    ['a folded header', lines(...POST, 'X: a', ' folded: b') + CALL],
    ['a folded TE', lines(...POST, 'Transfer-Encoding:', ' chunked') + body],
    ['bare LF', `${POST.join('\n')}\nContent-Length: ${CALL.length}\n\n${CALL}`],
    ['a bare CR in a value', lines(...POST, 'X: a\rb') + CALL],
    ['a NUL in a value', lines(...POST, 'X: a\0b') + CALL],
    ['a name with a blank', lines(...POST, 'X Y: a') + CALL],
    ['a line without a colon', lines(...POST, 'nonsense') + CALL],
    [
      'two hosts',
      lines(POST[0]!, `Host: ${HOST}`, 'Host: other.example', POST[2]!, `Content-Length: ${CALL.length}`) + CALL,
    ],
    [
      'two equal hosts',
      lines(POST[0]!, `Host: ${HOST}`, `Host: ${HOST}`, POST[2]!, `Content-Length: ${CALL.length}`) + CALL,
    ],
    ['a chunk of a wrong size', `${lines(...POST, 'Transfer-Encoding: chunked')}zz\r\n${CALL}\r\n0\r\n\r\n`],
    [
      'a chunk size that overflows',
      `${lines(...POST, 'Transfer-Encoding: chunked')}ffffffffffffffff1\r\n${CALL}\r\n0\r\n\r\n`,
    ],
    ['no HTTP', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ];
  for (const [what, bytes] of corpus) {
    test(`${what}: one 400, the connection closed, nothing at the upstream`, async () => {
      const asked = node.seen.length;
      const { text, replies } = await rawExchange(gate.port, bytes + SMUGGLED);
      assert.match(text, /^HTTP\/1\.1 400 /);
      assert.equal(replies.length, 1, text);
      assert.equal(node.seen.length, asked);
    });
  }

  const uncertain: readonly (readonly [string, string, number])[] = [
    ['of a body too large', lines(...POST, 'Content-Length: 99999999'), 413],
    ['of a body without a known length', `${lines(POST[0]!, POST[1]!, 'Transfer-Encoding: chunked')}0\r\n\r\n`, 401],
    [
      'of a body that waits for 100 Continue',
      `${lines(POST[0]!, POST[1]!, 'Expect: 100-continue', 'Content-Length: 5')}hello`,
      401,
    ],
    ['of a method with a body that it must not have', lines('PATCH / HTTP/1.1', POST[1]!, 'Content-Length: 5'), 405],
  ];
  for (const [what, bytes, status] of uncertain) {
    test(`what is pipelined behind a refusal ${what} is not carried out`, async () => {
      const asked = node.seen.length;
      // What the first request announced as its body is body, so the rest is sent beyond it too.
      const { text, replies } = await rawExchange(gate.port, bytes + SMUGGLED.repeat(3), undefined);
      assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.equal(replies.length, 1, text);
      assert.equal(replies[0]!.headers['connection'], 'close');
      assert.equal(node.seen.length, asked);
    });
  }

  const certain: readonly (readonly [string, string, number])[] = [
    ['of a wrong key', lines(POST[0]!, POST[1]!, 'Authorization: Bearer tgk_wrong', 'Content-Length: 0'), 401],
    ['of a wrong method', lines('PATCH / HTTP/1.1', POST[1]!, POST[2]!), 405],
    ['of an absolute-form target', lines(`POST http://${HOST}/ HTTP/1.1`, ...POST.slice(1), 'Content-Length: 0'), 400],
    [
      'of a body with a request in it',
      lines(POST[0]!, POST[1]!, `Content-Length: ${2 * SMUGGLED.length}`) + SMUGGLED.repeat(2),
      401,
    ],
  ];
  for (const [what, bytes, status] of certain) {
    test(`fault 131: a refusal ${what} keeps the connection, and no more than its request is skipped`, async () => {
      const asked = node.seen.length;
      const last = lines(...POST, 'Connection: close', `Content-Length: ${CALL.length}`) + CALL;
      const { text, replies } = await rawExchange(gate.port, bytes + last);
      assert.deepEqual(
        replies.map((reply) => reply.status),
        [status, 200],
        text,
      );
      assert.deepEqual(
        node.seen.slice(asked).map(({ url, body }) => url + body),
        [`/${CALL}`],
      );
    });
  }

  const unreadable: readonly (readonly [string, string, number])[] = [
    ['no header', lines(...POST, 'nonsense'), 400],
    ['HTTP/2.0', lines('POST / HTTP/2.0', ...POST.slice(1)), 505],
    ['HTTP/0.9', lines('POST / HTTP/0.9', ...POST.slice(1)), 505],
    ['HTTP/3.0', lines('POST / HTTP/3.0', ...POST.slice(1)), 505],
    ['a head over the limit', lines(...POST, `X: ${'x'.repeat(20_000)}`), 431],
    ['CONNECT', lines('CONNECT node.example:443 HTTP/1.1', ...POST.slice(1)), 405],
    ['a broken chunk', `${lines(...POST, 'Transfer-Encoding: chunked')}zz\r\n`, 400],
  ];
  for (const [what, bytes, status] of unreadable) {
    test(`fault 132: ${what} is ${status} in the gateway's own words, and the connection closes`, async () => {
      const { text, replies } = await rawExchange(gate.port, bytes + SMUGGLED);
      assert.deepEqual([replies.length, replies[0]?.status], [1, status], text);
      const { error } = JSON.parse(replies[0]!.text) as { error: { data: { reason: string; trace_id: string } } };
      assert.equal(error.data.reason, status === 405 ? 'http_method_not_allowed' : 'bad_request');
      assert.equal(error.data.trace_id, replies[0]!.headers['x-trace-id']);
      if (status === 405) assert.equal(replies[0]!.headers['allow'], 'POST');
    });
  }

  test('what is unreadable and of no known host is not answered by the gateway', async () => {
    for (const host of ['', 'Host: other.example\r\n']) {
      const { text } = await rawExchange(gate.port, `POST / HTTP/1.1\r\n${host}nonsense\r\n\r\n`);
      assert.match(text, /^HTTP\/1\.1 400 [\s\S]*Content-Length: 0\r\n\r\n$/);
    }
  });

  test('honest pipelining is answered in order', async () => {
    const one = lines(...POST, `Content-Length: ${CALL.length}`) + CALL;
    const { replies } = await rawExchange(
      gate.port,
      one + one + lines(...POST, 'Connection: close', `Content-Length: ${CALL.length}`) + CALL,
    );
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200],
    );
  });

  test('fault 129: more header fields than are read are 431, whatever follows them', async () => {
    const asked = node.seen.length;
    for (const count of [99, 1_000, 3_000]) {
      const many = Array.from({ length: count }, () => 'a:');
      for (const last of [`Content-Length: ${SMUGGLED.length}`, POST[2]!, 'X: y']) {
        const { text, replies } = await rawExchange(gate.port, lines(...POST, ...many, last) + SMUGGLED);
        assert.match(text, /^HTTP\/1\.1 431 [\s\S]*"reason":"bad_request"/);
        assert.equal(replies.length, 1);
      }
    }
    assert.equal(node.seen.length, asked);
    const most = Array.from({ length: 95 }, () => 'a:');
    const full = lines(...POST, ...most, 'Connection: close', `Content-Length: ${CALL.length}`) + CALL;
    assert.match((await rawExchange(gate.port, full)).text, /^HTTP\/1\.1 200 /);
  });

  test('a change to WebSocket on another route is refused, and what follows it is not carried out', async () => {
    const asked = node.seen.length;
    const { text, replies } = await rawExchange(
      gate.port,
      lines(
        'GET /x HTTP/1.1',
        'Host: tron.gate.example',
        POST[2]!,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      ) + SMUGGLED,
    );
    assert.match(text, /^HTTP\/1\.1 400 /);
    assert.equal(replies.length, 1);
    assert.equal(node.seen.length, asked);
  });

  test('fault 28: idle connections cost little and live no longer than the server lets them', async () => {
    const before = process.memoryUsage().rss;
    const sockets = Array.from({ length: 500 }, () => connect(gate.port, '127.0.0.1').on('error', () => undefined));
    await waitFor(async () => (await connections()) >= 500);
    assert(process.memoryUsage().rss - before < 60 * 1024 * 1024);
    for (const socket of sockets) socket.destroy();
    await waitFor(async () => (await connections()) === 0);
  });

  const connections = (): Promise<number> =>
    new Promise((resolve) => gate.server.getConnections((_error, count) => resolve(count)));
});
