import { addressKey, isTillgateError, TillgateError } from '../../core/index.ts';
import type { AccountId, OpenSession, Principal } from '../../core/index.ts';
import { clientAddress } from './client-address.ts';
import type { HttpDeps } from './deps.ts';
import { failureOf } from './error-table.ts';
import { FairTurns } from './fair-turns.ts';
import type { Turn } from './fair-turns.ts';
import { idempotencyClaim } from './idempotency.ts';
import { LoginFailures } from './login-failures.ts';
import { bodyKind, prefersHtml } from './media-type.ts';
import type { BodyKind } from './media-type.ts';
import { ClientGone, header } from './messages.ts';
import type { HttpRequest, HttpResponse } from './messages.ts';
import { BODY_LIMIT } from './operation.ts';
import type { Operation, RawCall } from './operation.ts';
import { PAYER_WRITES_OF_ORDER, RateLimit } from './rate-limits.ts';
import { readCsv } from './read-csv.ts';
import { readForm, readQuery } from './read-form.ts';
import { readJson } from './read-json.ts';
import { apiOfPath, failureReply, seeOther, takesSlash, unknownCall } from './replies.ts';
import type { Api } from './replies.ts';
import { checkRequest, pathOf, queryOf, refuseUnreadBody } from './request-checks.ts';
import { shuttingDown } from './requests-in-progress.ts';
import { HttpRouter } from './http-router.ts';
import type { Vocabulary } from './wire-names.ts';
import type { RouteMatch } from './http-router.ts';

const EMPTY = new Uint8Array(0);

/** The names that fields have in each API. */
const VOCABULARIES: Readonly<Record<Api, Vocabulary>> = {
  payment: 'payment',
  manage: 'till',
  v1: 'till',
  greenfield: 'greenfield',
};

/** Collected while a request is served, for its log line. */
interface Progress {
  readonly request: HttpRequest;
  readonly route: RouteMatch | null;
  readonly traceId: string;
  readonly startedAt: number;
  operation: Operation | null;
  principal: Principal | null;
  session: OpenSession | null;
  /** The body, once it was read. */
  body: unknown;
  code: number;
}

/**
 * The HTTP edge without a framework: it takes plain requests, makes every check in a fixed order, and returns plain
 * replies. Bindings (Express, `fetch`) only translate.
 */
export class HttpApi {
  readonly #routes: HttpRouter;
  readonly #apis: ReadonlySet<Api>;
  readonly #deps: HttpDeps;
  readonly #requests: RateLimit;
  readonly #turns = new FairTurns();
  readonly #logins: LoginFailures;
  readonly #payers: RateLimit;
  readonly #payersOfOrder = new RateLimit(() => PAYER_WRITES_OF_ORDER);

  constructor(operations: readonly Operation[], deps: HttpDeps) {
    this.#routes = new HttpRouter(operations);
    this.#apis = new Set(operations.map(({ api }) => api));
    this.#deps = deps;
    const { settings } = deps;
    this.#requests = new RateLimit(() => settings.requestsPerMinute);
    this.#logins = new LoginFailures({ perMinute: () => settings.loginsPerMinute });
    this.#payers = new RateLimit(() => settings.payerWritesPerMinute);
  }

