import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import express from 'express';
import { ANYBODY, HttpApi, createHttpServer, createOperations, expressBinding, manageOperations, randomTraceId, textOperation } from '../adapters/http/index.ts';
import type { HttpDeps, HttpSettings, Operation } from '../adapters/http/index.ts';
import { TillgateError } from '../core/index.ts';
import { checkoutPage } from './checkout/route.ts';
import type { HostConfig } from './config.ts';
import type { Till } from './container.ts';

/** The till's one listener. */
export interface HttpListener {
  /** Listens, and answers with the port. @throws TillgateError `CONFIG_INVALID` when the address cannot be had */
  listen(): Promise<number>;
  /** Accepts nothing more and waits for what is being answered. */
  drain(): Promise<void>;
  /** Cuts whatever is still open. */
  cut(): void;
}

/** Puts the operations table, the payer's page and the probes on one listener. */
export function createListener(till: Till, config: HostConfig): HttpListener {
  let stopping = false;
  const settings = httpSettings(config);
  const api = new HttpApi(createOperations(settings, [payersPage(till), ...desk(till, config)]), httpDeps(till, settings, () => stopping));
  const app = express();
  app.use(expressBinding(api));
  const server = createHttpServer(app, api, { door: till.gateway });
  return {
    listen: () => listen(server, config.listen),
    drain: async () => {
      stopping = true;
      await drain(server);
    },
    cut: () => server.closeAllConnections(),
  };
}

function httpSettings({ mode, serviceName, limits, listen: { trustedHops }, callbacks }: HostConfig): HttpSettings {
  return {
    serviceName,
    sandbox: mode === 'sandbox',
    pageMax: 100,
    requestsPerMinute: limits.requestsPerMinute,
    loginsPerMinute: limits.loginsPerMinute,
    trustedHops,
    allowPrivateNetworks: callbacks.allowPrivateNetworks,
  };
}

function httpDeps(till: Till, settings: HttpSettings, isStopping: () => boolean): HttpDeps {
  const { storage, metrics } = till;
  return {
    ...till,
    settings,
    orders: storage.orders,
    metricsText: async () => {
      till.gateway.flush();
      return { contentType: metrics.contentType, text: await metrics.text() };
    },
    readiness: async () => {
      if (isStopping()) throw new TillgateError('NOT_READY', 'The service is shutting down.');
      await storage.ping();
      const states = await storage.chains.states();
      return states.filter(({ chain, haltedReason }) => haltedReason !== null && till.chains.has(chain)).map(({ chain }) => chain);
    },
    traceId: randomTraceId,
  };
}

/** The management API (decisions, section 9). */
function desk({ manage, assets }: Till, { mode, limits }: HostConfig): readonly Operation[] {
  const settings = { pageMax: 100, loginsPerMinute: limits.loginsPerMinute, secureCookies: mode === 'production' };
  return manageOperations({ manage, assets, settings });
}

function payersPage(till: Till): Operation {
  return textOperation({
    id: 'checkoutPage',
    method: 'GET',
    path: '/checkout/{token}',
    summary: "The payer's page",
    description: 'Shows a hosted order to its payer (decisions, section 4).',
    tag: 'Checkout',
    auth: ANYBODY,
    hidden: true,
    type: 'text/html',
    handler: async ({ params, request, traceId }) => {
      const query = new URL(request.target, 'http://page.invalid').searchParams;
      const page = await checkoutPage(till, params['token'] ?? '', { view: query.get('view'), error: query.get('error') });
      return { ...page, headers: { 'X-Trace-Id': traceId, ...page.headers } };
    },
  });
}

async function listen(server: Server, { host, port }: HostConfig['listen']): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    server.listen(port, host, resolve);
  });
  return (server.address() as AddressInfo).port;
}

function listenError({ code }: NodeJS.ErrnoException, host: string, port: number): TillgateError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'another program listens there; stop it, or set listen.port or TILLGATE_PORT',
    EACCES: 'this user may not listen there; take a port above 1023',
    EADDRNOTAVAIL: 'this machine does not have that address; correct listen.host',
  };
  return new TillgateError('CONFIG_INVALID', `Cannot listen on ${host}:${port}: ${reasons[code ?? ''] ?? code ?? 'unknown reason'}.`);
}

async function drain(server: Server): Promise<void> {
  let closed = false;
  const close = new Promise<void>((resolve) => server.close(() => resolve())).then(() => (closed = true));
  while (!closed) {
    // A connection kept alive becomes idle whenever its answer is out; Node closes only those idle at the first call.
    server.closeIdleConnections();
    await Promise.race([close, pause(50)]);
  }
}
