/**
 * One HTTP proxy in a process of its own: `node gateway-server.js NAME UPSTREAM_URL` prints its port.
 * What each does is what its documentation shows for one upstream with connections that are kept. A process loads its
 * own proxy only: the memory of the others is not its own.
 */
import { Agent, createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomTraceId } from '../../../adapters/http/trace-id.ts';
import { PinoLogger } from '../../../adapters/logging/index.ts';
import { PromMetrics } from '../../../adapters/metrics/index.ts';
import { SystemClock } from '../../../adapters/system/index.ts';
import { GatewayRouteTable } from '../../../core/index.ts';
import { createGateway } from '../../../host/gateway/index.ts';
import { growYoungGenerationForGateway } from '../../../host/memory.ts';
import { attach, FakeDirectory, HOST, routeOf } from '../../gateway/support.ts';

const CONNECTIONS = 256;
const agent = (): Agent => new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

/** With a key to check, limits to keep and metrics to count, and the memory of `tillgate serve`. */
function gateway(upstream: string, fastPath = true): Server {
  growYoungGenerationForGateway();
  const logger = new PinoLogger({ level: 'warn' });
  const limits = { requestsPerSecond: 1e9, burst: 1e9, concurrency: 1e6 };
  const table = new GatewayRouteTable([
    routeOf([upstream], { limits }),
    routeOf([upstream], { id: '9' as never, host: 'http.example', protocol: 'http', limits }),
    routeOf([upstream], { id: '8' as never, host: 'ws.example', protocol: 'websocket', limits }),
  ]);
  const server = createServer();
  const ours = createGateway({
    routes: () => table,
    directory: new FakeDirectory(),
    clock: new SystemClock(),
    metrics: new PromMetrics(logger),
    logger,
    traceId: randomTraceId,
    fastPath,
  });
  attach(server, ours);
  ours.attach(server);
  return server;
}

function onServer(listener: RequestListener): Server {
  return createServer(listener);
}

const MAKERS: Readonly<Record<string, (upstream: string) => Server | Promise<Server>>> = {
  gateway,
  'gateway-node': (upstream) => gateway(upstream, false),
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
if (make === undefined) throw new Error(`There is no proxy "${name}" (${HOST}).`);
const server = await make(upstream);
server.keepAliveTimeout = 65_000;
server.listen(0, '127.0.0.1', () => console.log(String((server.address() as AddressInfo).port)));
