import type { RequestHandler } from 'express';
import type { AccountId, EventBus, Principal } from '../../core/index.ts';
import { RequestsInProgress, expressBinding } from '../../adapters/http/index.ts';
import type { ConnectionInterceptor, HttpApi } from '../../adapters/http/index.ts';
import { fetchBinding } from '../../adapters/http/fetch/index.ts';
import type { FetchHandler, FetchOptions } from '../../adapters/http/fetch/index.ts';
import { RECIPES } from '../boot/container.ts';
import type { Till } from '../boot/container.ts';
import { DisposeStack } from '../boot/dispose-stack.ts';
import { createHttpApi } from '../http/http-api.ts';
import { openRuntime, openTill } from '../boot/runtime.ts';
import { TillLifecycle } from '../boot/till-lifecycle.ts';
import type { WorkerScope } from '../workers/workers.ts';
import { loggerOf, openDependencies, planOf } from './dependencies.ts';
import type { Plan } from './dependencies.ts';
import type { TillgateOptions } from './options.ts';

/** The use cases of a till, to be called in process. */
export interface UseCases extends ReturnType<typeof RECIPES.useCasesOf>, Pick<Till, 'chains' | 'clock' | 'storage'> {}

/** The parts of a till that are offered over HTTP besides the payment API and the payer's page. */
export interface MountOptions {
  /** The management API under `/manage/v1`; false by default. */
  readonly manage?: boolean;
  /** The API reference as a page at `/docs`; false by default. */
  readonly docs?: boolean;
  /** The dashboard under `/dashboard`, together with the management API that it uses; false by default. */
  readonly dashboard?: boolean;
}

/** The background work. Nothing runs before it is started. */
export interface TillWorkers {
  /**
   * Starts following chains, expiring orders, paying out and delivering callbacks, and the work that this instance
   * needs to answer requests. A process that takes orders but leaves the rest to another starts `instance` only; one
   * that starts nothing can make no ids after 15 seconds.
   */
  start(scope?: WorkerScope): Promise<void>;
  /** Finishes running work and releases the leases. The workers can be started again. */
  stop(): Promise<void>;
}

/** A till inside an application. */
export interface Tillgate extends UseCases {
  /** Typed events of this process, emitted after their transaction committed. For money use callbacks and queries. */
  readonly events: Pick<EventBus, 'on'>;
  readonly workers: TillWorkers;
  /**
   * The node gateway, for an application whose server also forwards `checkContinue`, `upgrade`, `connect` (to its
   * `upgrade`) and `clientError` to it.
   */
  readonly gateway: Required<Pick<ConnectionInterceptor, 'handles' | 'request' | 'upgrade' | 'clientError'>>;
  /**
   * The payment API and the payer's page as Express middleware. Mount it under the path of `baseUrl`, before any body
   * parser.
   *
   * @param options - `gateway: true` also takes the hosts of the gateway's routes, wherever it is mounted
   */
  toExpress(options?: MountOptions & { readonly gateway?: boolean }): RequestHandler;
  /** The same as a function from `Request` to `Response`, without the gateway, which needs sockets. */
  toFetch<Context extends readonly unknown[]>(
    options: MountOptions & Pick<FetchOptions<Context>, 'facts'>,
  ): FetchHandler<Context>;
  /**
   * Refuses new requests with `NOT_READY` (50300), finishes those in progress within 7 seconds, stops the workers and
   * closes everything that the till opened itself, within 10 seconds in all.
   */
  close(): Promise<void>;
}

/**
 * Opens a till in this process: brings its tables up to date and sets up its plugins, without starting any work. It
 * reads no environment, listens nowhere and handles no signal; several may run in one process.
 *
 * @throws TillgateError `CONFIG_INVALID` listing every problem of the options; `NOT_READY` when the database cannot be
 * reached
 */
export async function createTillgate(options: TillgateOptions): Promise<Tillgate> {
  const plan = planOf(options);
  const logger = loggerOf(options);
  const disposables = new DisposeStack(logger);
  try {
    const runtime = await openRuntime(await openDependencies(plan, options, disposables, logger), disposables);
    const till = await openTill(runtime, plan.plugins, { url: plan.baseUrl });
    return embedded(plan, new TillLifecycle(runtime, till), till, options.trustedHops ?? 0);
  } catch (error) {
    await disposables.close();
    throw error;
  }
}

/** The merchant on whose behalf a use case is called in process. */
export function merchantOf(accountId: AccountId): Principal {
  return { accountId, credentialId: null, via: 'api-key' };
}

function embedded(plan: Plan, lifecycle: TillLifecycle, till: Till, trustedHops: number): Tillgate {
  const streams: (() => void)[] = [];
  const requests = new RequestsInProgress();
  const gateway = countedGateway(till.gateway, requests);
  let closing: Promise<void> | null = null;
  const edge = {
    trustedHops,
    isStopping: () => requests.closed,
    requests,
    onStop: (end: () => void) => void streams.push(end),
    serverUrl: plan.baseUrl,
  };
  // An embedded till offers no `/metrics`: the application exports its own.
  const apiOf = ({ dashboard = false, manage = dashboard, docs = false }: MountOptions): HttpApi =>
    createHttpApi(till, plan.config, { ...edge, manage, docs, dashboard, metrics: false });
  return {
    ...RECIPES.useCasesOf(till),
    chains: till.chains,
    clock: till.clock,
    storage: till.storage,
    events: { on: (name, listener) => till.events.on(name, listener) },
    gateway,
    workers: {
      start: async (scope) => {
        await lifecycle.prepare(scope);
        lifecycle.start(scope);
      },
      stop: () => lifecycle.stop(),
    },
    toExpress: ({ gateway: withGateway = false, ...mount } = {}) => {
      const binding = expressBinding(apiOf(mount));
      return withGateway ? behindGateway(gateway, binding) : binding;
    },
    toFetch: (options) => {
      // Plain JavaScript may omit the options: the binding then reports what is missing.
      const { facts, ...mount } = { ...options };
      return fetchBinding(apiOf(mount), { mount: pathOf(plan.baseUrl), facts });
    },
    close: () => (closing ??= closeTill(lifecycle, requests, streams)),
  };
}

/** The gateway with its HTTP requests counted, so that closing waits for them; WebSockets are closed at once. */
function countedGateway(gateway: Till['gateway'], requests: RequestsInProgress): Tillgate['gateway'] {
  return {
    handles: (host) => gateway.handles(host),
    request: (req, res) => {
      if (!res.destroyed) res.once('close', requests.begin());
      gateway.request(req, res);
    },
    upgrade: (req, socket, head) => gateway.upgrade(req, socket, head),
    clientError: (error, socket) => gateway.clientError(error, socket),
  };
}

function behindGateway(gateway: Tillgate['gateway'], binding: RequestHandler): RequestHandler {
  return (req, res, next) => {
    if (gateway.handles(req.headers.host)) gateway.request(req, res);
    else void binding(req, res, next);
  };
}

function pathOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/$/, '');
}

async function closeTill(
  lifecycle: TillLifecycle,
  requests: RequestsInProgress,
  streams: readonly (() => void)[],
): Promise<void> {
  const answered = requests.close();
  for (const end of streams) end();
  await lifecycle.drain(answered);
  await lifecycle.leave();
  await lifecycle.close();
}
