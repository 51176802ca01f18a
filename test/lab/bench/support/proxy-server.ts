/**
 * One HTTP proxy in a process of its own: `node proxy-server.mjs NAME UPSTREAM_URL` prints its port.
 * What each does is what its documentation shows for one upstream with connections that are kept. A process loads its
 * own proxy only: the memory of the others is not its own.
 */
import { Agent, createServer } from 'node:http';
import type { RequestListener, Server as HttpServer } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';

const CONNECTIONS = 256;
const agent = (): Agent => new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

function onServer(listener: RequestListener): HttpServer {
  const server = createServer(listener);
  server.keepAliveTimeout = 65_000;
  return server;
}

/** Bytes from one socket to the other, unread: the least that a proxy in Node can cost. */
function bareNode(upstream: string): Server {
  const { hostname: host, port } = new URL(upstream);
  return createTcpServer({ noDelay: true }, (client) => {
    const node = connect({ host, port: Number(port), noDelay: true });
    client.on('data', (bytes) => node.write(bytes)).on('error', () => undefined);
    node.on('data', (bytes) => client.write(bytes)).on('error', () => undefined);
    client.on('close', () => node.destroy());
    node.on('close', () => client.destroy());
  });
}

const MAKERS: Readonly<Record<string, (upstream: string) => Server | Promise<Server>>> = {
  'bare-node': bareNode,
  'http-proxy': async (target) => {
    const { default: httpProxy } = await import('http-proxy');
    const proxy = httpProxy.createProxyServer({ target, agent: agent() });
    proxy.on('error', (_error, _req, res) => void res.destroy());
    return onServer((req, res) => proxy.web(req, res));
  },
  'fast-proxy': async (base) => {
    const { default: fastProxy } = await import('fast-proxy');
    const { proxy } = fastProxy({ base, undici: { connections: CONNECTIONS, pipelining: 1 } });
    return onServer((req, res) => proxy(req, res, req.url ?? '/', {}));
  },
  'http-proxy-middleware': async (target) => {
    const [{ default: express }, { createProxyMiddleware }] = await Promise.all([
      import('express'),
      import('http-proxy-middleware'),
    ]);
    const app = express();
    app.use(createProxyMiddleware({ target, agent: agent() }));
    return onServer(app);
  },
};

const [name = '', upstream = ''] = process.argv.slice(2);
const make = MAKERS[name];
if (make === undefined) throw new Error(`There is no proxy "${name}".`);
const server = await make(upstream);
server.listen(0, '127.0.0.1', () => console.log(String((server.address() as AddressInfo).port)));
