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
    [
      'an absolute-form target',
      lines(`POST http://${HOST}/ HTTP/1.1`, ...POST.slice(1), `Content-Length: ${CALL.length}`) + CALL,
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

  const early: readonly (readonly [string, string, number])[] = [
    ['of a wrong key', lines(POST[0]!, POST[1]!, 'Authorization: Bearer tgk_wrong', 'Content-Length: 0'), 401],
    ['of a body too large', lines(...POST, 'Content-Length: 99999999'), 413],
    ['of a wrong method', lines('PATCH / HTTP/1.1', POST[1]!, POST[2]!), 405],
    ['of a body with the next request in it', lines(POST[0]!, POST[1]!, `Content-Length: ${SMUGGLED.length}`), 401],
  ];
  for (const [what, bytes, status] of early) {
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
