import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { assertError, envelope, rawExchange } from '../support/http.ts';
import { startFakeEdge } from './fake-edge.ts';
import type { FakeEdge } from './fake-edge.ts';

const lines = (...all: string[]): string => `${all.join('\r\n')}\r\n\r\n`;
const BODY = '{"price":1,"currency":"USD"}';
const POST = ['POST /api/order/pay-url HTTP/1.1', 'Host: x', 'API-Key: good', 'Content-Type: application/json'];

describe('raw connections to the payment port', () => {
  let edge: FakeEdge;
  before(async () => {
    edge = await startFakeEdge({ timeouts: { headersMs: 300, requestMs: 600, keepAliveMs: 200 } });
  });
  after(() => edge.close());

  /** One refused request: one reply, 400 unless told, in the envelope, and the connection closed. */
  async function refused(bytes: string | Uint8Array, code = 40000): Promise<void> {
    const { replies, text } = await rawExchange(edge.port, bytes);
    assert.equal(replies.length, 1, text);
    assertError(replies[0]!, code);
    assert.match(replies[0]!.headers['x-trace-id'] ?? '', /^[0-9a-f]{32}$/);
  }

  test('fault 4: absolute-form targets and fragments are 40000', async () => {
    await refused(lines('GET http://x/api/v2/order/ HTTP/1.1', 'Host: x', 'API-Key: good', 'Connection: close'));
    await refused(
      lines('GET HTTPS://evil/api/v2/order/?page=1 HTTP/1.1', 'Host: x', 'API-Key: good', 'Connection: close'),
    );
    await refused(lines('GET /api/v2/order/#x HTTP/1.1', 'Host: x', 'API-Key: good', 'Connection: close'));
    await refused(lines('GET /api/v2/order/?a=#x HTTP/1.1', 'Host: x', 'API-Key: good', 'Connection: close'));
    await refused(lines('GET http://x/nothing HTTP/1.1', 'Host: x', 'Connection: close'), 40400);
    await refused(lines('OPTIONS * HTTP/1.1', 'Host: x', 'Connection: close'), 40400);
  });

  test('fault 8: two hosts are 40000, equal or not, and so is none', async () => {
    await refused(lines('GET /api/v2/order/ HTTP/1.1', 'Host: x', 'Host: y', 'API-Key: good', 'Connection: close'));
    await refused(lines('GET /api/v2/order/ HTTP/1.1', 'Host: x', 'Host: x', 'API-Key: good', 'Connection: close'));
    await refused(lines('GET /nothing HTTP/1.1', 'Host: x', 'Host: x', 'Connection: close'));
    await refused(lines('GET /api/v2/order/ HTTP/1.1', 'API-Key: good', 'Connection: close'));
  });

  test('fault 128: an offer of another protocol is ignored; its body is read once, and the connection goes on', async () => {
    const offer = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'];
    const last = lines('GET /livez HTTP/1.1', 'Host: x', 'Connection: close');
    const inner = lines('GET /nothing HTTP/1.1', 'Host: x');
    for (const [bytes, status] of [
      [lines(...POST, `Content-Length: ${BODY.length}`, ...offer) + BODY, 200],
      [lines(...POST, `Content-Length: ${inner.length}`, ...offer) + inner, 400],
      [lines('GET /livez HTTP/1.1', 'Host: x', ...offer), 200],
    ] as const) {
      const { replies, text } = await rawExchange(edge.port, bytes + last);
      assert.deepEqual(
        replies.map((reply) => reply.status),
        [status, 200],
        text,
      );
    }
    const webSocket = lines('GET /livez HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket');
    await refused(webSocket + last);
  });

  test('fault 132: CONNECT is answered, and what follows it is not served', async () => {
    await refused(lines('CONNECT x:443 HTTP/1.1', 'Host: x') + lines('GET /livez HTTP/1.1', 'Host: x'), 40500);
  });

  test('fault 129: a length behind more than a thousand fields counts', async () => {
    const many = Array.from({ length: 1100 }, () => 'a:');
    const { replies, text } = await rawExchange(
      edge.port,
      lines(...POST, ...many, `Content-Length: ${BODY.length}`) +
        BODY +
        lines('GET /livez HTTP/1.1', 'Host: x', 'Connection: close'),
    );
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200],
      text,
    );
  });

  test('fault 25: ambiguous framing is refused and the connection closed', async () => {
    const chunk = '5\r\nhello\r\n0\r\n\r\n';
    await refused(lines(...POST, 'Content-Length: 5', 'Transfer-Encoding: chunked') + chunk);
    await refused(lines(...POST, 'Transfer-Encoding: chunked', 'Content-Length: 5') + chunk);
    await refused(lines(...POST, 'Content-Length: 5', 'Content-Length: 6') + 'hello');
    await refused(lines(...POST, 'Content-Length: 5, 5') + 'hello');
    await refused(lines(...POST, 'Content-Length: +5') + 'hello');
    await refused(lines(...POST, 'Content-Length: 0x5') + 'hello');
    await refused(lines(...POST, 'Transfer-Encoding: chunked, identity') + chunk);
    await refused(lines(...POST, 'Transfer-Encoding : chunked') + chunk);
    await refused(lines(...POST, ' folded: yes') + chunk);
    await refused(lines(...POST, 'Connection: close', 'Transfer-Encoding: gzip, chunked') + chunk);
    await refused(`${POST.join('\n')}\nContent-Length: 5\n\nhello`);
    await refused('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03');
    await refused('GET\r\n\r\n');
    await refused('GET /livez HTTP/3.0\r\n\r\n');
  });

  test('what follows a refused request on its connection is not served', async () => {
    const smuggled = lines('GET /livez HTTP/1.1', 'Host: x', 'Connection: close');
    await refused(lines(...POST, 'Content-Length: 5', 'Transfer-Encoding: chunked') + `0\r\n\r\n${smuggled}`);
  });

  test('a broken chunk is answered once with 40000', async () => {
    await refused(`${lines(...POST, 'Transfer-Encoding: chunked')}zz\r\nhello\r\n`);
  });

  test('headers beyond the bound are 40000', async () => {
    await refused(lines('GET /livez HTTP/1.1', 'Host: x', `X: ${'a'.repeat(20_000)}`));
    await refused(`GET /livez?${'a'.repeat(20_000)} HTTP/1.1\r\n\r\n`);
  });

  test('fault 69: slow headers and slow bodies end in 408 and a closed connection', async () => {
    await refused('GET /livez HTTP/1.1\r\nHost: x\r\n', 40800);
    await refused(`${lines(...POST, 'Content-Length: 100')}{"price"`, 40800);
  });

  test('an idle connection is closed', async () => {
    const { replies } = await rawExchange(edge.port, lines('GET /livez HTTP/1.1', 'Host: x'));
    assert.equal(replies.length, 1);
    assert.equal(replies[0]?.status, 200);
  });

  test('Expect: 100-continue is answered once the request may go on, and not before a refusal', async () => {
    const good = lines(...POST, `Content-Length: ${BODY.length}`, 'Expect: 100-continue', 'Connection: close');
    let sent = false;
    const { text } = await rawExchange(edge.port, good, (so_far, write) => {
      if (!sent && so_far.startsWith('HTTP/1.1 100 Continue')) write(BODY);
      sent = true;
    });
    assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    await refused(lines(...POST, 'Content-Length: 70000', 'Expect: 100-continue'), 41300);
    await refused(
      lines('POST /nothing HTTP/1.1', 'Host: x', 'Content-Length: 5', 'Expect: 100-continue', 'Connection: close'),
      40400,
    );
    await refused(lines(...POST, 'Content-Length: 5', 'Expect: something', 'Connection: close') + 'hello');
  });

  test('a body without end is refused after 64 KiB while it still comes', async () => {
    const chunk = `4000\r\n${'a'.repeat(0x4000)}\r\n`;
    let written = 0;
    const { replies } = await rawExchange(
      edge.port,
      lines(...POST, 'Transfer-Encoding: chunked') + chunk.repeat(5),
      (_text, write) => {
        if (written++ < 200) write(chunk);
      },
    );
    assertError(replies[0]!, 41300);
    assert.equal(replies[0]?.headers['connection'], 'close');
  });

  test('pipelined requests are answered in order', async () => {
    const { replies } = await rawExchange(
      edge.port,
      lines(...POST, `Content-Length: ${BODY.length}`) +
        BODY +
        lines('GET /nothing HTTP/1.1', 'Host: x') +
        lines('GET /livez HTTP/1.1', 'Host: x', 'Connection: close'),
    );
    assert.deepEqual(
      replies.map((reply) => envelope(reply).code),
      [0, 40400, 0],
    );
  });

  test('a client that leaves in the middle of its body harms nobody and is no error', async () => {
    const { text } = await rawExchange(edge.port, `${lines(...POST, 'Content-Length: 100')}{"p`, undefined);
    assert.match(text, /408|^$/);
    assert(edge.logger.lines.every(({ level }) => level !== 'error'));
  });
});
