import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { createServer as createTlsServer } from 'node:https';
import { after, before, test } from 'node:test';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { rawExchange } from '../support/http.ts';
import { waitFor } from '../support/wait.ts';
import { selfSigned } from '../unit/adapters/callbacks/certificate.ts';
import {
  attach,
  bothPaths,
  CALL,
  closeServer,
  HOST,
  KEY,
  listen,
  routeOf,
  startGateway,
  startNode,
} from './support.ts';
import type { FakeNode, TestGateway } from './support.ts';

const HTTP = 'tron.gate.example';
const WS = 'ws.gate.example';
const lines = (...all: string[]): string => `${all.join('\r\n')}\r\n\r\n`;
const BEARER = `Authorization: Bearer ${KEY}`;
const H2C = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'];
const LENGTH = `Content-Length: ${CALL.length}`;
const DELAYS_MS: ReadonlyMap<string | undefined, number> = new Map([
  ['/slow', 30],
  ['/slower', 1500],
]);
/** A whole request that a body must not be read as. */
const INNER = lines('POST /inner HTTP/1.1', `Host: ${HTTP}`, BEARER, 'Content-Length: 0');

bothPaths('fault 128: an offer of another protocol than WebSocket is ignored', (path) => {
  let node: FakeNode;
  let gate: TestGateway;
  before(async () => {
    node = await startNode((req, res) => setTimeout(() => res.end(req.url), DELAYS_MS.get(req.url) ?? 0));
    gate = await startGateway(
      [
        routeOf([node.url]),
        routeOf([node.url], { host: HTTP, protocol: 'http', id: '4' as never }),
        routeOf([node.url.replace('http', 'ws')], { host: WS, protocol: 'websocket', id: '5' as never }),
      ],
      {},
      path,
    );
  });
  after(async () => {
    await gate.close();
    await node.close();
  });
  const post = (...more: string[]): string => lines('POST / HTTP/1.1', `Host: ${HOST}`, BEARER, ...more);
  const closing = lines('GET /last HTTP/1.1', `Host: ${HTTP}`, BEARER, 'Connection: close');
  /** Sends the bytes, and a request that closes the connection; returns the replies and the bodies that the node got. */
  const said = async (bytes: string): Promise<{ replies: string[]; bodies: string }> => {
    const before = node.seen.length;
    const { replies } = await rawExchange(gate.port, bytes + closing);
    return {
      replies: replies.map(({ status, text }) => (status === 200 ? text : String(status))),
      // Node's server may send pipelined requests at the same time.
      bodies: node.seen
        .slice(before)
        .map(({ body }) => body)
        .join(''),
    };
  };

  test('a request with a length, a chunked one and one without a body are served, and the connection goes on', async () => {
    assert.deepEqual(await said(post(LENGTH, ...H2C) + CALL), { replies: ['/', '/last'], bodies: CALL });
    const chunked = `${CALL.length.toString(16)}\r\n${CALL}\r\n0\r\n\r\n`;
    assert.deepEqual(await said(post('Transfer-Encoding: chunked', ...H2C) + chunked), {
      replies: ['/', '/last'],
      bodies: CALL,
    });
    assert.deepEqual(await said(lines('GET /a HTTP/1.1', `Host: ${HTTP}`, BEARER, ...H2C)), {
      replies: ['/a', '/last'],
      bodies: '',
    });
  });

  test('the offer does not reach the upstream', async () => {
    await said(post(LENGTH, ...H2C) + CALL);
    assert.doesNotMatch(node.seen.flatMap(({ rawHeaders }) => rawHeaders).join('\n'), /upgrade|h2c|http2-settings/i);
  });

  test('a body is never read as a request, however it is framed', async () => {
    const framed = lines('POST /outer HTTP/1.1', `Host: ${HTTP}`, BEARER, `Content-Length: ${INNER.length}`, ...H2C);
    assert.deepEqual(await said(framed + INNER), { replies: ['/outer', '/last'], bodies: INNER });
    for (const bad of [
      [`Content-Length: ${INNER.length}`, 'Transfer-Encoding: chunked'],
      ['Content-Length: 0', `Content-Length: ${INNER.length}`],
      ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
      ['X: a', ' folded: b'],
      [...Array.from({ length: 500 }, () => 'a:'), `Content-Length: ${INNER.length}`],
    ]) {
      const { replies, text } = await rawExchange(gate.port, post(...H2C, ...bad) + INNER + INNER);
      assert.equal(replies.length, 1, text);
      assert.match(text, /^HTTP\/1\.1 4(00|31) /);
      assert.notEqual(node.seen.at(-1)?.url, '/inner');
    }
  });

  test('a request of which the server has dropped fields is not served', async (t) => {
    const former = gate.server.maxHeadersCount;
    t.after(() => (gate.server.maxHeadersCount = former));
    gate.server.maxHeadersCount = 40;
    const fields = [...Array.from({ length: 80 }, () => 'a:'), `Content-Length: ${INNER.length}`];
    const { text } = await rawExchange(gate.port, post(...H2C, ...fields) + INNER + INNER);
    // Node 20 drops the fields; later ones refuse the request themselves.
    assert.match(text, /^(?:$|HTTP\/1\.1 431 )/);
    assert.notEqual(node.seen.at(-1)?.url, '/inner');
  });

  test('pipelined offers are answered in order, each once', async () => {
    const get = (target: string): string => lines(`GET ${target} HTTP/1.1`, `Host: ${HTTP}`, BEARER, ...H2C);
    const plain = lines('GET /slow HTTP/1.1', `Host: ${HTTP}`, BEARER);
    assert.deepEqual(await said(get('/slow') + get('/b') + post(LENGTH, ...H2C) + CALL + plain + get('/d')), {
      replies: ['/slow', '/b', '/', '/slow', '/d', '/last'],
      bodies: CALL,
    });
  });

  test('hundreds of offers on one connection leave no listener behind', async (t) => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    t.after(() => process.off('warning', onWarning));
    const { replies } = await said(lines('GET /a HTTP/1.1', `Host: ${HTTP}`, BEARER, ...H2C).repeat(300));
    assert.deepEqual([replies.length, new Set(replies).size, warnings.length], [301, 2, 0]);
  });

  test('what the key, the policy and the route say holds for it', async () => {
    const first = async (bytes: string): Promise<string | undefined> => (await said(bytes)).replies[0];
    assert.equal(
      await first(lines('GET /a HTTP/1.1', `Host: ${HTTP}`, 'Connection: close, Upgrade', 'Upgrade: x')),
      '401',
    );
    const stop = CALL.replace('eth_blockNumber', 'admin_stop');
    assert.equal(await first(post(`Content-Length: ${stop.length}`, ...H2C) + stop), '403');
    const mixed = lines('GET / HTTP/1.1', `Host: ${WS}`, BEARER, 'Connection: close, Upgrade', 'Upgrade: h2c');
    assert.equal(await first(mixed), '400');
  });

  test('over TLS, at a server of the application, too', async (t) => {
    const { key, cert } = selfSigned('gate.example');
    const server = createTlsServer({ key, cert });
    attach(server, gate.gateway);
    const port = await listen(server);
    t.after(() => closeServer(server));
    const socket = connect({ port, host: '127.0.0.1', ca: cert, servername: 'gate.example' });
    let got = '';
    socket.setEncoding('latin1').on('data', (text: string) => (got += text));
    socket.write(post(LENGTH, ...H2C) + CALL + closing);
    socket.on('error', () => undefined);
    await waitFor(() => socket.closed);
    assert.deepEqual(got.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 200']);
  });

  test('a response that takes longer than an idle connection is kept arrives', async (t) => {
    gate.server.keepAliveTimeout = 1;
    t.after(() => (gate.server.keepAliveTimeout = 5_000));
    const get = (target: string): string => lines(`GET ${target} HTTP/1.1`, `Host: ${HTTP}`, BEARER, ...H2C);
    assert.deepEqual((await said(get('/a') + get('/slower'))).replies, ['/a', '/slower', '/last']);
  });

  if (spawnSync('curl', ['--version']).status === 0)
    test('curl --http2 is served over plain HTTP', async () => {
      const { stdout } = await promisify(execFile)('curl', [
        ...['-sS', '--http2', '--max-time', '10', '-w', ' %{http_version} %{http_code}', '--noproxy', '*'],
        ...['-H', `Host: ${HOST}`, '-H', BEARER, '-d', CALL, `http://127.0.0.1:${gate.port}/`],
      ]);
      assert.equal(stdout, '/ 1.1 200');
    });
});