  /** Finds the operations at a target's path, for all methods; `null` for an unknown path. */
  route(target: string, mount: string): RouteMatch | null {
    const path = routePath(target, mount);
    const found = this.#routes.find(path);
    if (found !== null || !path.endsWith('/') || !takesSlash(this.#apiAt(path))) return found;
    return this.#routes.find(path.slice(0, -1));
  }

  /** Counts a request that a binding is about to have answered. @returns a function to call when the reply is over */
  begin(): () => void {
    return this.#deps.requests?.begin() ?? (() => undefined);
  }

  /**
   * Answers a request. It throws only when the client left.
   *
   * @param route - the result of {@link HttpApi.route}, when the binding has called it already
   * @throws ClientGone when the client has disconnected
   */
  async handle(
    request: HttpRequest,
    route: RouteMatch | null = this.route(request.target, request.mount),
  ): Promise<HttpResponse> {
    const { trace } = this.#deps;
    if (trace === undefined) return this.#answer(request, route);
    const { method, headers } = request;
    const operation = route?.methods.get(method)?.id ?? 'none';
    return trace({ operation, method, headers }, () => this.#answer(request, route));
  }

  async #answer(request: HttpRequest, route: RouteMatch | null): Promise<HttpResponse> {
    const progress: Progress = {
      request,
      route,
      traceId: this.#deps.traceId(),
      startedAt: performance.now(),
      operation: null,
      principal: null,
      session: null,
      body: undefined,
      code: 0,
    };
    let response: HttpResponse;
    try {
      response = await this.#serve(progress);
    } catch (error) {
      if (error instanceof ClientGone) throw error;
      response = this.#refuse(error, progress);
    }
    this.#record(progress, response.status);
    const { parts } = response;
    const reply = parts === undefined ? response : { ...response, parts: this.#watched(parts, progress) };
    // Operations that the host added set their own headers.
    if (reply.headers['X-Trace-Id'] !== undefined) return reply;
    return { ...reply, headers: { ...reply.headers, 'X-Trace-Id': progress.traceId } };
  }

  /** The parts of a reply. Every error that the binding sees was logged first. */
  async *#watched(parts: AsyncIterable<string>, { traceId, operation }: Progress): AsyncGenerator<string> {
    try {
      yield* parts;
    } catch (error) {
      this.#deps.logger.error('a reply was interrupted', {
        trace_id: traceId,
        operation: operation?.id,
        error: causeOf(error),
      });
      throw error;
    }
  }

  /**
   * The reply to a failure outside of any operation: a request that Node could not read, an error in a page of the
   * host.
   *
   * @param status - the HTTP status for failures of HTTP itself (408), instead of the error's own
   */
  failure(error: unknown, status: number | null = null): HttpResponse {
    const traceId = this.#deps.traceId();
    const failure = failureOf(error);
    if (failure.ours) this.#deps.logger.error('request failed', { trace_id: traceId, error: causeOf(error) });
    return failureReply('payment', status === null ? failure : { ...failure, status, code: status * 100 }, traceId);
  }

