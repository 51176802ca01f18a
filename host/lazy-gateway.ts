import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AdmissionCount, AppId, KeyDirectory, GatewayRouteTable } from '../core/index.ts';
import type { Gateway, GatewayDeps } from './gateway/index.ts';

/**
 * The gateway as the server knows it: it is there for the hosts of its routes, and loaded only once there is a route,
 * so that a till without gateways does not carry a proxy.
 */
export class LazyGateway {
  readonly #deps: GatewayDeps;
  readonly #endNews: () => void;
  #loading: Promise<Gateway> | null = null;
  #gateway: Gateway | null = null;
  readonly #servers: Server[] = [];
  readonly #opened: (() => void)[] = [];

  constructor(deps: GatewayDeps & { readonly routes: () => GatewayRouteTable; readonly directory: KeyDirectory }) {
    this.#deps = deps;
    this.#endNews = deps.directory.onChange(() => this.openIfNeeded());
  }

  /** Loads the proxy when there is a route; its health checks begin with it. */
  openIfNeeded(): void {
    if (this.#loading !== null) return;
    for (const _route of this.#deps.routes().all()) {
      this.#open().catch((error: unknown) => this.#deps.logger.error('the gateway could not be loaded', { error }));
      return;
    }
  }

  /** Calls the listener once the proxy is loaded: now, later or never. */
  onOpen(listener: () => void): void {
    if (this.#gateway === null) this.#opened.push(listener);
    else listener();
  }

  handles(host: string | undefined): boolean {
    return host !== undefined && this.#deps.routes().find(host) !== null;
  }

  request(req: IncomingMessage, res: ServerResponse): void {
    this.#with((gateway) => gateway.request(req, res), () => res.destroy());
  }

  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#with((gateway) => gateway.upgrade(req, socket, head), () => socket.destroy());
  }

  /** The gateway, as soon as there is one, reads this server's connections first. */
  attach(server: Server): void {
    this.#servers.push(server);
    this.#gateway?.attach(server);
  }

  /** What admission said of an App's requests on this instance. */
  admissionTally(app: AppId): readonly AdmissionCount[] {
    return this.#gateway?.admissionTally(app) ?? [];
  }

  /** Hands on the latest counts, before metrics are read. */
  flush(): void {
    this.#gateway?.flush();
  }

  async close(): Promise<void> {
    this.#endNews();
    await (await this.#loading)?.close();
  }

  #with(use: (gateway: Gateway) => void, giveUp: () => void): void {
    if (this.#gateway !== null) use(this.#gateway);
    else this.#open().then(use, giveUp);
  }

  #open(): Promise<Gateway> {
    this.#loading ??= import('./gateway/index.ts').then(({ createGateway }) => {
      const gateway = createGateway(this.#deps);
      for (const server of this.#servers) gateway.attach(server);
      for (const listener of this.#opened) listener();
      return (this.#gateway = gateway);
    });
    return this.#loading;
  }
}
