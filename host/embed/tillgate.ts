import type { IncomingMessage, ServerResponse } from 'node:http';
import { FailedEvents, invalidField, readDecimal } from '../../core/index.ts';
import type { CallbackId, DomainEvents, HandledType, Logger, Ports } from '../../core/index.ts';
import {
  expressBinding,
  inProcessCalls,
  mineSimulated,
  namedOperations,
  paySimulated,
  RequestsInProgress,
} from '../../adapters/http/index.ts';
import type { ConnectionInterceptor, HttpApi } from '../../adapters/http/index.ts';
import { fetchBinding } from '../../adapters/http/fetch/index.ts';
import type { FetchHandler, FetchOptions } from '../../adapters/http/fetch/index.ts';
import type { Till } from '../boot/container.ts';
import { DisposeStack } from '../boot/dispose-stack.ts';
import { createHttpApi, manageDeps } from '../http/http-api.ts';
import { openRuntime, openTill } from '../boot/runtime.ts';
import { TillLifecycle } from '../boot/till-lifecycle.ts';
import type { WorkerScope } from '../workers/workers.ts';
import type { TillCalls } from './api.ts';
import { loggerOf, openDependencies, planOf } from './dependencies.ts';
import type { Plan } from './dependencies.ts';
import { tillEvent } from './events.ts';
import type { FailedTillEvent, TillEvent } from './events.ts';
import type { TillgateOptions } from './options.ts';

/** Middleware of Express, for `app.use`; it needs no more than Node's own request and response. */
export type ExpressHandler = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void;

/** The parts of a till that are offered over HTTP besides the payment API and the payer's page. */
export interface MountOptions {
  /** The management API under `/manage/v1`; false by default. */
  readonly manage?: boolean;
  /** The documentation at `/docs`; false by default. */
  readonly docs?: boolean;
  /** The dashboard under `/dashboard`, together with the management API that it uses; false by default. */
  readonly dashboard?: boolean;
}

/** The background work, which `createTillgate` starts unless its option `workers` is `none`. */
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

/** The simulated chain of a till in sandbox mode. */
export interface SandboxControl {
  /**
   * Pays an order.
   *
   * @param order - the order's id
   * @param amount - in the order's coin; by default what is still due
   * @returns the hash of the transaction
   * @throws TillgateError `NOT_FOUND`; `UNSUPPORTED` for a chain that is not simulated; `STATE_CONFLICT` when nothing is
   *   due or the payer has chosen no coin
   */
  pay(order: string, amount?: string): Promise<string>;
  /** Mines blocks on a simulated chain, or on all of them. @throws TillgateError `UNSUPPORTED` */
  mine(count: number, chain?: string): Promise<void>;
}

/** A request handler of the Web, also under the names by which Next.js and SvelteKit find it. */
export interface FetchDoor extends FetchHandler<readonly unknown[]> {
  readonly GET: FetchHandler<readonly unknown[]>;
  readonly POST: FetchHandler<readonly unknown[]>;
  readonly PATCH: FetchHandler<readonly unknown[]>;
  readonly DELETE: FetchHandler<readonly unknown[]>;
  /**
   * The same with parts that are off by default, or with facts about the connection that a `Request` does not have.
   *
   * @param options - `facts` tells the client's address from what the runtime passes besides the request
   */
  with<Context extends readonly unknown[]>(
    options: MountOptions & Partial<Pick<FetchOptions<Context>, 'facts'>>,
  ): FetchHandler<Context>;
}

/** The events that handlers of {@link Tillgate.on} have not handled. */
export interface TillEvents {
  /**
   * Those that were given up, newest first: their handler failed at every attempt, or their type was forgotten.
   *
   * @param page - `after`: the id of the last one of the page before; `limit`: 50 by default, 500 at most
   */
  failed(page?: { readonly limit?: number; readonly after?: string }): Promise<readonly FailedTillEvent[]>;
  /**
   * Makes one due again, with all its attempts.
   *
   * @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` while it is to be handled anyway
   */
  retry(id: string): Promise<void>;
  /**
   * Ends the writing of events of a type that no process handles any more, which would wait for ever, and gives up those
   * that wait. The first handler of the type that is added later makes them be written again. To forget a type twice, or
   * one that never had a handler, is no error.
   *
   * Stop or change the other processes on the database first: one that still has a handler of the type hears of no
   * further event until it is started again. After a crash, and for an event that another process was just writing, call
   * it again.
   *
   * @returns how many events were given up; {@link TillEvents.failed} lists them
   * @throws TillgateError `INVALID_FIELDS` for an unknown type; `STATE_CONFLICT` while this process has a handler of it
   */
  forget(type: HandledType): Promise<number>;
}

