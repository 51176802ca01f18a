import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import express from 'express';
import { createHttpServer, expressBinding } from '../../adapters/http/index.ts';
import { TillgateError } from '../../core/index.ts';
import type { HostConfig } from '../settings/config.ts';
import type { Till } from '../boot/container.ts';
import { DashboardFiles } from '../dashboard/dashboard-files.ts';
import { createHttpApi } from './http-api.ts';

export interface HttpListener {
  /** Listens. @returns the port @throws TillgateError `CONFIG_INVALID` when the address is not available */
  listen(): Promise<number>;
  /** Loads the files of the dashboard, so that its first request waits for nothing; builds them from sources. */
  loadDashboard(): Promise<void>;
  /** Stops accepting connections and waits for requests in progress. */
  drain(): Promise<void>;
  /** Closes all remaining connections. */
  cut(): void;
}

/** Serves the operations table, the checkout page and the probes on one listener. */
export function createListener(till: Till, config: HostConfig): HttpListener {
  let stopping = false;
  let endStreams = (): void => undefined;
  const dashboard = config.dashboard.enabled ? new DashboardFiles(till.clock, till.logger) : null;
  const api = createHttpApi(till, config, {
    trustedHops: config.listen.trustedHops,
    docs: config.apiDocs,
    home: true,
    ...(config.mode === 'sandbox' && { sandboxUrl: () => config.baseUrl ?? `http://localhost:${portOf(server)}` }),
    dashboard: dashboard ?? false,
    isStopping: () => stopping,
    onStop: (end) => (endStreams = end),
  });
  const app = express();
  app.use(expressBinding(api));
  const strictTransport = config.mode === 'production' && config.baseUrl?.startsWith('https:') === true;
  const server = createHttpServer(app, api, { interceptor: till.gateway, strictTransport });
  return {
    listen: () => listen(server, config.listen),
    loadDashboard: async () => {
      await dashboard?.get();
    },
    drain: async () => {
      stopping = true;
      endStreams();
      await drain(server);
    },
    cut: () => server.closeAllConnections(),
  };
}

async function listen(server: Server, { host, port }: HostConfig['listen']): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    server.listen(port, host, resolve);
  });
  return portOf(server);
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

function listenError({ code }: NodeJS.ErrnoException, host: string, port: number): TillgateError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'another program listens there; stop it, or set listen.port or TILLGATE_PORT',
    EACCES: 'this user may not listen there; take a port above 1023',
    EADDRNOTAVAIL: 'this machine does not have that address; correct listen.host',
  };
  return new TillgateError(
    'CONFIG_INVALID',
    `Cannot listen on ${host}:${port}: ${reasons[code ?? ''] ?? code ?? 'unknown reason'}.`,
  );
}

async function drain(server: Server): Promise<void> {
  let closed = false;
  const close = new Promise<void>((resolve) => server.close(() => resolve())).then(() => (closed = true));
  while (!closed) {
    // Node closes only connections that are idle now; a keep-alive connection becomes idle after each response.
    server.closeIdleConnections();
    await Promise.race([close, pause(50)]);
  }
}