  async #serve(progress: Progress): Promise<HttpResponse> {
    const { request } = progress;
    const { route, operation } = choose(progress);
    if (this.#deps.requests?.closed === true) throw shuttingDown();
    checkRequest(request);
    // The PHP client of shop plugins sends the terms of a list in the body of a GET too; they are read from the query.
    if (operation.api !== 'greenfield') refuseUnreadBody(request);
    if (operation.bodyLimit > BODY_LIMIT) await this.#requireCaller(request, operation);
    const body = operation.method === 'GET' ? EMPTY : await readBody(request, operation.bodyLimit);
    const kind = this.#contentType(operation, request, body);
    const client = clientAddress(request, this.#deps.settings.trustedHops);
    const received: Received = { route, operation, client, body, kind };
    if (operation.method !== 'GET' && takesGuests(operation)) await this.#limitPayer(client, route.params);
    if (!isGuest(operation, request)) return await this.#inTurn(progress, received);
    return await this.#run(progress, received);
  }

  /**
   * Makes an account's request wait for its turn before the expensive part. A request with invalid credentials waits
   * before it is refused.
   */
  async #inTurn(progress: Progress, received: Received): Promise<HttpResponse> {
    const { client, body, operation } = received;
    let account: AccountId;
    try {
      account = await this.#authenticate(progress, operation, body);
    } catch (error) {
      (await this.#turn(addressKey(client), progress.request)).end(body.length);
      throw error;
    }
    const turn = await this.#turn(account, progress.request);
    let bytes = body.length;
    try {
      await this.#requests.take(account);
      const response = await this.#run(progress, received);
      bytes += response.body.length;
      return response;
    } finally {
      turn.end(bytes);
    }
  }

  #turn(name: string, { onGone }: HttpRequest): Turn | Promise<Turn> {
    return this.#turns.take(
      name,
      onGone,
      () => new ClientGone('The client disconnected before its request was handled.'),
    );
  }

  /** A large body is read only for a caller with credentials; they are checked again, with the body, afterwards. */
  async #requireCaller(request: HttpRequest, { auth }: Operation): Promise<void> {
    if (auth.kind === 'session') await auth.admit(request);
    else if (auth.kind === 'merchant') await this.#deps.authenticate.withoutBody(request, auth);
  }

  async #authenticate(progress: Progress, { auth }: Operation, body: Uint8Array): Promise<AccountId> {
    const { method, target, headers } = progress.request;
    if (auth.kind === 'session') return (progress.session = await auth.admit(progress.request)).account.id;
    const rule = auth as Extract<Operation['auth'], { kind: 'merchant' }>;
    progress.principal = await this.#deps.authenticate.run({ method, target, headers, body }, rule);
    return progress.principal.accountId;
  }

  async #run(progress: Progress, { route, operation, client, body, kind }: Received): Promise<HttpResponse> {
    const { request } = progress;
    const call = this.#call(progress, { route, operation }, client, body, kind);
    progress.body = call.body;
    const run = (): Promise<HttpResponse> => operation.run(call, this.#deps);
    const response = await (operation.login === null
      ? run()
      : this.#logins.guard(client, fieldOf(call.body, operation.login), run));
    if (operation.page === null || response.status === 303 || !prefersHtml(request.headers)) return response;
    const { 'Set-Cookie': cookie } = response.headers;
    return seeOther(operation.page(route.params), progress.traceId, cookie);
  }

  /** Anyone who has the URL of a page may write without credentials, so these writes are limited. */
  async #limitPayer(client: string, { pullPaymentId, token = pullPaymentId }: RouteMatch['params']): Promise<void> {
    if (token === undefined) return;
    await this.#payers.take(addressKey(client));
    await this.#payersOfOrder.take(token);
  }

  /** An empty body without a declared type passes here; the credentials and the fields are checked later. */
  #contentType({ bodyKinds }: Operation, { headers, body: { present } }: HttpRequest, body: Uint8Array): BodyKind {
    const declared = headers.has('content-type') || headers.has('content-encoding');
    if (!present && body.length === 0 && !declared) return 'json';
    return body.length === 0 && !declared ? 'json' : bodyKind(headers, bodyKinds);
  }

  #call(progress: Progress, { route, operation }: Chosen, client: string, body: Uint8Array, kind: BodyKind): RawCall {
    const { request, traceId, principal, session } = progress;
    const { schemas } = operation;
    return {
      request,
      traceId,
      client,
      principal,
      session,
      params: route.params,
      body: schemas.body === null ? undefined : readBodyAs(kind, body, operation.bodyOptional),
      query: schemas.query === null ? undefined : readQuery(queryOf(request.target)),
      idempotency: operation.idempotent
        ? idempotencyClaim(request.headers, operation.path, route.params, body, this.#deps)
        : null,
    };
  }

  #refuse(error: unknown, progress: Progress): HttpResponse {
    const { request, traceId, operation, route } = progress;
    const path = routePath(request.target, request.mount);
    const api = operation?.api ?? this.#apiAt(path);
    const found = failureOf(error, VOCABULARIES[api]);
    const failure = operation === null ? unknownCall(api, found, request.method, path) : found;
    progress.code = failure.code;
    if (failure.ours)
      this.#deps.logger.error('request failed', { trace_id: traceId, operation: operation?.id, error: causeOf(error) });
    const page = operation?.page ?? null;
    if (page !== null && route !== null && prefersHtml(request.headers)) {
      const wrong = isTillgateError(error, 'INVALID_FIELDS');
      const cookie = wrong ? operation?.refusalCookie?.(progress.body, this.#deps) : null;
      return seeOther(`${page(route.params)}?error=${failure.code}`, traceId, cookie ?? undefined);
    }
    return failureReply(api, failure, traceId, operation?.resource);
  }

  /** The API to which a path without an operation belongs, if this table has it. */
  #apiAt(path: string): Api {
    const api = apiOfPath(path);
    return this.#apis.has(api) ? api : 'payment';
  }

  #record({ traceId, operation, principal, session, startedAt, code, request }: Progress, status: number): void {
    const { logger, metrics } = this.#deps;
    const seconds = (performance.now() - startedAt) / 1000;
    const name = operation?.id ?? 'none';
    metrics.count('tillgate_http_requests_total', { operation: name, status: String(status) });
    metrics.observe('tillgate_http_request_seconds', seconds, { operation: name });
    // Never logs the target: the path of a checkout is a secret of its payer.
    logger.info('request', {
      trace_id: traceId,
      method: request.method,
      operation: name,
      status,
      code,
      account_id: principal?.accountId ?? session?.account.id,
      ms: Math.round(seconds * 1e5) / 100,
    });
  }
}