/** A till inside an application: its calls by resource and verb, such as `till.orders.create`. */
export interface Tillgate extends TillCalls {
  /**
   * Handles events of a type durably: at least once each, after a crash too. They are the events that webhooks get, of
   * all accounts, and of the operators. Events of one order, or of one payout, come one after the other, each when the
   * one before was handled or given up. An event is handled when what the handler returns resolves. A handler that
   * throws, rejects, or takes longer than `callbacks.timeoutSeconds` (15 s) gets the event again, with the same `id`, by
   * the schedule of callbacks; it may then still be running. Handlers run while all `workers` run.
   *
   * From the first handler of a type on, no event of that type is missed, by any process on the database, until
   * {@link TillEvents.forget}. Each event goes to one process that has a handler of its type, and waits until there is
   * one.
   *
   * @returns a function that removes the handler
   * @throws TillgateError `INVALID_FIELDS` for an unknown type
   */
  on<Type extends HandledType>(type: Type, handler: (event: TillEvent<Type>) => void | Promise<void>): () => void;
  /**
   * Listens to what this process does, after its transaction committed. It is for pages and metrics: a crash loses such
   * events, and other processes have their own.
   *
   * @returns a function that ends it
   */
  on<Name extends keyof DomainEvents>(
    name: Name,
    listener: (event: DomainEvents[Name]) => void,
    options: { readonly live: true },
  ): () => void;
  readonly events: TillEvents;
  /** The implementations of the ports in use: those of `replace`, and the till's own. */
  readonly ports: Ports;
  /** Pays and mines on the simulated chain. */
  readonly sandbox: SandboxControl;
  readonly workers: TillWorkers;
  /**
   * The node gateway, for an application whose server also forwards `checkContinue`, `upgrade`, `connect` (to its
   * `upgrade`) and `clientError` to it.
   */
  readonly gateway: Required<Pick<ConnectionInterceptor, 'handles' | 'request' | 'upgrade' | 'clientError'>>;
  /**
   * The payment API, `/v1` and the payer's page as Express middleware. Mount it under the path of `baseUrl`, before any
   * body parser.
   *
   * @param options - `gateway: true` also takes the hosts of the gateway's routes, wherever it is mounted
   */
  express(options?: MountOptions & { readonly gateway?: boolean }): ExpressHandler;
  /**
   * The same as a function from `Request` to `Response`, without the gateway, which needs sockets:
   * `export const { GET, POST } = till.fetch`. A `Request` does not tell its client's address, so all clients share the
   * limits of payers unless `trustedHops` proxies name them, or `fetch.with({ facts })` does.
   */
  readonly fetch: FetchDoor;
  /**
   * Refuses new requests with `NOT_READY` (50300), finishes those in progress within 7 seconds, stops the workers and
   * closes everything that the till opened itself, within 10 seconds in all.
   */
  close(): Promise<void>;
}

/**
 * Opens a till in this process: brings its tables up to date, sets up its plugins and starts its work. It reads no
 * environment, listens nowhere and handles no signal; several may run in one process.
 *
 * @throws TillgateError `CONFIG_INVALID` listing every problem of the options; `NOT_READY` when the database cannot be
 * reached
 */
export async function createTillgate(options: TillgateOptions): Promise<Tillgate> {
  const plan = planOf(options);
  const logger = loggerOf(options);
  const disposables = new DisposeStack(logger);
  const till = await openEmbedded(plan, options, logger, disposables).catch(async (error: unknown) => {
    await disposables.close();
    throw error;
  });
  const { workers = 'all' } = options;
  if (workers === 'none') return till;
  await till.workers.start(workers).catch(async (error: unknown) => {
    await till.close();
    throw error;
  });
  return till;
}

