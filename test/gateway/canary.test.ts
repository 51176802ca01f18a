import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { rawExchange } from '../support/http.ts';
import { waitFor } from '../support/wait.ts';
import {
  ask,
  bothPaths,
  HOST,
  KEY,
  keyView,
  OTHER_KEY,
  routeOf,
  startGateway,
  startNode,
  UNKNOWN_KEY,
} from './support.ts';

bothPaths(
  'secrets',
  (path) =>
    void test('faults 23 and 73: a key appears in no log line, metric, reply and not in a byte that an upstream gets', async () => {
      let received = '';
      const node = await startNode((req, res, body) => {
        if (req.url === '/dies') req.socket.destroy();
        else if (req.url === '/odd')
          res.writeHead(200, { 'x-odd': 'a', location: `https://x.example/${req.url}` }).end(body);
        else res.end(`${req.url ?? ''} ${req.rawHeaders.join(' ')} ${body}`);
      });
      node.server.on('connection', (socket) =>
        socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1'))),
      );
      const http = 'tron.gate.example';
      const gate = await startGateway(
        [
          routeOf([node.url], { timeouts: { connectMs: 500, firstByteMs: 500, idleMs: 200 } }),
          routeOf([node.url], { host: http, protocol: 'http', id: '4' as never }),
          routeOf(['http://127.0.0.1:1'], { host: 'dead.gate.example', id: '5' as never }),
          routeOf(['ws://127.0.0.1:1'], { host: 'ws.gate.example', protocol: 'websocket', id: '6' as never }),
        ],
        {},
        path,
      );
      gate.directory.set(OTHER_KEY, keyView({ state: 'revoked' }));
      const replies: string[] = [];
      const keep = async (reply: Promise<{ text: string; headers: object }>): Promise<void> => {
        const { text, headers } = await reply;
        replies.push(text, JSON.stringify(headers));
      };
      for (const key of [KEY, OTHER_KEY, UNKNOWN_KEY]) {
        const path = `/${key}`;
        await keep(ask(gate.port, { key }));
        await keep(ask(gate.port, { key: null, path }));
        await keep(ask(gate.port, { key: null, path, body: '{' }));
        await keep(ask(gate.port, { key: null, path: `${path}/x` }));
        await keep(
          ask(gate.port, {
            host: http,
            key: null,
            path: `${path}/wallet?x=1`,
            method: 'GET',
            headers: { referer: `https://${http}${path}/`, 'x-other': key },
          }),
        );
        await keep(ask(gate.port, { host: http, key: null, path: `${path}/dies`, method: 'GET' }));
        await keep(ask(gate.port, { host: http, key: null, path: `${path}/odd`, method: 'GET' }));
        await keep(ask(gate.port, { host: http, key: null, path: `${path}/../x`, method: 'GET' }));
        await keep(ask(gate.port, { host: http, key, path: `/x?${key}`, method: 'GET' }));
        await keep(ask(gate.port, { host: 'dead.gate.example', key }));
        await keep(ask(gate.port, { key, path: `/${UNKNOWN_KEY}` }));
        const { text } = await rawExchange(
          gate.port,
          `GET ${path} HTTP/1.1\r\nHost: ws.gate.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
        );
        replies.push(text);
        const socket = connect(gate.port, '127.0.0.1').on('error', () => undefined);
        socket.write(`POST ${path} HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 100\r\n\r\n{`, () => socket.destroy());
      }
      await waitFor(() => gate.log().includes('upstream failed'));
      const metrics = await gate.metrics();
      assert.match(gate.log(), /\/\{key\}/);
      assert.match(metrics, /tillgate_gateway_requests_total/);
      assert.match(received, /GET \/wallet\?x=1 HTTP/);
      for (const key of [KEY, OTHER_KEY, UNKNOWN_KEY]) {
        const secret = key.slice(4, 24);
        for (const [where, text] of Object.entries({
          log: gate.log(),
          metrics,
          received,
          replies: replies.join('\n'),
          tally: JSON.stringify(gate.gateway.admissionTally(keyView().app.id)),
        })) {
          assert(
            !text.includes(secret),
            `${where}: ${text.slice(Math.max(0, text.indexOf(secret) - 200), text.indexOf(secret))}`,
          );
        }
      }
      assert.doesNotMatch(gate.log(), /tgk_/);
      await gate.close();
      await node.close();
    }),
);