/** A request whose body was read. */
interface Received extends Chosen {
  readonly client: string;
  readonly body: Uint8Array;
  readonly kind: BodyKind;
}

interface Chosen {
  readonly route: RouteMatch;
  readonly operation: Operation;
}

/** Whether an operation answers requests without credentials. */
function takesGuests({ auth }: Operation): boolean {
  return auth.kind === 'none' || (auth.kind === 'merchant' && auth.guests === true);
}

/** Whether a request comes without credentials to an operation that answers it, or that reads none. */
function isGuest(operation: Operation, { headers }: HttpRequest): boolean {
  const sent = header(headers, 'authorization') ?? header(headers, 'signature');
  return takesGuests(operation) && (operation.auth.kind === 'none' || sent === null);
}

/** @throws TillgateError `NOT_FOUND`, `METHOD_NOT_ALLOWED` */
function choose(progress: Progress): Chosen {
  const { route, request } = progress;
  if (route === null) throw new TillgateError('NOT_FOUND', 'There is no such resource.');
  const operation = route.methods.get(request.method);
  if (operation !== undefined) return { route, operation: (progress.operation = operation) };
  const allow = [...route.methods.keys()];
  throw new TillgateError('METHOD_NOT_ALLOWED', `Use ${allow.join(' or ')}.`, { allow });
}

function routePath(target: string, mount: string): string {
  const path = pathOf(target);
  return mount !== '' && path.startsWith(mount) ? path.slice(mount.length) : path;
}

async function readBody({ body }: HttpRequest, limit: number): Promise<Uint8Array> {
  const bytes = body.present ? await body.read(limit) : EMPTY;
  if (bytes === null) throw new TillgateError('BODY_TOO_LARGE', `A body may have at most ${limit} bytes.`);
  return bytes;
}

/** The text of a field in a body that is not validated yet. */
function fieldOf(body: unknown, name: string): string {
  const value = typeof body === 'object' && body !== null ? (body as Readonly<Record<string, unknown>>)[name] : null;
  return typeof value === 'string' ? value : '';
}

function readBodyAs(kind: BodyKind, body: Uint8Array, optional: boolean): unknown {
  if (optional && body.length === 0) return {};
  if (kind === 'csv') return { rows: readCsv(body) };
  return kind === 'form' ? readForm(body) : readJson(body);
}

/** The loggable part of a failure: kind and stack only, since the fields of a library's error may contain secrets. */
function causeOf(error: unknown): unknown {
  if (isTillgateError(error))
    return { code: error.code, message: error.message, stack: error.stack, cause: stackOf(error.cause) };
  return stackOf(error);
}

function stackOf(error: unknown): string | undefined {
  return error instanceof Error ? (error.stack ?? error.message) : undefined;
}
