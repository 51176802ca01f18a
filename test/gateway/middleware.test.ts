import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import express from 'express';
import { gatewayMiddleware } from '../../host/gateway/index.ts';
import { ask, closeServer, HOST, KEY, listen, routeOf, startGateway, startNode } from './support.ts';

test('as middleware the gateway takes its own hosts and leaves the others alone, mounted below a path too', async () => {
  const node = await startNode();
  const { gateway, close } = await startGateway([
    routeOf([node.url]),
    routeOf([node.url], { host: 'tron.gate.example', protocol: 'http', id: '4' as never }),
  ]);
  const app = express();
  app.use('/wallet', gatewayMiddleware(gateway));
  app.use(gatewayMiddleware(gateway));
  app.use((_req, res) => void res.send('the application'));
  const server = createServer(app);
  const port = await listen(server);
  assert.equal((await ask(port, { path: `/${KEY}`, key: null })).status, 200);
  assert.equal((await ask(port, { host: 'tron.gate.example', path: '/wallet/x?y=1' })).status, 200);
  assert.equal(node.seen.at(-1)?.url, '/wallet/x?y=1');
  assert.equal((await ask(port, { key: null })).status, 401);
  assert.equal((await ask(port, { host: `not.${HOST}` })).text, 'the application');
  await closeServer(server);
  await close();
  await node.close();
});