async function openEmbedded(
  plan: Plan,
  options: TillgateOptions,
  logger: Logger,
  disposables: DisposeStack,
): Promise<Tillgate> {
  const runtime = await openRuntime(await openDependencies(plan, options, disposables, logger), disposables);
  const till = await openTill(runtime, plan.plugins, { url: plan.baseUrl });
  return embedded(plan, new TillLifecycle(runtime, till), till, options.trustedHops ?? 0);
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
  const fetchDoor: FetchDoor['with'] = ({ facts = NO_FACTS, ...mount }) =>
    fetchBinding(apiOf(mount), { mount: pathOf(plan.baseUrl), facts });
  return {
    ...callsOf(till, plan),
    ports: till,
    sandbox: sandboxOf(till),
    on: (type: HandledType, handler: never, options?: { readonly live: true }) =>
      options?.live === true ? till.events.on(type as keyof DomainEvents, handler) : handled(till, type, handler),
    events: eventsOf(till),
    gateway,
    workers: {
      start: async (scope) => {
        await lifecycle.prepare(scope);
        lifecycle.start(scope);
      },
      stop: () => lifecycle.stop(),
    },
    express: ({ gateway: withGateway = false, ...mount } = {}) => {
      const binding = expressBinding(apiOf(mount)) as ExpressHandler;
      return withGateway ? behindGateway(gateway, binding) : binding;
    },
    fetch: withMethods(fetchDoor),
    close: () => (closing ??= closeTill(lifecycle, requests, streams)),
  };
}

function handled(
  { handleEvents, logger }: Till,
  type: HandledType,
  handler: (event: TillEvent) => void | Promise<void>,
): () => void {
  const remove = handleEvents.on(type, (event) => handler(tillEvent(event)));
  // After this turn, so that a handler that is removed in it is not stored.
  void Promise.resolve()
    .then(() => handleEvents.subscribe())
    // The next call, and the next pass of the workers, try it again.
    .catch((error: unknown) => logger.warn('the handler of an event could not be stored yet', { type, error }));
  return remove;
}

/** The calls by resource and verb. Their types are written from the same operations. */
function callsOf(till: Till, { config }: Plan): TillCalls {
  const operations = namedOperations(manageDeps(till, config));
  // An event of a handler that was just added must not be missed.
  const before = (): Promise<void> => till.handleEvents.subscribe();
  return inProcessCalls(operations, { ...till, before }) as unknown as TillCalls;
}

function sandboxOf(till: Till): SandboxControl {
  const deps = { ...till, orders: till.storage.orders };
  return {
    pay: async (order, amount) => {
      await till.handleEvents.subscribe();
      const decimal = amount === undefined ? null : readDecimal(amount);
      if (amount !== undefined && decimal === null) throw invalidField('amount', 'must be a decimal, such as "12.50"');
      return await paySimulated(order, decimal, deps);
    },
    mine: async (count, chain) => {
      await till.handleEvents.subscribe();
      await mineSimulated(count, chain ?? null, deps);
    },
  };
}

/** All requests are taken as those of one client, whose address is unknown. */
const NO_FACTS = (): { readonly peer: string } => ({ peer: '' });

/** The handler, made when it is first used: an application without HTTP needs none of it. */
function withMethods(make: FetchDoor['with']): FetchDoor {
  let made: FetchHandler<readonly unknown[]> | null = null;
  const handler: FetchHandler<readonly unknown[]> = (request, ...context) => {
    made ??= make({});
    return made(request, ...context);
  };
  return Object.assign(handler.bind(null), {
    GET: handler,
    POST: handler,
    PATCH: handler,
    DELETE: handler,
    with: make,
  });
}

function eventsOf({ storage, manage, handleEvents }: Till): TillEvents {
  const failed = new FailedEvents({ storage, callbacks: manage.callbacks });
  return {
    failed: async (page) => (await failed.list(page as Parameters<typeof failed.list>[0])).map(tillEvent),
    retry: (id) => failed.retry(id as CallbackId),
    forget: (type) => handleEvents.forget(type),
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

function behindGateway(gateway: Tillgate['gateway'], binding: ExpressHandler): ExpressHandler {
  return (req, res, next) => {
    if (gateway.handles(req.headers.host)) gateway.request(req, res);
    else binding(req, res, next);
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
