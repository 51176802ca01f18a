import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { rawExchange } from '../support/http.ts';
import { HOST, KEY, UNKNOWN_KEY, ask, bothPaths, reasonOf, routeOf, startGateway, startNode } from './support.ts';
import type { FakeNode, TestGateway } from './support.ts';

const HTTP = 'tron.gate.example';
const SOCKET = 'ws.gate.example';

bothPaths('a gateway that takes keys from the header alone', (path) => {
  let node: FakeNode;
  let gate: TestGateway;
  beforeEach(async () => {
    node = await startNode();
    const routes = [
      routeOf([node.url]),
      routeOf([node.url], { host: HTTP, protocol: 'http' }),
      routeOf([node.url], { host: SOCKET, protocol: 'websocket' }),
    ];
    gate = await startGateway(routes, { keysInPath: false }, path);
  });
  afterEach(async () => {
    await gate.close();
    await node.close();
  });

  test('refuses one in the path like an unknown key, also beside the same in the header', async () => {
    const unknown = await ask(gate.port, { key: UNKNOWN_KEY });
    const plain = (text: string): string => text.replace(/"trace_id":"\w+"/, '');
    for (const [host, target, key] of [
      [HOST, `/${KEY}`, null],
      [HOST, `/${KEY}`, KEY],
      [HOST, `/${UNKNOWN_KEY}`, null],
      [HOST, '/tgk_short', null],
    ] as const) {
      const refused = await ask(gate.port, { host, path: target, key });
      assert.deepEqual([refused.status, plain(refused.text)], [401, plain(unknown.text)], `${target} ${key}`);
    }
    const http = await ask(gate.port, { host: HTTP, path: `/${KEY}/wallet`, key: null, method: 'GET' });
    assert.deepEqual([http.status, reasonOf(http)], [401, 'key_unknown']);
    const { text } = await rawExchange(
      gate.port,
      `GET /${KEY} HTTP/1.1\r\nHost: ${SOCKET}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
    );
    assert.match(text, /^HTTP\/1\.1 401 [\s\S]*key_unknown/);
    assert.equal(node.seen.length, 0);
    assert.doesNotMatch(gate.log(), /tgk_/);
  });

  test('serves one in the header', async () => {
    assert.equal((await ask(gate.port)).status, 200);
    assert.equal((await ask(gate.port, { host: HTTP, path: '/wallet', method: 'GET' })).status, 200);
  });
});
