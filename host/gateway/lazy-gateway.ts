import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ClientError } from '../../adapters/http/index.ts';
import type {
  AdmissionCount,
  AppId,
  GatewayRoute,
  GatewayRouteTable,
  KeyDirectory,
  UpstreamView,
} from '../../core/index.ts';
import type { Gateway, GatewayDeps } from './index.ts';

/** The dependencies of the gateway, except how it is reached. */
export type LazyGatewayDeps = Omit<GatewayDeps, 'trustedHops'>;

/** The gateway as the server sees it. The proxy is loaded with the first route, to save memory without gateways. */
export class LazyGateway {
  readonly #deps: LazyGatewayDeps;
  readonly #unsubscribe: () => void;
  #loading: Promise<Gateway> | null = null;
  #gateway: Gateway | null = null;
  readonly #servers: Server[] = [];
  readonly #opened: (() => void)[] = [];
  #trustedHops = 0;

  constructor(deps: LazyGatewayDeps & { readonly routes: () => GatewayRouteTable; readonly directory: KeyDirectory }) {
    this.#deps = deps;
    this.#unsubscribe = deps.directory.onChange(() => this.openIfNeeded());
  }

  /** Loads the proxy and starts its health checks when there is a route. */
  openIfNeeded(): void {
    if (this.#loading !== null) return;
    for (const _route of this.#deps.routes().all()) {
      this.#open().catch((error: unknown) => this.#deps.logger.error('the gateway could not be loaded', { error }));
      return;
    }
  }

  /** After a change of the routes that the key directory does not tell of. */
  routesChanged(): void {
    this.openIfNeeded();
    this.#gateway?.refresh();
  }

  /** Sets the number of trusted proxies in front of the gateway. */
  isBehind(trustedHops: number): void {
    this.#trustedHops = trustedHops;
  }

  /** Calls the listener once the proxy is loaded, or at once if it already is. */
  onOpen(listener: () => void): void {
    if (this.#gateway === null) this.#opened.push(listener);
    else listener();
  }

  handles(host: string | undefined): boolean {
    return host !== undefined && this.#deps.routes().find(host) !== null;
  }

  request(req: IncomingMessage, res: ServerResponse): void {
    this.#with(
      (gateway) => gateway.request(req, res),
      () => res.destroy(),
    );
  }

  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Node no longer listens on this socket, and an 'error' event without a listener would end the process.
    const destroy = (): void => void socket.destroy();
    socket.on('error', destroy);
    this.#with((gateway) => {
      socket.off('error', destroy);
      gateway.upgrade(req, socket, head);
    }, destroy);
  }

  clientError(error: ClientError, socket: Duplex): boolean {
    return this.#gateway?.clientError(error, socket) ?? false;
  }

  /** Lets the gateway, once it is loaded, read this server's connections first. */
  attach(server: Server): void {
    this.#servers.push(server);
    this.#gateway?.attach(server);
  }

  /** Admission counts of an App's requests on this instance. */
  admissionTally(app: AppId): readonly AdmissionCount[] {
    return this.#gateway?.admissionTally(app) ?? [];
  }

  /** This instance's view of a route's upstreams, in their order; `null` for one that it does not use. */
  upstreamHealth(route: GatewayRoute): readonly (UpstreamView | null)[] {
    return this.#gateway?.upstreamHealth(route) ?? route.upstreams.map(() => null);
  }

  /** Writes the latest counts to the metrics; call it before they are read. */
  flush(): void {
    this.#gateway?.flush();
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    await (await this.#loading)?.close();
  }

  #with(use: (gateway: Gateway) => void, giveUp: () => void): void {
    if (this.#gateway !== null) use(this.#gateway);
    else this.#open().then(use, giveUp);
  }

  #open(): Promise<Gateway> {
    this.#loading ??= import('./index.ts').then(({ createGateway }) => {
      const gateway = createGateway({ ...this.#deps, trustedHops: () => this.#trustedHops });
      for (const server of this.#servers) gateway.attach(server);
      for (const listener of this.#opened) listener();
      return (this.#gateway = gateway);
    });
    return this.#loading;
  }
}
